// Package client is the client of priorityd, the service that ranks the jobs of batch clusters and
// explains each rank.
//
// A Client has every call of the service: those of PriorityService are its own methods, those of
// AdminService are Client.Admin's. The messages are in the package priorityv1. An idempotent call that fails
// with a transient error is retried as long as the RetryPolicy and the deadline allow; every error of a
// call is an *Error, which has the details that the service sends.
//
// A UsageBatcher sends usage records: it loses none and counts none twice. A RankingWatch receives the
// top of the start order, and reconnects when a connection breaks.
package client
