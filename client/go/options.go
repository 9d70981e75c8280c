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

	defaultKeepaliveTime    = 30 * time.Second
	defaultKeepaliveTimeout = 20 * time.Second
)

// Options are the address of the service and the properties of calls. Zero values mean the defaults.
type Options struct {
	// Address is host:port, unix:PATH, or any other name that gRPC resolves; several divided by
	// commas are replicas of one service: each attempt of a call goes to the one that answered last, or,
	// if that cannot be reached, to the next that can. Default 127.0.0.1:7411.
	Address string
	// Cluster is set in every request that names none; empty = the service's only cluster.
	Cluster string
	// Deadline limits one call, all its attempts together, in addition to the deadline of its context.
	// Default one minute.
	Deadline time.Duration
	// KeepaliveTime is the silence of a server after which it gets a ping, while a call is open. Default 30
	// seconds; gRPC makes 10 seconds of less.
	KeepaliveTime time.Duration
	// KeepaliveTimeout is the time for the answer to a ping; without one the call ends with UNAVAILABLE.
	// Default 20 seconds.
	KeepaliveTimeout time.Duration
	// MaxMessageBytes is the largest request or answer; 200,000 jobs are about 14 MB. Default 256 MiB.
	MaxMessageBytes int
	// Retry is the policy of idempotent calls: all of PriorityService (RecordUsage is
	// idempotent by record_id), and of AdminService those that begin with Get, List or Export.
	Retry RetryPolicy
	// TLS is the encryption; nil = none. See TLSFiles.
	TLS *tls.Config
	// Authorize proves the caller's identity; see TokenFile, Munge, Automatic. Unset = calls prove nothing. A
	// call whose MUNGE credential was replayed or expired is sent again with a new one, once.
	Authorize Authorize
	// OnRateLimited is called once for a client, with the service's error, when a call waits because of the
	// service's rate limit. Default a warning of log/slog.
	OnRateLimited func(error)
	// OnRetry is called with the error before a call is retried for another reason.
	OnRetry func(error)
}

func (o Options) withDefaults() Options {
	if o.Address == "" {
		o.Address = defaultAddress
	}
	if o.Deadline == 0 {
		o.Deadline = defaultDeadline
	}
	if o.KeepaliveTime == 0 {
		o.KeepaliveTime = defaultKeepaliveTime
	}
	if o.KeepaliveTimeout == 0 {
		o.KeepaliveTimeout = defaultKeepaliveTimeout
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
