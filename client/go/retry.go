package client

import (
	"context"
	"math/rand/v2"
	"time"

	"google.golang.org/grpc/codes"
)

// RetryPolicy is the policy of retries after transient errors. A zero field means its default; with
// all defaults the waits of a call are at most 0.7 seconds.
type RetryPolicy struct {
	// MaxAttempts is the number of attempts in all; 1 = no retry. Default 4.
	MaxAttempts int
	// InitialBackoff is the wait before the second attempt; it doubles for each further one. Half
	// of a wait is random, so that many clients do not retry at the same time. Default 100 ms.
	InitialBackoff time.Duration
	// MaxBackoff bounds a wait, unless the service asks for a longer one. Default 5 s.
	MaxBackoff time.Duration
}

func (p RetryPolicy) withDefaults() RetryPolicy {
	if p.MaxAttempts == 0 {
		p.MaxAttempts = 4
	}
	if p.InitialBackoff == 0 {
		p.InitialBackoff = 100 * time.Millisecond
	}
	if p.MaxBackoff == 0 {
		p.MaxBackoff = 5 * time.Second
	}
	return p
}

// IsTransient reports whether the same call may succeed later: UNAVAILABLE; ABORTED, unless the
// snapshot of a page is no longer kept or the object changed since the caller read it; or
// RESOURCE_EXHAUSTED with a retry delay (without one it is a size limit).
func IsTransient(err error) bool {
	e := errorOf(err)
	if e == nil {
		return false
	}
	switch e.Code {
	case codes.Unavailable:
		return true
	case codes.Aborted:
		switch e.Reason {
		case "SNAPSHOT_GONE", "ETAG_MISMATCH", "POLICY_VERSION_MISMATCH":
			return false
		}
		return true
	case codes.ResourceExhausted:
		return e.asksToWait
	default:
		return false
	}
}

// IsRateLimited reports whether the call exceeded the service's rate limit: the service did not begin it.
func IsRateLimited(err error) bool {
	e := errorOf(err)
	return e != nil && e.Code == codes.ResourceExhausted && e.Reason == "RATE_LIMITED" && e.asksToWait
}

// isProofExpired reports whether a stream ended because the token that opened it has expired.
func isProofExpired(err error) bool {
	e := errorOf(err)
	return e != nil && e.Code == codes.Unauthenticated && e.Reason == "TOKEN_EXPIRED"
}

// Whether the service would accept the call with a new credential, and has not begun it.
func isStaleCredential(err error) bool {
	e := errorOf(err)
	return e != nil && e.Code == codes.Unauthenticated &&
		(e.Reason == "MUNGE_REPLAYED" || e.Reason == "MUNGE_EXPIRED")
}

// attempts counts the attempts of one call.
type attempts struct {
	policy  RetryPolicy
	made    int
	backoff time.Duration
}

func newAttempts(policy RetryPolicy) *attempts {
	return &attempts{policy: policy, backoff: policy.InitialBackoff}
}

// next is the wait before another attempt after a transient error; false if no attempt is left. A
// rate limit is no failure and does not count as an attempt.
func (a *attempts) next(err error) (time.Duration, bool) {
	if !IsRateLimited(err) {
		a.made++
		if a.made >= a.policy.MaxAttempts {
			return 0, false
		}
	}
	wait := max(delayAsked(err), withJitter(a.backoff))
	a.backoff = min(a.backoff*2, a.policy.MaxBackoff)
	return wait, true
}

// withJitter is a random time between half of a wait and all of it.
func withJitter(wait time.Duration) time.Duration {
	return wait/2 + time.Duration(rand.Float64()*float64(wait)/2)
}

func delayAsked(err error) time.Duration {
	if e := errorOf(err); e != nil {
		return e.RetryDelay
	}
	return 0
}

// sleep returns false if the context ends first.
func sleep(ctx context.Context, wait time.Duration) bool {
	if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) <= wait {
		return false
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// retry calls until success, a permanent error, or the end of the policy or the context, and returns
// the last outcome. REQUIRES: the call is idempotent.
func (c *conn) retry(ctx context.Context, policy RetryPolicy, call func() error) error {
	attempts := newAttempts(policy)
	for {
		err := call()
		if err == nil || !IsTransient(err) {
			return err
		}
		wait, again := attempts.next(err)
		if !again {
			return err
		}
		c.report(err)
		if !sleep(ctx, wait) {
			return err
		}
	}
}

func (c *conn) report(err error) {
	if IsRateLimited(err) {
		c.rateLimitReported.Do(func() { c.options.OnRateLimited(err) })
	} else {
		c.options.OnRetry(err)
	}
}
