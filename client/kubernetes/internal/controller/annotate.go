package controller

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"

	"golang.org/x/time/rate"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"priorityd/kubernetes/internal/workload"
)

// Annotations are what to set of a Workload; nil takes one away.
type Annotations map[string]*string

// Annotator writes annotations of Workloads. Kueue's seam for an order may move to a field
// of the spec: who writes it knows the interface only.
type Annotator interface {
	// Annotate sets them, waits where too many are written, and has the book know it. A Workload that is no
	// more is no error.
	Annotate(ctx context.Context, r *workload.Record, annotations Annotations) error
	// Finalize puts our finalizer on the Workload, or takes it off.
	Finalize(ctx context.Context, r *workload.Record, on bool) error
}

// lift is the annotation that lifts a Workload's priority by so much.
func lift(by int32) Annotations {
	if by == 0 {
		return Annotations{workload.BoostAnnotation: nil}
	}
	text := strconv.Itoa(int(by))
	return Annotations{workload.BoostAnnotation: &text}
}

// Writer is the Annotator of a real API server.
type Writer struct {
	Client client.Client // Of which only what is not cached is used.
	Reader client.Reader // Not cached.
	Book   *Book
	Limit  *rate.Limiter
}

// Annotate merges the annotations alone, into the Workload of this UID.
func (w *Writer) Annotate(ctx context.Context, r *workload.Record, annotations Annotations) error {
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"uid": r.UID, "annotations": annotations}})
	if err != nil {
		return err
	}
	if err := w.Limit.Wait(ctx); err != nil {
		return err
	}
	object := &kueue.Workload{}
	object.Namespace, object.Name = r.Namespace, r.Name
	if err := w.Client.Patch(ctx, object, client.RawPatch(types.MergePatchType, patch)); err != nil {
		writeFailures.Inc()
		return client.IgnoreNotFound(err)
	}
	writes.Inc()
	w.Book.Put(workload.From(object))
	return nil
}

// Finalize changes the finalizer, if nobody changed the Workload meanwhile.
func (w *Writer) Finalize(ctx context.Context, r *workload.Record, on bool) error {
	if err := w.Limit.Wait(ctx); err != nil {
		return err
	}
	object := &kueue.Workload{}
	if err := w.Reader.Get(ctx, r.Key(), object); err != nil || object.UID != r.UID {
		return client.IgnoreNotFound(err)
	}
	before := object.DeepCopy()
	object.Finalizers = slices.DeleteFunc(object.Finalizers, func(name string) bool { return name == workload.Finalizer })
	if on {
		object.Finalizers = append(object.Finalizers, workload.Finalizer)
	}
	patch := client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})
	if err := w.Client.Patch(ctx, object, patch); err != nil {
		writeFailures.Inc()
		return client.IgnoreNotFound(err)
	}
	writes.Inc()
	if on || object.DeletionTimestamp == nil {
		w.Book.Put(workload.From(object))
	}
	return nil
}
