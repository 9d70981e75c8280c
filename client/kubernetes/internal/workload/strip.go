package workload

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"
)

// Strip is the transform of the Workload informer: it removes every field that From does not read. One
// container with the request of the pod replaces the containers of each pod template.
func Strip(object any) (any, error) {
	w, ok := object.(*Workload)
	if !ok {
		return object, nil
	}
	w.ManagedFields = nil
	w.OwnerReferences = nil
	w.Labels = only(w.Labels, UserLabel)
	w.Annotations = only(w.Annotations, BoostAnnotation, PlaceAnnotation, ForecastAnnotation, LedgerAnnotation)
	for i := range w.Spec.PodSets {
		stripPodSet(&w.Spec.PodSets[i])
	}
	stripStatus(&w.Status)
	return w, nil
}

func stripPodSet(set *kueue.PodSet) {
	requests := podRequests(&set.Template)
	set.TopologyRequest = nil
	set.Template = corev1.PodTemplateSpec{Spec: corev1.PodSpec{SchedulerName: set.Template.Spec.SchedulerName,
		Containers: []corev1.Container{{Resources: corev1.ResourceRequirements{Requests: requests}}}}}
}

func stripStatus(status *kueue.WorkloadStatus) {
	status.AdmissionChecks = nil
	status.SchedulingStats = nil
	for i := range status.Conditions {
		c := &status.Conditions[i]
		*c = metav1.Condition{Type: c.Type, Status: c.Status, Reason: c.Reason, LastTransitionTime: c.LastTransitionTime}
	}
	if status.Admission == nil {
		return
	}
	for i := range status.Admission.PodSetAssignments {
		set := &status.Admission.PodSetAssignments[i]
		set.Flavors, set.TopologyAssignment = nil, nil
	}
}

// only is the part of a map with these keys.
func only(from map[string]string, keys ...string) map[string]string {
	var kept map[string]string
	for _, key := range keys {
		if value, ok := from[key]; ok {
			if kept == nil {
				kept = map[string]string{}
			}
			kept[key] = value
		}
	}
	return kept
}
