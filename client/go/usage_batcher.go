package client

import (
	"context"
	"errors"
	"fmt"

	pb "priorityd.internal/client/priorityv1"
)

const (
	defaultBatchSize = 1000
	mostOfBatch      = 100_000
	defaultMaxKept   = 100_000
)

// ErrSpoolFull is the error of a UsageBatcher that holds its maximum of records and rejects another one.
var ErrSpoolFull = errors.New("priorityd: the spool of usage records is full: Flush it")

// BatcherOptions are the options of a UsageBatcher. Zero values mean the defaults.
type BatcherOptions struct {
	// BatchSize is how many records go in one batch, 1 to 100,000. Default 1000.
	BatchSize int
	// MaxKept is the maximum of records in memory that are not known to be durable, while the service
	// cannot be reached. At least MaxInFlight + 1 batches. Default 100,000.
	MaxKept int
	// OnBatch is called for each answered batch, in order, with the number of its first record (the first
	// record added is 0) and the answer.
	OnBatch func(first int64, answer *pb.RecordUsageResponse)
}

// UsageBatcher gathers records and sends every BatchSize of them over a UsageStream. After an error
// the unanswered records are kept: the next Add or Flush sends them again. The service counts each
// once, by its record_id. Not safe for concurrent use.
type UsageBatcher struct {
	options  BatcherOptions
	stream   *UsageStream
	pending  []*pb.UsageRecord
	added    int64
	answered int64
}

// NewUsageBatcher makes a batcher; the error names an option that is out of range. The caller must close it.
func (c *Client) NewUsageBatcher(options BatcherOptions) (*UsageBatcher, error) {
	if options.BatchSize == 0 {
		options.BatchSize = defaultBatchSize
	}
	if options.BatchSize < 1 || options.BatchSize > mostOfBatch {
		return nil, fmt.Errorf("BatchSize: got %d, want 1 to %d", options.BatchSize, mostOfBatch)
	}
	if options.MaxKept == 0 {
		options.MaxKept = max(defaultMaxKept, options.BatchSize*(MaxInFlight+1))
	}
	if least := options.BatchSize * (MaxInFlight + 1); options.MaxKept < least {
		return nil, fmt.Errorf("MaxKept: got %d, want at least %d", options.MaxKept, least)
	}
	b := &UsageBatcher{options: options}
	b.stream = c.NewUsageStream(b.take)
	return b, nil
}

// Add adds a record; it sends the batch when it is full, and waits while MaxInFlight batches are in
// flight. With ErrSpoolFull the record was not taken; with any other error it was, and is kept.
func (b *UsageBatcher) Add(ctx context.Context, record *pb.UsageRecord) error {
	if b.Kept() >= b.options.MaxKept {
		return ErrSpoolFull
	}
	b.added++
	b.pending = append(b.pending, record)
	if len(b.pending) < b.options.BatchSize {
		return nil
	}
	return b.send(ctx)
}

// Flush sends the waiting records, and waits until all are answered. Records are durable only when
// Flush has returned nil or they were answered before.
func (b *UsageBatcher) Flush(ctx context.Context) error {
	if len(b.pending) > 0 {
		if err := b.send(ctx); err != nil {
			return err
		}
	}
	return b.stream.Flush(ctx)
}

// Kept is the number of records that were added and not answered.
func (b *UsageBatcher) Kept() int { return int(b.added - b.answered) }

// Close ends the stream. Records that were not flushed may be lost.
func (b *UsageBatcher) Close() { b.stream.Close() }

func (b *UsageBatcher) send(ctx context.Context) error {
	batch := &pb.RecordUsageRequest{Records: b.pending}
	b.pending = nil
	return b.stream.Send(ctx, batch)
}

func (b *UsageBatcher) take(answer *pb.RecordUsageResponse) {
	first := b.answered
	b.answered += int64(len(answer.GetResults()))
	if b.options.OnBatch != nil {
		b.options.OnBatch(first, answer)
	}
}
