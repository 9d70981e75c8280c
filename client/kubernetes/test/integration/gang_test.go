package integration

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	schedulingv1alpha2 "k8s.io/api/scheduling/v1alpha2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
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

// rejecting is a site's own policy that lets nobody release a Pod of this name.
func rejecting(name string) (*admissionv1.ValidatingAdmissionPolicy, *admissionv1.ValidatingAdmissionPolicyBinding) {
	policy := &admissionv1.ValidatingAdmissionPolicy{ObjectMeta: metav1.ObjectMeta{Name: "stays"}, Spec: admissionv1.ValidatingAdmissionPolicySpec{
		MatchConstraints: &admissionv1.MatchResources{ResourceRules: []admissionv1.NamedRuleWithOperations{{RuleWithOperations: admissionv1.RuleWithOperations{
			Operations: []admissionv1.OperationType{admissionv1.Update},
			Rule:       admissionv1.Rule{APIGroups: []string{""}, APIVersions: []string{"v1"}, Resources: []string{"pods"}}}}}},
		Validations: []admissionv1.Validation{{Expression: fmt.Sprintf("object.metadata.name != '%s' || has(object.spec.schedulingGates)", name), Message: "it stays"}}}}
	return policy, &admissionv1.ValidatingAdmissionPolicyBinding{ObjectMeta: metav1.ObjectMeta{Name: "stays"},
		Spec: admissionv1.ValidatingAdmissionPolicyBindingSpec{PolicyName: "stays", ValidationActions: []admissionv1.ValidationAction{admissionv1.Deny}}}
}

// The API server rejects the release of one of two Pods of a gang: neither starts, an Event of each says which one it is, and
// the work after them starts. Once it may, both start.
func TestAGangOfWhichTheAPIServerRejectsOneMemberWaitsAsAWhole(t *testing.T) {
	ctx := t.Context()
	startPlain(t)
	createNamespace(t, "plain-gangs-rejected")
	policy, binding := rejecting("r1")
	must(t, site.Client.Create(ctx, policy))
	must(t, site.Client.Create(ctx, binding))
	in := func(p *corev1.Pod) *corev1.Pod { p.Namespace = "plain-gangs-rejected"; return p }
	eventually(t, "the policy", func() error {
		trial := in(gatedPod("", "r1", 9))
		must(t, client.IgnoreAlreadyExists(site.Client.Create(ctx, trial)))
		before := trial.DeepCopy()
		if trial.Spec.SchedulingGates = nil; site.Client.Patch(ctx, trial, client.MergeFrom(before), client.DryRunAll) == nil {
			return errors.New("it is not in force")
		}
		return client.IgnoreNotFound(site.Client.Delete(ctx, before, client.GracePeriodSeconds(0)))
	})
	must(t, site.Client.Create(ctx, &schedulingv1alpha2.PodGroup{ObjectMeta: metav1.ObjectMeta{Namespace: "plain-gangs-rejected", Name: "r"},
		Spec: schedulingv1alpha2.PodGroupSpec{SchedulingPolicy: schedulingv1alpha2.PodGroupSchedulingPolicy{Gang: &schedulingv1alpha2.GangSchedulingPolicy{MinCount: 2}}}}))
	members := []*corev1.Pod{in(member("r0", "r")), in(member("r1", "r"))}
	for _, p := range members {
		must(t, site.Client.Create(ctx, p))
	}
	for _, p := range members {
		eventually(t, "the Event of "+p.Name, func() error { return eventOf(ctx, p.UID, "NotReleased") })
	}
	must(t, site.Client.Create(ctx, in(gatedPod("", "after", 1))))
	awaitFull(t, 1, 1, "plain-gangs-rejected")
	must(t, site.Client.Delete(ctx, binding))
	must(t, site.Client.Delete(ctx, policy))
	awaitFull(t, 3, 0, "plain-gangs-rejected")
}

// The Pods of a deleted Job take some seconds to end, which are charged.
func TestAJobsGracePeriodIsCharged(t *testing.T) {
	ctx := t.Context()
	startPlain(t)
	createNamespace(t, "plain-grace")
	suspend, pods := true, int32(2)
	job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: "plain-grace", Name: "j", Labels: map[string]string{workload.QueueLabel: "plain"}},
		Spec: batchv1.JobSpec{Suspend: &suspend, Parallelism: &pods, Completions: &pods, Template: corev1.PodTemplateSpec{Spec: podSpec(1)}}}
	job.Spec.Template.Finalizers = []string{"example.com/slow"}
	must(t, site.Client.Create(ctx, job))
	_, all := awaitFull(t, 2, 0, "plain-grace")
	eventually(t, "its start", func() error {
		must(t, site.Client.Get(ctx, client.ObjectKeyFromObject(job), job))
		if job.Status.StartTime == nil {
			return errors.New("it has not started")
		}
		return nil
	})
	must(t, site.Client.Delete(ctx, job, client.PropagationPolicy(metav1.DeletePropagationBackground)))
	var deleted time.Time
	eventually(t, "six seconds in which its Pods end", func() error {
		now, err := podsOf(ctx, "plain-grace")
		must(t, err)
		for _, p := range now {
			if p.DeletionTimestamp == nil {
				return errors.New("they are not being deleted")
			}
			deleted = p.DeletionTimestamp.Add(-time.Duration(*p.DeletionGracePeriodSeconds) * time.Second)
		}
		if time.Since(deleted) < 6*time.Second {
			return errors.New("it is too early")
		}
		return nil
	})
	for _, p := range all {
		must(t, client.IgnoreNotFound(site.Client.Patch(ctx, p, client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`)))))
	}
	least := 2 * deleted.Add(6*time.Second).Sub(job.Status.StartTime.Time).Seconds()
	eventually(t, "the charge to the end of its Pods", func() error {
		charged, err := ledger(ctx)
		if got := charged[string(job.UID)]; err == nil && got < least {
			err = fmt.Errorf("charged %v CPU seconds, want at least %v", got, least)
		}
		return err
	})
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
