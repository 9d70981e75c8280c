package client

import (
	"context"
	"errors"
	"fmt"

	pb "priorityd/client/priorityv1"
)

const (
	defaultBatchSize = 1000
	mostOfBatch      = 100_000
	defaultMaxKept   = 100_000
)

// ErrSpoolFull says that a UsageBatcher holds as many records as it may and took no further one.
var ErrSpoolFull = errors.New("priorityd: the spool of usage records is full: Flush it")

// BatcherOptions are those of a UsageBatcher. Zero values stand for the defaults.
type BatcherOptions struct {
	// BatchSize is how many records go in one batch, 1 to 100,000. Default 1000.
	BatchSize int
	// MaxKept is how many records are kept in memory at most that are not known to be durable, while the
	// service is out of reach. Not less than MaxInFlight + 1 batches. Default 100,000.
	MaxKept int
	// OnBatch is told each batch that was answered, in their order, with the number of its first record
	// (the first one added is 0) and the answer.
	OnBatch func(first int64, answer *pb.RecordUsageResponse)
}

// UsageBatcher gathers records and sends every BatchSize of them over a UsageStream. After an error
// what was not answered is kept: a further Add or Flush sends the same records again, which counts none of
// them twice, as each has its record_id. Not safe for concurrent use.
type UsageBatcher struct {
	options  BatcherOptions
	stream   *UsageStream
	pending  []*pb.UsageRecord
	added    int64
	answered int64
}

// NewUsageBatcher makes a batcher; the error names an option that is out of range. Close it.
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

// Add adds a record; it sends the batch when that is full, and waits while several are on their way.
// With ErrSpoolFull the record was not taken; with any other error it was, and is kept.
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

// Flush sends what is waiting, and waits until everything is answered. Records are durable, and only
// then, when this returns nil or they were answered before.
func (b *UsageBatcher) Flush(ctx context.Context) error {
	if len(b.pending) > 0 {
		if err := b.send(ctx); err != nil {
			return err
		}
	}
	return b.stream.Flush(ctx)
}

// Kept is how many records were added and not answered.
func (b *UsageBatcher) Kept() int { return int(b.added - b.answered) }

// Close ends the stream. What was not flushed may be lost.
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
