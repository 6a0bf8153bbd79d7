/**
 * The client of a Waybill server.
 *
 * @packageDocumentation
 */
export type { CallOptions } from "./call.js";
export type {
  Change,
  Checkpoint,
  DisputeReported,
  Fact,
  Ignored,
  OrderCancelled,
  OrderPlaced,
  PaymentReported,
  RefundReported,
  ShipmentAnnounced,
  ShipmentReference,
  StatusChanged,
  Undecoded,
  Unrecognised,
} from "./change.js";
export {
  type ClientOptions,
  createWaybillClient,
  type EventsPage,
  type IngestResult,
  type PendingWorkPage,
  type ReprocessResult,
  type WaybillClient,
} from "./client.js";
export { type ErrorKind, type FieldFault, WaybillError } from "./error.js";
export type { Decision, Delivery, RawMessage, Reference, WaybillEvent } from "./event.js";
export type { Attention, Money, Order, Shipment, TimelineEntry } from "./order.js";
export type { EventsQuery, IngestEvent, OrderName, PendingWorkQuery, Reprocess } from "./request.js";
export type {
  Actor,
  Certainty,
  DisputeState,
  EventState,
  OrderStatus,
  Outcome,
  PaymentEvidence,
  PaymentState,
  PaymentStatus,
  Receipt,
  ReferenceKind,
  Resolution,
  ShipmentStatus,
  TimelineKind,
} from "./words.js";
export type { AuditEntry, Provider, WorkItem, WorkSummary } from "./work.js";
