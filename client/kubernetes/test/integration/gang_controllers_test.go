package integration

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"priorityd/kubernetes/internal/workload"
	"priorityd/kubernetes/test/plane"
)

// A driver and two workers.
const jobSet = `{apiVersion: jobset.x-k8s.io/v1alpha2, kind: JobSet, metadata: {namespace: NAMESPACE, name: train}, spec: {replicatedJobs: [
  {name: driver, template: {spec: {parallelism: 1, completions: 1, template: POD}}},
  {name: workers, template: {spec: {parallelism: 2, completions: 2, template: POD}}}]}}`

// A group of a leader and two workers.
const leaderWorkerSet = `{apiVersion: leaderworkerset.x-k8s.io/v1, kind: LeaderWorkerSet, metadata: {namespace: NAMESPACE, name: llm},
  spec: {replicas: 1, leaderWorkerTemplate: {size: 3, leaderTemplate: POD, workerTemplate: POD}}}`

// A Pod of the queue that waits for its turn.
const gangPod = `{metadata: {labels: {priorityd/queue: plain}}, spec: {restartPolicy: RESTART, schedulingGates: [{name: priorityd/queue}],
  containers: [{name: c, image: none, resources: {requests: {cpu: 1}}}]}}`

// startGangs starts the controllers of JobSets and LeaderWorkerSets, once.
var startGangs = sync.OnceValue(func() error { return site.StartGangs(context.Background()) })

// makeGang creates an object whose controller makes three Pods of one CPU.
func makeGang(t *testing.T, text, namespace, restart string) *unstructured.Unstructured {
	t.Helper()
	object := &unstructured.Unstructured{}
	pod := strings.ReplaceAll(gangPod, "RESTART", restart)
	must(t, yaml.Unmarshal([]byte(strings.NewReplacer("NAMESPACE", namespace, "POD", pod).Replace(text)), &object.Object))
	eventually(t, "the webhooks of "+object.GetKind(), func() error {
		trial := object.DeepCopy()
		if err := site.Client.Create(t.Context(), trial, client.DryRunAll); err != nil {
			return err
		}
		spec, _, _ := unstructured.NestedMap(trial.Object, "spec")
		if spec["network"] == nil && spec["networkConfig"] == nil { // A default of the webhooks.
			return fmt.Errorf("they have not completed %v", spec)
		}
		return nil
	})
	must(t, site.Client.Create(t.Context(), object))
	return object
}

// awaitWaiting waits until the three Pods of a gang are one job that says why it waits.
func awaitWaiting(t *testing.T, namespace string) {
	t.Helper()
	eventually(t, "why the gang waits", func() error {
		all, err := podsOf(t.Context(), namespace)
		if err != nil {
			return err
		}
		if names := runningPods(all); !slices.Equal(names, []string{"blocker"}) {
			t.Fatalf("got %v released, want no part of the gang", names)
		}
		for _, p := range all {
			if strings.Contains(p.Annotations[workload.PlaceAnnotation], "3 x (cpu 1), of which 2 fit now") && len(all) == 4 {
				return nil
			}
		}
		return fmt.Errorf("got %d Pods, want the blocker and three of which one says that two fit", len(all))
	})
	eventually(t, "the gang as one job", func() error {
		count := 0
		for name, job := range jobsOf(t) {
			if strings.HasPrefix(name, namespace+"/") && name != namespace+"/blocker" {
				count++
				if job.GetNodes() != 3 {
					return fmt.Errorf("got %v, want one job of three Pods", job)
				}
			}
		}
		if count != 1 {
			return fmt.Errorf("got %d jobs, want one", count)
		}
		return nil
	})
}

// awaitTurn waits until all three Pods run; no part of them may be alone once the controller has had its turn.
func awaitTurn(t *testing.T, namespace string) map[string]*corev1.Pod {
	t.Helper()
	_, all := awaitFull(t, 3, 0, namespace)
	return all
}

// A JobSet and a LeaderWorkerSet of three Pods, made by their own controllers, wait until three CPUs are free, are one job
// each, and have one turn.
func TestAGangOfItsOwnControllerHasOneTurn(t *testing.T) {
	if missing := plane.MissingOf("jobset", "lws"); missing != "" {
		t.Skipf("there is no %s: client/kubernetes/test/run --build", missing)
	}
	for _, gang := range []struct{ name, text, restart string }{{"jobset", jobSet, "Never"}, {"lws", leaderWorkerSet, "Always"}} {
		t.Run(gang.name, func(t *testing.T) {
			ctx, namespace := t.Context(), "gang-"+gang.name
			startPlain(t)
			must(t, startGangs())
			createNamespace(t, namespace)
			blocker := gatedPod(namespace, "blocker", 2)
			must(t, site.Client.Create(ctx, blocker))
			awaitFull(t, 1, 0, namespace)
			object := makeGang(t, gang.text, namespace, gang.restart)
			awaitWaiting(t, namespace)
			endPod(t, blocker)
			all := awaitTurn(t, namespace)
			time.Sleep(1200 * time.Millisecond) // So that its Pods have a duration.
			if gang.restart == "Never" {
				for _, name := range runningPods(all) {
					endPod(t, podNamed(all, name))
				}
				awaitPodsCharged(t, namespace)
				eventually(t, "the end of the JobSet", func() error {
					must(t, site.Client.Get(ctx, client.ObjectKeyFromObject(object), object))
					if state, _, _ := unstructured.NestedString(object.Object, "status", "terminalState"); state != "Completed" {
						return fmt.Errorf("its state is %q", state)
					}
					return nil
				})
			}
			must(t, site.Client.Delete(ctx, object))
			eventually(t, "the deletion of its Pods", func() error {
				all, err := podsOf(ctx, namespace)
				if err == nil && len(all) > 1 {
					err = fmt.Errorf("%d are there", len(all)-1)
				}
				return err
			})
		})
	}
}
