package client

import (
	"context"
	"errors"
	"io"
	"iter"
	"sync"
	"time"

	"google.golang.org/grpc/codes"

	pb "priorityd/client/priorityv1"
)

// WatchOptions are those of a RankingWatch.
type WatchOptions struct {
	// Reconnect is how a watch that had answers is begun anew, counted from the last answer. Its default
	// has 60 attempts: long enough for the service to be restarted, about five minutes.
	Reconnect RetryPolicy
	// OnLost is told why, once each time that a watch which had answers has lost the service and tries to
	// reach it again.
	OnLost func(error)
}

// RankingUpdate is one answer of a watch, and the top that it leads to.
type RankingUpdate struct {
	Answer *pb.WatchRankingResponse
	Top    []*pb.RankedJob // In start order. Not to be changed.
	// Jobs that cannot start, where the request asks for them, by job id. Not to be changed.
	Ineligible []*pb.IneligibleJob
}

// RankingWatch keeps the top of the start order up to date. Until there is an answer an error that
// may pass is tried again as the client's RetryPolicy says; once there was one, as
// WatchOptions.Reconnect does. So is the end of a watch whose token has expired, with the token of
// then. A change that does not fit what came before begins the watch anew with the whole top.
type RankingWatch struct {
	client  *Client
	request *pb.WatchRankingRequest
	options WatchOptions

	mutex sync.Mutex
	top   Top
}

// NewRankingWatch makes a watch, which begins with Updates.
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

// Ranked is the top as it was last told, in start order. Safe for concurrent use.
func (w *RankingWatch) Ranked() []*pb.RankedJob {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return w.top.Ranked()
}

// Ineligible are the jobs that cannot start as they were last told, where the request asks for them, by
// job id. Safe for concurrent use.
func (w *RankingWatch) Ineligible() []*pb.IneligibleJob {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return w.top.Ineligible()
}

// Updates watches until the loop over it is left or the context ends, or until an error that does not
// pass, which comes last. Range over it once.
func (w *RankingWatch) Updates(ctx context.Context) iter.Seq2[RankingUpdate, error] {
	return func(yield func(RankingUpdate, error) bool) {
		if err := w.run(ctx, func(update RankingUpdate) bool { return yield(update, nil) }); err != nil {
			yield(RankingUpdate{}, err)
		}
	}
}

// run watches until onUpdate is false, then nil, or until an error.
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

// reconnectWait is before the first attempt to go on where something that worked has broken.
func reconnectWait(policy RetryPolicy, lost error) time.Duration {
	return max(delayAsked(lost), withJitter(policy.InitialBackoff))
}

// attempt watches until a watch that had answers is lost, for which it says why, or until the end.
func (w *RankingWatch) attempt(ctx context.Context, policy RetryPolicy, onUpdate func(RankingUpdate) bool) (lost, err error) {
	attempts := newAttempts(policy)
	for {
		answers, err := w.watchOnce(ctx, onUpdate)
		misfit := errors.Is(err, errMisfit)
		passes := misfit || IsTransient(err) || answers > 0 && isProofExpired(err)
		if !passes {
			return nil, err
		}
		// A service whose changes never fit its state is not asked for ever.
		if answers > 1 || answers == 1 && !misfit {
			return err, nil
		}
		wait, again := attempts.next(err)
		if !again {
			return nil, err
		}
		w.client.conn.tell(err)
		if !sleep(ctx, wait) {
			return nil, endOf(ctx, err)
		}
	}
}

// endOf is why a watch ends whose context is over, or too near its deadline for another attempt.
func endOf(ctx context.Context, lost error) error {
	if ended := ctx.Err(); ended != nil {
		return fromContext(ended)
	}
	return lost
}

// watchOnce is one stream, until it ends: how many answers fitted, and why it ended.
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
