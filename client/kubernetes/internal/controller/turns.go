package controller

import (
	"context"
	"time"
)

// signal wakes a loop; several signals at once count as one.
type signal chan struct{}

func newSignal() signal { return make(signal, 1) }

func (s signal) raise() {
	select {
	case s <- struct{}{}:
	default:
	}
}

// inTurns calls turn until the context ends: after a signal, at least pause after the last turn, and at the
// latest every.
func inTurns(ctx context.Context, wake signal, pause, every time.Duration, turn func(context.Context)) error {
	for {
		turn(ctx)
		if !sleep(ctx, pause) {
			return nil
		}
		timer := time.NewTimer(every)
		select {
		case <-ctx.Done():
			timer.Stop()
			return nil
		case <-wake:
		case <-timer.C:
		}
		timer.Stop()
	}
}

// sleep waits; false = the context has ended.
func sleep(ctx context.Context, pause time.Duration) bool {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
