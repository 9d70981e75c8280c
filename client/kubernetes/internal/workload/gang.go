package workload

import (
	"strconv"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Labels of Pods and Jobs that JobSet and LeaderWorkerSet write.
const (
	jobSetUID      = "jobset.sigs.k8s.io/jobset-uid"
	jobSetReplicas = "jobset.sigs.k8s.io/global-replicas" // The number of Jobs of the JobSet.
	leaderName     = "leaderworkerset.sigs.k8s.io/name"
	leaderGroup    = "leaderworkerset.sigs.k8s.io/group-index"
	leaderSize     = "leaderworkerset.sigs.k8s.io/size" // An annotation: the number of Pods of the group.
)

// Gang names the Pods that are released together: all Pods of a JobSet, a group of a LeaderWorkerSet, or a PodGroup.
type Gang struct {
	Key  string // KIND/NAME in its namespace; empty = the Pod is alone.
	Size int32  // The number of Pods that must wait before any is released, by the Pod itself; 0 = by another object.
}

// gangOf is the gang of a Pod.
func gangOf(p *corev1.Pod) Gang {
	if group := p.Spec.SchedulingGroup; group != nil && group.PodGroupName != nil {
		return Gang{Key: podGroupKey(*group.PodGroupName)}
	}
	if uid := p.Labels[jobSetUID]; uid != "" {
		return Gang{Key: jobSetKey(uid)}
	}
	if name, group := p.Labels[leaderName], p.Labels[leaderGroup]; name != "" && group != "" {
		size, _ := strconv.ParseInt(p.Annotations[leaderSize], 10, 32)
		return Gang{Key: "LeaderWorkerSet/" + name + "/" + group, Size: int32(max(size, 0))}
	}
	return Gang{}
}

func podGroupKey(name string) string { return "PodGroup/" + name }
func jobSetKey(uid string) string    { return "JobSet/" + uid }

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

// JobSetOf is the gang of a Job's JobSet, of as many Pods as the Job runs at a time, and the number of the JobSet's
// Jobs; an empty key = it is of none.
func JobSetOf(j *batchv1.Job) (gang Gang, jobs int) {
	uid := j.Labels[jobSetUID]
	if uid == "" {
		return Gang{}, 0
	}
	jobs, _ = strconv.Atoi(j.Labels[jobSetReplicas])
	return Gang{Key: jobSetKey(uid), Size: parallelism(j)}, jobs
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
