package integration

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"priorityd/kubernetes/internal/workload"
)

// get reads a Workload again.
func get(t *testing.T, w *kueue.Workload) *kueue.Workload {
	t.Helper()
	current := &kueue.Workload{}
	must(t, site.Client.Get(t.Context(), client.ObjectKeyFromObject(w), current))
	return current
}

// activate sets whether a Workload is active: an inactive one is evicted.
func activate(t *testing.T, w *kueue.Workload, active bool) {
	t.Helper()
	eventually(t, "activating", func() error {
		current := get(t, w)
		before := current.DeepCopy()
		current.Spec.Active = &active
		return site.Client.Patch(t.Context(), current, client.MergeFrom(before))
	})
}

func awaitEvicted(t *testing.T, w *kueue.Workload) {
	t.Helper()
	eventually(t, "the eviction", func() error {
		if is(get(t, w), kueue.WorkloadQuotaReserved) {
			return errors.New("it has quota")
		}
		return nil
	})
}

func since(w *kueue.Workload, condition string) int64 {
	return meta.FindStatusCondition(w.Status.Conditions, condition).LastTransitionTime.Unix()
}

// submitJob makes Kueue create a Workload from a Job: Kueue does not release the quota of a Workload without a Job.
func submitJob(t *testing.T, namespace string) (w *kueue.Workload) {
	t.Helper()
	job := jobOf(namespace, "j", "1", "0")
	must(t, site.Client.Create(t.Context(), job))
	eventually(t, "the Job's Workload", func() error {
		all, err := workloads(t.Context(), namespace)
		for _, made := range all {
			w = made
		}
		if w == nil {
			return errors.Join(err, errors.New("there is none"))
		}
		return nil
	})
	return w
}

// awaitSeconds waits until a Workload of one CPU is charged exactly so many seconds.
func awaitSeconds(t *testing.T, w *kueue.Workload, want int64) {
	t.Helper()
	eventually(t, "the ledger", func() error {
		charged, err := ledger(t.Context())
		if err != nil {
			return err
		}
		if got := charged[string(w.UID)]; got != float64(want) {
			return fmt.Errorf("charged %v seconds, want %d", got, want)
		}
		return nil
	})
}

// keptLedger is the stored ledger of the controller.
func keptLedger(ctx context.Context, uid types.UID) (string, error) {
	config := &corev1.ConfigMap{}
	err := site.Client.Get(ctx, client.ObjectKey{Namespace: "priorityd", Name: "priorityd-ledger-" + string(uid)}, config)
	return config.Data["ledger"], err
}

func awaitLedger(t *testing.T, w *kueue.Workload) {
	t.Helper()
	eventually(t, "the ledger's opening", func() error {
		text, err := keptLedger(t.Context(), w.UID)
		if err == nil && !strings.Contains(text, `"open"`) {
			err = errors.New("nothing is open")
		}
		return err
	})
}

// Three attempts: the second ends, and the third begins, while no controller runs.
func TestEachAttemptIsChargedAlsoWhereItsEndWasNotSeen(t *testing.T) {
	ctx := t.Context()
	must(t, site.CreateClusterQueue(ctx, "evictions", map[corev1.ResourceName]string{"cpu": "1", "nvidia.com/gpu": "0"}))
	must(t, site.CreateNamespace(ctx, "evicted", "evictions"))
	must(t, site.StartController("--source=order"))
	w := submitJob(t, "evicted")
	want := int64(0)
	for attempt := range 3 {
		eventually(t, "the admission", func() error { return admitted(ctx, w) })
		awaitLedger(t, w)
		begin := since(get(t, w), kueue.WorkloadAdmitted)
		time.Sleep(1200 * time.Millisecond) // So that the attempt has a duration.
		switch attempt {
		case 0:
			activate(t, w, false)
			awaitEvicted(t, w)
			want += since(get(t, w), kueue.WorkloadEvicted) - begin
			awaitSeconds(t, w, want)
			activate(t, w, true)
		case 1:
			site.Controller.Kill()
			before := past(get(t, w))
			activate(t, w, false)
			awaitEvicted(t, w)
			activate(t, w, true)
			eventually(t, "the admission", func() error { return admitted(ctx, w) })
			want += int64(past(get(t, w)) - before)
			must(t, site.Controller.Start())
			awaitSeconds(t, w, want)
		case 2:
			finish(t, w)
			want += since(get(t, w), kueue.WorkloadFinished) - begin
			awaitSeconds(t, w, want)
		}
	}
}

// A Workload is deleted while no controller runs: its finalizer keeps it until it is charged.
func TestWhatIsDeletedIsChargedFirst(t *testing.T) {
	ctx := t.Context()
	must(t, site.CreateClusterQueue(ctx, "deletions", map[corev1.ResourceName]string{"cpu": "1"}))
	must(t, site.CreateNamespace(ctx, "deleted", "deletions"))
	must(t, site.StartController("--source=order", "--accounting-finalizer"))
	w := submit(t, "deleted", "w", "amy", 1)
	eventually(t, "the admission", func() error { return admitted(ctx, w) })
	awaitLedger(t, w)
	if !slices.Contains(get(t, w).Finalizers, workload.Finalizer) {
		t.Fatalf("got finalizers %v, want ours", get(t, w).Finalizers)
	}
	begin := since(get(t, w), kueue.WorkloadAdmitted)
	site.Controller.Kill()
	time.Sleep(1200 * time.Millisecond)
	must(t, site.Client.Delete(ctx, w))
	want := get(t, w).DeletionTimestamp.Unix() - begin
	must(t, site.Controller.Start())
	awaitSeconds(t, w, want)
	eventually(t, "the deletion", func() error {
		err := site.Client.Get(ctx, client.ObjectKeyFromObject(w), &kueue.Workload{})
		if apierrors.IsNotFound(err) {
			return nil
		}
		return fmt.Errorf("it is still there: %v", err)
	})
}
