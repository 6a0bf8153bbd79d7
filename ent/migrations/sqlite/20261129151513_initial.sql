-- +goose Up
-- create "attention_marks" table
CREATE TABLE `attention_marks` (`id` integer NOT NULL PRIMARY KEY AUTOINCREMENT, `account` text NOT NULL, `order_id` text NOT NULL, `position` integer NOT NULL, `reason` text NOT NULL, `detail` text NOT NULL, `since_at` integer NULL, `event_id` text NOT NULL);
-- create index "attentionmark_account_order_id_reason_event_id" to table: "attention_marks"
CREATE UNIQUE INDEX `attentionmark_account_order_id_reason_event_id` ON `attention_marks` (`account`, `order_id`, `reason`, `event_id`);
-- create "audit_entries" table
CREATE TABLE `audit_entries` (`id` text NOT NULL, `account` text NOT NULL, `request_id` text NOT NULL, `request_digest` blob NOT NULL, `operator` text NOT NULL, `action` text NOT NULL, `reason` text NOT NULL, `work_id` text NOT NULL, `before` text NOT NULL, `after` text NOT NULL, `answer` blob NOT NULL, `acted_at` integer NOT NULL, PRIMARY KEY (`id`));
-- create index "auditentry_account_request_id" to table: "audit_entries"
CREATE UNIQUE INDEX `auditentry_account_request_id` ON `audit_entries` (`account`, `request_id`);
-- create index "auditentry_account_work_id" to table: "audit_entries"
CREATE INDEX `auditentry_account_work_id` ON `audit_entries` (`account`, `work_id`);
-- create "deliveries" table
CREATE TABLE `deliveries` (`id` integer NOT NULL PRIMARY KEY AUTOINCREMENT, `account` text NOT NULL, `event_id` text NOT NULL, `received_at` integer NOT NULL, `delivery_id` text NOT NULL, `verdict` text NOT NULL, `body_digest` blob NULL, `changes_digest` blob NOT NULL, `money_digest` blob NOT NULL, `translator_version` text NOT NULL, `changes` blob NULL);
-- create index "delivery_account_event_id_changes_digest" to table: "deliveries"
CREATE INDEX `delivery_account_event_id_changes_digest` ON `deliveries` (`account`, `event_id`, `changes_digest`);
-- create index "delivery_account_body_digest" to table: "deliveries"
CREATE INDEX `delivery_account_body_digest` ON `deliveries` (`account`, `body_digest`) WHERE changes IS NOT NULL;
-- create "delivery_counts" table
CREATE TABLE `delivery_counts` (`id` integer NOT NULL PRIMARY KEY AUTOINCREMENT, `account` text NOT NULL, `event_id` text NOT NULL, `changes_digest` blob NOT NULL, `further` integer NOT NULL, `last_received_at` integer NOT NULL);
-- create index "deliverycount_account_event_id_changes_digest" to table: "delivery_counts"
CREATE UNIQUE INDEX `deliverycount_account_event_id_changes_digest` ON `delivery_counts` (`account`, `event_id`, `changes_digest`);
-- create "events" table
CREATE TABLE `events` (`id` text NOT NULL, `account` text NOT NULL, `provider` text NOT NULL, `identity` text NOT NULL, `identity_derived` bool NOT NULL, `delivery_id` text NOT NULL, `type` text NOT NULL, `occurred_at` integer NOT NULL, `certainty` text NOT NULL, `received_at` integer NOT NULL, `content_type` text NOT NULL, `body_digest` blob NULL, `changes_digest` blob NOT NULL, `money_digest` blob NOT NULL, `translator_version` text NOT NULL, `parent_id` text NULL, `headers` blob NOT NULL, `refs` blob NOT NULL, `changes` blob NOT NULL, PRIMARY KEY (`id`), CONSTRAINT `events_account` CHECK (length(account) BETWEEN 1 AND 64), CONSTRAINT `events_identity` CHECK (length(identity) BETWEEN 1 AND 512), CONSTRAINT `events_provider` CHECK (length(provider) BETWEEN 1 AND 64));
-- create index "event_account_provider_identity" to table: "events"
CREATE UNIQUE INDEX `event_account_provider_identity` ON `events` (`account`, `provider`, `identity`);
-- create index "event_account_received_at_id" to table: "events"
CREATE INDEX `event_account_received_at_id` ON `events` (`account`, `received_at`, `id`);
-- create index "event_account_provider_received_at_id" to table: "events"
CREATE INDEX `event_account_provider_received_at_id` ON `events` (`account`, `provider`, `received_at`, `id`);
-- create index "event_account_parent_id" to table: "events"
CREATE INDEX `event_account_parent_id` ON `events` (`account`, `parent_id`) WHERE parent_id IS NOT NULL;
-- create "ledger_entries" table
CREATE TABLE `ledger_entries` (`id` integer NOT NULL PRIMARY KEY AUTOINCREMENT, `account` text NOT NULL, `order_id` text NOT NULL, `position` integer NOT NULL, `kind` text NOT NULL, `payment_id` text NOT NULL, `ref` text NOT NULL, `state` text NOT NULL, `currency` text NULL, `minor_units` integer NULL, `running_total` bool NOT NULL, `cash_on_delivery` bool NOT NULL, `effective_at` integer NULL, `event_id` text NOT NULL, `change_index` integer NOT NULL, `identity` text NOT NULL, `provider` text NOT NULL);
-- create index "ledgerentry_account_event_id_change_index_kind" to table: "ledger_entries"
CREATE UNIQUE INDEX `ledgerentry_account_event_id_change_index_kind` ON `ledger_entries` (`account`, `event_id`, `change_index`, `kind`);
-- create index "ledgerentry_account_order_id" to table: "ledger_entries"
CREATE INDEX `ledgerentry_account_order_id` ON `ledger_entries` (`account`, `order_id`);
-- create "notes" table
CREATE TABLE `notes` (`id` integer NOT NULL PRIMARY KEY AUTOINCREMENT, `account` text NOT NULL, `order_id` text NOT NULL, `shipment_id` text NOT NULL, `position` integer NOT NULL, `kind` text NOT NULL, `effective_at` integer NULL, `name` text NOT NULL, `courier` text NOT NULL, `currency` text NULL, `minor_units` integer NULL, `units` blob NOT NULL, `text` blob NOT NULL, `event_id` text NOT NULL, `change_index` integer NOT NULL, `identity` text NOT NULL, `provider` text NOT NULL);
-- create index "note_account_event_id_change_index_kind_shipment_id" to table: "notes"
CREATE UNIQUE INDEX `note_account_event_id_change_index_kind_shipment_id` ON `notes` (`account`, `event_id`, `change_index`, `kind`, `shipment_id`);
-- create index "note_account_order_id" to table: "notes"
CREATE INDEX `note_account_order_id` ON `notes` (`account`, `order_id`);
-- create "orders" table
CREATE TABLE `orders` (`id` text NOT NULL, `account` text NOT NULL, `source` text NOT NULL, `source_id` text NOT NULL, `number` text NOT NULL, `placement` blob NOT NULL, `cancellation` blob NOT NULL, `status` text NOT NULL, `status_at` integer NULL, `payment_status` text NOT NULL, `facts` blob NOT NULL, `created_at` integer NULL, `updated_at` integer NULL, `version` integer NOT NULL, PRIMARY KEY (`id`));
-- create index "order_account_source_source_id" to table: "orders"
CREATE UNIQUE INDEX `order_account_source_source_id` ON `orders` (`account`, `source`, `source_id`) WHERE source_id <> '';
-- create index "order_account_number" to table: "orders"
CREATE INDEX `order_account_number` ON `orders` (`account`, `number`);
-- create "outcomes" table
CREATE TABLE `outcomes` (`id` integer NOT NULL PRIMARY KEY AUTOINCREMENT, `account` text NOT NULL, `event_id` text NOT NULL, `change_index` integer NOT NULL, `revision` integer NOT NULL, `outcome` text NOT NULL, `reason` text NOT NULL, `from_status` text NOT NULL, `to_status` text NOT NULL, `skipped` blob NOT NULL, `order_id` text NOT NULL, `shipment` text NOT NULL, `received_at` integer NOT NULL, `decided_at` integer NOT NULL);
-- create index "outcome_account_event_id_change_index_revision" to table: "outcomes"
CREATE UNIQUE INDEX `outcome_account_event_id_change_index_revision` ON `outcomes` (`account`, `event_id`, `change_index`, `revision`);
-- create index "outcome_account_outcome_received_at_event_id" to table: "outcomes"
CREATE INDEX `outcome_account_outcome_received_at_event_id` ON `outcomes` (`account`, `outcome`, `received_at`, `event_id`);
-- create index "outcome_account_order_id_received_at_event_id" to table: "outcomes"
CREATE INDEX `outcome_account_order_id_received_at_event_id` ON `outcomes` (`account`, `order_id`, `received_at`, `event_id`);
-- create "payloads" table
CREATE TABLE `payloads` (`id` integer NOT NULL PRIMARY KEY AUTOINCREMENT, `account` text NOT NULL, `digest` blob NOT NULL, `expires_at` integer NULL, `body` blob NOT NULL);
-- create index "payload_account_digest" to table: "payloads"
CREATE UNIQUE INDEX `payload_account_digest` ON `payloads` (`account`, `digest`);
-- create index "payload_expires_at" to table: "payloads"
CREATE INDEX `payload_expires_at` ON `payloads` (`expires_at`) WHERE expires_at IS NOT NULL;
-- create "pending_items" table
CREATE TABLE `pending_items` (`id` text NOT NULL, `account` text NOT NULL, `kind` text NOT NULL, `state` text NOT NULL, `reason` text NOT NULL, `provider` text NOT NULL, `type` text NOT NULL, `received_at` integer NOT NULL, `due_at` integer NOT NULL, `leased_until` integer NULL, `fence` integer NOT NULL, `attempts` integer NOT NULL, `body_digest` blob NULL, PRIMARY KEY (`id`));
-- create index "pendingitem_due_at_id" to table: "pending_items"
CREATE INDEX `pendingitem_due_at_id` ON `pending_items` (`due_at`, `id`) WHERE state IN ('received', 'waiting');
-- create index "pendingitem_account_received_at_id" to table: "pending_items"
CREATE INDEX `pendingitem_account_received_at_id` ON `pending_items` (`account`, `received_at`, `id`);
-- create index "pendingitem_account_body_digest" to table: "pending_items"
CREATE INDEX `pendingitem_account_body_digest` ON `pending_items` (`account`, `body_digest`);
-- create "readings" table
CREATE TABLE `readings` (`id` integer NOT NULL PRIMARY KEY AUTOINCREMENT, `account` text NOT NULL, `event_id` text NOT NULL, `revision` integer NOT NULL, `refs` blob NOT NULL, `changes` blob NOT NULL, `translator_version` text NOT NULL, `read_at` integer NOT NULL);
-- create index "reading_account_event_id_revision" to table: "readings"
CREATE UNIQUE INDEX `reading_account_event_id_revision` ON `readings` (`account`, `event_id`, `revision`);
-- create "shipments" table
CREATE TABLE `shipments` (`id` text NOT NULL, `account` text NOT NULL, `order_id` text NOT NULL, `position` integer NOT NULL, `consignment_id` text NOT NULL, `tracking_number` text NOT NULL, `fulfilment_id` text NOT NULL, `return_parcel` bool NOT NULL, `aliases` blob NOT NULL, `courier` text NOT NULL, `units` blob NOT NULL, `status` text NOT NULL, `status_at` integer NULL, `status_certainty` text NOT NULL, `facts` blob NOT NULL, `created_at` integer NULL, PRIMARY KEY (`id`));
-- create index "shipment_account_order_id" to table: "shipments"
CREATE INDEX `shipment_account_order_id` ON `shipments` (`account`, `order_id`);
-- create "status_facts" table
CREATE TABLE `status_facts` (`id` integer NOT NULL PRIMARY KEY AUTOINCREMENT, `account` text NOT NULL, `order_id` text NOT NULL, `shipment_id` text NOT NULL, `position` integer NOT NULL, `status` text NOT NULL, `effective_at` integer NULL, `certainty` text NOT NULL, `parked` bool NOT NULL, `event_id` text NOT NULL, `change_index` integer NOT NULL, `identity` text NOT NULL, `provider` text NOT NULL);
-- create index "statusfact_account_event_id_change_index_shipment_id" to table: "status_facts"
CREATE UNIQUE INDEX `statusfact_account_event_id_change_index_shipment_id` ON `status_facts` (`account`, `event_id`, `change_index`, `shipment_id`);
-- create index "statusfact_account_order_id" to table: "status_facts"
CREATE INDEX `statusfact_account_order_id` ON `status_facts` (`account`, `order_id`);
-- create "steps" table
CREATE TABLE `steps` (`id` text NOT NULL, `account` text NOT NULL, `order_id` text NOT NULL, `version` integer NOT NULL, `position` integer NOT NULL, `kind` text NOT NULL, `occurred_at` integer NULL, `certainty` text NOT NULL, `recorded_at` integer NULL, `from_status` text NOT NULL, `to_status` text NOT NULL, `skipped` blob NOT NULL, `shipment` text NOT NULL, `provider` text NOT NULL, `event_id` text NOT NULL, PRIMARY KEY (`id`));
-- create index "step_account_order_id_version_position" to table: "steps"
CREATE UNIQUE INDEX `step_account_order_id_version_position` ON `steps` (`account`, `order_id`, `version`, `position`);
-- create "subjects" table
CREATE TABLE `subjects` (`id` integer NOT NULL PRIMARY KEY AUTOINCREMENT, `account` text NOT NULL, `kind` text NOT NULL, `key` text NOT NULL, `order_id` text NULL, `shared` bool NOT NULL);
-- create index "subject_account_kind_key" to table: "subjects"
CREATE UNIQUE INDEX `subject_account_kind_key` ON `subjects` (`account`, `kind`, `key`);
-- create "waits" table
CREATE TABLE `waits` (`id` integer NOT NULL PRIMARY KEY AUTOINCREMENT, `account` text NOT NULL, `subject_id` integer NOT NULL, `pending_id` text NOT NULL);
-- create index "wait_account_subject_id_pending_id" to table: "waits"
CREATE UNIQUE INDEX `wait_account_subject_id_pending_id` ON `waits` (`account`, `subject_id`, `pending_id`);
-- create index "wait_account_pending_id" to table: "waits"
CREATE INDEX `wait_account_pending_id` ON `waits` (`account`, `pending_id`);

-- +goose Down
-- reverse: create index "wait_account_pending_id" to table: "waits"
DROP INDEX `wait_account_pending_id`;
-- reverse: create index "wait_account_subject_id_pending_id" to table: "waits"
DROP INDEX `wait_account_subject_id_pending_id`;
-- reverse: create "waits" table
DROP TABLE `waits`;
-- reverse: create index "subject_account_kind_key" to table: "subjects"
DROP INDEX `subject_account_kind_key`;
-- reverse: create "subjects" table
DROP TABLE `subjects`;
-- reverse: create index "step_account_order_id_version_position" to table: "steps"
DROP INDEX `step_account_order_id_version_position`;
-- reverse: create "steps" table
DROP TABLE `steps`;
-- reverse: create index "statusfact_account_order_id" to table: "status_facts"
DROP INDEX `statusfact_account_order_id`;
-- reverse: create index "statusfact_account_event_id_change_index_shipment_id" to table: "status_facts"
DROP INDEX `statusfact_account_event_id_change_index_shipment_id`;
-- reverse: create "status_facts" table
DROP TABLE `status_facts`;
-- reverse: create index "shipment_account_order_id" to table: "shipments"
DROP INDEX `shipment_account_order_id`;
-- reverse: create "shipments" table
DROP TABLE `shipments`;
-- reverse: create index "reading_account_event_id_revision" to table: "readings"
DROP INDEX `reading_account_event_id_revision`;
-- reverse: create "readings" table
DROP TABLE `readings`;
-- reverse: create index "pendingitem_account_body_digest" to table: "pending_items"
DROP INDEX `pendingitem_account_body_digest`;
-- reverse: create index "pendingitem_account_received_at_id" to table: "pending_items"
DROP INDEX `pendingitem_account_received_at_id`;
-- reverse: create index "pendingitem_due_at_id" to table: "pending_items"
DROP INDEX `pendingitem_due_at_id`;
-- reverse: create "pending_items" table
DROP TABLE `pending_items`;
-- reverse: create index "payload_expires_at" to table: "payloads"
DROP INDEX `payload_expires_at`;
-- reverse: create index "payload_account_digest" to table: "payloads"
DROP INDEX `payload_account_digest`;
-- reverse: create "payloads" table
DROP TABLE `payloads`;
-- reverse: create index "outcome_account_order_id_received_at_event_id" to table: "outcomes"
DROP INDEX `outcome_account_order_id_received_at_event_id`;
-- reverse: create index "outcome_account_outcome_received_at_event_id" to table: "outcomes"
DROP INDEX `outcome_account_outcome_received_at_event_id`;
-- reverse: create index "outcome_account_event_id_change_index_revision" to table: "outcomes"
DROP INDEX `outcome_account_event_id_change_index_revision`;
-- reverse: create "outcomes" table
DROP TABLE `outcomes`;
-- reverse: create index "order_account_number" to table: "orders"
DROP INDEX `order_account_number`;
-- reverse: create index "order_account_source_source_id" to table: "orders"
DROP INDEX `order_account_source_source_id`;
-- reverse: create "orders" table
DROP TABLE `orders`;
-- reverse: create index "note_account_order_id" to table: "notes"
DROP INDEX `note_account_order_id`;
-- reverse: create index "note_account_event_id_change_index_kind_shipment_id" to table: "notes"
DROP INDEX `note_account_event_id_change_index_kind_shipment_id`;
-- reverse: create "notes" table
DROP TABLE `notes`;
-- reverse: create index "ledgerentry_account_order_id" to table: "ledger_entries"
DROP INDEX `ledgerentry_account_order_id`;
-- reverse: create index "ledgerentry_account_event_id_change_index_kind" to table: "ledger_entries"
DROP INDEX `ledgerentry_account_event_id_change_index_kind`;
-- reverse: create "ledger_entries" table
DROP TABLE `ledger_entries`;
-- reverse: create index "event_account_parent_id" to table: "events"
DROP INDEX `event_account_parent_id`;
-- reverse: create index "event_account_provider_received_at_id" to table: "events"
DROP INDEX `event_account_provider_received_at_id`;
-- reverse: create index "event_account_received_at_id" to table: "events"
DROP INDEX `event_account_received_at_id`;
-- reverse: create index "event_account_provider_identity" to table: "events"
DROP INDEX `event_account_provider_identity`;
-- reverse: create "events" table
DROP TABLE `events`;
-- reverse: create index "deliverycount_account_event_id_changes_digest" to table: "delivery_counts"
DROP INDEX `deliverycount_account_event_id_changes_digest`;
-- reverse: create "delivery_counts" table
DROP TABLE `delivery_counts`;
-- reverse: create index "delivery_account_body_digest" to table: "deliveries"
DROP INDEX `delivery_account_body_digest`;
-- reverse: create index "delivery_account_event_id_changes_digest" to table: "deliveries"
DROP INDEX `delivery_account_event_id_changes_digest`;
-- reverse: create "deliveries" table
DROP TABLE `deliveries`;
-- reverse: create index "auditentry_account_work_id" to table: "audit_entries"
DROP INDEX `auditentry_account_work_id`;
-- reverse: create index "auditentry_account_request_id" to table: "audit_entries"
DROP INDEX `auditentry_account_request_id`;
-- reverse: create "audit_entries" table
DROP TABLE `audit_entries`;
-- reverse: create index "attentionmark_account_order_id_reason_event_id" to table: "attention_marks"
DROP INDEX `attentionmark_account_order_id_reason_event_id`;
-- reverse: create "attention_marks" table
DROP TABLE `attention_marks`;
