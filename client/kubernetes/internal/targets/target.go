// Package targets reads and writes weights in the fields that other schedulers have for them.
package targets

import (
	"context"
	"maps"
	"strings"
	"time"

	"priorityd/kubernetes/internal/weights"
)

// Names that the program writes under, and the key of its record in annotations.
const (
	Manager    = "priorityd-weights"
	Annotation = "priorityd/weight"
)

// State is what a scheduler has for a queue.
type State struct {
	Value float64 // Of the field; its default if the field is absent.
	// Record is that of the last write; nil = never written.
	Record *weights.Record
	// Problem is why a record is not believed; the next write replaces it. Empty = none.
	Problem string
	// Missing is true if there is no such queue; one is never created.
	Missing bool
}

// Change is a new value for a queue.
type Change struct {
	Queue  string
	To     float64
	State  State  // As it was read.
	Reason string // A sentence for the Event.
}

// Target is the field of one scheduler. Its calls are from one goroutine.
type Target interface {
	Field() string // Names it in diffs and Events, such as ClusterQueue.spec.fairSharing.weight.
	Scale() weights.Scale
	// Read returns the states of queues by name.
	Read(ctx context.Context, queues []string, now time.Time) (map[string]State, error)
	// Write writes a value, if nothing else has changed the queue since it was read; with dry, the scheduler only
	// validates it where it can.
	Write(ctx context.Context, change Change, now time.Time, dry bool) error
	// Restore writes what the queue had before the first change, and removes the record.
	Restore(ctx context.Context, queue string, state State, dry bool) error
}

// next is the record of a write: the former values of the first write of each field stay.
func next(state State, former map[string]any, now time.Time) weights.Record {
	if state.Record != nil {
		former = added(state.Record.Former, former)
	}
	return weights.Record{Former: former, Written: now.UTC().Truncate(time.Second)}
}

// added are the first values, and the later ones of other fields, such as of a resource that a queue got meanwhile.
func added(first, later map[string]any) map[string]any {
	all := maps.Clone(first)
	for path, value := range later {
		known := false
		for before := range first {
			known = known || path == before || strings.HasPrefix(path, before+".") || strings.HasPrefix(before, path+".")
		}
		if !known {
			all[path] = value
		}
	}
	return all
}
