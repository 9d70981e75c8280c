package domain

import (
	"cmp"
	"context"
	"errors"
	"os"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kube "sigs.k8s.io/controller-runtime/pkg/client"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"priorityd.internal/client"
	pb "priorityd.internal/client/priorityv1"
	"priorityd/kubernetes/internal/workload"
	"priorityd/kubernetes/test/plane"
)

// site is a domain `site` with the members `slurm` and `kueue`.
type site struct {
	*plane.Plane
	slurm   *slurm
	domain  *client.Client
	cluster *client.Client // kueue
}

// missing says what the test needs and this machine lacks; empty = nothing.
func missing() string {
	if name := plane.Missing(); name != "" {
		return "control plane is not built: client/kubernetes/test/run --build (there is no " + name + ")"
	}
	if os.Getuid() != 0 {
		return "slurmctld and its users need root"
	}
	if name := missingPrograms(); name != "" {
		return "there is no " + name + ": apt-get install the packages of tests/slurm/packages"
	}
	if _, err := os.Stat(frontend()); err != nil {
		return err.Error() + ": bazel build -c opt //client/slurm:priorityd-slurm"
	}
	if _, err := os.Stat(collectorsPython()); err != nil {
		return err.Error() + ": tools/python"
	}
	return ""
}

func startSite(t *testing.T) *site {
	t.Helper()
	started := make(chan error, 1)
	s := &site{}
	folder := t.TempDir()
	go func() {
		var err error
		s.slurm, err = startSlurm(folder, "amy=chem", "ben=physics", "cem=bio")
		started <- err
	}()
	var err error
	s.Plane, err = plane.Start(context.Background())
	slurmErr := <-started
	t.Cleanup(func() {
		if s.Plane != nil {
			if t.Failed() {
				t.Log(s.Plane.Tails())
			}
			s.Plane.Stop()
		}
		if s.slurm != nil {
			s.slurm.stop()
		}
	})
	must(t, errors.Join(err, slurmErr))
	s.domain, s.cluster = s.calls(t, "site"), s.calls(t, "kueue")
	return s
}

func (s *site) calls(t *testing.T, cluster string) *client.Client {
	t.Helper()
	calls, err := client.New(client.Options{Address: s.Priorityd.Address, Cluster: cluster})
	must(t, err)
	t.Cleanup(func() { calls.Close() })
	return calls
}

// create creates a cluster of priorityd with the accounts of users.
func create(t *testing.T, calls *client.Client, name string) {
	t.Helper()
	conf := "ClusterName=" + name + "\nPriorityType=priority/multifactor\nPriorityWeightFairshare=100000\nPriorityDecayHalfLife=365-0\nPriorityCalcPeriod=1\n"
	dump := "Cluster - '" + name + "':Fairshare=1\nParent - 'root'\n"
	for account := range users {
		dump += "Account - '" + account + "':Fairshare=1\n"
	}
	for account, user := range users {
		dump += "Parent - '" + account + "'\nUser - '" + user + "':Fairshare=1\n"
	}
	_, err := calls.Admin.Import(t.Context(), &pb.ImportRequest{Files: []*pb.File{
		{Kind: pb.FileKind_FILE_KIND_SLURM_CONF, Name: "slurm.conf", Content: conf},
		{Kind: pb.FileKind_FILE_KIND_SACCTMGR_DUMP, Name: "dump", Content: dump}}})
	must(t, err)
}

// join makes the domain of Slurm's cluster, which priorityd-slurm mirrors first, and of Kueue's.
func (s *site) join(t *testing.T) {
	t.Helper()
	create(t, s.domain, "site")
	create(t, s.cluster, "kueue")
	s.slurm.drive(t, s.Priorityd.Address)
	_, err := s.domain.Admin.UpdateDomain(t.Context(), &pb.UpdateDomainRequest{Join: []string{"slurm", "kueue"}})
	must(t, err)
}

// submit creates a Workload of the whole ClusterQueue, with the stamp of the account's user.
func (s *site) submit(t *testing.T, account, name string) *kueue.Workload {
	t.Helper()
	label, _ := workload.EncodeUser(users[account])
	requests := corev1.ResourceList{corev1.ResourceCPU: *resource.NewQuantity(cpus, resource.DecimalSI)}
	w := &kueue.Workload{
		ObjectMeta: metav1.ObjectMeta{Namespace: account, Name: name, Labels: map[string]string{workload.UserLabel: label}},
		Spec: kueue.WorkloadSpec{QueueName: "queue", PodSets: []kueue.PodSet{{Name: "main", Count: 1,
			Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{RestartPolicy: corev1.RestartPolicyNever,
				Containers: []corev1.Container{{Name: "c", Image: "none", Resources: corev1.ResourceRequirements{Requests: requests}}}}}}}},
	}
	must(t, s.Client.Create(t.Context(), w))
	return w
}

// since is when a Workload got a condition; zero = it has not.
func since(w *kueue.Workload, condition string) time.Time {
	if found := meta.FindStatusCondition(w.Status.Conditions, condition); found != nil && found.Status == metav1.ConditionTrue {
		return found.LastTransitionTime.Time
	}
	return time.Time{}
}

func (s *site) awaitAdmitted(t *testing.T, w *kueue.Workload) {
	t.Helper()
	eventually(t, "the admission of "+w.Name, func() error {
		err := s.Client.Get(t.Context(), kube.ObjectKeyFromObject(w), w)
		if err == nil && since(w, kueue.WorkloadAdmitted).IsZero() {
			err = errors.New("it waits")
		}
		return err
	})
}

// finish marks a Workload as finished, as the reconciler of its job would.
func (s *site) finish(t *testing.T, w *kueue.Workload) {
	t.Helper()
	eventually(t, "finishing "+w.Name, func() error {
		if err := s.Client.Get(t.Context(), kube.ObjectKeyFromObject(w), w); err != nil {
			return err
		}
		before := w.DeepCopy()
		meta.SetStatusCondition(&w.Status.Conditions, metav1.Condition{Type: kueue.WorkloadFinished,
			Status: metav1.ConditionTrue, Reason: kueue.WorkloadFinishedReasonSucceeded, Message: "done"})
		return s.Client.Status().Patch(t.Context(), w, kube.MergeFromWithOptions(before, kube.MergeFromWithOptimisticLock{}))
	})
}

func (s *site) workloads(t *testing.T) []kueue.Workload {
	t.Helper()
	var list kueue.WorkloadList
	must(t, s.Client.List(t.Context(), &list))
	return list.Items
}

// order are the namespaces of the waiting Workloads in Kueue's order: by priority and boost, then by time.
func (s *site) order(t *testing.T) []string {
	t.Helper()
	waiting := slices.DeleteFunc(s.workloads(t), func(w kueue.Workload) bool { return !since(&w, kueue.WorkloadQuotaReserved).IsZero() })
	slices.SortFunc(waiting, func(a, b kueue.Workload) int {
		return cmp.Or(cmp.Compare(plane.Lifted(&b), plane.Lifted(&a)), a.CreationTimestamp.Compare(b.CreationTimestamp.Time), cmp.Compare(a.UID, b.UID))
	})
	var accounts []string
	for _, w := range waiting {
		accounts = append(accounts, w.Namespace)
	}
	return accounts
}
