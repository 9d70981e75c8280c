package controller

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/time/rate"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"priorityd/kubernetes/internal/workload"
)

// Annotations are the annotations to set on a Workload, a Job or a Pod; nil removes one.
type Annotations map[string]*string

// Annotator writes annotations of Workloads, Jobs and Pods, and boosts of Workloads.
type Annotator interface {
	// Lift raises a Workload's priority by so much, in each part of the form, by one patch; 0 removes the boost.
	Lift(ctx context.Context, r *workload.Record, by int32, form Form) error
	// Annotate sets the annotations within the rate limit of writes, and updates the book. A deleted Workload
	// is no error.
	Annotate(ctx context.Context, r *workload.Record, annotations Annotations) error
	// Finalize adds our finalizer to the Workload, or removes it.
	Finalize(ctx context.Context, r *workload.Record, on bool) error
	// Find is the record of a ledger's object, also if its labels do not select it; nil = it does not exist.
	Find(ctx context.Context, kept Kept) (*workload.Record, error)
}

// lift is the patch that raises a Workload's priority by so much. It leaves the priority itself and its class as they are.
func lift(r *workload.Record, by int32, form Form) map[string]any {
	annotations := Annotations{workload.BoostAnnotation: nil}
	if by != 0 {
		text := strconv.Itoa(int(by))
		annotations[workload.BoostAnnotation] = &text
	}
	patch := annotate(r, annotations)
	if form.Field {
		patch["spec"] = map[string]any{"priorityBoost": form.spec(by)}
	}
	return patch
}

// annotate is the patch of annotations of the object with this UID.
func annotate(r *workload.Record, annotations Annotations) map[string]any {
	return map[string]any{"metadata": map[string]any{"uid": r.UID, "annotations": annotations}}
}

// Writer is the Annotator of a real API server.
type Writer struct {
	Client client.Client // Only its uncached calls are used.
	Reader client.Reader // Not cached.
	Book   *Book
	Limit  *rate.Limiter
}

// Annotate merges only the annotations, into the Workload with this UID.
func (w *Writer) Annotate(ctx context.Context, r *workload.Record, annotations Annotations) error {
	return w.merge(ctx, r, annotate(r, annotations))
}

// Lift merges only the boost.
func (w *Writer) Lift(ctx context.Context, r *workload.Record, by int32, form Form) error {
	return w.merge(ctx, r, lift(r, by, form))
}

func (w *Writer) merge(ctx context.Context, r *workload.Record, change map[string]any) error {
	patch, err := json.Marshal(change)
	if err != nil {
		return err
	}
	if err := w.Limit.Wait(ctx); err != nil {
		return err
	}
	object := objectOf(r)
	if err := w.Client.Patch(ctx, object, client.RawPatch(types.MergePatchType, patch)); err != nil {
		writeFailures.Inc()
		if apierrors.IsConflict(err) { // An object with another UID has its name.
			return nil
		}
		return client.IgnoreNotFound(err)
	}
	writes.Inc()
	w.put(object)
	return nil
}

// Finalize changes the finalizer, unless the Workload has changed meanwhile.
func (w *Writer) Finalize(ctx context.Context, r *workload.Record, on bool) error {
	return client.IgnoreNotFound(w.change(ctx, r, func(object client.Object) (bool, error) {
		finalizers := slices.DeleteFunc(object.GetFinalizers(), func(name string) bool { return name == workload.Finalizer })
		if on {
			finalizers = append(finalizers, workload.Finalizer)
		}
		object.SetFinalizers(finalizers)
		return on || object.GetDeletionTimestamp() == nil, nil
	}))
}

// Find reads the object of a ledger.
func (w *Writer) Find(ctx context.Context, kept Kept) (*workload.Record, error) {
	if kept.Name.Name == "" {
		return nil, nil
	}
	r := kept.Record()
	object := objectOf(r)
	if err := w.Reader.Get(ctx, r.Key(), object); err != nil || object.GetUID() != r.UID {
		return nil, client.IgnoreNotFound(err)
	}
	return chargedRecordOf(object), nil
}

// Release removes our gate from a Pod, or resumes a Job, unless it has changed meanwhile.
func (w *Writer) Release(ctx context.Context, r *workload.Record) error {
	if err := w.change(ctx, r, w.release(r)); err != errReleased {
		return client.IgnoreNotFound(err)
	}
	return nil
}

// Try is Release by an API server that stores nothing.
func (w *Writer) Try(ctx context.Context, r *workload.Record) error {
	err := w.change(ctx, r, w.release(r), client.DryRunAll)
	// A webhook of the site does not support such a trial.
	if err == errReleased || apierrors.IsBadRequest(err) && strings.Contains(err.Error(), "does not support dry run") {
		return nil
	}
	return err
}

var errReleased = errors.New("it is released already")

// release is the change of an object that still is as it was planned.
func (w *Writer) release(planned *workload.Record) func(client.Object) (bool, error) {
	return func(object client.Object) (bool, error) {
		now := w.Book.WithDefaults(chargedRecordOf(object))
		if !now.Pending() {
			w.put(object)
			return false, errReleased
		}
		if !isAsPlanned(planned, now) {
			w.put(object)
			return false, apierrors.NewConflict(schema.GroupResource{Resource: string(planned.Kind)}, planned.Name, errors.New("it requests something else than when it got its turn"))
		}
		switch object := object.(type) {
		case *corev1.Pod:
			object.Spec.SchedulingGates = slices.DeleteFunc(object.Spec.SchedulingGates,
				func(gate corev1.PodSchedulingGate) bool { return gate.Name == workload.Gate })
		case *batchv1.Job:
			running := false
			object.Spec.Suspend = &running
		}
		annotations := maps.Clone(object.GetAnnotations())
		if annotations == nil {
			annotations = map[string]string{}
		}
		annotations[workload.ReleasedAnnotation] = time.Now().UTC().Format(time.RFC3339)
		object.SetAnnotations(annotations)
		return true, nil
	}
}

// isAsPlanned reports whether an object requests what its turn was for.
func isAsPlanned(planned, now *workload.Record) bool {
	before, after := askOf(planned, planned.TimeLimit), askOf(now, now.TimeLimit)
	return before.Pods == after.Pods && before.Limit == after.Limit && shapeKey(&before) == shapeKey(&after)
}

// mostChanges are the attempts to change an object that something else changes at the same time.
const mostChanges = 4

// change reads an object, changes it, and writes it unless it has changed meanwhile; then it does so again. The function
// change returns whether to update the book.
func (w *Writer) change(ctx context.Context, r *workload.Record, change func(client.Object) (bool, error), options ...client.PatchOption) error {
	for attempt := 1; ; attempt++ {
		if err := w.changeOnce(ctx, r, change, options); !apierrors.IsConflict(err) || attempt == mostChanges {
			return err
		}
	}
}

func (w *Writer) changeOnce(ctx context.Context, r *workload.Record, change func(client.Object) (bool, error), options []client.PatchOption) error {
	if err := w.Limit.Wait(ctx); err != nil {
		return err
	}
	object := objectOf(r)
	if err := w.Reader.Get(ctx, r.Key(), object); err != nil {
		return err
	}
	if object.GetUID() != r.UID {
		return apierrors.NewNotFound(schema.GroupResource{Resource: string(r.Kind)}, string(r.UID))
	}
	before := object.DeepCopyObject().(client.Object)
	put, err := change(object)
	if err != nil {
		return err
	}
	patch := client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})
	if err := w.Client.Patch(ctx, object, patch, options...); err != nil {
		writeFailures.Inc()
		return err
	}
	writes.Inc()
	if put && len(options) == 0 {
		w.put(object)
	}
	return nil
}

func (w *Writer) put(object client.Object) {
	if r := w.Book.recordOf(object); r != nil {
		w.Book.Put(r)
	}
}

// concernsOne reports whether an error of a write concerns one object only: the next one may succeed.
func concernsOne(err error) bool {
	return apierrors.IsInvalid(err) || apierrors.IsForbidden(err) || apierrors.IsBadRequest(err)
}

// objectOf is an object with only the kind and the name of a record.
func objectOf(r *workload.Record) client.Object {
	var object client.Object = &workload.Workload{}
	switch r.Kind {
	case workload.KindPod:
		object = &corev1.Pod{}
	case workload.KindJob:
		object = &batchv1.Job{}
	}
	object.SetNamespace(r.Namespace)
	object.SetName(r.Name)
	return object
}

// chargedRecordOf is the record of an object that is being charged, whatever its labels are.
func chargedRecordOf(object any) *workload.Record {
	switch object := object.(type) {
	case *corev1.Pod:
		return workload.RecordOfPod(object)
	case *batchv1.Job:
		return workload.RecordOfJob(object)
	case *workload.Workload:
		return workload.RecordOfWorkload(object)
	default:
		return recordOf(object)
	}
}

// recordOf is the record of an object; nil = our labels do not select it.
func recordOf(object any) *workload.Record {
	switch object := object.(type) {
	case *workload.Workload:
		return workload.From(object)
	case *corev1.Pod:
		return workload.FromPod(object)
	case *batchv1.Job:
		return workload.FromJob(object)
	default:
		return nil
	}
}
