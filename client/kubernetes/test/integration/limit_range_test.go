package integration

import (
	"fmt"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"priorityd/kubernetes/internal/workload"
)

// The API server gives the Pods of the Job what the LimitRange has: two of its three fit on the nodes.
func TestAJobWithoutRequestsWaitsForWhatALimitRangeGivesItsPods(t *testing.T) {
	ctx := t.Context()
	startPlain(t)
	createNamespace(t, "plain-defaults")
	one := corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("2")}
	must(t, site.Client.Create(ctx, &corev1.LimitRange{ObjectMeta: metav1.ObjectMeta{Namespace: "plain-defaults", Name: "defaults"},
		Spec: corev1.LimitRangeSpec{Limits: []corev1.LimitRangeItem{{Type: corev1.LimitTypeContainer, Default: one}}}}))
	spec := podSpec(1)
	spec.Containers[0].Resources = corev1.ResourceRequirements{}
	jobOf := func(name string, pods int32) *batchv1.Job {
		suspend := true
		return &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: "plain-defaults", Name: name, Labels: map[string]string{workload.QueueLabel: "plain"}},
			Spec: batchv1.JobSpec{Suspend: &suspend, Parallelism: &pods, Completions: &pods, Template: corev1.PodTemplateSpec{Spec: spec}}}
	}
	wide, fits := jobOf("wide", 3), jobOf("fits", 2)
	must(t, site.Client.Create(ctx, wide))
	eventually(t, "why it waits", func() error {
		must(t, site.Client.Get(ctx, client.ObjectKeyFromObject(wide), wide))
		if text := wide.Annotations[workload.PlaceAnnotation]; !strings.Contains(text, "no room for 3 x (cpu 2)") || !*wide.Spec.Suspend {
			return fmt.Errorf("suspended %v, place %q", *wide.Spec.Suspend, text)
		}
		return nil
	})
	must(t, site.Client.Create(ctx, fits))
	awaitFull(t, 2, 0, "plain-defaults")
}
