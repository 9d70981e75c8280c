package client

import (
	"crypto/tls"
	"log/slog"
	"time"
)

const (
	defaultAddress         = "127.0.0.1:7411"
	defaultDeadline        = time.Minute
	defaultMaxMessageBytes = 256 << 20
)

// Options say how to reach the service. Zero values stand for the defaults.
type Options struct {
	// Address is host:port, unix:PATH, or any other name that gRPC resolves; several divided by
	// commas are replicas of one service: each attempt of a call goes to the one that answered last, or,
	// if that cannot be reached, to the next that can. Default 127.0.0.1:7411.
	Address string
	// Cluster is put into every request that names none; empty = the service's only cluster.
	Cluster string
	// Deadline is for one call, all its attempts together, beside that of the call's context.
	// Default one minute.
	Deadline time.Duration
	// MaxMessageBytes is the size of a request or an answer; 200,000 jobs are about 14 MB. Default 256 MiB.
	MaxMessageBytes int
	// Retry is for calls whose repetition is harmless: all of PriorityService (RecordUsage is
	// idempotent by record_id), and of AdminService those that begin with Get, List or Export.
	Retry RetryPolicy
	// TLS is unset where there is no encryption; see TLSFiles.
	TLS *tls.Config
	// Authorize proves who calls; see TokenFile, Munge, Automatic. Unset = calls prove nothing. A
	// call whose MUNGE credential came twice or late is sent again with a new one, once.
	Authorize Authorize
	// OnRateLimited is told once of a client, what the service said, when a call waits because the
	// caller calls more often than the service allows. Default a warning of log/slog.
	OnRateLimited func(error)
	// OnRetry is told what went wrong when a call is about to be tried again for another reason.
	OnRetry func(error)
}

func (o Options) withDefaults() Options {
	if o.Address == "" {
		o.Address = defaultAddress
	}
	if o.Deadline == 0 {
		o.Deadline = defaultDeadline
	}
	if o.MaxMessageBytes == 0 {
		o.MaxMessageBytes = defaultMaxMessageBytes
	}
	o.Retry = o.Retry.withDefaults()
	if o.OnRateLimited == nil {
		o.OnRateLimited = func(err error) { slog.Warn("priorityd: waiting", "error", err) }
	}
	if o.OnRetry == nil {
		o.OnRetry = func(error) {}
	}
	return o
}
