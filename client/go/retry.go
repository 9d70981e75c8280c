package client

import (
	"context"
	"math/rand/v2"
	"time"

	"google.golang.org/grpc/codes"
)

// RetryPolicy says when to try again after an error that may pass, and how often. A zero field
// stands for its default; with all of them a call gives up after 0.7 seconds at the latest.
type RetryPolicy struct {
	// MaxAttempts are calls in all; 1 = never again. Default 4.
	MaxAttempts int
	// InitialBackoff is the wait before the second attempt; it doubles for each further one. Half
	// of a wait is random, so that many clients do not come back at the same moment. Default 100 ms.
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

// IsTransient says whether the same call may succeed later: UNAVAILABLE; ABORTED, unless the
// snapshot that a page is of is gone or what the caller meant has changed, or RESOURCE_EXHAUSTED that
// says when to come back (without that it is a size limit).
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

// IsRateLimited says whether the caller calls more often than the service allows: the call was not begun.
func IsRateLimited(err error) bool {
	e := errorOf(err)
	return e != nil && e.Code == codes.ResourceExhausted && e.Reason == "RATE_LIMITED" && e.asksToWait
}

// isProofExpired: a stream ended since the token that opened it has expired.
func isProofExpired(err error) bool {
	e := errorOf(err)
	return e != nil && e.Code == codes.Unauthenticated && e.Reason == "TOKEN_EXPIRED"
}

// Whether the service would take the call with a new credential, and has done nothing as yet.
func isStaleCredential(err error) bool {
	e := errorOf(err)
	return e != nil && e.Code == codes.Unauthenticated &&
		(e.Reason == "MUNGE_REPLAYED" || e.Reason == "MUNGE_EXPIRED")
}

// attempts counts those of one call.
type attempts struct {
	policy  RetryPolicy
	made    int
	backoff time.Duration
}

func newAttempts(policy RetryPolicy) *attempts {
	return &attempts{policy: policy, backoff: policy.InitialBackoff}
}

// next is how long to wait before another attempt after an error that may pass; false where there
// is none any more. Who is rate-limited is no failure and counts as no attempt.
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

// withJitter is between half of a wait and all of it.
func withJitter(wait time.Duration) time.Duration {
	return wait/2 + time.Duration(rand.Float64()*float64(wait)/2)
}

func delayAsked(err error) time.Duration {
	if e := errorOf(err); e != nil {
		return e.RetryDelay
	}
	return 0
}

// sleep is false where the context ends before.
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

// retry calls until there is success, an error for good, or the end of the policy or the context;
// it answers the last outcome. REQUIRES: repeating the call is harmless.
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
		c.tell(err)
		if !sleep(ctx, wait) {
			return err
		}
	}
}

func (c *conn) tell(err error) {
	if IsRateLimited(err) {
		c.toldOfRateLimit.Do(func() { c.options.OnRateLimited(err) })
	} else {
		c.options.OnRetry(err)
	}
}
