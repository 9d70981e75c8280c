package integration

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	pb "priorityd.internal/client/priorityv1"
	"priorityd/kubernetes/internal/workload"
)

// startPlain starts the controller without Kueue, with the rights for that and no others, on two empty nodes with two CPUs each.
func startPlain(t *testing.T, flags ...string) {
	t.Helper()
	ctx := context.Background()
	must(t, site.Rights(ctx, "plain/role.yaml"))
	t.Cleanup(func() {
		if err := site.Rights(ctx, "rbac/role.yaml"); err != nil {
			t.Error(err)
		}
	})
	var nodes corev1.NodeList
	must(t, site.Client.List(ctx, &nodes))
	if len(nodes.Items) == 0 {
		must(t, site.StartNodes(ctx, 2, 2))
		must(t, site.Apply(ctx, "../../config/plain"))
	}
	emptyNodes(t)
	must(t, site.StartController(append([]string{"--source=plain", "--mode=plain", "--explain-per-second=20"}, flags...)...))
}

// emptyNodes deletes the Pods of other tests: the Jobs that Kueue admitted have Pods too.
func emptyNodes(t *testing.T) {
	t.Helper()
	ctx := context.Background()
	var jobs batchv1.JobList
	must(t, site.Client.List(ctx, &jobs))
	for i := range jobs.Items {
		must(t, client.IgnoreNotFound(site.Client.Delete(ctx, &jobs.Items[i], client.PropagationPolicy(metav1.DeletePropagationBackground))))
	}
	eventually(t, "empty nodes", func() error {
		var pods corev1.PodList
		if err := site.Client.List(ctx, &pods); err != nil {
			return err
		}
		for i := range pods.Items {
			if err := client.IgnoreNotFound(site.Client.Delete(ctx, &pods.Items[i])); err != nil {
				return err
			}
		}
		if len(pods.Items) > 0 {
			return fmt.Errorf("%d Pods are there", len(pods.Items))
		}
		return nil
	})
}

func createNamespace(t *testing.T, name string) {
	t.Helper()
	must(t, site.Client.Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}))
}

func podSpec(cpus int64) corev1.PodSpec {
	return corev1.PodSpec{RestartPolicy: corev1.RestartPolicyNever, Containers: []corev1.Container{{Name: "c", Image: "none",
		Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceCPU: *resource.NewQuantity(cpus, resource.DecimalSI)}}}}}
}

// gatedPod is a Pod that waits for its turn.
func gatedPod(namespace, name string, cpus int64) *corev1.Pod {
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, Labels: map[string]string{workload.QueueLabel: "plain"}}, Spec: podSpec(cpus)}
	p.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: workload.Gate}}
	return p
}

// podsOf are the Pods of some namespaces by UID.
func podsOf(ctx context.Context, namespaces ...string) (map[string]*corev1.Pod, error) {
	found := map[string]*corev1.Pod{}
	for _, namespace := range namespaces {
		var list corev1.PodList
		if err := site.Client.List(ctx, &list, client.InNamespace(namespace)); err != nil {
			return nil, err
		}
		for i := range list.Items {
			found[string(list.Items[i].UID)] = &list.Items[i]
		}
	}
	return found, nil
}

func isOver(p *corev1.Pod) bool {
	return p.Status.Phase == corev1.PodSucceeded || p.Status.Phase == corev1.PodFailed
}

// runningPods are the names of released, unfinished Pods.
func runningPods(all map[string]*corev1.Pod) []string {
	var running []string
	for _, p := range all {
		if len(p.Spec.SchedulingGates) == 0 && !isOver(p) {
			running = append(running, p.Name)
		}
	}
	slices.Sort(running)
	return running
}

// endPod ends a Pod, as its kubelet would.
func endPod(t *testing.T, p *corev1.Pod) {
	t.Helper()
	eventually(t, "ending "+p.Name, func() error { return site.EndPod(t.Context(), p) })
}

// rankedPods are the names of the waiting Pods, in the order of RankJobs.
func rankedPods(t *testing.T, namespaces ...string) ([]string, map[string]*corev1.Pod, error) {
	ranking, err := site.Priorityd.Calls.RankJobs(t.Context(), &pb.RankJobsRequest{BestOnly: true, Partitions: []string{"plain"},
		Source: &pb.RankJobsRequest_Tracked{Tracked: &pb.TrackedQueue{}}})
	if err != nil {
		return nil, nil, err
	}
	all, err := podsOf(t.Context(), namespaces...)
	if err != nil {
		return nil, nil, err
	}
	var names []string
	for _, row := range ranking.Ranked {
		if p := all[row.JobId]; p != nil {
			names = append(names, p.Name)
		}
	}
	return names, all, nil
}

// awaitPodsCharged waits until the ledger agrees with the API on every finished Pod, to the second.
func awaitPodsCharged(t *testing.T, namespaces ...string) {
	t.Helper()
	eventually(t, "the ledger", func() error {
		all, err := podsOf(t.Context(), namespaces...)
		if err != nil {
			return err
		}
		charged, err := ledger(t.Context())
		if err != nil {
			return err
		}
		for uid, p := range all {
			if !isOver(p) {
				continue
			}
			lasted := p.Status.ContainerStatuses[0].State.Terminated.FinishedAt.Unix() - heldSince(p)
			want := lasted * p.Spec.Containers[0].Resources.Requests.Cpu().Value()
			if charged[uid] != float64(want) {
				return fmt.Errorf("%s: charged %v CPU seconds, want %d", p.Name, charged[uid], want)
			}
		}
		return nil
	})
}

// heldSince is when a Pod was released.
func heldSince(p *corev1.Pod) int64 {
	released, err := time.Parse(time.RFC3339, p.Annotations[workload.ReleasedAnnotation])
	if err != nil {
		return 0
	}
	return released.Unix()
}

// awaitFull waits until so many Pods run on nodes, the others wait, and priorityd has that state.
func awaitFull(t *testing.T, running, waiting int, namespaces ...string) (order []string, all map[string]*corev1.Pod) {
	t.Helper()
	eventually(t, fmt.Sprintf("%d that run and %d that wait", running, waiting), func() (err error) {
		if order, all, err = rankedPods(t, namespaces...); err != nil {
			return err
		}
		names := runningPods(all)
		if len(names) > running {
			t.Fatalf("got %v released, which is more than the nodes have", names)
		}
		for _, p := range all {
			if slices.Contains(names, p.Name) && p.Status.Phase != corev1.PodRunning {
				return fmt.Errorf("%s is %s on %q", p.Name, p.Status.Phase, p.Spec.NodeName)
			}
		}
		if len(names) != running || len(order) != waiting {
			return fmt.Errorf("%v run, %v wait", names, order)
		}
		return nil
	})
	return order, all
}

// Two tenants on nodes with room for four Pods. Whatever crashes, the first Pod of RankJobs is released next, one for each
// Pod that ends, and at the end each second of a Pod's run is charged once.
func TestGatedPodsHaveTheirTurnsInTheOrderOfPriorityd(t *testing.T) {
	spaces := []string{"turn-chem", "turn-physics"}
	startPlain(t)
	for _, space := range spaces {
		createNamespace(t, space)
		for i := range 8 {
			must(t, site.Client.Create(t.Context(), gatedPod(space, fmt.Sprint(space, i), 1)))
		}
		if space == spaces[0] {
			awaitFull(t, 4, 4, spaces...)
		}
	}
	eventually(t, "the place of a Pod", func() error { return placeShown(t, spaces...) })
	for turn := range 12 {
		if turn%2 == 1 {
			kill := kills[turn/2%len(kills)]
			t.Logf("turn %d: %s is killed", turn, kill.name)
			kill.kill(t)
		}
		order, all := awaitFull(t, 4, 12-turn, spaces...)
		names := runningPods(all)
		endPod(t, podNamed(all, names[turn%len(names)]))
		eventually(t, fmt.Sprintf("turn %d: %s is next", turn, order[0]), func() error {
			all, err := podsOf(t.Context(), spaces...)
			if running := runningPods(all); err == nil && !slices.Contains(running, order[0]) {
				err = fmt.Errorf("%v run", running)
			}
			return err
		})
		awaitPodsCharged(t, spaces...)
		_, err := site.Priorityd.Calls.Admin.Recalculate(t.Context(), &pb.RecalculateRequest{})
		must(t, err)
	}
	_, all := awaitFull(t, 4, 0, spaces...)
	for _, name := range runningPods(all) {
		endPod(t, podNamed(all, name))
	}
	awaitPodsCharged(t, spaces...)
}

func podNamed(all map[string]*corev1.Pod, name string) *corev1.Pod {
	for _, p := range all {
		if p.Name == name {
			return p
		}
	}
	return nil
}

// placeShown is nil once a Pod says its place, and what it waits for.
func placeShown(t *testing.T, spaces ...string) error {
	all, err := podsOf(t.Context(), spaces...)
	if err != nil {
		return err
	}
	for _, p := range all {
		if text := p.Annotations[workload.PlaceAnnotation]; strings.HasPrefix(text, "place ") && strings.Contains(text, "room") {
			t.Logf("%s: %s", p.Name, text)
			return nil
		}
	}
	return errors.New("none says both")
}

// With full nodes: the next Pod is deleted, and one of an unknown user stays where it is; the Pod after them is
// next.
func TestADeletedOrUnnamedObjectDelaysNoOther(t *testing.T) {
	ctx := t.Context()
	startPlain(t, "--default-user=")
	createNamespace(t, "plain-odd")
	allowUsers(t)
	amy, err := site.As("amy")
	must(t, err)
	awaitTurnPolicies(t, amy, "plain-odd")
	create := func(name string, cpus int64) *corev1.Pod {
		p := gatedPod("plain-odd", name, cpus)
		must(t, amy.Create(ctx, p))
		if got := p.Labels[workload.UserLabel]; got != "u-amy_40site.org-u" {
			t.Errorf("got the stamp %q, want amy's", got)
		}
		return p
	}
	blockers := []*corev1.Pod{create("blocker0", 2), create("blocker1", 2)}
	awaitFull(t, 2, 0, "plain-odd")
	nameless := gatedPod("plain-odd", "nameless", 2)
	must(t, site.Client.Create(ctx, nameless))
	setUser(t, nameless, "none")
	next := create("next", 2)
	create("after", 2)
	awaitFull(t, 2, 2, "plain-odd")
	mayNotPass(t, amy, next)
	must(t, amy.Delete(ctx, next))
	endPod(t, blockers[0])
	eventually(t, "the turn of who comes after", func() error {
		all, err := podsOf(ctx, "plain-odd")
		if running := runningPods(all); err == nil && !slices.Equal(running, []string{"after", "blocker1"}) {
			err = fmt.Errorf("%v run", running)
		}
		return err
	})
	awaitPodsCharged(t, "plain-odd")
	eventually(t, "the Event of who has no name", func() error { return eventOf(ctx, nameless.UID, "NotRanked") })
	must(t, site.Client.Delete(ctx, nameless))
	all, err := podsOf(ctx, "plain-odd")
	must(t, err)
	for _, name := range runningPods(all) {
		endPod(t, podNamed(all, name))
	}
}

// setUser stamps another user, as only an administrator can.
func setUser(t *testing.T, p *corev1.Pod, label string) {
	t.Helper()
	before := p.DeepCopy()
	p.Labels = maps.Clone(p.Labels)
	p.Labels[workload.UserLabel] = label
	must(t, site.Client.Patch(t.Context(), p, client.MergeFrom(before)))
}

func allowUsers(t *testing.T) {
	t.Helper()
	must(t, client.IgnoreAlreadyExists(site.Client.Create(t.Context(), &rbacv1.ClusterRoleBinding{ObjectMeta: metav1.ObjectMeta{Name: "plain-users"},
		RoleRef:  rbacv1.RoleRef{APIGroup: "rbac.authorization.k8s.io", Kind: "ClusterRole", Name: "cluster-admin"},
		Subjects: []rbacv1.Subject{{APIGroup: "rbac.authorization.k8s.io", Kind: "Group", Name: "users"}}})))
}

// mayNotPass: users must not remove the gate of their own Pods.
func mayNotPass(t *testing.T, as client.Client, p *corev1.Pod) {
	t.Helper()
	before := p.DeepCopy()
	open := p.DeepCopy()
	open.Spec.SchedulingGates = nil
	if err := as.Patch(t.Context(), open, client.MergeFrom(before)); !apierrors.IsInvalid(err) && !apierrors.IsForbidden(err) {
		t.Errorf("got %v, want that users give no turns", err)
	}
}

func eventOf(ctx context.Context, uid any, reason string) error {
	var list eventsv1.EventList
	if err := site.Client.List(ctx, &list); err != nil {
		return err
	}
	for _, e := range list.Items {
		if e.Reason == reason && fmt.Sprint(e.Regarding.UID) == fmt.Sprint(uid) {
			return nil
		}
	}
	return errors.New("there is none")
}

// A Job of three Pods waits until all of them have room, runs, and is charged from its start to its end: to the second,
// the resolution of times in Kubernetes, and the end of a single Pod is seen with a delay.
func TestASuspendedJobRunsOnceThereIsRoomForAllOfIt(t *testing.T) {
	ctx := t.Context()
	startPlain(t)
	createNamespace(t, "plain-jobs")
	blocker := gatedPod("plain-jobs", "blocker", 2)
	must(t, site.Client.Create(ctx, blocker))
	awaitFull(t, 1, 0, "plain-jobs")
	suspend, pods := true, int32(3)
	job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: "plain-jobs", Name: "j", Labels: map[string]string{workload.QueueLabel: "plain"}},
		Spec: batchv1.JobSpec{Suspend: &suspend, Parallelism: &pods, Completions: &pods, Template: corev1.PodTemplateSpec{Spec: podSpec(1)}}}
	must(t, site.Client.Create(ctx, job))
	eventually(t, "why it waits", func() error {
		must(t, site.Client.Get(ctx, client.ObjectKeyFromObject(job), job))
		if text := job.Annotations[workload.PlaceAnnotation]; !strings.Contains(text, "3 x (cpu 1), of which 2 fit now") || !*job.Spec.Suspend {
			return fmt.Errorf("suspended %v, place %q", *job.Spec.Suspend, text)
		}
		return nil
	})
	endPod(t, blocker)
	_, all := awaitFull(t, 3, 0, "plain-jobs")
	time.Sleep(1200 * time.Millisecond) // So that it has a duration.
	for _, name := range runningPods(all) {
		endPod(t, podNamed(all, name))
	}
	eventually(t, "its charge", func() error {
		must(t, site.Client.Get(ctx, client.ObjectKeyFromObject(job), job))
		if job.Status.CompletionTime == nil {
			return errors.New("it is not over")
		}
		charged, err := ledger(ctx)
		took := job.Status.CompletionTime.Sub(job.Status.StartTime.Time).Seconds()
		if least, most := took, 3*(took+1); err == nil && !within(charged[string(job.UID)], least, most) {
			err = fmt.Errorf("charged %v CPU seconds, want %v to %v", charged[string(job.UID)], least, most)
		}
		return err
	})
}

func within(got, least, most float64) bool { return got >= least && got <= most && got > 0 }
