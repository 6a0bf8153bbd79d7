// The client against the real server. WAYBILL_BIN is the binary (make test builds it and sets it); without it this fails:
// a client that was only ever tried against itself proves nothing.
import { type ChildProcess, spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { createWaybillClient, type IngestEvent, type Order, WaybillError } from "../src/index.js";

const account = "dhaka-shop";
const folder = mkdtempSync(join(tmpdir(), "waybill-client-"));
const key = randomBytes(16).toString("hex");
const trackKey = randomBytes(16).toString("hex");
const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
const config = `
accounts:
  - name: ${account}
    providers:
      - name: desk
        kind: payments
        currency: BDT
        secrets: ["${randomBytes(16).toString("hex")}"]
api_keys:
  - name: everything
    account: ${account}
    scopes: [ingest, track, operate, payload]
    providers: [desk]
    sha256: ${sha256(key)}
  - name: tracker
    account: ${account}
    scopes: [track]
    sha256: ${sha256(trackKey)}
`;

let server: ChildProcess;
let baseUrl: string;
const clientOf = (apiKey?: string) => createWaybillClient({ baseUrl, account, apiKey });

beforeAll(async () => {
  const binary = process.env.WAYBILL_BIN;
  if (!binary) throw new Error("WAYBILL_BIN is not set: build ./server/cmd/waybill and name it, or run make test");
  writeFileSync(join(folder, "waybill.yaml"), config);
  const flags = [
    "--config",
    join(folder, "waybill.yaml"),
    "--listen",
    "127.0.0.1:0",
    "--data-dir",
    join(folder, "data"),
  ];
  server = spawn(binary, ["serve", ...flags], { stdio: ["ignore", "pipe", "pipe"] });
  baseUrl = await listening(server);
});

afterAll(async () => {
  if (server?.exitCode === null) {
    const ended = new Promise((resolve) => server.once("exit", resolve));
    server.kill("SIGTERM");
    await ended;
  }
  rmSync(folder, { recursive: true });
});

// listening waits for the line that serve prints when it listens. A server that ends before says why on stderr.
function listening(server: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let complaint = "";
    server.stderr?.on("data", (chunk: Buffer) => {
      complaint += chunk.toString();
    });
    server.once("error", reject);
    server.once("exit", (code) => reject(new Error(`waybill serve ended with code ${code}: ${complaint}`)));
    if (!server.stdout) return reject(new Error("waybill serve has no stdout"));
    createInterface(server.stdout).on("line", (line) => {
      const ready = /^waybill: listening on (http:\/\/\S+)$/.exec(line);
      if (ready?.[1]) resolve(ready[1]);
    });
  });
}

const until = (check: () => Promise<void>) => vi.waitFor(check, { timeout: 15_000, interval: 50 });

const money = (minor: bigint) => ({ minor, currency: "BDT" });

function place(orderNumber: string): IngestEvent {
  return {
    provider: "desk",
    eventId: `placed-${orderNumber}`,
    eventType: "order.placed",
    occurredAt: new Date("2026-11-27T03:10:00Z"),
    references: [{ kind: "order_number", value: orderNumber }],
    changes: [{ type: "order_placed", orderId: `id-${orderNumber}`, orderNumber, total: money(120_000n), lines: [] }],
  };
}

function pay(orderNumber: string): IngestEvent {
  return {
    provider: "desk",
    eventId: `paid-${orderNumber}`,
    eventType: "payment.succeeded",
    occurredAt: new Date("2026-11-27T04:00:00Z"),
    references: [{ kind: "order_number", value: orderNumber }],
    changes: [
      {
        type: "payment_reported",
        paymentId: `pay-${orderNumber}`,
        evidence: "movement",
        state: "paid",
        amount: money(120_000n),
      },
    ],
  };
}

const ingest = (event: IngestEvent) => clientOf(key).ingestEvent(event);

describe("against the real server", () => {
  it("an event is recorded once, and its order says so", async () => {
    const first = await ingest(place("1001"));
    const second = await ingest(place("1001"));
    expect(first).toMatchObject({ firstDelivery: true, receipt: "accepted", event: { account, provider: "desk" } });
    expect(second).toMatchObject({ firstDelivery: false, receipt: "duplicate", event: { id: first.event.id } });

    await ingest(pay("1001"));
    let order: Order | undefined;
    await until(async () => {
      order = await clientOf(trackKey).getOrder({ orderNumber: "#1001" });
      expect(order.paymentStatus).toBe("paid");
    });

    expect(order).toMatchObject({ account, orderNumber: "1001", status: "confirmed", total: money(120_000n) });
    expect(order?.timeline.length).toBeGreaterThan(0);
    for (const step of order?.timeline ?? []) {
      expect(step.at).toBeInstanceOf(Date);
      expect(step.certainty).toBe("exact");
    }
  });

  it("an event whose order is unknown waits in sight, with its bytes, until the order comes", async () => {
    const bytes = new TextEncoder().encode('{"note":"যেমন আছে","n":0}');
    const { event } = await ingest({ ...pay("1002"), raw: { body: bytes, contentType: "application/json" } });
    const client = clientOf(key);
    await until(async () => {
      const { items, summary } = await client.listPendingWork({ states: ["waiting"] });
      expect(items).toMatchObject([{ workId: event.id, provider: "desk", whoActs: "provider", state: "waiting" }]);
      expect(items[0]?.reason).not.toBe("");
      expect(items[0]?.receivedAt).toBeInstanceOf(Date);
      expect(summary.counts).toContainEqual({ kind: "event", state: "waiting", count: 1n });
      expect(summary.oldestWaitingAt).toBeInstanceOf(Date);
    });

    const bare = await client.getEvent(event.id);
    const whole = await client.getEvent(event.id, { includeRaw: true });
    expect(bare.raw).toBeUndefined();
    expect(whole.raw?.body).toEqual(bytes);
    expect(whole).toMatchObject({ eventId: "paid-1002", state: "waiting", deliveries: [{ receipt: "accepted" }] });

    await ingest(place("1002"));
    await until(async () => {
      expect((await client.getEvent(event.id)).outcome).toBe("applied");
      expect((await client.listEvents({ orderNumber: "1002" })).events.length).toBe(2);
    });
  });

  it("a reprocess is previewed, done once per request id, and audited", async () => {
    const { event } = await ingest(pay("1003"));
    const client = clientOf(key);
    await until(async () => {
      expect((await client.getEvent(event.id)).state).toBe("waiting");
    });
    const what = { eventId: event.id, reason: "the customer gave up", resolution: "abandon" } as const;

    const preview = await client.previewReprocess(what);
    expect(preview).toMatchObject({ before: { state: "waiting" }, after: { outcome: "abandoned" }, audit: undefined });
    expect((await client.getEvent(event.id)).state).toBe("waiting");

    const done = await client.reprocess({ ...what, requestId: "abandon-1003" });
    const again = await client.reprocess({ ...what, requestId: "abandon-1003" });
    expect(done.after).toMatchObject({ state: "completed", outcome: "abandoned" });
    expect(done.audit).toMatchObject({ operator: "everything", reason: what.reason, requestId: "abandon-1003" });
    expect(again.audit?.id).toBe(done.audit?.id);
  });

  it("providers are listed with where they post and when they were last heard from", async () => {
    await ingest(place("1004"));
    const providers = await clientOf(trackKey).listProviders();
    expect(providers).toMatchObject([{ name: "desk", kind: "payments", webhookPath: `/webhooks/${account}/desk` }]);
    expect(providers[0]?.lastReceivedAt).toBeInstanceOf(Date);
  });

  it("every refusal has its kind, a request id, and no key in it", async () => {
    const wrongKey = randomBytes(16).toString("hex");
    const cases = [
      ["unauthenticated", () => clientOf().getOrder({ orderNumber: "1001" })],
      ["unauthenticated", () => clientOf(wrongKey).listEvents()],
      ["forbidden", () => clientOf(trackKey).listPendingWork()],
      ["not_found", () => clientOf(trackKey).getOrder({ orderNumber: "none" })],
      ["not_found", () => clientOf(key).getEvent("evt_none")],
      ["invalid", () => clientOf(key).listEvents({ pageSize: -1 })],
      ["invalid", () => clientOf(key).listEvents({ pageToken: "not ours" })],
    ] as const;
    for (const [kind, call] of cases) {
      const error = await call().then(
        () => "no error",
        (thrown: unknown) => thrown,
      );
      if (!WaybillError.is(error)) throw new Error(`${kind}: ${String(error)}`);
      expect(error).toMatchObject({ kind, retryable: false });
      expect(error.requestId, kind).toMatch(/\S/);
      for (const secret of [key, trackKey, wrongKey]) expect(error.message).not.toContain(secret);
    }
    await expect(clientOf(key).listEvents({ pageSize: -1 })).rejects.toMatchObject({ fields: [{ path: "page_size" }] });
  });
});
