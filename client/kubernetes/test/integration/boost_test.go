package integration

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"
	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	pb "priorityd.internal/client/priorityv1"
	"priorityd/kubernetes/internal/workload"
)

// definition is the definition of Kueue's Workloads in the API server.
func definition() *unstructured.Unstructured {
	crd := &unstructured.Unstructured{}
	crd.SetAPIVersion("apiextensions.k8s.io/v1")
	crd.SetKind("CustomResourceDefinition")
	crd.SetName("workloads.kueue.x-k8s.io")
	return crd
}

// upgradeDefinition adds the field spec.priorityBoost of Kueue's KEP 13414 to the definition of Workloads, or removes it.
func upgradeDefinition(ctx context.Context, add bool) error {
	crd := definition()
	if err := site.Client.Get(ctx, client.ObjectKeyFromObject(crd), crd); err != nil {
		return err
	}
	versions, _, err := unstructured.NestedSlice(crd.Object, "spec", "versions")
	if err != nil {
		return err
	}
	path := []string{"schema", "openAPIV3Schema", "properties", "spec", "properties", "priorityBoost"}
	field := map[string]any{"type": "object", "required": []any{"value"}, "properties": map[string]any{
		"value": map[string]any{"type": "integer", "format": "int32"},
		"whenCanBoostOnPreemption": map[string]any{"type": "string", "default": "Always",
			"enum": []any{"Always", "PreempteeWithinClusterQueue"}}}}
	for _, version := range versions {
		if !add {
			unstructured.RemoveNestedField(version.(map[string]any), path...)
		} else if err := unstructured.SetNestedField(version.(map[string]any), field, path...); err != nil {
			return err
		}
	}
	patch, err := json.Marshal(map[string]any{"spec": map[string]any{"versions": versions}})
	if err != nil {
		return err
	}
	return site.Client.Patch(ctx, crd, client.RawPatch(types.MergePatchType, patch))
}

// boosts are the annotation of a Workload as a number, and its field.
func boosts(ctx context.Context, w *kueue.Workload) (annotated, field int64, scope string, err error) {
	current := &unstructured.Unstructured{}
	current.SetGroupVersionKind(kueue.SchemeGroupVersion.WithKind("Workload"))
	if err := site.Client.Get(ctx, client.ObjectKeyFromObject(w), current); err != nil {
		return 0, 0, "", err
	}
	annotated, _ = strconv.ParseInt(current.GetAnnotations()[workload.BoostAnnotation], 10, 32)
	field, _, _ = unstructured.NestedInt64(current.Object, "spec", "priorityBoost", "value")
	scope, _, _ = unstructured.NestedString(current.Object, "spec", "priorityBoost", "whenCanBoostOnPreemption")
	return annotated, field, scope, nil
}

// Kueue's definition gets the field while the controller runs: from then on boosts are in both, with the same number, and
// the Workload keeps its priority and its class.
func TestBoostsAreWrittenToTheFieldOnceKueuesDefinitionHasIt(t *testing.T) {
	ctx := t.Context()
	must(t, site.CreateClusterQueue(ctx, "boosted", map[corev1.ResourceName]string{"cpu": "1"}))
	must(t, site.CreateNamespace(ctx, "boosted", "boosted"))
	must(t, client.IgnoreAlreadyExists(site.Client.Create(ctx, &kueue.WorkloadPriorityClass{ObjectMeta: metav1.ObjectMeta{Name: "high"}, Value: 1000})))
	must(t, site.StartController("--source=order"))
	blocker := submit(t, "boosted", "blocker", "amy", 1)
	eventually(t, "the first", func() error { return admitted(ctx, blocker) })
	waits := submitAs(t, "boosted", "waits", func(w *kueue.Workload) {
		priority := int32(1000)
		w.Spec.Priority, w.Spec.PriorityClassRef = &priority, kueue.NewWorkloadPriorityClassRef("high")
	})
	awaitBoosts := func(withField bool) (number int64) {
		eventually(t, fmt.Sprintf("the boost, field %v", withField), func() error {
			annotated, field, scope, err := boosts(ctx, waits)
			if err != nil || annotated <= 0 || withField && (field != annotated || scope != workload.WithinQueue) || !withField && field != 0 {
				return fmt.Errorf("got the annotation %d, the field %d %q: %v", annotated, field, scope, err)
			}
			number = annotated
			return nil
		})
		current := get(t, waits)
		if *current.Spec.Priority != 1000 || current.Spec.PriorityClassRef == nil || current.Spec.PriorityClassRef.Name != "high" {
			t.Errorf("got the priority %d of %v, want 1000 of the class high", *current.Spec.Priority, current.Spec.PriorityClassRef)
		}
		return number
	}
	before := awaitBoosts(false)
	must(t, upgradeDefinition(ctx, true))
	t.Cleanup(func() {
		if err := upgradeDefinition(context.Background(), false); err != nil {
			t.Error(err)
		}
	})
	if after := awaitBoosts(true); after != before {
		t.Errorf("got the number %d, want %d as before", after, before)
	}
	if log := site.Controller.Log(); !strings.Contains(log, "boosts are written") || !strings.Contains(log, "field spec.priorityBoost") {
		t.Errorf("the log does not say where boosts are written:\n%s", log)
	}
	finish(t, blocker)
	eventually(t, "its turn", func() error { return admitted(ctx, waits) })
	finish(t, waits)
}

// submitAs creates a Workload of one pod with one CPU.
func submitAs(t *testing.T, namespace, name string, change func(*kueue.Workload)) *kueue.Workload {
	t.Helper()
	w := workloadOf(namespace, name, "amy", 1)
	change(w)
	must(t, site.Client.Create(t.Context(), w))
	return w
}

// Pods claim devices of a class that Kueue's deviceClassMappings name `whole-gpus`: two Pods with two each hold four. A
// copy that a manager cluster of MultiKueue made is neither ordered nor charged here, and keeps the manager's boost.
func TestClaimedDevicesAreChargedAndCopiesOfMultiKueueAreNot(t *testing.T) {
	ctx := t.Context()
	must(t, site.CreateClusterQueue(ctx, "claims", map[corev1.ResourceName]string{"cpu": "4", "whole-gpus": "4"}))
	must(t, site.CreateNamespace(ctx, "claims", "claims"))
	must(t, site.Client.Create(ctx, &resourcev1.DeviceClass{ObjectMeta: metav1.ObjectMeta{Name: "gpu.example.com"}}))
	must(t, site.Client.Create(ctx, &resourcev1.ResourceClaimTemplate{ObjectMeta: metav1.ObjectMeta{Namespace: "claims", Name: "gpus"},
		Spec: resourcev1.ResourceClaimTemplateSpec{Spec: resourcev1.ResourceClaimSpec{Devices: resourcev1.DeviceClaim{Requests: []resourcev1.DeviceRequest{
			{Name: "gpu", Exactly: &resourcev1.ExactDeviceRequest{DeviceClassName: "gpu.example.com", AllocationMode: resourcev1.DeviceAllocationModeExactCount, Count: 2}}}}}}}))
	must(t, site.StartController("--source=order"))
	claiming := func(w *kueue.Workload) {
		template := "gpus"
		set := &w.Spec.PodSets[0]
		set.Count = 2
		set.Template.Spec.ResourceClaims = []corev1.PodResourceClaim{{Name: "gpus", ResourceClaimTemplateName: &template}}
		set.Template.Spec.Containers[0].Resources.Claims = []corev1.ResourceClaim{{Name: "gpus"}}
	}
	copied := submitAs(t, "claims", "copied", func(w *kueue.Workload) {
		w.Labels[kueue.MultiKueueOriginLabel] = "manager"
		w.Annotations = map[string]string{workload.BoostAnnotation: "12345"}
	})
	eventually(t, "the copy", func() error { return admitted(ctx, copied) })
	runs := submitAs(t, "claims", "runs", claiming)
	eventually(t, "its admission", func() error { return admitted(ctx, runs) })
	waits := submitAs(t, "claims", "waits", claiming)
	jobs := map[string]*pb.Job{}
	eventually(t, "the jobs", func() error {
		answer, err := site.Priorityd.Calls.ListJobs(ctx, &pb.ListJobsRequest{})
		if err != nil {
			return err
		}
		for _, tracked := range answer.Jobs {
			jobs[tracked.GetJob().GetJobId()] = tracked.GetJob()
		}
		for _, w := range []*kueue.Workload{runs, waits} {
			if got := jobs[string(w.UID)].GetTres()["gres/whole-gpus"]; got != 4 {
				return fmt.Errorf("%s: got %v GPUs, want 4: %v", w.Name, got, jobs[string(w.UID)])
			}
		}
		return nil
	})
	eventually(t, "a second of its run", func() error {
		if time.Now().Unix() <= since(get(t, runs), kueue.WorkloadAdmitted)+1 {
			return errors.New("not yet")
		}
		return nil
	})
	finish(t, runs)
	eventually(t, "the charge", func() error {
		now := time.Now()
		answer, err := site.Priorityd.Calls.ReportUsage(ctx, &pb.ReportUsageRequest{
			StartTime: timestamppb.New(now.Add(-24 * time.Hour)), EndTime: timestamppb.New(now.Add(time.Hour)),
			GroupBy: []pb.ReportGrouping{pb.ReportGrouping_REPORT_GROUPING_JOB}, Tres: []string{"cpu", "gres/whole-gpus"}, PageSize: 10_000})
		if err != nil {
			return err
		}
		for _, row := range answer.Rows {
			if row.JobId == string(copied.UID) {
				t.Fatalf("the copy is charged: %v", row)
			}
			if row.JobId == string(runs.UID) {
				if took := float64(since(get(t, runs), kueue.WorkloadFinished) - since(get(t, runs), kueue.WorkloadAdmitted)); row.TresSeconds["gres/whole-gpus"] != 4*took || took == 0 {
					return fmt.Errorf("got %v, want %v seconds of four GPUs", row, took)
				}
				return nil
			}
		}
		return errors.New("there is none")
	})
	if annotated, _, _, err := boosts(ctx, copied); err != nil || annotated != 12345 || jobs[string(copied.UID)] != nil {
		t.Errorf("got the copy's boost %d, its job %v, %v, want the manager's boost and no job", annotated, jobs[string(copied.UID)], err)
	}
	for _, w := range []*kueue.Workload{copied, waits} {
		finish(t, w)
	}
}
