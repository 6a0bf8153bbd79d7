-- +goose Up
-- drop index "pendingitem_due_at_id" from table: "pending_items"
DROP INDEX `pendingitem_due_at_id`;
-- create index "pendingitem_account_due_at_id" to table: "pending_items"
CREATE INDEX `pendingitem_account_due_at_id` ON `pending_items` (`account`, `due_at`, `id`) WHERE state = 'received' OR state = 'waiting';
