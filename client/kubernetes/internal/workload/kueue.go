package workload

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"
)

// Workload is Kueue's Workload with the field spec.priorityBoost of its KEP 13414, which the required version of Kueue's
// module does not have yet. It is decoded also from the API of a Kueue without the field.
type Workload struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   WorkloadSpec         `json:"spec,omitempty"`
	Status kueue.WorkloadStatus `json:"status,omitempty"`
}

// WorkloadSpec is Kueue's, and the field.
type WorkloadSpec struct {
	kueue.WorkloadSpec `json:",inline"`

	PriorityBoost *PriorityBoost `json:"priorityBoost,omitempty"`
}

// PriorityBoost raises the priority of a Workload by a value.
type PriorityBoost struct {
	Value int32 `json:"value"`
	// WhenCanBoostOnPreemption states when a preempting Workload uses the value: Always (the default), or
	// PreempteeWithinClusterQueue.
	WhenCanBoostOnPreemption string `json:"whenCanBoostOnPreemption,omitempty"`
}

// WithinQueue limits a boost to preemption within the ClusterQueue.
const WithinQueue = "PreempteeWithinClusterQueue"

// WorkloadList is a list of Workloads.
type WorkloadList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []Workload `json:"items"`
}

// DeepCopyObject copies a Workload.
func (w *Workload) DeepCopyObject() runtime.Object { return w.DeepCopy() }

// DeepCopy copies a Workload.
func (w *Workload) DeepCopy() *Workload {
	if w == nil {
		return nil
	}
	copied := &Workload{TypeMeta: w.TypeMeta}
	w.ObjectMeta.DeepCopyInto(&copied.ObjectMeta)
	w.Spec.WorkloadSpec.DeepCopyInto(&copied.Spec.WorkloadSpec)
	w.Status.DeepCopyInto(&copied.Status)
	if by := w.Spec.PriorityBoost; by != nil {
		boost := *by
		copied.Spec.PriorityBoost = &boost
	}
	return copied
}

// DeepCopyObject copies a list.
func (l *WorkloadList) DeepCopyObject() runtime.Object {
	copied := &WorkloadList{TypeMeta: l.TypeMeta}
	l.ListMeta.DeepCopyInto(&copied.ListMeta)
	for i := range l.Items {
		copied.Items = append(copied.Items, *l.Items[i].DeepCopy())
	}
	return copied
}

// AddKueue registers the kinds of Kueue that the controller reads.
func AddKueue(scheme *runtime.Scheme) {
	scheme.AddKnownTypes(kueue.SchemeGroupVersion, &Workload{}, &WorkloadList{}, &kueue.ClusterQueue{}, &kueue.ClusterQueueList{},
		&kueue.LocalQueue{}, &kueue.LocalQueueList{})
	metav1.AddToGroupVersion(scheme, kueue.SchemeGroupVersion)
}
