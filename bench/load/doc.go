// Package load sends signed webhooks to an address and measures their answers.
//
// Two ways of sending are two questions. A closed loop has a number of connections that each send again as soon as they
// are answered: how much is taken at most? An open loop sends at a rate, whatever the answers do: how long does a sender
// wait that does not wait for the others? Its latencies count from the moment at which a delivery was meant to be sent,
// so that a stalled server is charged for everybody whom it kept waiting, and not only for those whom it let send.
//
// The sender shares the machine with what it measures, so it is lean: a delivery is patched in place, signed by the
// provider kind's own code and written to a connection that stays open.
package load
