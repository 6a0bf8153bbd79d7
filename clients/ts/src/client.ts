import { createClient, type Interceptor } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-web";
import { type Bounds, type CallOptions, call, read, write } from "./call.js";
import { WaybillError } from "./error.js";
import { eventFrom, type WaybillEvent } from "./event.js";
import { IngestService } from "./gen/waybill/v1/ingest_service_pb.js";
import { ProviderService } from "./gen/waybill/v1/provider_service_pb.js";
import { TrackingService } from "./gen/waybill/v1/tracking_service_pb.js";
import { type ReprocessRequest, WorkService } from "./gen/waybill/v1/work_service_pb.js";
import { type Order, orderFrom } from "./order.js";
import {
  type EventsQuery,
  eventsRequest,
  type IngestEvent,
  ingestRequest,
  type OrderName,
  orderRequest,
  type PendingWorkQuery,
  pendingWorkRequest,
  type Reprocess,
  reprocessRequest,
} from "./request.js";
import { type Receipt, receipt } from "./words.js";
import {
  type AuditEntry,
  auditFrom,
  itemFrom,
  type Provider,
  providerFrom,
  summaryFrom,
  type WorkItem,
  type WorkSummary,
} from "./work.js";

/** How to reach a Waybill server. */
export interface ClientOptions {
  /** For example https://waybill.internal, or location.origin in a page that Waybill serves. */
  baseUrl: string;
  /** The account that all calls are about. */
  account: string;
  /**
   * The API key, or what gives it, asked again for every attempt so that a key can be replaced. A page needs none: it
   * reads one order by the token of its link. Never ship a key to a browser.
   */
  apiKey?: string | (() => string | Promise<string>) | undefined;
  /** What sends the requests. Default: the global fetch. */
  fetch?: typeof globalThis.fetch | undefined;
  /** How often a call is sent at most; 1 turns retries off. Default 4. */
  attempts?: number | undefined;
  /** How long one attempt may take, in milliseconds. Default 10,000. */
  timeoutMs?: number | undefined;
  /** How long after a call's beginning its last attempt may begin, in milliseconds. Default 20,000. */
  patienceMs?: number | undefined;
}

/** Calls a Waybill server. One call is one request, but for the safe retries. Every failure is a WaybillError. */
export interface WaybillClient {
  /** An order as it stands. not_found: it does not exist or is not for this caller. */
  getOrder(order: OrderName, options?: CallOptions): Promise<Order>;
  /** A page of what is unfinished, longest unfinished first, with counts and ages of all of it. */
  listPendingWork(query?: PendingWorkQuery, options?: CallOptions): Promise<PendingWorkPage>;
  /** A page of recorded events, newest first, without deliveries, changes, decisions and raw bytes. */
  listEvents(query?: EventsQuery, options?: CallOptions): Promise<EventsPage>;
  /** One event with its deliveries, decisions and reason; with its bytes if asked and the key has the payload scope. */
  getEvent(id: string, options?: CallOptions & { includeRaw?: boolean | undefined }): Promise<WaybillEvent>;
  /** What a reprocess would do; does nothing. */
  previewReprocess(what: Reprocess, options?: CallOptions): Promise<ReprocessResult>;
  /** Decides an unfinished event again, or gives it up. On finished work it changes nothing. */
  reprocess(what: Reprocess, options?: CallOptions): Promise<ReprocessResult>;
  /** The account's providers by name. */
  listProviders(options?: CallOptions): Promise<Provider[]>;
  /** Records an event for ever; an answer means that it is committed. */
  ingestEvent(event: IngestEvent, options?: CallOptions): Promise<IngestResult>;
}

/** A page of unfinished work. */
export interface PendingWorkPage {
  items: WorkItem[];
  summary: WorkSummary;
  /** Undefined on the last page. */
  nextPageToken: string | undefined;
}

/** A page of events. */
export interface EventsPage {
  events: WaybillEvent[];
  /** Undefined on the last page. */
  nextPageToken: string | undefined;
}

/** What a reprocess did, or would do. */
export interface ReprocessResult {
  before: WaybillEvent;
  /** Of a preview: as it would stand. */
  after: WaybillEvent;
  /** Undefined for a preview. */
  audit: AuditEntry | undefined;
}

/** What a receipt found. */
export interface IngestResult {
  event: WaybillEvent;
  firstDelivery: boolean;
  receipt: Receipt;
}

/** Makes a client. It sends nothing yet. */
export function createWaybillClient(options: ClientOptions): WaybillClient {
  const { account } = options;
  const bounds = boundsOf(options);
  const transport = transportOf(options);
  const tracking = createClient(TrackingService, transport);
  const work = createClient(WorkService, transport);
  const providers = createClient(ProviderService, transport);
  const ingest = createClient(IngestService, transport);
  const sendReprocess = async (request: ReprocessRequest, options?: CallOptions) => {
    const answer = await call(bounds, options, (attempt) => work.reprocess(request, attempt));
    return read(answer, ({ before, after, audit }) => ({
      before: eventFrom(required(before, "before")),
      after: eventFrom(required(after, "after")),
      audit: audit && auditFrom(audit),
    }));
  };

  return {
    async getOrder(order, options) {
      const request = write(() => orderRequest(account, order));
      const answer = await call(bounds, options, (attempt) => tracking.getOrderStatus(request, attempt));
      return read(answer, ({ order }) => orderFrom(required(order, "order")));
    },

    async listPendingWork(query, options) {
      const request = write(() => pendingWorkRequest(account, query ?? {}));
      const answer = await call(bounds, options, (attempt) => work.listPendingWork(request, attempt));
      return read(answer, ({ items, summary, nextPageToken }) => ({
        items: items.map(itemFrom),
        summary: summaryFrom(summary),
        nextPageToken: nextPageToken || undefined,
      }));
    },

    async listEvents(query, options) {
      const request = write(() => eventsRequest(account, query ?? {}));
      const answer = await call(bounds, options, (attempt) => work.listEvents(request, attempt));
      return read(answer, ({ events, nextPageToken }) => ({
        events: events.map(eventFrom),
        nextPageToken: nextPageToken || undefined,
      }));
    },

    async getEvent(id, options) {
      const request = { account, eventId: id, includeRaw: options?.includeRaw ?? false };
      const answer = await call(bounds, options, (attempt) => work.getEvent(request, attempt));
      return read(answer, ({ event }) => eventFrom(required(event, "event")));
    },

    async previewReprocess(what, options) {
      // A preview brings an id of its own, so that it never uses up the caller's.
      const request = write(() => reprocessRequest(account, what, newRequestId()));
      request.dryRun = true;
      return sendReprocess(request, options);
    },

    async reprocess(what, options) {
      const request = write(() => reprocessRequest(account, what, what.requestId ?? newRequestId()));
      return sendReprocess(request, options);
    },

    async listProviders(options) {
      const answer = await call(bounds, options, (attempt) => providers.listProviders({ account }, attempt));
      return read(answer, ({ providers }) => providers.map(providerFrom));
    },

    async ingestEvent(event, options) {
      const request = write(() => ingestRequest(account, event));
      const answer = await call(bounds, options, (attempt) => ingest.ingestEvent(request, attempt));
      return read(answer, (answer) => ({
        event: eventFrom(required(answer.event, "event")),
        firstDelivery: answer.firstDelivery,
        receipt: receipt.read(answer.receipt),
      }));
    },
  };
}

// Only functions below hold the key, so printing or serialising a client can't show it.
function transportOf(options: ClientOptions) {
  checkBaseUrl(options.baseUrl);
  const { apiKey } = options;
  if (typeof apiKey === "string") checkKey(apiKey);
  const authorize: Interceptor = (next) => async (request) => {
    if (apiKey !== undefined) {
      const key = typeof apiKey === "string" ? apiKey : await apiKey();
      checkKey(key);
      request.header.set("Authorization", `Bearer ${key}`);
    }
    return next(request);
  };
  return createConnectTransport({
    baseUrl: options.baseUrl,
    useBinaryFormat: true,
    interceptors: [authorize],
    ...(options.fetch && { fetch: options.fetch }),
  });
}

function boundsOf(options: ClientOptions): Bounds {
  return {
    attempts: positive(options.attempts ?? 4, "attempts"),
    timeoutMs: positive(options.timeoutMs ?? 10_000, "timeoutMs"),
    patienceMs: positive(options.patienceMs ?? 20_000, "patienceMs"),
  };
}

function positive(value: number, name: string): number {
  if (!(value >= 1)) throw new WaybillError({ kind: "invalid", message: `${name} is not at least 1` });
  return value;
}

// The messages below never quote what they refuse: it may be, or hold, a key. fetch and Headers would quote it.
function checkBaseUrl(baseUrl: string): void {
  const invalid = (message: string) => new WaybillError({ kind: "invalid", message });
  let url: URL;
  try {
    url = new URL(baseUrl);
  } catch {
    throw invalid("baseUrl is not a whole URL: write for example https://waybill.internal, or location.origin");
  }
  if (url.protocol !== "http:" && url.protocol !== "https:") throw invalid("baseUrl is neither http nor https");
  if (url.username || url.password) throw invalid("baseUrl holds a user: a key belongs into apiKey, never into a URL");
  if (url.search || url.hash) throw invalid("baseUrl has a query or a fragment");
}

function checkKey(key: unknown): void {
  if (typeof key === "string" && /^[!-~]+$/.test(key)) return;
  throw new WaybillError({
    kind: "invalid",
    message: "apiKey is empty or holds white space or characters that no key has",
  });
}

function required<Part>(part: Part | undefined, name: string): Part {
  if (part === undefined) throw new TypeError(`the answer lacks ${name}`);
  return part;
}

// crypto.randomUUID is missing in pages that came over plain HTTP; getRandomValues is not.
function newRequestId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return `req-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}
