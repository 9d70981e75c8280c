// Package workload knows what of Kueue's Workloads matters to priorityd, and how it is told there.
package workload

import (
	"strconv"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"
)

// Annotations of a Workload, a Job or a Pod that priorityd-kubernetes writes, or wrote.
const (
	BoostAnnotation  = "kueue.x-k8s.io/priority-boost" // Kueue's own.
	PlaceAnnotation  = "priorityd/place"               // For people: place 12 of 340; ...
	LedgerAnnotation = "priorityd/ledger"              // What was charged when objects of their owners still said it.
)

// Finalizer keeps a Workload, a Job or a Pod until all that it used is charged.
const Finalizer = "priorityd/accounting"

// Record is what of a Workload matters, a twentieth of its size; or of a plain Job or Pod, whose turn is its quota.
type Record struct {
	Kind      Kind
	UID       types.UID
	Version   uint64 // The resourceVersion, which tells which of two records is the newer one.
	Namespace string
	Name      string
	Queue     string // The LocalQueue.
	User      string // Empty = nobody is stamped.
	Class     string // The WorkloadPriorityClass.
	Priority  int32  // spec.priority
	Created   time.Time
	Pods      int32
	TRES      TRES
	TimeLimit time.Duration // 0 = none
	Held      bool

	ClusterQueue string    // Where quota is reserved; empty = nowhere.
	Reserved     time.Time // Since when it has quota; zero = it has none.
	Admitted     time.Time // Begin of the present or the last attempt that is known; zero = there was none.
	Ended        time.Time // End of that attempt; zero = it runs.
	Finished     time.Time // Zero = it is not over.
	Failed       bool
	Usage        TRES  // What the attempt holds.
	Past         int64 // Seconds that attempts before lasted.

	Boost     string // As annotated.
	Place     string
	OldLedger string // Of an earlier version; empty = none.
	Finalized bool   // It has our finalizer.
	Deleted   time.Time

	Plain *Plain // Nil for a Workload.
}

// Key is the Workload's name in the API.
func (r *Record) Key() types.NamespacedName {
	return types.NamespacedName{Namespace: r.Namespace, Name: r.Name}
}

// Pending is whether it waits for quota.
func (r *Record) Pending() bool {
	return r.Finished.IsZero() && r.Reserved.IsZero() && r.Deleted.IsZero()
}

// From is the record of a Workload.
func From(w *kueue.Workload) *Record {
	r := &Record{
		Kind: KindWorkload, UID: w.UID, Namespace: w.Namespace, Name: w.Name,
		Queue:     string(w.Spec.QueueName),
		Created:   w.CreationTimestamp.Time,
		TimeLimit: timeLimit(w),
		Held:      w.Spec.Active != nil && !*w.Spec.Active,
		Boost:     w.Annotations[BoostAnnotation],
		Place:     w.Annotations[PlaceAnnotation],
		OldLedger: w.Annotations[LedgerAnnotation],
	}
	r.Version, _ = strconv.ParseUint(w.ResourceVersion, 10, 64)
	r.User, _ = DecodeUser(w.Labels[UserLabel])
	r.TRES, r.Pods = requested(w)
	if w.Spec.Priority != nil {
		r.Priority = *w.Spec.Priority
	}
	if class := w.Spec.PriorityClassRef; class != nil && class.Kind == kueue.WorkloadPriorityClassKind {
		r.Class = class.Name
	}
	for _, finalizer := range w.Finalizers {
		r.Finalized = r.Finalized || finalizer == Finalizer
	}
	if w.DeletionTimestamp != nil {
		r.Deleted = w.DeletionTimestamp.Time
	}
	r.readStatus(w)
	return r
}

func timeLimit(w *kueue.Workload) time.Duration {
	if w.Spec.MaximumExecutionTimeSeconds == nil {
		return 0
	}
	return time.Duration(*w.Spec.MaximumExecutionTimeSeconds) * time.Second
}

func (r *Record) readStatus(w *kueue.Workload) {
	if w.Status.Admission != nil {
		r.ClusterQueue = string(w.Status.Admission.ClusterQueue)
		r.Usage = admitted(w)
	}
	if reserved := condition(w, kueue.WorkloadQuotaReserved); isTrue(reserved) {
		r.Reserved = reserved.LastTransitionTime.Time
	}
	if finished := condition(w, kueue.WorkloadFinished); isTrue(finished) {
		r.Finished = finished.LastTransitionTime.Time
		r.Failed = finished.Reason == kueue.WorkloadFinishedReasonFailed
	}
	if past := w.Status.AccumulatedPastExecutionTimeSeconds; past != nil {
		r.Past = int64(*past)
	}
	r.readAttempt(w)
}

// readAttempt reads when the attempt began and ended. Once Kueue has taken the admission back, only
// the end is left: the begin is what the ledger says.
func (r *Record) readAttempt(w *kueue.Workload) {
	admission := condition(w, kueue.WorkloadAdmitted)
	if admission == nil {
		return
	}
	evicted := condition(w, kueue.WorkloadEvicted)
	if isTrue(admission) {
		r.Admitted = admission.LastTransitionTime.Time
		r.Ended = earliest(r.Finished, sinceOf(evicted, r.Admitted))
		return
	}
	r.Ended = admission.LastTransitionTime.Time
	if isTrue(evicted) {
		r.Ended = earliest(r.Ended, evicted.LastTransitionTime.Time)
	}
}

// sinceOf is since when a condition is true, if that is not before the time; else zero.
func sinceOf(c *metav1.Condition, notBefore time.Time) time.Time {
	if !isTrue(c) || c.LastTransitionTime.Time.Before(notBefore) {
		return time.Time{}
	}
	return c.LastTransitionTime.Time
}

// earliest is the first of two times, of which a zero one is none.
func earliest(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

func condition(w *kueue.Workload, kind string) *metav1.Condition {
	return meta.FindStatusCondition(w.Status.Conditions, kind)
}

func isTrue(c *metav1.Condition) bool { return c != nil && c.Status == metav1.ConditionTrue }
