package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"google.golang.org/grpc/codes"

	pb "priorityd.internal/client/priorityv1"
)

// MaxInFlight is the number of batches of a UsageStream in flight at once. The service reads further
// ahead, so that it can always write its answers while we write.
const MaxInFlight = 4

// UsageStream sends batches of usage records over one stream, several in flight at once. It opens the
// stream on first use. When the stream breaks, or the service reports that it is busy or stopping, it
// opens another one by the client's RetryPolicy and sends the unacknowledged batches again: no record
// is lost, and none counts twice. It does the same with the current token when the token of a stream has
// expired. With a service that has no StreamUsage it calls RecordUsage. Not safe for concurrent use.
type UsageStream struct {
	client   *Client
	onAnswer func(*pb.RecordUsageResponse)
	batches  []*batch // In the order given; the first has no acknowledgement.
	lastID   int64
	stream   *openStream
	unary    bool
	proved   bool // The present stream has acknowledged something.
	expired  bool // An earlier stream of this attempt had, and its token has expired.
	progress bool // An acknowledgement arrived since drive began an attempt.
}

type batch struct {
	request *pb.StreamUsageRequest
	sent    bool // On the present stream.
	answer  *pb.RecordUsageResponse
}

type openStream struct {
	pb.PriorityService_StreamUsageClient
	cancel context.CancelFunc
}

// NewUsageStream makes a stream that calls onAnswer for each acknowledged batch, in the order sent. The
// caller must close it.
func (c *Client) NewUsageStream(onAnswer func(*pb.RecordUsageResponse)) *UsageStream {
	return &UsageStream{client: c, onAnswer: onAnswer}
}

// Send sends a batch; it waits for an acknowledgement first if MaxInFlight batches have none. After
// an error the batch is kept, as are all without acknowledgement: Flush sends them again.
func (s *UsageStream) Send(ctx context.Context, request *pb.RecordUsageRequest) error {
	named := withCluster(request, s.client.conn.options.Cluster).(*pb.RecordUsageRequest)
	s.lastID++
	s.batches = append(s.batches,
		&batch{request: &pb.StreamUsageRequest{BatchId: s.lastID, Batch: named}})
	return s.drive(ctx, MaxInFlight-1)
}

// Flush waits until every batch is acknowledged. Its records are durable then.
func (s *UsageStream) Flush(ctx context.Context) error { return s.drive(ctx, 0) }

// Unacknowledged is the number of batches, sent or waiting, without acknowledgement.
func (s *UsageStream) Unacknowledged() int { return len(s.batches) }

// Close ends the stream, without waiting for batches in flight.
func (s *UsageStream) Close() {
	if s.stream != nil {
		s.stream.cancel()
		s.stream = nil
	}
}

// drive sends, and waits until at most left batches have no acknowledgement. An error after an
// acknowledgement starts the count of attempts again.
func (s *UsageStream) drive(ctx context.Context, left int) error {
	for {
		broken, err := s.attempt(ctx, left)
		if !broken {
			return err
		}
		if s.expired {
			continue
		}
		options := s.client.conn.options
		wait := reconnectWait(options.Retry, err)
		if wait >= options.Deadline || !sleep(ctx, wait) {
			return err
		}
	}
}

// attempt drives by the retry policy; broken = the stream broke after progress.
func (s *UsageStream) attempt(ctx context.Context, left int) (broken bool, err error) {
	s.progress = false
	options := s.client.conn.options
	ctx, cancel := context.WithTimeout(ctx, options.Deadline)
	defer cancel()
	var lost error
	err = s.client.conn.retry(ctx, options.Retry, func() error {
		once := s.driveOnce(ctx, left)
		broken = s.expired || s.progress && IsTransient(once)
		if broken {
			lost = once
			return nil
		}
		return once
	})
	if broken {
		return true, lost
	}
	return false, err
}

// driveOnce drives the present stream, which an error ends.
func (s *UsageStream) driveOnce(ctx context.Context, left int) error {
	if s.unary {
		return s.callUnary(ctx)
	}
	err := s.exchange(ctx, left)
	s.expired = s.proved && isProofExpired(err)
	if err == nil {
		return nil
	}
	s.Close()
	s.proved = false
	for _, b := range s.batches {
		b.sent = false
	}
	if e := errorOf(err); e == nil || e.Code != codes.Unimplemented {
		return err
	}
	s.unary = true
	return s.callUnary(ctx)
}

// exchange writes and reads on the present stream. The end of the context ends the stream.
func (s *UsageStream) exchange(ctx context.Context, left int) error {
	if len(s.batches) <= left && !s.unsent() {
		return nil
	}
	if err := s.open(ctx); err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, s.stream.cancel)
	defer stop()
	err := s.sendUnsent(ctx)
	for err == nil && len(s.batches) > left {
		err = s.receiveOne(ctx)
	}
	return err
}

func (s *UsageStream) unsent() bool {
	return slices.ContainsFunc(s.batches, func(b *batch) bool { return !b.sent && b.answer == nil })
}

func (s *UsageStream) open(ctx context.Context) error {
	if s.stream != nil {
		return nil
	}
	streams, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, cancel)
	defer stop()
	stream, err := s.client.StreamUsage(streams)
	if err != nil {
		cancel()
		return fromGRPC(ctx, err)
	}
	s.stream = &openStream{stream, cancel}
	return nil
}

func (s *UsageStream) sendUnsent(ctx context.Context) error {
	for _, b := range slices.Clone(s.batches) {
		if b.sent || b.answer != nil {
			continue
		}
		if s.stream.Send(b.request) != nil {
			return s.receiveRest(ctx)
		}
		b.sent = true
	}
	return nil
}

// receiveRest takes the acknowledgements before the end of the stream; then it returns the reason of the end.
func (s *UsageStream) receiveRest(ctx context.Context) error {
	for {
		if err := s.receiveOne(ctx); err != nil {
			return err
		}
	}
}

func (s *UsageStream) receiveOne(ctx context.Context) error {
	response, err := s.stream.Recv()
	if errors.Is(err, io.EOF) {
		return &Error{Code: codes.Unavailable, Message: "StreamUsage: the service ended the stream"}
	}
	if err != nil {
		return fromGRPC(ctx, err)
	}
	s.proved = true
	return s.take(response)
}

func (s *UsageStream) callUnary(ctx context.Context) error {
	for len(s.batches) > 0 {
		first := s.batches[0].request
		answer, err := s.client.RecordUsage(ctx, first.GetBatch())
		if err != nil {
			return err
		}
		if err := s.take(&pb.StreamUsageResponse{BatchId: first.GetBatchId(), Results: answer}); err != nil {
			return err
		}
	}
	return nil
}

// take takes an acknowledgement. A repeated one changes nothing.
func (s *UsageStream) take(response *pb.StreamUsageResponse) error {
	id := response.GetBatchId()
	at := slices.IndexFunc(s.batches, func(b *batch) bool { return b.request.GetBatchId() == id })
	if at < 0 && id > 0 && id <= s.lastID {
		return nil
	}
	results, want := len(response.GetResults().GetResults()), -1
	if at >= 0 {
		want = len(s.batches[at].request.GetBatch().GetRecords())
	}
	if results != want {
		return &Error{Code: codes.Internal,
			Message: fmt.Sprintf("StreamUsage: batch %d: got %d results, want %d", id, results, want)}
	}
	s.batches[at].answer = response.GetResults()
	s.progress = true
	for len(s.batches) > 0 && s.batches[0].answer != nil {
		answered := s.batches[0].answer
		s.batches = s.batches[1:]
		s.onAnswer(answered)
	}
	return nil
}
