package client

import (
	"context"
	"errors"
	"io"
	"iter"
	"sync"
	"time"

	"google.golang.org/grpc/codes"

	pb "priorityd.internal/client/priorityv1"
)

// WatchOptions are the options of a RankingWatch.
type WatchOptions struct {
	// Reconnect is the retry policy of a watch that had answers, counted from the last answer. Its default
	// has 60 attempts: about five minutes, long enough for a restart of the service.
	Reconnect RetryPolicy
	// OnLost is called with the reason, once each time that a watch which had answers has lost the service
	// and reconnects.
	OnLost func(error)
}

// RankingUpdate is one answer of a watch, and the resulting top.
type RankingUpdate struct {
	Answer *pb.WatchRankingResponse
	Top    []*pb.RankedJob // In start order. Must not be changed.
	// Jobs that cannot start, if the request asks for them, by job id. Must not be changed.
	Ineligible []*pb.IneligibleJob
}

// RankingWatch keeps the top of the start order up to date. Until the first answer, transient errors
// are retried by the client's RetryPolicy; after it, by WatchOptions.Reconnect. A watch whose token has
// expired is opened again with the current token. A change that does not fit the state before it
// restarts the watch with the whole top.
type RankingWatch struct {
	client  *Client
	request *pb.WatchRankingRequest
	options WatchOptions

	mutex sync.Mutex
	top   Top
}

// NewRankingWatch makes a watch, which Updates starts.
func (c *Client) NewRankingWatch(request *pb.WatchRankingRequest, options WatchOptions) *RankingWatch {
	if options.Reconnect.MaxAttempts == 0 {
		options.Reconnect.MaxAttempts = 60
	}
	options.Reconnect = options.Reconnect.withDefaults()
	if options.OnLost == nil {
		options.OnLost = func(error) {}
	}
	named := withCluster(request, c.conn.options.Cluster).(*pb.WatchRankingRequest)
	return &RankingWatch{client: c, request: named, options: options}
}

// Ranked is the top as of the last answer, in start order. Safe for concurrent use.
func (w *RankingWatch) Ranked() []*pb.RankedJob {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return w.top.Ranked()
}

// Ineligible are the jobs that cannot start, as of the last answer, if the request asks for them, by job
// id. Safe for concurrent use.
func (w *RankingWatch) Ineligible() []*pb.IneligibleJob {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return w.top.Ineligible()
}

// Updates watches until the loop over it or the context ends, or until a permanent error, which it yields
// last. Range over it once.
func (w *RankingWatch) Updates(ctx context.Context) iter.Seq2[RankingUpdate, error] {
	return func(yield func(RankingUpdate, error) bool) {
		if err := w.run(ctx, func(update RankingUpdate) bool { return yield(update, nil) }); err != nil {
			yield(RankingUpdate{}, err)
		}
	}
}

// run watches until onUpdate returns false, then returns nil, or until an error.
func (w *RankingWatch) run(ctx context.Context, onUpdate func(RankingUpdate) bool) error {
	policy := w.client.conn.options.Retry
	for {
		lost, err := w.attempt(ctx, policy, onUpdate)
		if lost == nil {
			return err
		}
		if IsTransient(lost) {
			w.options.OnLost(lost)
		}
		policy = w.options.Reconnect
		if !sleep(ctx, reconnectWait(policy, lost)) {
			return endOf(ctx, lost)
		}
	}
}

// reconnectWait is the wait before the first attempt to reconnect after a working stream broke.
func reconnectWait(policy RetryPolicy, lost error) time.Duration {
	return max(delayAsked(lost), withJitter(policy.InitialBackoff))
}

// attempt watches until a watch that had answers is lost, and returns the reason, or until the end.
func (w *RankingWatch) attempt(ctx context.Context, policy RetryPolicy, onUpdate func(RankingUpdate) bool) (lost, err error) {
	attempts := newAttempts(policy)
	for {
		answers, err := w.watchOnce(ctx, onUpdate)
		misfit := errors.Is(err, errMisfit)
		passes := misfit || IsTransient(err) || answers > 0 && isProofExpired(err)
		if !passes {
			return nil, err
		}
		// Give up on a service whose changes never fit its state.
		if answers > 1 || answers == 1 && !misfit {
			return err, nil
		}
		wait, again := attempts.next(err)
		if !again {
			return nil, err
		}
		w.client.conn.report(err)
		if !sleep(ctx, wait) {
			return nil, endOf(ctx, err)
		}
	}
}

// endOf is the error of a watch whose context has ended, or is too near its deadline for another attempt.
func endOf(ctx context.Context, lost error) error {
	if ended := ctx.Err(); ended != nil {
		return fromContext(ended)
	}
	return lost
}

// watchOnce reads one stream until it ends: the number of consistent answers, and the reason of the end.
func (w *RankingWatch) watchOnce(ctx context.Context, onUpdate func(RankingUpdate) bool) (answers int, err error) {
	streams, cancel := context.WithCancel(ctx)
	defer cancel()
	stream, err := w.client.WatchRanking(streams, w.request)
	if err != nil {
		return 0, fromGRPC(ctx, err)
	}
	for {
		answer, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return answers, &Error{Code: codes.Unavailable, Message: "WatchRanking: the service ended the watch"}
		}
		if err != nil {
			return answers, fromGRPC(ctx, err)
		}
		update, err := w.take(answer)
		if err != nil {
			return answers, err
		}
		answers++
		if !onUpdate(update) {
			return answers, nil
		}
	}
}

func (w *RankingWatch) take(answer *pb.WatchRankingResponse) (RankingUpdate, error) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	err := w.top.Apply(answer)
	return RankingUpdate{answer, w.top.Ranked(), w.top.Ineligible()}, err
}
