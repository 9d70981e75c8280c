package workload

import (
	"maps"
	"math"
	"strconv"
	"strings"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/component-helpers/resource"
)

// Kind is the kind of a record's object.
type Kind string

// Kinds of records. A Workload is Kueue's; Jobs and Pods are plain ones, which only this controller holds back.
const (
	KindWorkload Kind = "Workload"
	KindJob      Kind = "Job"
	KindPod      Kind = "Pod"
)

const (
	// QueueLabel of a Job or a Pod queues it; its value is the partition.
	QueueLabel = "priorityd/queue"
	// Gate is the scheduling gate that holds a Pod back until its release.
	Gate = "priorityd/queue"
	// ReleasedAnnotation is the time of a Job's or a Pod's release, in the form of RFC 3339.
	ReleasedAnnotation = "priorityd/released"

	kueueQueueLabel = "kueue.x-k8s.io/queue-name"
)

// Plain has the properties of a Job or a Pod that its release depends on.
type Plain struct {
	Spec     corev1.PodSpec      // The node requirements of its pods: only selector, required affinity, tolerations.
	Each     corev1.ResourceList // The request of one pod.
	Template corev1.PodSpec      // Of a Job: only what the requests of its pods follow from.

	Takes TRES  // The TRES that are charged for one pod.
	Count int32 // Of a Job: the pods of its usage.
}

// ByPods is the record of a Job if each of its Pods requests at least this much. A LimitRange or a RuntimeClass may have added
// to the request of the template.
func (r *Record) ByPods(each TRES) *Record {
	takes, more := maps.Clone(r.Plain.Takes), false
	for name, amount := range each {
		if amount > takes[name] {
			takes[name], more = amount, true
		}
	}
	if !more {
		return r
	}
	by, plain := *r, *r.Plain
	plain.Takes, by.Plain = takes, &plain
	by.TRES, by.Usage = takes.times(r.Pods), takes.times(plain.Count)
	return &by
}

// FromPod is the record of a Pod; nil = it is not ours. A Pod whose gate was removed is ours and is charged. Pods of a
// Job are not, because the Job is queued as a whole, unless they had their own gates. Slurm jobs are not ours.
func FromPod(p *corev1.Pod) *Record {
	gated, _ := gates(p)
	released := p.Annotations[ReleasedAnnotation] != ""
	if !isQueued(p.Labels) || isSlurms(&p.Spec) || !gated && !released && JobOf(p) != "" {
		return nil
	}
	return RecordOfPod(p)
}

// RecordOfPod is the record of a Pod that is being charged, whatever its labels are.
func RecordOfPod(p *corev1.Pod) *Record {
	gated, others := gates(p)
	each := PodRequests(p)
	r := plain(KindPod, &p.ObjectMeta, &p.Spec, each, 1)
	r.Held = gated && others
	r.Gang = gangOf(p)
	r.TimeLimit = seconds(p.Spec.ActiveDeadlineSeconds)
	r.Usage = r.TRES
	r.Admitted = ScheduledAt(p)
	if !gated {
		// Room is kept for it from then on, also if no scheduler finds it a node.
		released := releasedAt(&p.ObjectMeta)
		r.Reserved = firstKnown(released, r.Admitted, r.Created)
		r.Admitted = earliest(r.Admitted, released)
	}
	if isOver(p) {
		r.Finished = endOf(p)
		r.Ended = r.Finished
		r.Failed = p.Status.Phase == corev1.PodFailed
	}
	return r
}

// FromJob is the record of a Job; nil = it is not ours, because its Pods have their own gates, or are Slurm jobs.
func FromJob(j *batchv1.Job) *Record {
	if !isQueued(j.Labels) || isSlurms(&j.Spec.Template.Spec) || hasGate(&j.Spec.Template.Spec) {
		return nil
	}
	return RecordOfJob(j)
}

// RecordOfJob is the record of a Job that is being charged, whatever its labels are.
func RecordOfJob(j *batchv1.Job) *Record {
	each := podRequests(&j.Spec.Template)
	r := plain(KindJob, &j.ObjectMeta, &j.Spec.Template.Spec, each, parallelism(j))
	r.TimeLimit = seconds(j.Spec.ActiveDeadlineSeconds)
	r.Plain.Template = requesting(&j.Spec.Template.Spec)
	suspended := j.Spec.Suspend != nil && *j.Spec.Suspend
	if !suspended {
		r.Reserved = firstKnown(releasedAt(&j.ObjectMeta), timeOf(j.Status.StartTime), r.Created)
	}
	r.readJobStatus(j)
	return r
}

// readJobStatus reads the attempt. A resumed Job has the start time of its earlier attempt until the Job controller
// has set its condition Suspended to false.
func (r *Record) readJobStatus(j *batchv1.Job) {
	r.Plain.Count = max(StillWanted(j), stillThere(j))
	r.Usage = r.Plain.Takes.times(r.Plain.Count)
	if paused := jobCondition(j, batchv1.JobSuspended); paused != nil && paused.Status == corev1.ConditionTrue {
		r.Ended = paused.LastTransitionTime.Time
	} else {
		r.Admitted = timeOf(j.Status.StartTime)
	}
	for _, kind := range []batchv1.JobConditionType{batchv1.JobComplete, batchv1.JobFailed} {
		if over := jobCondition(j, kind); over != nil && over.Status == corev1.ConditionTrue {
			// The condition may be a second later.
			r.Finished = firstKnown(timeOf(j.Status.CompletionTime), over.LastTransitionTime.Time)
			r.Ended = earliest(r.Finished, r.Ended)
			r.Failed = kind == batchv1.JobFailed
		}
	}
}

// plain is a record of the fields that Jobs and Pods share.
func plain(kind Kind, o *metav1.ObjectMeta, spec *corev1.PodSpec, each corev1.ResourceList, pods int32) *Record {
	r := &Record{Kind: kind, UID: o.UID, Namespace: o.Namespace, Name: o.Name,
		Queue: o.Labels[QueueLabel], ClusterQueue: o.Labels[QueueLabel], Class: spec.PriorityClassName,
		Created: o.CreationTimestamp.Time, Pods: pods, TRES: TRES{},
		Place: o.Annotations[PlaceAnnotation], Forecast: o.Annotations[ForecastAnnotation], OldLedger: o.Annotations[LedgerAnnotation],
		Plain: &Plain{Spec: nodeWishes(spec), Each: each, Takes: Times(each, 1)}}
	r.Version, _ = strconv.ParseUint(o.ResourceVersion, 10, 64)
	r.User = stampedUser(o)
	r.TRES.add(each, float64(pods))
	dropNothing(r.TRES)
	for _, finalizer := range o.Finalizers {
		r.Finalized = r.Finalized || finalizer == Finalizer
	}
	if o.DeletionTimestamp != nil {
		r.Deleted = o.DeletionTimestamp.Time
	}
	return r
}

func isQueued(labels map[string]string) bool {
	return labels[QueueLabel] != "" && labels[kueueQueueLabel] == ""
}

// gates reports whether a Pod has our gate, and whether it has others.
func gates(p *corev1.Pod) (ours, others bool) {
	for _, gate := range p.Spec.SchedulingGates {
		ours = ours || gate.Name == Gate
		others = others || gate.Name != Gate
	}
	return ours, others
}

func hasGate(spec *corev1.PodSpec) bool {
	for _, gate := range spec.SchedulingGates {
		if gate.Name == Gate {
			return true
		}
	}
	return false
}

// JobOf is the UID of a Pod's Job; empty = none.
func JobOf(p *corev1.Pod) string {
	if owner := metav1.GetControllerOf(p); owner != nil && owner.Kind == "Job" && strings.HasPrefix(owner.APIVersion, batchv1.GroupName+"/") {
		return string(owner.UID)
	}
	return ""
}

// IsUnscheduled reports whether Kubernetes' scheduler does not try a Pod, because it has gates, fits no node, or names
// another scheduler, which need not exist.
func IsUnscheduled(p *corev1.Pod) bool {
	scheduled := podCondition(p, corev1.PodScheduled)
	own := p.Spec.SchedulerName == "" || p.Spec.SchedulerName == corev1.DefaultSchedulerName
	return len(p.Spec.SchedulingGates) > 0 || !own || scheduled != nil && scheduled.Status == corev1.ConditionFalse
}

// ScheduledAt is when a Pod got its node; zero = it has none.
func ScheduledAt(p *corev1.Pod) time.Time {
	if scheduled := podCondition(p, corev1.PodScheduled); scheduled != nil && scheduled.Status == corev1.ConditionTrue {
		return scheduled.LastTransitionTime.Time
	}
	return time.Time{}
}

// PodRequests are the resources that a Pod takes on its node, also after a resize.
func PodRequests(p *corev1.Pod) corev1.ResourceList {
	return resource.PodRequests(p, resource.PodResourcesOptions{UseStatusResources: true})
}

// nodeWishes is the part of a PodSpec that selects its nodes.
func nodeWishes(spec *corev1.PodSpec) corev1.PodSpec {
	wishes := corev1.PodSpec{NodeSelector: spec.NodeSelector, Tolerations: spec.Tolerations}
	if spec.Affinity != nil && spec.Affinity.NodeAffinity != nil {
		if required := spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution; required != nil {
			wishes.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: required}}
		}
	}
	return wishes
}

func parallelism(j *batchv1.Job) int32 {
	pods := int32(1)
	if j.Spec.Parallelism != nil {
		pods = *j.Spec.Parallelism
	}
	if j.Spec.Completions != nil {
		pods = min(pods, *j.Spec.Completions)
	}
	return pods
}

// StillWanted is the number of Pods of a Job that must run at a time, less those without a successor.
func StillWanted(j *batchv1.Job) int32 {
	pods := parallelism(j)
	switch {
	case j.Spec.Completions != nil:
		pods = min(pods, *j.Spec.Completions-j.Status.Succeeded-failedIndexes(j))
	case j.Status.Succeeded > 0: // A work queue: once a Pod has succeeded, no further one is started.
		pods = min(pods, j.Status.Active)
	}
	return max(pods, 0)
}

// Times is the TRES of so many Pods.
func Times(each corev1.ResourceList, pods int32) TRES {
	tres := TRES{}
	tres.add(each, float64(pods))
	dropNothing(tres)
	return tres
}

// times is the TRES of so many Pods of this one.
func (t TRES) times(pods int32) TRES {
	tres := TRES{}
	for name, amount := range t {
		tres[name] = amount * float64(pods)
	}
	dropNothing(tres)
	return tres
}

// Of is the TRES of so many of a Job's Pods.
func (p *Plain) Of(pods int32) TRES { return p.Takes.times(pods) }

// stillThere is the number of a Job's Pods, with those that take their grace period to end and may have a successor.
func stillThere(j *batchv1.Job) int32 {
	if j.Status.Terminating == nil {
		return j.Status.Active
	}
	return j.Status.Active + *j.Status.Terminating
}

// failedIndexes is the number of a Job's indexes that failed permanently, listed as in `1,3-5`.
func failedIndexes(j *batchv1.Job) int32 {
	count := int64(0)
	if j.Status.FailedIndexes == nil {
		return 0
	}
	for part := range strings.SplitSeq(*j.Status.FailedIndexes, ",") {
		first, last, isRange := strings.Cut(part, "-")
		from, err := strconv.ParseInt(first, 10, 32)
		to, also := from, error(nil)
		if isRange {
			to, also = strconv.ParseInt(last, 10, 32)
		}
		if err == nil && also == nil {
			count += max(to-from+1, 0)
		}
	}
	return int32(min(count, math.MaxInt32))
}

// isOver reports whether all containers of a Pod have ended permanently.
func isOver(p *corev1.Pod) bool {
	return p.Status.Phase == corev1.PodSucceeded || p.Status.Phase == corev1.PodFailed
}

// endOf is the end of a Pod's last container, which may be an init container or a sidecar; without containers, the last change of its status.
func endOf(p *corev1.Pod) time.Time {
	end := time.Time{}
	for _, statuses := range [][]corev1.ContainerStatus{p.Status.InitContainerStatuses, p.Status.ContainerStatuses} {
		for _, status := range statuses {
			if ended := status.State.Terminated; ended != nil {
				end = later(end, ended.FinishedAt.Time)
			}
		}
	}
	if !end.IsZero() {
		return end
	}
	for _, c := range p.Status.Conditions {
		end = later(end, c.LastTransitionTime.Time)
	}
	return firstKnown(end, p.CreationTimestamp.Time)
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// firstKnown is the first nonzero time.
func firstKnown(times ...time.Time) time.Time {
	for _, t := range times {
		if !t.IsZero() {
			return t
		}
	}
	return time.Time{}
}

// releasedAt is the time of an object's release; zero = none, or an implausible one.
func releasedAt(o *metav1.ObjectMeta) time.Time {
	at, err := time.Parse(time.RFC3339, o.Annotations[ReleasedAnnotation])
	if err != nil || at.Before(o.CreationTimestamp.Time) || at.After(time.Now().Add(time.Minute)) {
		return time.Time{}
	}
	return at
}

// seconds is a time limit, 68 years at most: a longer one, as a Job may have, could become a short one.
func seconds(count *int64) time.Duration {
	if count == nil {
		return 0
	}
	return time.Duration(min(*count, math.MaxInt32)) * time.Second
}

func timeOf(t *metav1.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return t.Time
}

func podCondition(p *corev1.Pod, kind corev1.PodConditionType) *corev1.PodCondition {
	for i := range p.Status.Conditions {
		if p.Status.Conditions[i].Type == kind {
			return &p.Status.Conditions[i]
		}
	}
	return nil
}

func jobCondition(j *batchv1.Job, kind batchv1.JobConditionType) *batchv1.JobCondition {
	for i := range j.Status.Conditions {
		if j.Status.Conditions[i].Type == kind {
			return &j.Status.Conditions[i]
		}
	}
	return nil
}
