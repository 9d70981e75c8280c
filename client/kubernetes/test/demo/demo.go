// Package demo simulates two tenants in one ClusterQueue, and prints which Workload is admitted and why.
package demo

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	pb "priorityd.internal/client/priorityv1"
	"priorityd/kubernetes/internal/workload"
	"priorityd/kubernetes/test/plane"
)

// Tenants; each submits Jobs in their own namespace.
var tenants = []struct {
	user, namespace string
	jobs            int
}{{"amy", "lab-chem", 5}, {"ben", "lab-physics", 3}}

const queueName = "lab"

// limit is how long the demo waits for what another process does.
const limit = 5 * time.Minute

// Play runs the demo on a control plane and prints the events; it returns the admitted Jobs, in order.
func Play(ctx context.Context, p *plane.Plane, out io.Writer) ([]string, error) {
	d := &demo{Plane: p, out: out}
	err := inTurn(ctx, d.prepare, d.submit, d.serve, d.report)
	return d.admitted, err
}

// inTurn takes steps until one fails.
func inTurn(ctx context.Context, steps ...func(context.Context) error) error {
	for _, step := range steps {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

type demo struct {
	*plane.Plane
	out      io.Writer
	admitted []string
}

func (d *demo) say(format string, words ...any) { fmt.Fprintf(d.out, format+"\n", words...) }

func (d *demo) prepare(ctx context.Context) error {
	d.say("A ClusterQueue with 2 CPUs; amy has the namespace lab-chem, ben lab-physics, with equal shares.")
	if err := d.CreateClusterQueue(ctx, queueName, map[corev1.ResourceName]string{"cpu": "2"}); err != nil {
		return err
	}
	for _, tenant := range tenants {
		if err := d.CreateNamespace(ctx, tenant.namespace, queueName); err != nil {
			return err
		}
	}
	if err := d.Apply(ctx, filepath.Join(plane.Root(), "client/kubernetes/config/policy")); err != nil {
		return err
	}
	return d.allowUsers(ctx)
}

// allowUsers grants the tenants all rights in the cluster; only the policies distinguish them from administrators.
func (d *demo) allowUsers(ctx context.Context) error {
	return client.IgnoreAlreadyExists(d.Client.Create(ctx, &rbacv1.ClusterRoleBinding{ObjectMeta: metav1.ObjectMeta{Name: "lab-users"},
		RoleRef:  rbacv1.RoleRef{APIGroup: "rbac.authorization.k8s.io", Kind: "ClusterRole", Name: "cluster-admin"},
		Subjects: []rbacv1.Subject{{APIGroup: "rbac.authorization.k8s.io", Kind: "Group", Name: "users"}}}))
}

func (d *demo) submit(ctx context.Context) error {
	for _, tenant := range tenants {
		as, err := d.As(tenant.user)
		if err != nil {
			return err
		}
		if err := d.awaitStamps(ctx, as, jobOf(tenant.namespace, "trial")); err != nil {
			return err
		}
		for i := range tenant.jobs {
			if err := as.Create(ctx, jobOf(tenant.namespace, fmt.Sprintf("%s-%d", tenant.user, i+1))); err != nil {
				return err
			}
			// The very first one finds the ClusterQueue empty.
			if err := d.awaitRunning(ctx); err != nil {
				return err
			}
		}
		d.say("%s submits %d Jobs of 2 CPUs.", tenant.user, tenant.jobs)
		if err := d.settle(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (d *demo) awaitRunning(ctx context.Context) error {
	return plane.Await(ctx, limit, "an admission", func() error {
		all, err := d.workloads(ctx)
		if running, _ := split(all); err == nil && len(running) == 0 {
			err = errors.New("nothing is admitted")
		}
		return err
	})
}

// awaitStamps waits until the policy is in force, shortly after its creation.
func (d *demo) awaitStamps(ctx context.Context, as client.Client, trial *batchv1.Job) error {
	return plane.Await(ctx, limit, "the policy that stamps users", func() error {
		job := trial.DeepCopy()
		if err := as.Create(ctx, job, client.DryRunAll); err != nil {
			return err
		}
		if job.Labels[workload.UserLabel] == "" {
			return errors.New("no user is stamped")
		}
		return nil
	})
}

func jobOf(namespace, name string) *batchv1.Job {
	return &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, Labels: map[string]string{"kueue.x-k8s.io/queue-name": "queue"}},
		Spec: batchv1.JobSpec{Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{RestartPolicy: corev1.RestartPolicyNever,
			Containers: []corev1.Container{{Name: "c", Image: "none", Resources: corev1.ResourceRequirements{
				Requests: corev1.ResourceList{"cpu": resource.MustParse("2")}}}}}}},
	}
}

// length is how long each Job of Kueue runs: then its order depends on how many have run, and not on the load of the machine.
const length = 2 * time.Second

// pause lets what runs use something: times in Kubernetes are in seconds.
func pause(ctx context.Context) error { return until(ctx, time.Now().Add(length)) }

func until(ctx context.Context, at time.Time) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(time.Until(at)):
		return nil
	}
}

// settle waits until the order has reached Kueue.
func (d *demo) settle(ctx context.Context) error {
	if err := pause(ctx); err != nil {
		return err
	}
	return plane.Await(ctx, limit, "priorityd's order in Kueue", func() error {
		ranked, err := d.Priorityd.Ranked(ctx, queueName)
		if err != nil {
			return err
		}
		all, err := d.workloads(ctx)
		if err != nil {
			return err
		}
		_, waiting := split(all)
		if !slices.EqualFunc(ranked, waiting, func(uid string, w *kueue.Workload) bool { return uid == string(w.UID) }) {
			return fmt.Errorf("priorityd has %d Workloads, Kueue %d, or in another order", len(ranked), len(waiting))
		}
		return nil
	})
}

// ended is the run of a Job that has ended.
type ended struct {
	name   string
	uid    types.UID
	lasted time.Duration
}

// awaitCharged waits until what has ended is charged; of a Job of several Pods, at least the 2 CPUs that one has used.
func (d *demo) awaitCharged(list func(context.Context) ([]ended, error)) func(context.Context) error {
	return func(ctx context.Context) error {
		return plane.Await(ctx, limit, "the charges", func() error {
			charged, err := d.Priorityd.Ledger(ctx)
			if err != nil {
				return err
			}
			all, err := list(ctx)
			for _, e := range all {
				if want := 2 * e.lasted.Seconds(); charged[string(e.uid)] < want {
					return fmt.Errorf("%s: charged %v CPU seconds, want %v", e.name, charged[string(e.uid)], want)
				}
			}
			return err
		})
	}
}

func (d *demo) ended(ctx context.Context) (runs []ended, err error) {
	all, err := d.workloads(ctx)
	for _, w := range all {
		begin := meta.FindStatusCondition(w.Status.Conditions, kueue.WorkloadAdmitted)
		end := meta.FindStatusCondition(w.Status.Conditions, kueue.WorkloadFinished)
		if begin != nil && end != nil {
			runs = append(runs, ended{jobName(w), w.UID, end.LastTransitionTime.Sub(begin.LastTransitionTime.Time)})
		}
	}
	return runs, err
}

// serve prints the queue and ends the running Workloads, until none is left.
func (d *demo) serve(ctx context.Context) error {
	for {
		all, err := d.workloads(ctx)
		if err != nil {
			return err
		}
		running, waiting := split(all)
		if len(running) == 0 && len(waiting) == 0 {
			return nil
		}
		d.show(running, waiting)
		for _, w := range running {
			if err := d.finish(ctx, w); err != nil {
				return err
			}
		}
		if err := inTurn(ctx, d.settle, d.awaitCharged(d.ended), d.recalculate, d.settle); err != nil {
			return err
		}
	}
}

// recalculate makes priorityd count the usage, as it does by itself every PriorityCalcPeriod.
func (d *demo) recalculate(ctx context.Context) error {
	_, err := d.Priorityd.Calls.Admin.Recalculate(ctx, &pb.RecalculateRequest{})
	return err
}

func (d *demo) workloads(ctx context.Context) ([]*kueue.Workload, error) {
	var all []*kueue.Workload
	for _, tenant := range tenants {
		var list kueue.WorkloadList
		if err := d.Client.List(ctx, &list, client.InNamespace(tenant.namespace)); err != nil {
			return nil, err
		}
		for i := range list.Items {
			all = append(all, &list.Items[i])
		}
	}
	return all, nil
}

// split returns the running Workloads, and the waiting ones in Kueue's order.
func split(all []*kueue.Workload) (running, waiting []*kueue.Workload) {
	for _, w := range all {
		switch {
		case meta.IsStatusConditionTrue(w.Status.Conditions, kueue.WorkloadFinished):
		case meta.IsStatusConditionTrue(w.Status.Conditions, kueue.WorkloadAdmitted):
			running = append(running, w)
		default:
			waiting = append(waiting, w)
		}
	}
	slices.SortFunc(waiting, func(a, b *kueue.Workload) int {
		return cmp.Or(cmp.Compare(plane.Lifted(b), plane.Lifted(a)), a.CreationTimestamp.Compare(b.CreationTimestamp.Time))
	})
	return running, waiting
}

// jobName is the name of a Workload's Job: Kueue names the Workload job-NAME-HASH.
func jobName(w *kueue.Workload) string {
	if len(w.OwnerReferences) > 0 {
		return w.OwnerReferences[0].Name
	}
	return w.Name
}

func (d *demo) show(running, waiting []*kueue.Workload) {
	for _, w := range running {
		d.say("\n%s is admitted.", jobName(w))
		d.admitted = append(d.admitted, jobName(w))
	}
	for _, w := range waiting {
		place := cmp.Or(w.Annotations[workload.PlaceAnnotation], "not ranked yet")
		d.say("  %-6s %s", jobName(w), place)
	}
}

// finish marks a Workload as finished after its length, as the reconciler of its Job would.
func (d *demo) finish(ctx context.Context, w *kueue.Workload) error {
	end := meta.FindStatusCondition(w.Status.Conditions, kueue.WorkloadAdmitted).LastTransitionTime.Add(length)
	if err := until(ctx, end); err != nil {
		return err
	}
	before := w.DeepCopy()
	meta.SetStatusCondition(&w.Status.Conditions, metav1.Condition{Type: kueue.WorkloadFinished, LastTransitionTime: metav1.NewTime(end),
		Status: metav1.ConditionTrue, Reason: kueue.WorkloadFinishedReasonSucceeded, Message: "done"})
	return d.Client.Status().Patch(ctx, w, client.MergeFrom(before))
}

func (d *demo) report(ctx context.Context) error {
	d.say("\nAdmitted in this order: %s", strings.Join(d.admitted, " "))
	var namespaces []string
	for _, tenant := range tenants {
		namespaces = append(namespaces, tenant.namespace)
	}
	return d.charged(ctx, namespaces)
}

// charged prints the usage of each namespace.
func (d *demo) charged(ctx context.Context, namespaces []string) error {
	shares, err := d.Priorityd.Calls.ListShares(ctx, &pb.ListSharesRequest{})
	if err != nil {
		return err
	}
	d.say("Charged, in CPU seconds:")
	for _, share := range shares.GetShares() {
		if slices.Contains(namespaces, share.GetAccount()) && share.GetUser() == "" {
			d.say("  %-13s %.0f", share.GetAccount(), share.GetRawUsage())
		}
	}
	return nil
}
