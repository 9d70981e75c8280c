package weights

import (
	"context"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"google.golang.org/protobuf/types/known/timestamppb"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	pb "priorityd.internal/client/priorityv1"
	"priorityd/kubernetes/internal/targets"
	"priorityd/kubernetes/internal/weigher"
	"priorityd/kubernetes/internal/weights"
)

const (
	quota = 72            // CPUs of the cohort, one for each Workload.
	turns = 16            // Four half-lives.
	turn  = 6 * time.Hour // A quarter of a half-life.
)

var accounts = []string{"bio", "chem", "physics"}

// level is a priorityd on a manual clock: usage in half-lives of one CPU, decayed at each turn.
type level struct {
	generation int64
	usage      map[string]float64
}

func (l *level) AllShares(context.Context, *pb.ListSharesRequest) (*pb.ListSharesResponse, error) {
	answer := &pb.ListSharesResponse{FairShareAlgorithm: "fair_tree", Snapshot: &pb.Snapshot{Generation: l.generation, ComputedAt: timestamppb.Now()}}
	answer.Shares = append(answer.Shares, &pb.AssociationShare{Account: "root"})
	one, total := uint32(1), 0.0
	for _, usage := range l.usage {
		total += usage
	}
	for account, usage := range l.usage {
		fs := 1. / 3 / (usage / total)
		answer.Shares = append(answer.Shares, &pb.AssociationShare{Account: account, ParentAccount: "root", RawShares: &one, LevelShares: 3, LevelFs: &fs})
	}
	return answer, nil
}

// decay lets a turn pass in which accounts had so many CPUs.
func (l *level) decay(cpus map[string]int) {
	part := math.Exp2(-1. / 4)
	for account := range l.usage {
		l.usage[account] = l.usage[account]*part + float64(cpus[account])/math.Ln2*(1-part)
	}
	l.generation++
}

// worst is the largest distance of usage from a third, as a part of it.
func (l *level) worst() float64 {
	total, most := 0.0, 0.0
	for _, usage := range l.usage {
		total += usage
	}
	for _, usage := range l.usage {
		most = max(most, math.Abs(usage/total*3-1))
	}
	return most
}

// startCohort makes a cohort with all quota and a ClusterQueue in it for each account, whose Workloads may preempt those of
// the others.
func startCohort(t *testing.T, name string) {
	t.Helper()
	cpu := func(quota string) string {
		return `[{coveredResources: [cpu], flavors: [{name: default, resources: [{name: cpu, nominalQuota: ` + quota + `}]}]}]`
	}
	create(t, fmt.Sprintf(`{apiVersion: kueue.x-k8s.io/v1beta2, kind: Cohort, metadata: {name: %s}, spec: {resourceGroups: %s}}`, name, cpu(fmt.Sprint(quota))))
	create(t, fmt.Sprintf(`{apiVersion: v1, kind: Namespace, metadata: {name: %s}}`, name))
	for _, account := range accounts {
		create(t, fmt.Sprintf(`{apiVersion: kueue.x-k8s.io/v1beta2, kind: ClusterQueue, metadata: {name: %s-%s}, spec: {cohortName: %[1]s, namespaceSelector: {},
			preemption: {reclaimWithinCohort: Any}, resourceGroups: %[3]s}}`, name, account, cpu("0")))
		create(t, fmt.Sprintf(`{apiVersion: kueue.x-k8s.io/v1beta2, kind: LocalQueue, metadata: {namespace: %s, name: %s}, spec: {clusterQueue: %[1]s-%[2]s}}`, name, account))
	}
}

// tenants submit and end Workloads of one CPU.
type tenants struct {
	t         *testing.T
	space     string
	count     int
	evictions int
}

func (s *tenants) submit(account string) {
	s.t.Helper()
	s.count++
	requests := corev1.ResourceList{corev1.ResourceCPU: *resource.NewQuantity(1, resource.DecimalSI)}
	must(s.t, site.Client.Create(s.t.Context(), &kueue.Workload{ObjectMeta: metav1.ObjectMeta{Namespace: s.space, Name: fmt.Sprintf("%s-%d", account, s.count)},
		Spec: kueue.WorkloadSpec{QueueName: kueue.LocalQueueName(account), PodSets: []kueue.PodSet{{Name: "main", Count: 1, Template: corev1.PodTemplateSpec{
			Spec: corev1.PodSpec{RestartPolicy: corev1.RestartPolicyNever, Containers: []corev1.Container{{Name: "c", Image: "none",
				Resources: corev1.ResourceRequirements{Requests: requests}}}}}}}}}))
}

func (s *tenants) all() []kueue.Workload {
	s.t.Helper()
	var list kueue.WorkloadList
	must(s.t, site.Client.List(s.t.Context(), &list, client.InNamespace(s.space)))
	return list.Items
}

func is(w *kueue.Workload, condition string) bool {
	return meta.IsStatusConditionTrue(w.Status.Conditions, condition)
}

// weights are those that Kueue reads.
func (s *tenants) weights() (map[string]float64, error) {
	found := map[string]float64{}
	for _, account := range accounts {
		var queue kueue.ClusterQueue
		if err := site.Client.Get(s.t.Context(), client.ObjectKey{Name: s.space + "-" + account}, &queue); err != nil {
			return nil, err
		}
		found[account] = 1
		if sharing := queue.Spec.FairSharing; sharing != nil && sharing.Weight != nil {
			found[account] = sharing.Weight.AsApproximateFloat64()
		}
	}
	return found, nil
}

// due is an error if Kueue's rule LessThanOrEqualToFinalShare has a preemption left: each queue has waiting Workloads.
func due(admitted map[string][]kueue.Workload, weights map[string]float64) error {
	share := func(account string, more int) float64 {
		return float64(1000*(len(admitted[account])+more)) / quota / weights[account]
	}
	for _, by := range accounts {
		for _, of := range accounts {
			if by != of && share(by, 1) <= share(of, -1) {
				return fmt.Errorf("%s is to preempt %s: %d and %d are admitted, the weights are %v", by, of, len(admitted[by]), len(admitted[of]), weights)
			}
		}
	}
	return nil
}

// settled waits until the quota is used, and Kueue has no preemption left to do; it returns the admitted Workloads by account.
func (s *tenants) settled() (admitted map[string][]kueue.Workload) {
	s.t.Helper()
	eventually(s.t, "the cohort "+s.space, func() error {
		weights, err := s.weights()
		if err != nil {
			return err
		}
		count, evicting := 0, 0
		admitted = map[string][]kueue.Workload{}
		for _, w := range s.all() {
			account := string(w.Spec.QueueName)
			if is(&w, kueue.WorkloadEvicted) && is(&w, kueue.WorkloadQuotaReserved) {
				evicting++
				s.evicted(&w)
			} else if is(&w, kueue.WorkloadAdmitted) {
				admitted[account] = append(admitted[account], w)
				count++
			}
		}
		if count != quota || evicting > 0 {
			return fmt.Errorf("%d Workloads are admitted, %d evicted, want %d and none", count, evicting, quota)
		}
		return due(admitted, weights)
	})
	return admitted
}

// evicted releases the quota of an evicted Workload, as the reconciler of its job would.
func (s *tenants) evicted(w *kueue.Workload) {
	before := w.DeepCopy()
	w.Status.Admission = nil
	for _, condition := range []string{kueue.WorkloadQuotaReserved, kueue.WorkloadAdmitted} {
		meta.SetStatusCondition(&w.Status.Conditions, metav1.Condition{Type: condition, Status: metav1.ConditionFalse, Reason: "Pending", Message: "evicted"})
	}
	if site.Client.Status().Patch(s.t.Context(), w, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})) != nil {
		return // It has changed; the next look at it sees how.
	}
	s.evictions++
}

// end deletes a Workload, as its owner would.
func (s *tenants) end(w kueue.Workload) {
	s.t.Helper()
	must(s.t, client.IgnoreNotFound(site.Client.Delete(s.t.Context(), &w)))
}

// course plays turns; in each one half of the admitted Workloads end. It returns the distance of usage from the shares.
func course(t *testing.T, name string, follow bool) float64 {
	t.Helper()
	startCohort(t, name)
	l := &level{usage: map[string]float64{"chem": 0.8 * quota / math.Ln2, "physics": 0.15 * quota / math.Ln2, "bio": 0.05 * quota / math.Ln2}}
	now := time.Now()
	queues := map[string]string{}
	for _, account := range accounts {
		queues[account] = name + "-" + account
	}
	group := &weigher.Group{Name: name, Parent: "root", Queues: queues, Rule: weights.Default,
		Target: &targets.Objects{Kind: targets.Kinds["kueue-clusterqueue"], Client: site.Client}}
	follower := &weigher.Follower{Shares: l, Groups: []*weigher.Group{group}, Now: func() time.Time { return now }, Log: logr.Discard()}
	s := &tenants{t: t, space: name}
	for range quota {
		for _, account := range accounts {
			s.submit(account)
		}
	}
	s.settled() // Under equal weights: the first other ones make Kueue preempt.
	for range turns {
		if follow {
			must(t, follower.Once(t.Context()))
		}
		admitted := s.settled()
		cpus := map[string]int{}
		for account, all := range admitted {
			cpus[account] = len(all)
			for i, w := range all {
				if i%2 == 0 {
					s.submit(account)
					s.end(w)
				}
			}
		}
		l.decay(cpus)
		now = now.Add(turn)
	}
	for _, w := range s.all() {
		s.end(w)
	}
	t.Logf("%s: distance %.3f after %d Workloads, %d preemptions", name, l.worst(), s.count, s.evictions)
	if follow && s.evictions == 0 {
		t.Errorf("%s: got no preemptions, want some with weights that change", name)
	}
	return l.worst()
}

// Decay alone leaves a sixteenth of the first distance, 0.8 x 3 - 1 = 1.4, after four half-lives: 0.0875. Where Kueue's rule has
// several states without a preemption left, 72 CPUs keep the distance with weights below 0.04, whichever of them Kueue is in at
// each turn; a Workload that is counted for another account in the last turn moves it by 0.007.
func TestRealKueueBringsUsageToTheSharesWithWeightsAndNotWithout(t *testing.T) {
	with, without := course(t, "with", true), course(t, "without", false)
	if with > 0.05 || without <= 0.05 {
		t.Errorf("got distances of %.3f with weights and %.3f without, want 0.05 at most only with weights", with, without)
	}
}
