import { inspect } from "node:util";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { describe, expect, expectTypeOf, it } from "vitest";
import { type EventSchema, EventState, OccurredAtCertainty, Outcome, Receipt } from "../src/gen/waybill/v1/event_pb.js";
import { type IngestEventRequest, IngestService } from "../src/gen/waybill/v1/ingest_service_pb.js";
import { type OrderSchema, TimelineKind } from "../src/gen/waybill/v1/order_pb.js";
import { ProviderService } from "../src/gen/waybill/v1/provider_service_pb.js";
import { OrderStatus, PaymentStatus, ShipmentStatus } from "../src/gen/waybill/v1/status_pb.js";
import { type GetOrderStatusRequest, TrackingService } from "../src/gen/waybill/v1/tracking_service_pb.js";
import { Actor } from "../src/gen/waybill/v1/work_pb.js";
import {
  type ListEventsRequest,
  type ListPendingWorkRequest,
  type ReprocessRequest,
  Resolution,
  WorkService,
} from "../src/gen/waybill/v1/work_service_pb.js";
import { type Change, createWaybillClient, type Money, type Order, WaybillError } from "../src/index.js";
import { routed, serve } from "./server.js";

const account = "dhaka-shop";
const key = "wbk_a-key-that-nobody-may-see";
const noon = new Date("2026-11-29T06:00:00Z");
const morning = new Date("2026-11-29T03:10:00Z");
const stamp = timestampFromDate;

const anOrder: MessageInitShape<typeof OrderSchema> = {
  account,
  orderNumber: "1001",
  status: OrderStatus.IN_TRANSIT,
  paymentStatus: PaymentStatus.PARTIALLY_PAID,
  shipments: [
    {
      consignmentId: "DA2911BX7K",
      courier: "Pathao",
      status: ShipmentStatus.IN_TRANSIT,
      statusAt: stamp(noon),
      statusAtCertainty: OccurredAtCertainty.ZONE_ASSUMED,
      facts: { on_hold: "until noon" },
    },
  ],
  timeline: [
    { id: "t1", kind: TimelineKind.ORDER_STATUS, toStatus: "pending", recordedAt: stamp(morning), provider: "shop" },
    {
      id: "t2",
      kind: TimelineKind.SHIPMENT_STATUS,
      fromStatus: "processing",
      toStatus: "in_transit",
      skipped: ["shipped"],
      occurredAt: stamp(noon),
      recordedAt: stamp(noon),
    },
  ],
  facts: { partly_returned: "yes" },
  cursor: "c7",
  attention: [{ reason: "conflicting", detail: "two amounts", since: stamp(noon), eventId: "evt_9" }],
  total: { minorUnits: 9_007_199_254_740_993n, currency: "BDT" },
  updatedAt: stamp(noon),
};

const anEvent: MessageInitShape<typeof EventSchema> = {
  id: "evt_1",
  account,
  provider: "pathao",
  receivedAt: stamp(noon),
  state: EventState.PARKED,
  reason: "unknown word",
};

describe("getOrder", () => {
  it("names the order in each of its three ways", async () => {
    const seen: GetOrderStatusRequest[] = [];
    const baseUrl = await serve(
      routed((router) =>
        router.rpc(TrackingService.method.getOrderStatus, (request) => {
          seen.push(request);
          return { order: anOrder };
        }),
      ),
    );
    const client = createWaybillClient({ baseUrl, account });

    await client.getOrder({ orderNumber: "1001" });
    await client.getOrder({ consignmentId: "DA2911BX7K" });
    await client.getOrder({ trackingToken: "a-token-of-a-link" });

    expect(seen.map(({ account, order }) => [account, order.case, order.value])).toEqual([
      [account, "orderNumber", "1001"],
      [account, "consignmentId", "DA2911BX7K"],
      [account, "trackingToken", "a-token-of-a-link"],
    ]);
  });

  it("gives dates with their certainty, words for statuses and bigints for money", async () => {
    const baseUrl = await serve(
      routed((router) => router.rpc(TrackingService.method.getOrderStatus, () => ({ order: anOrder }))),
    );
    const order = await createWaybillClient({ baseUrl, account }).getOrder({ orderNumber: "1001" });

    expectTypeOf(order).toEqualTypeOf<Order>();
    expectTypeOf(order.total).toEqualTypeOf<Money | undefined>();
    expect(order).toEqual({
      account,
      orderNumber: "1001",
      status: "in_transit",
      paymentStatus: "partially_paid",
      shipments: [
        {
          consignmentId: "DA2911BX7K",
          trackingNumber: "",
          courier: "Pathao",
          status: "in_transit",
          statusAt: noon,
          statusAtCertainty: "zone_assumed",
          returnParcel: false,
          facts: { on_hold: "until noon" },
        },
      ],
      timeline: [
        {
          id: "t1",
          kind: "order_status",
          at: morning, // nobody said when; the record did
          certainty: "missing",
          recordedAt: morning,
          fromStatus: "",
          toStatus: "pending",
          skipped: [],
          shipment: "",
          provider: "shop",
          eventId: "",
        },
        {
          id: "t2",
          kind: "shipment_status",
          at: noon,
          certainty: "exact",
          recordedAt: noon,
          fromStatus: "processing",
          toStatus: "in_transit",
          skipped: ["shipped"],
          shipment: "",
          provider: "",
          eventId: "",
        },
      ],
      facts: { partly_returned: "yes" },
      cursor: "c7",
      attention: [{ reason: "conflicting", detail: "two amounts", since: noon, eventId: "evt_9" }],
      total: { minor: 9_007_199_254_740_993n, currency: "BDT" },
      paid: undefined,
      updatedAt: noon,
    });
  });

  it("reads a status that only a newer server knows as unknown", async () => {
    const baseUrl = await serve(
      routed((router) =>
        router.rpc(TrackingService.method.getOrderStatus, () => ({ order: { status: 99 as OrderStatus } })),
      ),
    );
    const order = await createWaybillClient({ baseUrl, account }).getOrder({ orderNumber: "1" });
    expect([order.status, order.paymentStatus]).toEqual(["unknown", "unknown"]);
  });

  it("takes an answer without what it must say for a sign of versions that do not fit", async () => {
    const baseUrl = await serve(
      routed((router) => router.rpc(TrackingService.method.getOrderStatus, () => ({ order: { timeline: [{}] } }))),
    );
    const thrown = await createWaybillClient({ baseUrl, account })
      .getOrder({ orderNumber: "1" })
      .catch((error: unknown) => error);
    expect(thrown).toMatchObject({ kind: "outdated_client", message: "the answer lacks timeline.recorded_at" });
  });
});

describe("the operator's calls", () => {
  it("lists unfinished work with its filters, counts and ages", async () => {
    let seen: ListPendingWorkRequest | undefined;
    const baseUrl = await serve(
      routed((router) =>
        router.rpc(WorkService.method.listPendingWork, (request) => {
          seen = request;
          return {
            items: [
              {
                workId: "evt_1",
                kind: "event",
                account,
                provider: "pathao",
                state: EventState.WAITING,
                reason: "order 1002 unknown",
                whoActs: Actor.PROVIDER,
                receivedAt: stamp(noon),
                references: [{ kind: 2, value: "1002" }],
                attempts: 3,
              },
            ],
            summary: {
              counts: [{ kind: "event", state: EventState.WAITING, count: 41n }],
              oldestWaitingAt: stamp(morning),
            },
            nextPageToken: "next",
          };
        }),
      ),
    );
    const page = await createWaybillClient({ baseUrl, account }).listPendingWork({
      states: ["waiting", "parked"],
      kinds: ["event"],
      pageSize: 10,
      pageToken: "this",
    });

    expect(seen).toMatchObject({
      account,
      states: [EventState.WAITING, EventState.PARKED],
      kinds: ["event"],
      pageSize: 10,
      pageToken: "this",
    });
    expect(page).toEqual({
      items: [
        {
          workId: "evt_1",
          kind: "event",
          account,
          provider: "pathao",
          state: "waiting",
          reason: "order 1002 unknown",
          whoActs: "provider",
          receivedAt: noon,
          nextAttemptAt: undefined,
          attempts: 3,
          eventType: "",
          references: [{ kind: "order_number", value: "1002" }],
        },
      ],
      summary: {
        counts: [{ kind: "event", state: "waiting", count: 41n }],
        oldestDueAt: undefined,
        oldestWaitingAt: morning,
      },
      nextPageToken: "next",
    });
  });

  it("lists events with its filters, and the last page has no next one", async () => {
    let seen: ListEventsRequest | undefined;
    const baseUrl = await serve(
      routed((router) =>
        router.rpc(WorkService.method.listEvents, (request) => {
          seen = request;
          return { events: [anEvent] };
        }),
      ),
    );
    const page = await createWaybillClient({ baseUrl, account }).listEvents({
      outcome: "conflicting",
      orderNumber: "1001",
      provider: "pathao",
      receivedAfter: morning,
      receivedBefore: noon,
    });

    expect(seen).toMatchObject({
      outcome: Outcome.CONFLICTING,
      orderNumber: "1001",
      provider: "pathao",
      receivedAfter: stamp(morning),
      receivedBefore: stamp(noon),
      pageSize: 0,
    });
    expect(page.events[0]).toMatchObject({ id: "evt_1", state: "parked", outcome: undefined, receivedAt: noon });
    expect(page.nextPageToken).toBeUndefined();
  });

  it("gets an event with its deliveries, decisions and bytes", async () => {
    const asked: boolean[] = [];
    const baseUrl = await serve(
      routed((router) =>
        router.rpc(WorkService.method.getEvent, (request) => {
          asked.push(request.includeRaw);
          return {
            event: {
              ...anEvent,
              outcome: Outcome.APPLIED,
              decisions: [{ outcome: Outcome.APPLIED, toStatus: "delivered", decidedAt: stamp(noon), revision: 2 }],
              deliveries: [{ receivedAt: stamp(noon), receipt: Receipt.CONFLICTING, further: 4n, bodySha256: "ab" }],
              raw: { body: new Uint8Array([0, 255, 10]), contentType: "application/json", headers: { a: "b" } },
            },
          };
        }),
      ),
    );
    const client = createWaybillClient({ baseUrl, account });
    await client.getEvent("evt_1");
    const event = await client.getEvent("evt_1", { includeRaw: true });

    expect(asked).toEqual([false, true]);
    expect(event.outcome).toBe("applied");
    expect(event.decisions).toMatchObject([
      { outcome: "applied", toStatus: "delivered", decidedAt: noon, revision: 2 },
    ]);
    expect(event.deliveries).toMatchObject([{ receivedAt: noon, receipt: "conflicting", further: 4n }]);
    expect(event.raw).toEqual({
      body: new Uint8Array([0, 255, 10]),
      contentType: "application/json",
      headers: { a: "b" },
    });
  });

  it("makes a request id for each reprocess, keeps the caller's, and never uses it up for a preview", async () => {
    const seen: ReprocessRequest[] = [];
    const baseUrl = await serve(
      routed((router) =>
        router.rpc(WorkService.method.reprocess, (request) => {
          seen.push(request);
          const audit = { id: "aud_1", operator: "rahim", at: stamp(noon) };
          return { before: anEvent, after: anEvent, ...(!request.dryRun && { audit }) };
        }),
      ),
    );
    const client = createWaybillClient({ baseUrl, account });
    const reason = "new word";
    const preview = await client.previewReprocess({ eventId: "evt_1", reason, requestId: "mine-0001" });
    const done = await client.reprocess({ eventId: "evt_1", reason, requestId: "mine-0001", resolution: "abandon" });
    await client.reprocess({ workId: "w_1", reason });
    await client.reprocess({ workId: "w_1", reason });

    expect(preview).toMatchObject({ before: { state: "parked" }, after: { state: "parked" }, audit: undefined });
    expect(done.audit).toMatchObject({ id: "aud_1", operator: "rahim", at: noon });
    expect(seen.map(({ dryRun, resolution, target }) => [dryRun, resolution, target.case])).toEqual([
      [true, Resolution.UNSPECIFIED, "eventId"],
      [false, Resolution.ABANDON, "eventId"],
      [false, Resolution.UNSPECIFIED, "workId"],
      [false, Resolution.UNSPECIFIED, "workId"],
    ]);
    const ids = seen.map(({ requestId }) => requestId);
    expect(ids[1]).toBe("mine-0001");
    expect(new Set(ids).size).toBe(4);
    for (const id of ids) expect(id).toMatch(/^[A-Za-z0-9_.:-]{8,64}$/);
  });

  it("lists providers, heard from and not", async () => {
    const baseUrl = await serve(
      routed((router) =>
        router.rpc(ProviderService.method.listProviders, (request) => ({
          providers: [
            { name: "pathao", kind: "pathao", webhookPath: `/webhooks/${request.account}/pathao`, proof: "a header" },
            { name: "shop", lastReceivedAt: stamp(noon) },
          ],
        })),
      ),
    );
    expect(await createWaybillClient({ baseUrl, account }).listProviders()).toEqual([
      {
        name: "pathao",
        kind: "pathao",
        proof: "a header",
        webhookPath: "/webhooks/dhaka-shop/pathao",
        lastReceivedAt: undefined,
      },
      { name: "shop", kind: "", proof: "", webhookPath: "", lastReceivedAt: noon },
    ]);
  });
});

const shipment = { consignmentId: "C1", trackingNumber: undefined, fulfilmentId: undefined, returnParcel: false };
const ten: Money = { minor: 1000n, currency: "BDT" };

// One of every kind that there is; the compiler refuses the list when a kind is missing.
const everyChange: { [Type in Change["type"]]: Extract<Change, { type: Type }> } = {
  order_placed: {
    type: "order_placed",
    orderId: "88",
    orderNumber: "1001",
    total: ten,
    lines: [{ lineId: "l1", sku: "tea", quantity: 2n }],
  },
  status_changed: {
    type: "status_changed",
    shipment,
    status: "out_for_delivery",
    providerStatus: "assigned",
    reason: "rider",
    occurredAt: morning,
  },
  shipment_announced: {
    type: "shipment_announced",
    shipment,
    courier: "Pathao",
    units: [{ lineId: "l1", quantity: 1n }],
  },
  payment_reported: {
    type: "payment_reported",
    paymentId: "p1",
    evidence: "movement",
    state: "paid",
    amount: ten,
    cashOnDelivery: true,
  },
  refund_reported: { type: "refund_reported", paymentId: "p1", refundId: "r1", amount: ten, runningTotal: false },
  dispute_reported: { type: "dispute_reported", disputeId: "d1", paymentId: "p1", state: "open", amount: ten },
  order_cancelled: { type: "order_cancelled", reason: "customer" },
  checkpoint: { type: "checkpoint", shipment, description: "seen", location: "Mirpur" },
  fact: { type: "fact", name: "on_hold", shipment, detail: "rain", amount: ten, needsAttention: true },
  unrecognised: { type: "unrecognised", field: "event", word: "drone_lost" },
  undecoded: { type: "undecoded", problem: "not JSON" },
  ignored: { type: "ignored", reason: "nobody needs it" },
};

describe("ingestEvent", () => {
  it("writes every kind of change, and getEvent reads each back as it was", async () => {
    let seen: IngestEventRequest | undefined;
    const baseUrl = await serve(
      routed((router) => {
        router.rpc(IngestService.method.ingestEvent, (request) => {
          seen = request;
          return { event: anEvent, firstDelivery: true, receipt: Receipt.ACCEPTED };
        });
        router.rpc(WorkService.method.getEvent, () => ({ event: { ...anEvent, changes: seen?.changes ?? [] } }));
      }),
    );
    const client = createWaybillClient({ baseUrl, account });
    const changes = Object.values(everyChange);
    const result = await client.ingestEvent({
      provider: "stock",
      eventId: "stock-77",
      references: [{ kind: "order_number", value: "1001" }],
      occurredAt: noon,
      changes,
      raw: { body: new Uint8Array([123, 125]), contentType: "application/json" },
    });
    const event = await client.getEvent("evt_1");

    expect(result).toMatchObject({ firstDelivery: true, receipt: "accepted", event: { id: "evt_1" } });
    expect(seen).toMatchObject({
      account,
      provider: "stock",
      eventId: "stock-77",
      occurredAtCertainty: OccurredAtCertainty.EXACT,
      references: [{ kind: 2, value: "1001" }],
      raw: { contentType: "application/json" },
    });
    expect(event.changes).toEqual(changes);
  });

  it("says that the time is missing where it is", async () => {
    let seen: IngestEventRequest | undefined;
    const baseUrl = await serve(
      routed((router) =>
        router.rpc(IngestService.method.ingestEvent, (request) => {
          seen = request;
          return { event: anEvent };
        }),
      ),
    );
    const changes = [everyChange.ignored];
    await createWaybillClient({ baseUrl, account }).ingestEvent({ provider: "stock", eventId: "1", changes });
    expect(seen?.occurredAt).toBeUndefined();
    expect(seen?.occurredAtCertainty).toBe(OccurredAtCertainty.MISSING);
  });

  it("refuses what can't be written before anything is sent", async () => {
    let sent = 0;
    const fetch = async () => {
      sent++;
      return new Response();
    };
    const client = createWaybillClient({ baseUrl: "http://host", account, fetch });
    const event = { provider: "stock", eventId: "1" };
    const nonsense = "drone" as "delivered";
    for (const attempt of [
      client.ingestEvent({ ...event, changes: [everyChange.ignored], occurredAt: new Date("never") }),
      client.ingestEvent({ ...event, changes: [{ type: "status_changed", shipment, status: nonsense }] }),
      client.listEvents({ receivedAfter: new Date(Number.NaN) }),
    ]) {
      await expect(attempt).rejects.toMatchObject({ kind: "invalid", retryable: false });
    }
    expect(sent).toBe(0);
  });
});

describe("the key", () => {
  it("is sent as a bearer token, and asked for again where a function gives it", async () => {
    const seen: (string | null)[] = [];
    const baseUrl = await serve(
      routed((router) =>
        router.rpc(ProviderService.method.listProviders, (_, context) => {
          seen.push(context.requestHeader.get("authorization"));
          return {};
        }),
      ),
    );
    const keys = ["first", "second"];
    const rotating = createWaybillClient({ baseUrl, account, apiKey: async () => keys.shift() ?? "none" });
    await rotating.listProviders();
    await rotating.listProviders();
    await createWaybillClient({ baseUrl, account, apiKey: key }).listProviders();
    await createWaybillClient({ baseUrl, account }).listProviders();
    expect(seen).toEqual(["Bearer first", "Bearer second", `Bearer ${key}`, null]);
  });

  it("never shows in a client, in an error, or in what caused it", async () => {
    const apiKey = `${key}\nX: y`; // Headers would quote it in its TypeError
    const refused = [
      () => createWaybillClient({ baseUrl: "http://host", account, apiKey }),
      () => createWaybillClient({ baseUrl: `http://user:${key}@host`, account }),
      () => createWaybillClient({ baseUrl: `http://host?key=${key}`, account }),
      () => createWaybillClient({ baseUrl: key, account }),
    ];
    const late = createWaybillClient({ baseUrl: "http://127.0.0.1:1", account, apiKey: () => apiKey, attempts: 1 });
    const unreachable = createWaybillClient({ baseUrl: "http://127.0.0.1:1", account, apiKey: key, attempts: 1 });
    const shown: unknown[] = [
      unreachable,
      late,
      ...refused.map((make) => thrownBy(make)),
      await late.listProviders().catch((error: unknown) => error),
      await unreachable.listProviders().catch((error: unknown) => error),
    ];
    for (const value of shown) expect(inspect(value, { depth: 10, showHidden: true })).not.toContain(key);
    expect(shown.slice(2).map((error) => WaybillError.is(error) && error.kind)).toEqual([
      "invalid",
      "invalid",
      "invalid",
      "invalid",
      "invalid",
      "unavailable",
    ]);
  });
});

function thrownBy(make: () => unknown): unknown {
  try {
    make();
  } catch (error) {
    return error;
  }
  throw new Error("nothing was thrown");
}
