package integration

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	schedulingv1alpha2 "k8s.io/api/scheduling/v1alpha2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	pb "priorityd.internal/client/priorityv1"
	"priorityd/kubernetes/internal/workload"
)

// member is a waiting Pod of a PodGroup.
func member(name, group string) *corev1.Pod {
	p := gatedPod("plain-gangs", name, 1)
	p.Spec.SchedulingGroup = &corev1.PodSchedulingGroup{PodGroupName: &group}
	return p
}

// slurmPod is slurm-bridge's example hack/examples/pod/sleep.yaml (Apache License 2.0) in our queue.
func slurmPod() *corev1.Pod {
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "plain-gangs", Name: "pod-single", Labels: map[string]string{workload.QueueLabel: "plain"},
		Annotations: map[string]string{"slurmjob.slinky.slurm.net/job-name": "pod-single", "slurmjob.slinky.slurm.net/timelimit": "1"}}, Spec: podSpec(1)}
	p.Spec.SchedulerName = "slurm-bridge-scheduler"
	return p
}

// A PodGroup of Kubernetes waits until three Pods are there and three CPUs are free, and is one job. A Pod of slurm-bridge
// is none: it has no gate, no job and no ledger.
func TestAPodGroupStartsAsAWholeAndAPodOfSlurmBridgeIsLeftToSlurm(t *testing.T) {
	ctx := t.Context()
	startPlain(t)
	createNamespace(t, "plain-gangs")
	blocker := gatedPod("plain-gangs", "blocker", 2)
	must(t, site.Client.Create(ctx, blocker))
	awaitFull(t, 1, 0, "plain-gangs")
	slurms := slurmPod()
	must(t, site.Client.Create(ctx, slurms))
	if len(slurms.Spec.SchedulingGates) != 0 {
		t.Errorf("got the gates %v on a Pod of slurm-bridge, want none", slurms.Spec.SchedulingGates)
	}
	must(t, site.Client.Create(ctx, &schedulingv1alpha2.PodGroup{ObjectMeta: metav1.ObjectMeta{Namespace: "plain-gangs", Name: "g"},
		Spec: schedulingv1alpha2.PodGroupSpec{SchedulingPolicy: schedulingv1alpha2.PodGroupSchedulingPolicy{Gang: &schedulingv1alpha2.GangSchedulingPolicy{MinCount: 3}}}}))
	for i := range 3 {
		must(t, site.Client.Create(ctx, member(fmt.Sprint("g", i), "g")))
	}
	eventually(t, "why it waits", func() error {
		all, err := podsOf(ctx, "plain-gangs")
		if err != nil {
			return err
		}
		if text := podNamed(all, "g0").Annotations[workload.PlaceAnnotation]; !strings.Contains(text, "3 x (cpu 1), of which 2 fit now") {
			return fmt.Errorf("got the place %q", text)
		}
		if names := runningPods(all); !slices.Equal(names, []string{"blocker", "pod-single"}) {
			t.Fatalf("got %v released, want no part of the gang", names)
		}
		return nil
	})
	eventually(t, "the gang as one job", func() error {
		jobs := jobsOf(t)
		if names := jobs["plain-gangs/g0"]; names.GetNodes() != 3 || jobs["plain-gangs/g1"] != nil || jobs["plain-gangs/pod-single"] != nil {
			return fmt.Errorf("got %v, want one of three Pods, and none of slurm-bridge", jobs)
		}
		return nil
	})
	must(t, site.Client.Delete(ctx, slurms, client.GracePeriodSeconds(0)))
	endPod(t, blocker)
	_, all := awaitFull(t, 3, 0, "plain-gangs")
	for _, name := range runningPods(all) {
		endPod(t, podNamed(all, name))
	}
	awaitPodsCharged(t, "plain-gangs")
	charged, err := ledger(ctx)
	must(t, err)
	if seconds := charged[string(slurms.UID)]; seconds != 0 {
		t.Errorf("got %v seconds charged for a Pod of slurm-bridge, want none", seconds)
	}
}

// jobsOf are the tracked jobs by name.
func jobsOf(t *testing.T) map[string]*pb.Job {
	t.Helper()
	answer, err := site.Priorityd.Calls.ListJobs(t.Context(), &pb.ListJobsRequest{PageSize: 1000})
	must(t, err)
	found := map[string]*pb.Job{}
	for _, tracked := range answer.Jobs {
		found[tracked.GetJob().GetName()] = tracked.GetJob()
	}
	return found
}
