import { Code, ConnectError } from "@connectrpc/connect";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ProviderService } from "../src/gen/waybill/v1/provider_service_pb.js";
import { WorkService } from "../src/gen/waybill/v1/work_service_pb.js";
import { type ClientOptions, createWaybillClient, type WaybillError } from "../src/index.js";
import { type Handler, routed } from "./server.js";

// Time is made up here, so requests go to the handler without a network.
function clientOf(handler: Handler, options?: Partial<ClientOptions>) {
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init);
    const gone = new Promise<never>((_, reject) => {
      request.signal.addEventListener("abort", () => reject(request.signal.reason), { once: true });
    });
    return Promise.race([handler(request), gone]);
  };
  return createWaybillClient({ baseUrl: "http://waybill.test", account: "dhaka-shop", fetch, ...options });
}

function failing(times: number, code: Code, headers?: HeadersInit) {
  const attempts: number[] = [];
  const handler = routed((router) =>
    router.rpc(ProviderService.method.listProviders, () => {
      attempts.push(Date.now());
      if (attempts.length <= times) throw new ConnectError(`attempt ${attempts.length}`, code, headers);
      return { providers: [{ name: "pathao" }] };
    }),
  );
  return { attempts, handler };
}

// settle lets made-up time pass until the call has ended, and says how long it took.
async function settle<Answer>(call: Promise<Answer>) {
  const began = Date.now();
  const settled = call.then(
    (answer) => ({ answer, error: undefined, took: Date.now() - began }),
    (error: WaybillError) => ({ answer: undefined, error, took: Date.now() - began }),
  );
  await vi.advanceTimersByTimeAsync(3_600_000);
  return settled;
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe("a call", () => {
  it.each([Code.Unavailable, Code.DeadlineExceeded, Code.ResourceExhausted, Code.Aborted])(
    "is sent again, after growing waits, while it fails with code %i",
    async (code) => {
      const { attempts, handler } = failing(3, code);
      const { answer, took } = await settle(clientOf(handler).listProviders());
      expect(answer).toMatchObject([{ name: "pathao" }]);
      expect(attempts).toHaveLength(4);
      expect(took).toBeGreaterThanOrEqual(50 + 100 + 200);
      expect(took).toBeLessThanOrEqual(150 + 300 + 600 + 3);
    },
  );

  it.each([Code.NotFound, Code.InvalidArgument, Code.Unauthenticated, Code.PermissionDenied, Code.Internal])(
    "is sent once when it fails with code %i",
    async (code) => {
      const { attempts, handler } = failing(1, code);
      const { error } = await settle(clientOf(handler).listProviders());
      expect(error?.retryable).toBe(false);
      expect(attempts).toHaveLength(1);
    },
  );

  it("gives the last error when its attempts are used up", async () => {
    const { attempts, handler } = failing(99, Code.Unavailable);
    const { error } = await settle(clientOf(handler, { attempts: 3 }).listProviders());
    expect(error).toMatchObject({ kind: "unavailable", message: "attempt 3", retryable: true });
    expect(attempts).toHaveLength(3);
  });

  it("waits as long as the server asks", async () => {
    const { attempts, handler } = failing(1, Code.ResourceExhausted, { "Retry-After": "7" });
    await settle(clientOf(handler).listProviders());
    expect((attempts[1] ?? 0) - (attempts[0] ?? 0)).toBe(7_000);
  });

  it("does not begin a wait beyond its patience, and says when to come back", async () => {
    const { attempts, handler } = failing(1, Code.ResourceExhausted, { "Retry-After": "3600" });
    const { error, took } = await settle(clientOf(handler).listProviders());
    expect(error).toMatchObject({ kind: "rate_limited", retryable: true });
    expect(error?.retryAt?.getTime()).toBe((attempts[0] ?? 0) + 3_600_000);
    expect(took).toBe(0);
  });

  it("gives up an attempt that hangs and sends it again", async () => {
    let calls = 0;
    const answers = failing(0, Code.Unavailable).handler;
    const handler: Handler = (request) => (++calls === 1 ? new Promise(() => {}) : answers(request));
    const { answer } = await settle(clientOf(handler, { timeoutMs: 3_000 }).listProviders());
    expect(answer).toMatchObject([{ name: "pathao" }]);
    expect(calls).toBe(2);
  });

  it("is a timeout when every attempt hangs", async () => {
    const { error, took } = await settle(
      clientOf(() => new Promise(() => {}), { timeoutMs: 1_000, attempts: 2 }).listProviders(),
    );
    expect(error).toMatchObject({ kind: "timeout", retryable: true });
    expect(took).toBeLessThan(3_000);
  });

  it("is sent again when the connection breaks", async () => {
    let calls = 0;
    const answers = failing(0, Code.Unavailable).handler;
    const handler: Handler = (request) =>
      ++calls === 1 ? Promise.reject(new TypeError("fetch failed")) : answers(request);
    const { answer } = await settle(clientOf(handler).listProviders());
    expect(answer).toMatchObject([{ name: "pathao" }]);
  });
});

describe("an AbortSignal", () => {
  it("ends a wait", async () => {
    const { attempts, handler } = failing(9, Code.Unavailable, { "Retry-After": "10" });
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 2_000);
    const { error, took } = await settle(clientOf(handler).listProviders({ signal: controller.signal }));
    expect(error).toMatchObject({ kind: "canceled", retryable: false });
    expect(took).toBe(2_000);
    expect(attempts).toHaveLength(1);
  });

  it("ends an attempt", async () => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 2_000);
    const hanging = clientOf(() => new Promise(() => {})).listProviders({ signal: controller.signal });
    const { error, took } = await settle(hanging);
    expect(error).toMatchObject({ kind: "canceled", retryable: false });
    expect(took).toBe(2_000);
  });

  it("that has fired before sends nothing, and one of a timeout is a timeout", async () => {
    const { attempts, handler } = failing(0, Code.Unavailable);
    const late = AbortSignal.abort(new DOMException("late", "TimeoutError"));
    const given = await settle(clientOf(handler).listProviders({ signal: AbortSignal.abort() }));
    const timed = await settle(clientOf(handler).listProviders({ signal: late }));
    expect([given.error?.kind, timed.error?.kind]).toEqual(["canceled", "timeout"]);
    expect(attempts).toHaveLength(0);
  });
});

it("carries the same request id over all attempts of a reprocess", async () => {
  const ids: string[] = [];
  const handler = routed((router) =>
    router.rpc(WorkService.method.reprocess, ({ requestId }) => {
      ids.push(requestId);
      throw new ConnectError("", Code.Unavailable);
    }),
  );
  await settle(clientOf(handler).reprocess({ eventId: "evt_1", reason: "new word" }));
  expect(ids).toHaveLength(4);
  expect(new Set(ids).size).toBe(1);
});
