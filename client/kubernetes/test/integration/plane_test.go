// Package integration runs the controller against a real control plane: kube-apiserver, etcd, Kueue and priorityd.
package integration

import (
	"context"
	"fmt"
	"os"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"priorityd/kubernetes/internal/workload"
	"priorityd/kubernetes/test/check"
	"priorityd/kubernetes/test/plane"
)

// site is the control plane that all tests share.
var site *plane.Plane

func TestMain(m *testing.M) {
	if missing := plane.Missing(); missing != "" {
		fmt.Printf("skipped, control plane is not built: client/kubernetes/test/run --build (there is no %s)\n", missing)
		os.Exit(0)
	}
	var err error
	if site, err = plane.Start(context.Background()); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	status := m.Run()
	if status != 0 {
		fmt.Println(site.Tails())
	}
	site.Stop()
	os.Exit(status)
}

var must, eventually = check.Must, check.Eventually

// submit creates a Workload of one pod with so many CPUs, with the stamp of a user.
func submit(t *testing.T, namespace, name, user string, cpus int) *kueue.Workload {
	t.Helper()
	w := workloadOf(namespace, name, user, cpus)
	must(t, site.Client.Create(t.Context(), w))
	return w
}

// workloadOf is a Workload of one pod.
func workloadOf(namespace, name, user string, cpus int) *kueue.Workload {
	label, _ := workload.EncodeUser(user)
	requests := corev1.ResourceList{corev1.ResourceCPU: *resource.NewQuantity(int64(cpus), resource.DecimalSI)}
	return &kueue.Workload{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, Labels: map[string]string{workload.UserLabel: label}},
		Spec: kueue.WorkloadSpec{QueueName: "queue", PodSets: []kueue.PodSet{{Name: "main", Count: 1,
			Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{RestartPolicy: corev1.RestartPolicyNever,
				Containers: []corev1.Container{{Name: "c", Image: "none", Resources: corev1.ResourceRequirements{Requests: requests}}}}}}}},
	}
}

// workloads are the Workloads of some namespaces, by UID.
func workloads(ctx context.Context, namespaces ...string) (map[string]*kueue.Workload, error) {
	found := map[string]*kueue.Workload{}
	for _, namespace := range namespaces {
		var list kueue.WorkloadList
		if err := site.Client.List(ctx, &list, client.InNamespace(namespace)); err != nil {
			return nil, err
		}
		for i := range list.Items {
			found[string(list.Items[i].UID)] = &list.Items[i]
		}
	}
	return found, nil
}

func is(w *kueue.Workload, condition string) bool {
	return meta.IsStatusConditionTrue(w.Status.Conditions, condition)
}

// finish marks a Workload as finished, as the reconciler of its job would.
func finish(t *testing.T, w *kueue.Workload) {
	t.Helper()
	eventually(t, "finishing "+w.Name, func() error {
		var current kueue.Workload
		if err := site.Client.Get(t.Context(), client.ObjectKeyFromObject(w), &current); err != nil {
			return err
		}
		before := current.DeepCopy()
		meta.SetStatusCondition(&current.Status.Conditions, metav1.Condition{Type: kueue.WorkloadFinished,
			Status: metav1.ConditionTrue, Reason: kueue.WorkloadFinishedReasonSucceeded, Message: "done"})
		return site.Client.Status().Patch(t.Context(), &current, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}))
	})
}
