// What the types promise. The compiler checks this file (npm run typecheck); vitest runs what there is to run in it.
import { describe, expect, expectTypeOf, it } from "vitest";
import * as pbStatus from "../src/gen/waybill/v1/status_pb.js";
import {
  type Certainty,
  type Change,
  createWaybillClient,
  type Order,
  type OrderName,
  type OrderStatus,
  type Reprocess,
  type WorkItem,
} from "../src/index.js";
import { orderStatus, paymentStatus, shipmentStatus } from "../src/words.js";

describe("the types", () => {
  it("hold no any, no number for a status, and no string for a time", () => {
    expectTypeOf<Order["status"]>().toEqualTypeOf<OrderStatus>();
    expectTypeOf<Order["timeline"][number]["at"]>().toEqualTypeOf<Date>();
    expectTypeOf<Order["timeline"][number]["certainty"]>().toEqualTypeOf<Certainty>();
    expectTypeOf<WorkItem["nextAttemptAt"]>().toEqualTypeOf<Date | undefined>();
    expectTypeOf<Order["facts"]>().toEqualTypeOf<Record<string, string>>();
  });

  it("let a switch over a change name every kind", () => {
    const nameOf = (change: Change): string => {
      switch (change.type) {
        case "status_changed":
          return change.status;
        case "refund_reported":
          return change.amount.currency;
        default:
          return change.type;
      }
    };
    expect(nameOf({ type: "ignored", reason: "nobody needs it" })).toBe("ignored");
  });

  it("refuse a word that is none, a reprocess without a reason, and an order without a name", () => {
    // @ts-expect-error: not a status
    const status: OrderStatus = "IN_TRANSIT";
    // @ts-expect-error: a reason is required
    const what: Reprocess = { eventId: "evt_1" };
    // @ts-expect-error: nothing names the order
    const name: OrderName = {};
    // @ts-expect-error: an account is required
    const client = () => createWaybillClient({ baseUrl: "http://host" });
    expect([status, what, name, typeof client]).toHaveLength(4);
  });
});

describe("the words", () => {
  it.each([
    ["order", orderStatus, pbStatus.OrderStatusSchema],
    ["shipment", shipmentStatus, pbStatus.ShipmentStatusSchema],
    ["payment", paymentStatus, pbStatus.PaymentStatusSchema],
  ] as const)("of %s statuses are those of the contract, there and back", (_, words, schema) => {
    for (const { number, localName } of schema.values) {
      const want = number === 0 ? "unknown" : localName.toLowerCase();
      expect(words.read(number)).toBe(want);
      expect(words.write(words.read(number) as never)).toBe(number);
    }
    expect(schema.values.length).toBeGreaterThan(5);
  });
});
