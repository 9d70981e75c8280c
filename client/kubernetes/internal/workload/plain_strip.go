package workload

import (
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// StripPod is the transform of the Pod informer: it removes every field that FromPod, JobOf and PodRequests do not
// read. One container with the request of the Pod replaces the containers.
func StripPod(object any) (any, error) {
	p, ok := object.(*corev1.Pod)
	if !ok {
		return object, nil
	}
	requests := PodRequests(p)
	stripMeta(&p.ObjectMeta)
	wishes := nodeWishes(&p.Spec)
	wishes.NodeName, wishes.SchedulingGates, wishes.SchedulerName = p.Spec.NodeName, p.Spec.SchedulingGates, p.Spec.SchedulerName
	wishes.SchedulingGroup = p.Spec.SchedulingGroup
	wishes.PriorityClassName, wishes.ActiveDeadlineSeconds = p.Spec.PriorityClassName, p.Spec.ActiveDeadlineSeconds
	wishes.Containers = []corev1.Container{{Resources: corev1.ResourceRequirements{Requests: requests}}}
	p.Spec = wishes
	p.Status = strippedStatus(&p.Status)
	return p, nil
}

func strippedStatus(status *corev1.PodStatus) corev1.PodStatus {
	kept := corev1.PodStatus{Phase: status.Phase}
	for _, c := range status.Conditions {
		kept.Conditions = append(kept.Conditions, corev1.PodCondition{Type: c.Type, Status: c.Status, LastTransitionTime: c.LastTransitionTime})
	}
	kept.InitContainerStatuses = strippedEnds(status.InitContainerStatuses)
	kept.ContainerStatuses = strippedEnds(status.ContainerStatuses)
	return kept
}

// strippedEnds are the ends of those containers that have ended.
func strippedEnds(statuses []corev1.ContainerStatus) []corev1.ContainerStatus {
	var kept []corev1.ContainerStatus
	for _, container := range statuses {
		if ended := container.State.Terminated; ended != nil {
			kept = append(kept, corev1.ContainerStatus{
				State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{FinishedAt: ended.FinishedAt}}})
		}
	}
	return kept
}

// StripJob is the transform of the Job informer, like StripPod.
func StripJob(object any) (any, error) {
	j, ok := object.(*batchv1.Job)
	if !ok {
		return object, nil
	}
	stripMeta(&j.ObjectMeta)
	spec, amounts := nodeWishes(&j.Spec.Template.Spec), requesting(&j.Spec.Template.Spec)
	spec.SchedulingGates, spec.PriorityClassName = j.Spec.Template.Spec.SchedulingGates, j.Spec.Template.Spec.PriorityClassName
	spec.SchedulerName = j.Spec.Template.Spec.SchedulerName
	spec.Containers, spec.InitContainers, spec.Overhead, spec.Resources = amounts.Containers, amounts.InitContainers, amounts.Overhead, amounts.Resources
	j.Spec.Template = corev1.PodTemplateSpec{Spec: spec}
	for i := range j.Status.Conditions {
		c := &j.Status.Conditions[i]
		*c = batchv1.JobCondition{Type: c.Type, Status: c.Status, LastTransitionTime: c.LastTransitionTime}
	}
	j.Status.UncountedTerminatedPods = nil
	return j, nil
}

func stripMeta(o *metav1.ObjectMeta) {
	o.ManagedFields = nil
	o.Labels = only(o.Labels, QueueLabel, UserLabel, kueueQueueLabel, JobSetReplicas, leaderName, leaderGroup)
	o.Annotations = only(o.Annotations, PlaceAnnotation, ForecastAnnotation, LedgerAnnotation, ReleasedAnnotation, UserAnnotation, leaderSize)
}

// StripNode is the transform of the Node informer: it removes images and every other field that a plan does not read.
func StripNode(object any) (any, error) {
	n, ok := object.(*corev1.Node)
	if !ok {
		return object, nil
	}
	n.ManagedFields, n.Annotations = nil, nil
	n.Status = corev1.NodeStatus{Allocatable: n.Status.Allocatable, Conditions: n.Status.Conditions}
	for i := range n.Status.Conditions {
		c := &n.Status.Conditions[i]
		*c = corev1.NodeCondition{Type: c.Type, Status: c.Status}
	}
	return n, nil
}
