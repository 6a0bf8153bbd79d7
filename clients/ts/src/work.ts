// What unfinished work, audit entries and providers are to a caller, and how they are read from the wire.
import { type Reference, referenceFrom } from "./event.js";
import type * as pbProvider from "./gen/waybill/v1/provider_pb.js";
import type * as pb from "./gen/waybill/v1/work_pb.js";
import { optionalDate, requiredDate } from "./time.js";
import { type Actor, actor, type EventState, eventState } from "./words.js";

/** Something unfinished. */
export interface WorkItem {
  /** The item's id; for an event, the event's id. */
  workId: string;
  /** What kind of work it is: event, and from the fulfilment ledger on, others. */
  kind: string;
  account: string;
  provider: string;
  state: EventState;
  /** Why. */
  reason: string;
  /** Who must act. */
  whoActs: Actor;
  /** When it first came in; a retry never resets it. */
  receivedAt: Date;
  /** When it is tried next. Undefined where nothing happens by itself. */
  nextAttemptAt: Date | undefined;
  attempts: number;
  eventType: string;
  references: Reference[];
}

/** All that is unfinished, in numbers, whatever the page and the filter. */
export interface WorkSummary {
  counts: { kind: string; state: EventState; count: bigint }[];
  /** The earliest moment at which an item was due and still is. */
  oldestDueAt: Date | undefined;
  /** The first receipt of the item that has been unfinished longest. */
  oldestWaitingAt: Date | undefined;
}

/** What an operator did. */
export interface AuditEntry {
  id: string;
  /** The name of the key that acted. */
  operator: string;
  action: string;
  reason: string;
  at: Date;
  workId: string;
  requestId: string;
  before: string;
  after: string;
}

/** A configured provider. */
export interface Provider {
  name: string;
  kind: string;
  /** What proves that it sent a body, in words. */
  proof: string;
  webhookPath: string;
  /** When an event of it was last accepted. Undefined: never. */
  lastReceivedAt: Date | undefined;
}

export function itemFrom(item: pb.WorkItem): WorkItem {
  return {
    workId: item.workId,
    kind: item.kind,
    account: item.account,
    provider: item.provider,
    state: eventState.read(item.state),
    reason: item.reason,
    whoActs: actor.read(item.whoActs),
    receivedAt: requiredDate(item.receivedAt, "item.received_at"),
    nextAttemptAt: optionalDate(item.nextAttemptAt),
    attempts: item.attempts,
    eventType: item.eventType,
    references: item.references.map(referenceFrom),
  };
}

export function summaryFrom(summary: pb.WorkSummary | undefined): WorkSummary {
  return {
    counts: (summary?.counts ?? []).map(({ kind, state, count }) => ({ kind, state: eventState.read(state), count })),
    oldestDueAt: optionalDate(summary?.oldestDueAt),
    oldestWaitingAt: optionalDate(summary?.oldestWaitingAt),
  };
}

export function auditFrom(audit: pb.AuditEntry): AuditEntry {
  return {
    id: audit.id,
    operator: audit.operator,
    action: audit.action,
    reason: audit.reason,
    at: requiredDate(audit.at, "audit.at"),
    workId: audit.workId,
    requestId: audit.requestId,
    before: audit.before,
    after: audit.after,
  };
}

export function providerFrom(provider: pbProvider.Provider): Provider {
  return {
    name: provider.name,
    kind: provider.kind,
    proof: provider.proof,
    webhookPath: provider.webhookPath,
    lastReceivedAt: optionalDate(provider.lastReceivedAt),
  };
}
