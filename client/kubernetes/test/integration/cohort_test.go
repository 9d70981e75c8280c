package integration

import (
	"context"
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"
)

// createOfCohort makes a ClusterQueue of the cohort `shared` with a quota of CPUs.
func createOfCohort(ctx context.Context, name string, cpus int64) error {
	quota := kueue.ResourceQuota{Name: corev1.ResourceCPU, NominalQuota: *resource.NewQuantity(cpus, resource.DecimalSI)}
	return site.Client.Create(ctx, &kueue.ClusterQueue{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: kueue.ClusterQueueSpec{CohortName: "shared",
		NamespaceSelector: &metav1.LabelSelector{}, QueueingStrategy: kueue.StrictFIFO, ResourceGroups: []kueue.ResourceGroup{{
			CoveredResources: []corev1.ResourceName{corev1.ResourceCPU}, Flavors: []kueue.FlavorQuotas{{Name: "default", Resources: []kueue.ResourceQuota{quota}}}}}}})
}

// Two ClusterQueues borrow from a third one. The first has two CPUs in use, the other none: with Kueue's fair sharing the
// next CPUs go to the other one, although the first one's Workload was submitted earlier and has no smaller boost. Within
// the first ClusterQueue the order is priorityd's.
func TestFairSharingOfACohortComesBeforeBoosts(t *testing.T) {
	ctx := t.Context()
	must(t, createOfCohort(ctx, "lender", 4))
	for _, name := range []string{"borrower-a", "borrower-b"} {
		must(t, createOfCohort(ctx, name, 0))
		must(t, site.CreateNamespace(ctx, name, name))
	}
	must(t, site.CreateNamespace(ctx, "lender", "lender"))
	must(t, site.StartController("--source=order"))
	inUse := submit(t, "borrower-a", "in-use", "amy", 2)
	eventually(t, "the first", func() error { return admitted(ctx, inUse) })
	full := submit(t, "lender", "full", "ben", 2)
	eventually(t, "the lender's", func() error { return admitted(ctx, full) })
	first := submit(t, "borrower-a", "first", "amy", 2)
	time.Sleep(1100 * time.Millisecond) // Times of creation have whole seconds.
	other := submit(t, "borrower-b", "other", "cat", 2)
	eventually(t, "their boosts", func() error {
		a, _, _, errA := boosts(ctx, first)
		b, _, _, errB := boosts(ctx, other)
		if errA != nil || errB != nil || b == 0 || a < b {
			return fmt.Errorf("got %d and %d, want none smaller: %v %v", a, b, errA, errB)
		}
		return nil
	})
	finish(t, full)
	eventually(t, "the turn of the other one", func() error { return admitted(ctx, other) })
	if is(get(t, first), kueue.WorkloadQuotaReserved) {
		t.Error("the first one has its turn too")
	}
	finish(t, inUse)
	eventually(t, "the turn of the first one", func() error { return admitted(ctx, first) })
	for _, w := range []*kueue.Workload{first, other} {
		finish(t, w)
	}
}
