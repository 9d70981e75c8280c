package workload

import (
	"maps"
	"strings"

	corev1 "k8s.io/api/core/v1"
	quantity "k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/component-helpers/resource"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"
)

const bytesPerMB = 1 << 20

// TRES are counts by priorityd's names: cpu, mem in MB, node, gres/gpu, gres/VENDOR/NAME.
type TRES map[string]float64

// tresName is the name of a resource in priorityd; empty = not accounted.
func tresName(name corev1.ResourceName) string {
	switch {
	case name == corev1.ResourceCPU:
		return "cpu"
	case name == corev1.ResourceMemory:
		return "mem"
	case strings.HasSuffix(string(name), "/gpu"):
		return "gres/gpu" // nvidia.com/gpu, amd.com/gpu
	case isOfKubernetes(string(name)):
		return ""
	default: // example.com/fpga, hugepages-2Mi, and logical names of Kueue's deviceClassMappings
		return "gres/" + strings.ToLower(string(name))
	}
}

// isOfKubernetes reports whether a resource is Kubernetes' own and not accounted.
func isOfKubernetes(name string) bool {
	return name == string(corev1.ResourcePods) || name == string(corev1.ResourceEphemeralStorage) || name == string(corev1.ResourceStorage) ||
		strings.HasPrefix(name, corev1.ResourceAttachableVolumesPrefix)
}

// add adds a list of resources count times.
func (t TRES) add(resources corev1.ResourceList, count float64) {
	for name, quantity := range resources {
		known := tresName(name)
		if known == "" {
			continue
		}
		amount := quantity.AsApproximateFloat64() * count
		if known == "mem" {
			amount /= bytesPerMB
		}
		t[known] += amount
	}
}

// podRequests is the request of a pod of the template: containers, init containers, sidecars, overhead.
func podRequests(template *corev1.PodTemplateSpec) corev1.ResourceList {
	return defaultedRequests(&template.Spec, nil)
}

// requestLimits sets missing requests of containers to their limits, as the API server does for pods.
func requestLimits(containers []corev1.Container) {
	for i := range containers {
		requestMissing(&containers[i].Resources, containers[i].Resources.Limits)
	}
}

// requestMissing adds requests where there are none.
func requestMissing(resources *corev1.ResourceRequirements, amounts corev1.ResourceList) {
	for name, amount := range amounts {
		if _, ok := resources.Requests[name]; ok {
			continue
		}
		if resources.Requests == nil {
			resources.Requests = corev1.ResourceList{}
		}
		resources.Requests[name] = amount
	}
}

// requestLimitsOfPod sets missing requests of the pod as a whole to those of its containers, else to its limits, as the API
// server does for pods.
func requestLimitsOfPod(spec *corev1.PodSpec) {
	if spec.Resources == nil || len(spec.Resources.Limits) == 0 {
		return
	}
	requests := resource.AggregateContainerRequests(&corev1.Pod{Spec: *spec}, resource.PodResourcesOptions{})
	maps.DeleteFunc(requests, func(name corev1.ResourceName, _ quantity.Quantity) bool {
		return name != corev1.ResourceCPU && name != corev1.ResourceMemory
	})
	for name, limit := range spec.Resources.Limits {
		if _, ok := requests[name]; !ok && resource.IsSupportedPodLevelResource(name) {
			requests[name] = limit
		}
	}
	maps.Copy(requests, spec.Resources.Requests)
	spec.Resources.Requests = requests
}

// requested is the request of all pods of a Workload, and their number. Devices that pods claim (DRA) are named in
// Kueue's evaluation only, by the logical names of deviceClassMappings.
func requested(w *Workload) (TRES, int32) {
	tres, pods := TRES{}, int32(0)
	for i := range w.Spec.PodSets {
		set := &w.Spec.PodSets[i]
		tres.add(podRequests(&set.Template), float64(set.Count))
		pods += set.Count
	}
	for name, amount := range evaluated(w) {
		if _, known := tres[name]; !known {
			tres[name] = amount
		}
	}
	dropNothing(tres)
	return tres, pods
}

// evaluated is the request of a Workload as Kueue last counted it; empty = not yet.
func evaluated(w *Workload) TRES {
	tres := TRES{}
	if w.Status.Admission == nil {
		for _, set := range w.Status.ResourceRequests {
			tres.add(set.Resources, 1)
		}
		return tres
	}
	for _, set := range w.Status.Admission.PodSetAssignments {
		tres.add(set.ResourceUsage, 1)
	}
	return tres
}

// admitted is Kueue's quota usage of an admitted Workload, less the part of finished pods.
func admitted(w *Workload) TRES {
	tres := TRES{}
	if w.Status.Admission == nil {
		return tres
	}
	for _, set := range w.Status.Admission.PodSetAssignments {
		tres.add(set.ResourceUsage, stillHeld(w, set))
	}
	dropNothing(tres)
	return tres
}

// dropNothing removes zero counts: requests of 0 may name any number of resources that do not exist.
func dropNothing(tres TRES) {
	for name, amount := range tres {
		if amount <= 0 {
			delete(tres, name)
		}
	}
}

// QuotaOf is the nominal quota of a ClusterQueue, over all flavors; pods is its quota of Pods, 0 = none.
func QuotaOf(queue *kueue.ClusterQueue) (tres TRES, pods float64) {
	tres = TRES{}
	for _, group := range queue.Spec.ResourceGroups {
		for _, flavor := range group.Flavors {
			for _, quota := range flavor.Resources {
				tres.add(corev1.ResourceList{quota.Name: quota.NominalQuota}, 1)
				if quota.Name == corev1.ResourcePods {
					pods += quota.NominalQuota.AsApproximateFloat64()
				}
			}
		}
	}
	return tres, pods
}

// Add adds a list of resources, such as a node's.
func (t TRES) Add(resources corev1.ResourceList) { t.add(resources, 1) }

// stillHeld is the unfinished part of a pod set, 0 to 1.
func stillHeld(w *Workload, set kueue.PodSetAssignment) float64 {
	if set.Count == nil || *set.Count <= 0 {
		return 1
	}
	for _, reclaimable := range w.Status.ReclaimablePods {
		if reclaimable.Name == set.Name {
			return max(0, float64(*set.Count-reclaimable.Count)) / float64(*set.Count)
		}
	}
	return 1
}
