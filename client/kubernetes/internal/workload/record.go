// Package workload converts Kueue's Workloads, and plain Jobs and Pods, to jobs of priorityd.
package workload

import (
	"strconv"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"
)

// Annotations of a Workload, a Job or a Pod that this or an earlier priorityd-kubernetes writes.
const (
	BoostAnnotation    = "kueue.x-k8s.io/priority-boost" // Kueue's own.
	PlaceAnnotation    = "priorityd/place"               // For users: place 12 of 340; ...
	ForecastAnnotation = "priorityd/start-forecast"      // The forecast of its start; see the package forecast.
	LedgerAnnotation   = "priorityd/ledger"              // The ledger of earlier versions.
)

// Finalizer keeps a Workload, a Job or a Pod until its usage is charged.
const Finalizer = "priorityd/accounting"

// Record has the relevant fields of a Workload, a twentieth of its size; or of a plain Job or Pod, whose release
// counts as its quota.
type Record struct {
	Kind      Kind
	UID       types.UID
	Version   uint64 // The resourceVersion, which orders two records of an object.
	Namespace string
	Name      string
	Queue     string // The LocalQueue.
	User      string // Empty = no stamp.
	Class     string // The WorkloadPriorityClass.
	Priority  int32  // spec.priority
	Created   time.Time
	Pods      int32
	TRES      TRES
	TimeLimit time.Duration // 0 = none
	Held      bool

	ClusterQueue string    // The ClusterQueue of the reserved quota; empty = none.
	Reserved     time.Time // The time of the reservation; zero = none.
	Admitted     time.Time // Begin of the present or the last known attempt; zero = none.
	Ended        time.Time // End of that attempt; zero = it runs.
	Finished     time.Time // Zero = not finished.
	Failed       bool
	Usage        TRES  // The TRES of the attempt.
	Past         int64 // Seconds of earlier attempts.

	Boost     string // As annotated.
	Field     *int32 // spec.priorityBoost.value; nil = it is not set.
	Place     string
	Forecast  string
	OldLedger string // The ledger of an earlier version; empty = none.
	Finalized bool   // It has our finalizer.
	Deleted   time.Time

	Plain *Plain // Nil for a Workload.
	Gang  Gang   // Of a Pod.
}

// Key is the Workload's name in the API.
func (r *Record) Key() types.NamespacedName {
	return types.NamespacedName{Namespace: r.Namespace, Name: r.Name}
}

// Pending reports whether it waits for quota.
func (r *Record) Pending() bool {
	return r.Finished.IsZero() && r.Reserved.IsZero() && r.Deleted.IsZero()
}

// From is the record of a Workload; nil = it is not ours, because its pods are Slurm jobs.
func From(w *Workload) *Record {
	if isSlurmWorkload(w) {
		return nil
	}
	return RecordOfWorkload(w)
}

// RecordOfWorkload is the record of a Workload that is being charged.
func RecordOfWorkload(w *Workload) *Record {
	r := &Record{
		Kind: KindWorkload, UID: w.UID, Namespace: w.Namespace, Name: w.Name,
		Queue:     string(w.Spec.QueueName),
		Created:   w.CreationTimestamp.Time,
		TimeLimit: timeLimit(w),
		Held:      w.Spec.Active != nil && !*w.Spec.Active,
		Boost:     w.Annotations[BoostAnnotation],
		Place:     w.Annotations[PlaceAnnotation],
		Forecast:  w.Annotations[ForecastAnnotation],
		OldLedger: w.Annotations[LedgerAnnotation],
	}
	if w.Spec.PriorityBoost != nil {
		r.Field = &w.Spec.PriorityBoost.Value
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

func timeLimit(w *Workload) time.Duration {
	if w.Spec.MaximumExecutionTimeSeconds == nil {
		return 0
	}
	return time.Duration(*w.Spec.MaximumExecutionTimeSeconds) * time.Second
}

func (r *Record) readStatus(w *Workload) {
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

// readAttempt reads the begin and the end of the attempt. After Kueue has revoked the admission, only the
// end is left: the ledger has the begin.
func (r *Record) readAttempt(w *Workload) {
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

// sinceOf is the time at which a condition became true, if not before the given time; else zero.
func sinceOf(c *metav1.Condition, notBefore time.Time) time.Time {
	if !isTrue(c) || c.LastTransitionTime.Time.Before(notBefore) {
		return time.Time{}
	}
	return c.LastTransitionTime.Time
}

// earliest is the earlier of two times, ignoring zero ones.
func earliest(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

func condition(w *Workload, kind string) *metav1.Condition {
	return meta.FindStatusCondition(w.Status.Conditions, kind)
}

func isTrue(c *metav1.Condition) bool { return c != nil && c.Status == metav1.ConditionTrue }
