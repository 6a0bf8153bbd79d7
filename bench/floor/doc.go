// Package floor is what Waybill is measured against, in the same run, on the same machine, with the same rows.
//
//   - Bare: a handler of net/http that reads the body, checks its signature with the provider kind's own code and
//     answers. Nothing that answers over HTTP can be faster.
//   - Direct: the rows of a delivery inserted without HTTP, one delivery a commit and a hundred a commit. Nothing that
//     stores them can be faster.
//   - Naive: what most people write. A handler that checks the signature, reads the event's id from the JSON and writes
//     the same three rows in one transaction a request, with prepared statements and a pool that keeps its connections.
//     It translates nothing, validates nothing, counts nothing and logs nothing.
//
// The rows are copied from one that Waybill has written, column by column, so that they stay the same when its tables
// change. Everything goes into tables that Waybill's own migrations have made, with their indexes.
package floor
