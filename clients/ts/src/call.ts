// How a call is sent: its bounds, and when it is sent again.
//
// Every method of the API may be sent again without harm, so a call is tried again whenever the failure is one that
// passes. Reads change nothing; ingestEvent is one event per account, provider and event id for ever; reprocess
// carries a request id that stays the same over all attempts.
//
// The loop is our own and not a library's: none that fits into a page honours Retry-After, an AbortSignal and a bound on
// the whole together.
import { abortedBy, errorFrom, WaybillError } from "./error.js";

/** Options of one call. */
export interface CallOptions {
  /** Gives the call up, its waits included. */
  signal?: AbortSignal | undefined;
}

/** The bounds of a call. */
export interface Bounds {
  /** How often it is sent at most. */
  attempts: number;
  /** How long one attempt may take, in milliseconds. */
  timeoutMs: number;
  /** How long after its beginning the last attempt may begin, in milliseconds. */
  patienceMs: number;
}

/** What one attempt hands to the generated client. */
export interface AttemptOptions {
  timeoutMs: number;
  signal?: AbortSignal;
}

const firstWaitMs = 100;
const longestWaitMs = 5_000;

/** Sends until it is answered, fails for good, or its bounds are reached. */
export async function call<Answer>(
  bounds: Bounds,
  options: CallOptions | undefined,
  send: (options: AttemptOptions) => Promise<Answer>,
): Promise<Answer> {
  const signal = options?.signal;
  const began = Date.now();
  for (let attempt = 1; ; attempt++) {
    if (signal?.aborted) throw abortedBy(signal);
    try {
      return await send({ timeoutMs: bounds.timeoutMs, ...(signal && { signal }) });
    } catch (thrown) {
      const error = errorFrom(thrown, signal);
      const waitMs = waitBefore(attempt, error);
      const over = Date.now() - began + waitMs > bounds.patienceMs;
      if (!error.retryable || attempt >= bounds.attempts || over || signal?.aborted) throw error;
      await pause(waitMs, signal);
    }
  }
}

/** Reads an answer; one that does not say what it must is a sign that client and server do not fit together. */
export function read<Answer, Noun>(answer: Answer, from: (answer: Answer) => Noun): Noun {
  try {
    return from(answer);
  } catch (cause) {
    throw new WaybillError({ kind: "outdated_client", message: messageOf(cause), cause });
  }
}

/** Writes a request; what can't be written is invalid. */
export function write<Request>(make: () => Request): Request {
  try {
    return make();
  } catch (cause) {
    throw new WaybillError({ kind: "invalid", message: messageOf(cause), cause });
  }
}

// waitBefore doubles with every attempt and is spread by chance, so that many clients do not return at once. The
// server's own word wins.
function waitBefore(attempt: number, error: WaybillError): number {
  if (error.retryAt) return Math.max(0, error.retryAt.getTime() - Date.now());
  const longest = Math.min(longestWaitMs, firstWaitMs * 2 ** (attempt - 1));
  return longest * (0.5 + Math.random());
}

function pause(waitMs: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      if (signal) reject(abortedBy(signal));
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, waitMs);
    signal?.addEventListener("abort", stop, { once: true });
  });
}

function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
