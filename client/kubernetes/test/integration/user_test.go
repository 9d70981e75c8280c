package integration

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	pb "priorityd.internal/client/priorityv1"
	"priorityd/kubernetes/internal/workload"
	"priorityd/kubernetes/test/chart"
)

// jobOf is a Job for the queue that claims another user.
func jobOf(namespace, name, cpus, gpus string) *batchv1.Job {
	return &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name,
			Labels: map[string]string{"kueue.x-k8s.io/queue-name": "queue", workload.UserLabel: "u-root-u"}},
		Spec: batchv1.JobSpec{Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{RestartPolicy: corev1.RestartPolicyNever,
			Containers: []corev1.Container{{Name: "c", Image: "none", Resources: corev1.ResourceRequirements{
				Requests: corev1.ResourceList{"cpu": resource.MustParse(cpus)},
				Limits:   corev1.ResourceList{"nvidia.com/gpu": resource.MustParse(gpus)}}}}}}},
	}
}

func TestUsersAreThoseWhoTheAPIServerSaysTheyAre(t *testing.T) {
	ctx := t.Context()
	must(t, site.CreateClusterQueue(ctx, "stamps", map[corev1.ResourceName]string{"cpu": "0", "nvidia.com/gpu": "0"}))
	must(t, site.CreateNamespace(ctx, "stamped", "stamps"))
	must(t, site.Apply(ctx, filepath.Join("..", "..", "config", "policy")))
	must(t, site.Client.Create(ctx, &rbacv1.ClusterRoleBinding{ObjectMeta: metav1.ObjectMeta{Name: "users"},
		RoleRef:  rbacv1.RoleRef{APIGroup: "rbac.authorization.k8s.io", Kind: "ClusterRole", Name: "cluster-admin"},
		Subjects: []rbacv1.Subject{{APIGroup: "rbac.authorization.k8s.io", Kind: "Group", Name: "users"}}}))
	must(t, site.StartController("--source=order"))
	amy, err := site.As("amy")
	must(t, err)
	var job *batchv1.Job
	count := 0
	eventually(t, "the policy", func() error { // It is in force shortly after its creation.
		job = jobOf("stamped", fmt.Sprint("j", count), "1", "2")
		count++
		if err := amy.Create(ctx, job); err != nil {
			return err
		}
		if got := job.Labels[workload.UserLabel]; got != "u-amy_40site.org-u" {
			return fmt.Errorf("the label is %q", got)
		}
		return nil
	})
	eventually(t, "the policy that protects stamps", func() error {
		current := &batchv1.Job{}
		if err := site.Client.Get(ctx, client.ObjectKeyFromObject(job), current); err != nil {
			return err
		}
		current.Labels[workload.UserLabel] = "u-ben-u"
		if err := amy.Update(ctx, current, client.DryRunAll); err == nil || !strings.Contains(err.Error(), "must not change") {
			return fmt.Errorf("got %v, want that a stamp must not change", err)
		}
		return nil
	})
	eventually(t, "the job in priorityd", func() error { return known(t, client.ObjectKeyFromObject(job)) })
}

// known returns nil once priorityd has the Job's Workload, of amy, with its GPUs.
func known(t *testing.T, name client.ObjectKey) error {
	answer, err := site.Priorityd.Calls.ListJobs(t.Context(), &pb.ListJobsRequest{Users: []string{"amy@site.org"}, Accounts: []string{"stamped"}})
	if err != nil {
		return err
	}
	for _, tracked := range answer.Jobs {
		if tracked.Job.Tres["gres/gpu"] == 2 && tracked.Job.Tres["cpu"] == 1 {
			return nil
		}
	}
	return errors.New(name.String() + " is not there")
}

// The API server accepts each object of the chart, except those of the Prometheus operator.
func TestTheChartIsTaken(t *testing.T) {
	objects, err := chart.Render("../../charts/priorityd-kubernetes", "priorityd", map[string]any{"accounts": "team-* chem",
		"tokenAudience": "priorityd", "dashboard": true, "priorityd": map[string]any{"enabled": true}})
	must(t, err)
	strict := client.NewDryRunClient(client.WithFieldValidation(site.Client, metav1.FieldValidationStrict))
	for _, object := range objects {
		object.SetName(object.GetName() + "-dry")
		if err := strict.Create(t.Context(), object); err != nil {
			t.Errorf("%s %s: %v", object.GetKind(), object.GetName(), err)
		}
	}
}
