package integration

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	pb "priorityd.internal/client/priorityv1"
	"priorityd/kubernetes/internal/workload"
	"priorityd/kubernetes/test/plane"
)

var tenants = []string{"chem", "physics"}

// kills are the processes that crash while Workloads are submitted and finish.
var kills = []struct {
	name string
	kill func(*testing.T)
}{
	{"the controller", func(t *testing.T) {
		site.Controller.Kill()
		must(t, site.Controller.Start())
	}},
	{"priorityd", func(t *testing.T) {
		site.Priorityd.Kill()
		must(t, site.Priorityd.Start())
		must(t, site.Priorityd.Await(t.Context()))
	}},
	{"kube-apiserver", func(t *testing.T) {
		site.APIServer.Kill()
		must(t, site.APIServer.Start())
		must(t, site.AwaitAPIServer(t.Context()))
	}},
	{"etcd", func(t *testing.T) {
		site.Etcd.Kill()
		must(t, site.Etcd.Start())
		must(t, site.AwaitAPIServer(t.Context()))
	}},
}

// Two tenants in a queue with room for one; their usage decides the next one. Whatever crashes, Kueue
// admits the first Workload of priorityd's order, and at the end each second of each attempt is charged once.
func TestKueueAdmitsInTheOrderOfPrioritydAndEachSecondIsChargedOnce(t *testing.T) {
	ctx := t.Context()
	must(t, site.CreateClusterQueue(ctx, "one", map[corev1.ResourceName]string{"cpu": "2"}))
	for _, tenant := range tenants {
		must(t, site.CreateNamespace(ctx, tenant, "one"))
	}
	must(t, site.StartController("--source=order", "--explain-per-second=20"))
	running := submit(t, "chem", "blocker", "amy", 2)
	eventually(t, "the first", func() error { return admitted(ctx, running) })
	for i := range 12 {
		tenant, user := tenants[i/6], []string{"amy", "ben"}[i/6]
		submit(t, tenant, fmt.Sprint(tenant, i%6), user, 2)
	}
	awaitCharged(t)
	eventually(t, "the place of a Workload", func() error { return explained(t) })
	for turn := range 12 {
		kill := kills[turn%len(kills)]
		if turn >= 2 && turn < 10 {
			t.Logf("turn %d: %s is killed", turn, kill.name)
			kill.kill(t)
		}
		first := awaitOrder(t, 12-turn)
		finish(t, running)
		eventually(t, fmt.Sprintf("turn %d: %s is next", turn, first.Name), func() error { return admitted(ctx, first) })
		running = first
		awaitCharged(t)
		_, err := site.Priorityd.Calls.Admin.Recalculate(ctx, &pb.RecalculateRequest{})
		must(t, err)
	}
	finish(t, running)
	awaitCharged(t)
	checkShared(t)
}

// checkShared: physics submitted after all of chem, and yet was admitted before the last of it. The order within a tenant
// is undefined: its Workloads have one submit time.
func checkShared(t *testing.T) {
	all, err := workloads(t.Context(), tenants...)
	must(t, err)
	first, last := map[string]int64{}, map[string]int64{}
	for _, w := range all {
		begin := meta.FindStatusCondition(w.Status.Conditions, kueue.WorkloadAdmitted).LastTransitionTime.Unix()
		first[w.Namespace] = min(cmp.Or(first[w.Namespace], begin), begin)
		last[w.Namespace] = max(last[w.Namespace], begin)
	}
	if first["physics"] >= last["chem"] {
		t.Errorf("got the first of physics at %d, the last of chem at %d, want the tenants to share", first["physics"], last["chem"])
	}
}

// explained is nil once a Workload says its place.
func explained(t *testing.T) error {
	all, err := workloads(t.Context(), tenants...)
	if err != nil {
		return err
	}
	for _, w := range all {
		if text := w.Annotations[workload.PlaceAnnotation]; strings.HasPrefix(text, "place ") {
			t.Logf("%s: %s", w.Name, text)
			return nil
		}
	}
	return errors.New("none says it")
}

func admitted(ctx context.Context, w *kueue.Workload) error {
	var current kueue.Workload
	if err := site.Client.Get(ctx, client.ObjectKeyFromObject(w), &current); err != nil {
		return err
	}
	if !is(&current, kueue.WorkloadAdmitted) {
		return errors.New("it is not admitted")
	}
	return nil
}

// awaitOrder waits until Kueue's order of the waiting Workloads is that of RankJobs; it returns the first.
func awaitOrder(t *testing.T, count int) (first *kueue.Workload) {
	t.Helper()
	eventually(t, "the order", func() error {
		ranking, err := site.Priorityd.Calls.RankJobs(t.Context(), &pb.RankJobsRequest{BestOnly: true, Partitions: []string{"one"},
			Source: &pb.RankJobsRequest_Tracked{Tracked: &pb.TrackedQueue{}}})
		if err != nil {
			return err
		}
		all, err := workloads(t.Context(), tenants...)
		if err != nil {
			return err
		}
		var ranked []string
		for _, row := range ranking.Ranked {
			ranked = append(ranked, all[row.JobId].Name)
		}
		order := kueuesOrder(all)
		if len(order) != count || !slices.Equal(ranked, names(order)) {
			return fmt.Errorf("priorityd has %v, Kueue %v", ranked, names(order))
		}
		first = order[0]
		return nil
	})
	return first
}

// kueuesOrder are the waiting Workloads in Kueue's order: by priority and boost, then by time, then by UID.
func kueuesOrder(all map[string]*kueue.Workload) []*kueue.Workload {
	var waiting []*kueue.Workload
	for _, w := range all {
		if !is(w, kueue.WorkloadQuotaReserved) && !is(w, kueue.WorkloadFinished) {
			waiting = append(waiting, w)
		}
	}
	slices.SortFunc(waiting, func(a, b *kueue.Workload) int {
		return cmp.Or(cmp.Compare(plane.Lifted(b), plane.Lifted(a)), a.CreationTimestamp.Compare(b.CreationTimestamp.Time), cmp.Compare(a.UID, b.UID))
	})
	return waiting
}

func names(all []*kueue.Workload) []string {
	var names []string
	for _, w := range all {
		names = append(names, w.Name)
	}
	return names
}

// awaitCharged waits until the ledger agrees with the API on every finished Workload, to the second.
func awaitCharged(t *testing.T) {
	t.Helper()
	eventually(t, "the ledger", func() error {
		all, err := workloads(t.Context(), tenants...)
		if err != nil {
			return err
		}
		charged, err := ledger(t.Context())
		if err != nil {
			return err
		}
		for uid, w := range all {
			finished := meta.FindStatusCondition(w.Status.Conditions, kueue.WorkloadFinished)
			if finished == nil {
				continue
			}
			begin := meta.FindStatusCondition(w.Status.Conditions, kueue.WorkloadAdmitted).LastTransitionTime
			want := 2*finished.LastTransitionTime.Sub(begin.Time).Seconds() + 2*past(w)
			if charged[uid] != want {
				return fmt.Errorf("%s: charged %v CPU seconds, want %v", w.Name, charged[uid], want)
			}
		}
		return nil
	})
}

func past(w *kueue.Workload) float64 {
	if w.Status.AccumulatedPastExecutionTimeSeconds == nil {
		return 0
	}
	return float64(*w.Status.AccumulatedPastExecutionTimeSeconds)
}

// ledger are the charged CPU seconds by job.
func ledger(ctx context.Context) (map[string]float64, error) { return site.Priorityd.Ledger(ctx) }
