package workload

import (
	"maps"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/component-helpers/resource"
)

// DefaultRequests are the requests that a LimitRange gives to containers that state none.
func DefaultRequests(limits *corev1.LimitRange) corev1.ResourceList {
	requests := corev1.ResourceList{}
	for _, limit := range limits.Spec.Limits {
		if limit.Type == corev1.LimitTypeContainer {
			maps.Copy(requests, limit.DefaultRequest)
		}
	}
	return requests
}

// WithDefaults is the record of a Job to whose Pods a LimitRange gives these requests where the template states none. It changes
// what the Job is planned by. What it is charged for follows from its Pods, whose LimitRange may have been another one.
func (r *Record) WithDefaults(requests corev1.ResourceList) *Record {
	if r.Kind != KindJob {
		return r
	}
	with, plain := *r, *r.Plain
	plain.Each = defaultedRequests(&plain.Template, requests)
	with.Plain, with.TRES = &plain, Times(plain.Each, r.Pods)
	return &with
}

// defaultedRequests is the request of a pod whose containers request the defaults of a LimitRange where they state none.
func defaultedRequests(template *corev1.PodSpec, defaults corev1.ResourceList) corev1.ResourceList {
	spec := *template.DeepCopy()
	requestLimits(spec.Containers)
	requestLimits(spec.InitContainers)
	requestLimitsOfPod(&spec)
	for _, containers := range [][]corev1.Container{spec.Containers, spec.InitContainers} {
		for i := range containers {
			requestMissing(&containers[i].Resources, defaults)
		}
	}
	return resource.PodRequests(&corev1.Pod{Spec: spec}, resource.PodResourcesOptions{})
}

// requesting is the part of a PodSpec that its requests follow from.
func requesting(spec *corev1.PodSpec) corev1.PodSpec {
	part := corev1.PodSpec{Overhead: spec.Overhead, Resources: spec.Resources}
	for _, c := range spec.InitContainers {
		part.InitContainers = append(part.InitContainers, corev1.Container{Resources: amountsOf(&c), RestartPolicy: c.RestartPolicy})
	}
	for _, c := range spec.Containers {
		part.Containers = append(part.Containers, corev1.Container{Resources: amountsOf(&c)})
	}
	return part
}

func amountsOf(c *corev1.Container) corev1.ResourceRequirements {
	return corev1.ResourceRequirements{Requests: c.Resources.Requests, Limits: c.Resources.Limits}
}
