package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	pb "priorityd.internal/client/priorityv1"
	"priorityd/kubernetes/internal/workload"
	"priorityd/kubernetes/test/plane"
)

const (
	cycle = time.Second // Admissions of each cycle are compared with the ranking before it.
	week  = 7 * 24      // The half-life in hours, Slurm's default.
)

// game is the simulation: Workloads are submitted, admitted by Kueue, and marked as finished after their duration.
type game struct {
	*plane.Plane
	options
	tally tally

	mutex    sync.Mutex
	seen     map[string]seen // By UID, the last state seen by Kueue before admission.
	admitted []string        // Of this cycle, in order.
	ending   map[string]bool
	over     int
	ended    sync.WaitGroup
}

func play(ctx context.Context, p *plane.Plane, o options) error {
	if err := prepare(ctx, p, o.cpus, week*o.lasts); err != nil {
		return err
	}
	if err := p.StartController("--parent-account=root", "--source=sim", "--explain-per-second=0", "--start-forecasts=false", "--writes-per-second=200"); err != nil {
		return err
	}
	g := &game{Plane: p, options: o, seen: map[string]seen{}, ending: map[string]bool{}}
	if err := g.follow(ctx); err != nil {
		return err
	}
	begin := time.Now()
	if err := g.submit(ctx); err != nil {
		return err
	}
	fmt.Printf("%d Workloads of %d namespaces are submitted after %v.\n", o.workloads, namespaces, time.Since(begin).Round(time.Second))
	if err := g.cycles(ctx); err != nil {
		return err
	}
	fmt.Printf("all are finished after %v, of which %v simulate an hour.\n", time.Since(begin).Round(time.Second), o.lasts)
	g.tally.report()
	return g.checkCharged(ctx)
}

// follow gets Workloads from an informer, which continues after every crash.
func (g *game) follow(ctx context.Context) error {
	source, err := cache.New(g.Admin, cache.Options{Scheme: g.Client.Scheme(), DefaultTransform: workload.Strip})
	if err != nil {
		return err
	}
	go source.Start(ctx)
	informer, err := source.GetInformer(ctx, &kueue.Workload{})
	if err != nil {
		return err
	}
	_, err = informer.AddEventHandler(handler{g, ctx})
	return err
}

type handler struct {
	*game
	ctx context.Context
}

func (h handler) OnAdd(object any, _ bool) { h.see(h.ctx, object) }
func (h handler) OnUpdate(_, object any)   { h.see(h.ctx, object) }
func (h handler) OnDelete(any)             {}

// see notes an admitted Workload, and ends it after its duration.
func (g *game) see(ctx context.Context, object any) {
	w, ok := object.(*kueue.Workload)
	if !ok {
		return
	}
	r := recordOf(w)
	g.mutex.Lock()
	defer g.mutex.Unlock()
	if r.Pending() {
		g.seen[string(r.UID)] = seen{int64(plane.Lifted(w)), r.TRES["cpu"]}
	}
	if r.Admitted.IsZero() || !r.Finished.IsZero() || g.ending[string(r.UID)] {
		return
	}
	g.ending[string(r.UID)] = true
	g.admitted = append(g.admitted, string(r.UID))
	lasts := time.Duration(float64(g.lasts) * (0.5 + rand.Float64()))
	g.ended.Go(func() { g.end(ctx, client.ObjectKeyFromObject(w), lasts) })
}

func (g *game) end(ctx context.Context, key client.ObjectKey, lasts time.Duration) {
	select {
	case <-ctx.Done():
		return
	case <-time.After(lasts):
	}
	err := plane.Await(ctx, 5*time.Minute, "the end of "+key.String(), func() error {
		var w kueue.Workload
		if err := g.Client.Get(ctx, key, &w); err != nil {
			return err
		}
		before := w.DeepCopy()
		meta.SetStatusCondition(&w.Status.Conditions, metav1.Condition{Type: kueue.WorkloadFinished,
			Status: metav1.ConditionTrue, Reason: kueue.WorkloadFinishedReasonSucceeded, Message: "done"})
		return g.Client.Status().Patch(ctx, &w, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}))
	})
	if err != nil {
		fmt.Println(err)
	}
	g.mutex.Lock()
	defer g.mutex.Unlock()
	g.over++
}

// submit creates all Workloads, in random order, in proportion to the shares of each namespace.
func (g *game) submit(ctx context.Context) error {
	var all []int
	for i := range namespaces {
		for range g.workloads * sharesOf(i) / allShares() {
			all = append(all, i)
		}
	}
	g.workloads = len(all)
	rand.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	for number, i := range all {
		w := newWorkload(space(i), fmt.Sprint("w", number), 1+rand.Int64N(4))
		if err := plane.Await(ctx, time.Minute, "submitting", func() error {
			return client.IgnoreAlreadyExists(g.Client.Create(ctx, w))
		}); err != nil {
			return err
		}
	}
	return nil
}

// cycles compares each cycle's admissions with the ranking before and after it, and kills processes in between.
func (g *game) cycles(ctx context.Context) error {
	before, err := ranking(ctx, g.Plane)
	if err != nil {
		return err
	}
	kills := []func(context.Context) error{g.killController, g.killPriorityd, g.killAPIServer, g.killEtcd}
	for number := 1; g.left() > 0; number++ {
		if err := sleep(ctx, cycle); err != nil {
			return err
		}
		if next := number / 60; g.kills && number%60 == 0 && next <= len(kills) {
			if err := kills[next-1](ctx); err != nil {
				return err
			}
			g.tally.afterKill = 10
		}
		if err := g.recalculate(ctx, number); err != nil {
			return err
		}
		after, err := ranking(ctx, g.Plane)
		if err != nil {
			return err
		}
		g.mutex.Lock()
		g.tally.count(g.admitted, before, g.seen)
		g.admitted = nil
		g.mutex.Unlock()
		if err := g.checkShares(ctx, number); err != nil {
			return err
		}
		before = after
	}
	g.ended.Wait()
	return nil
}

// recalculate makes priorityd recalculate every period: PriorityCalcPeriod is in whole minutes, which here are a day.
func (g *game) recalculate(ctx context.Context, number int) error {
	if number%max(int(g.period/cycle), 1) != 0 {
		return nil
	}
	_, err := g.Priorityd.Calls.Admin.Recalculate(ctx, &pb.RecalculateRequest{})
	return err
}

func (g *game) left() int {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	return g.workloads - g.over
}

func (g *game) killController(context.Context) error {
	fmt.Println("priorityd-kubernetes is killed.")
	g.Controller.Kill()
	return g.Controller.Start()
}

func (g *game) killPriorityd(ctx context.Context) error {
	fmt.Println("priorityd is killed.")
	g.Priorityd.Kill()
	if err := g.Priorityd.Start(); err != nil {
		return err
	}
	return g.Priorityd.Await(ctx)
}

func (g *game) killAPIServer(ctx context.Context) error {
	fmt.Println("kube-apiserver is killed.")
	g.APIServer.Kill()
	if err := g.APIServer.Start(); err != nil {
		return err
	}
	return g.AwaitAPIServer(ctx)
}

func (g *game) killEtcd(ctx context.Context) error {
	fmt.Println("etcd is killed.")
	g.Etcd.Kill()
	if err := g.Etcd.Start(); err != nil {
		return err
	}
	return g.AwaitAPIServer(ctx)
}

// checkShares prints from time to time the distance of decayed usage from shares.
func (g *game) checkShares(ctx context.Context, number int) error {
	if number%30 != 0 {
		return nil
	}
	answer, err := g.Priorityd.Calls.ListShares(ctx, &pb.ListSharesRequest{AccountsOnly: true, PageSize: 1000})
	if err != nil {
		return err
	}
	usage, shares := map[string]float64{}, map[string]float64{}
	for _, share := range answer.GetShares() {
		if share.GetParentAccount() == "root" {
			usage[share.GetAccount()] = share.GetRawUsage()
			shares[share.GetAccount()] = float64(share.GetRawShares())
		}
	}
	fmt.Printf("%4d Workloads left; decayed usage is %.1f %% away from shares\n", g.left(), 100*distance(usage, shares))
	return nil
}

// checkCharged compares the ledger with the API's state of each Workload.
func (g *game) checkCharged(ctx context.Context) error {
	wrong := map[string]string{}
	err := plane.Await(ctx, 2*time.Minute, "the ledger", func() error {
		charged, err := g.ledger(ctx)
		if err != nil {
			return err
		}
		var list kueue.WorkloadList
		if err := g.Client.List(ctx, &list); err != nil {
			return err
		}
		clear(wrong)
		for i := range list.Items {
			r := recordOf(&list.Items[i])
			want := (r.Ended.Sub(r.Admitted).Seconds() + float64(r.Past)) * r.TRES["cpu"]
			if got := charged[string(r.UID)]; got != want || r.Finished.IsZero() {
				wrong[r.Key().String()] = fmt.Sprintf("charged %v CPU seconds, want %v", got, want)
			}
		}
		if lost := g.workloads - len(list.Items); lost != 0 || len(wrong) > 0 {
			return fmt.Errorf("%d Workloads are lost, %d are not charged what the API says: %.300v", lost, len(wrong), wrong)
		}
		return nil
	})
	if err == nil {
		fmt.Printf("no Workload is lost, and the charges of all %d agree with the API to the second.\n", g.workloads)
	}
	return err
}

func (g *game) ledger(ctx context.Context) (map[string]float64, error) {
	charged := map[string]float64{}
	now := time.Now()
	for token := ""; ; {
		answer, err := g.Priorityd.Calls.ReportUsage(ctx, &pb.ReportUsageRequest{
			StartTime: timestamppb.New(now.Add(-24 * time.Hour)), EndTime: timestamppb.New(now.Add(time.Hour)),
			GroupBy: []pb.ReportGrouping{pb.ReportGrouping_REPORT_GROUPING_JOB}, Tres: []string{"cpu"}, PageSize: 10_000, PageToken: token})
		if err != nil {
			return nil, err
		}
		for _, row := range answer.GetRows() {
			charged[row.GetJobId()] += row.GetTresSeconds()["cpu"]
		}
		if token = answer.GetNextPageToken(); token == "" {
			return charged, nil
		}
	}
}

func sleep(ctx context.Context, pause time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(pause):
		return nil
	}
}

func recordOf(w *kueue.Workload) *workload.Record {
	return workload.From(&workload.Workload{ObjectMeta: w.ObjectMeta, Spec: workload.WorkloadSpec{WorkloadSpec: w.Spec}, Status: w.Status})
}
