// Package client talks to priorityd, which tells batch frontends in which order jobs should start,
// and why.
//
// A Client has every call of the service: those of PriorityService are its own methods, those of
// AdminService are Client.Admin's. The messages are in the package priorityv1. A call that fails with an error
// that may pass is tried again where its repetition is harmless, as long as the RetryPolicy and the
// deadline allow; every error of a call is an *Error, which carries the details that the service sends.
//
// Usage records go through a UsageBatcher, which loses none and counts none twice; the top of the
// start order comes through a RankingWatch, which goes on where a connection breaks.
package client
