package workload

import (
	"fmt"
	"strconv"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// Labels and annotations that JobSet and LeaderWorkerSet write.
const (
	jobSetGroup = "jobset.x-k8s.io"
	// JobSetReplicas is the number of Jobs of a Job's JobSet.
	JobSetReplicas = "jobset.sigs.k8s.io/global-replicas"
	leaderName     = "leaderworkerset.sigs.k8s.io/name"
	leaderGroup    = "leaderworkerset.sigs.k8s.io/group-index"
	leaderSize     = "leaderworkerset.sigs.k8s.io/size" // An annotation: the number of Pods of the group.
)

// Gang names the Pods that are released together: all Pods of a JobSet, a group of a LeaderWorkerSet, or a PodGroup.
type Gang struct {
	Key  string    // KIND/NAME in its namespace; empty = that of its Job, else none.
	Size int32     // The number of Pods that must wait before any is released, by the Pod itself; 0 = by another object.
	Job  types.UID // The Job that controls the Pod, whose JobSet it belongs to; empty = none.
}

// gangOf is the gang of a Pod. Labels alone, which each user of the namespace can write, make no member: the Pod must be
// controlled by an object of the gang.
func gangOf(p *corev1.Pod) Gang {
	if group := p.Spec.SchedulingGroup; group != nil && group.PodGroupName != nil {
		return Gang{Key: podGroupKey(*group.PodGroupName)}
	}
	if job := JobOf(p); job != "" {
		return Gang{Job: types.UID(job)}
	}
	return leaderGang(p)
}

// leaderGang is the group of a LeaderWorkerSet: the StatefulSet of all leaders has its name, and that of the workers of a
// group also the number of the group.
func leaderGang(p *corev1.Pod) Gang {
	name, group := p.Labels[leaderName], p.Labels[leaderGroup]
	owner := metav1.GetControllerOf(p)
	size, err := strconv.ParseInt(p.Annotations[leaderSize], 10, 32)
	if err != nil || size <= 0 || owner == nil || owner.Kind != "StatefulSet" || owner.Name != name && owner.Name != name+"-"+group {
		return Gang{}
	}
	return Gang{Key: fmt.Sprintf("LeaderWorkerSet/%s/%s/%d", name, group, size), Size: int32(size)}
}

func podGroupKey(name string) string { return "PodGroup/" + name }

// PodGroup is the gang of a PodGroup of Kubernetes (scheduling.k8s.io), of its least count of Pods. One without the
// policy `gang` is no gang: its Pods are released one by one.
func PodGroup(group *unstructured.Unstructured) Gang {
	count, _, _ := unstructured.NestedInt64(group.Object, "spec", "schedulingPolicy", "gang", "minCount")
	return Gang{Key: podGroupKey(group.GetName()), Size: int32(min(max(count, 1), 1<<30))}
}

// StripPodGroup is the transform of the PodGroup informer.
func StripPodGroup(object any) (any, error) {
	if group, ok := object.(*unstructured.Unstructured); ok {
		group.SetManagedFields(nil)
		unstructured.RemoveNestedField(group.Object, "status")
	}
	return object, nil
}

// JobSet is the JobSet of a Job, as far as the Job has it.
type JobSet struct {
	Key  string // Of the gang; empty = the Job is of no JobSet.
	Pods int32  // The number of Pods that the Job runs at a time.
	Jobs int    // The number of the JobSet's Jobs; 0 = not stated.
}

// JobSetOf is the JobSet that controls a Job. The Jobs of two users are two gangs: neither can claim to be of the other's.
func JobSetOf(j *batchv1.Job) JobSet {
	owner := metav1.GetControllerOf(j)
	if owner == nil || owner.Kind != "JobSet" || schema.FromAPIVersionAndKind(owner.APIVersion, owner.Kind).Group != jobSetGroup {
		return JobSet{}
	}
	jobs, _ := strconv.ParseInt(j.Labels[JobSetReplicas], 10, 32)
	return JobSet{Key: "JobSet/" + string(owner.UID) + "/" + stampedUser(&j.ObjectMeta), Pods: parallelism(j), Jobs: int(max(jobs, 0))}
}

// Together is a record of several records as one: the first one, with the Pods and resources of all.
func Together(part []*Record) *Record {
	whole := *part[0]
	whole.Pods, whole.TRES = 0, TRES{}
	for _, r := range part {
		whole.Pods += r.Pods
		for name, amount := range r.TRES {
			whole.TRES[name] += amount
		}
		whole.Held = whole.Held || r.Held
		whole.Reserved = earliest(whole.Reserved, r.Reserved)
		if r.TimeLimit == 0 || whole.TimeLimit == 0 {
			whole.TimeLimit = 0 // The longest one counts.
		} else {
			whole.TimeLimit = max(whole.TimeLimit, r.TimeLimit)
		}
	}
	return &whole
}
