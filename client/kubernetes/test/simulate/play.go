package main

import (
	"context"
	"fmt"
	"math"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	pb "priorityd/client/priorityv1"
)

const runs = 6 * time.Second // So long each Workload runs at least.

// agreement counts pairs of who was admitted and who still waited, by whether priorityd ranked them so.
type agreement struct {
	same, other int64
	waiting     map[string]int // Ranks of who waited in the last cycle.
}

// take compares whom Kueue admitted since the last cycle with whom it did not.
func (a *agreement) take(all map[string]*kueue.Workload, ranks map[string]int) {
	var admitted, left []int
	for uid, rank := range a.waiting {
		if w := all[uid]; w != nil && isTrue(w, kueue.WorkloadQuotaReserved) {
			admitted = append(admitted, rank)
		} else {
			left = append(left, rank)
		}
	}
	for _, first := range admitted {
		for _, second := range left {
			if first < second {
				a.same++
			} else {
				a.other++
			}
		}
	}
	a.waiting = map[string]int{}
	for uid, rank := range ranks {
		if w := all[uid]; w != nil && !isTrue(w, kueue.WorkloadQuotaReserved) {
			a.waiting[uid] = rank
		}
	}
}

func (a *agreement) tau() float64 { return float64(a.same-a.other) / float64(max(a.same+a.other, 1)) }

func (s *simulation) play(ctx context.Context) error {
	if err := s.prepare(ctx, s.slots); err != nil {
		return err
	}
	if err := s.StartController("--source=simulation", "--explain-per-second=0", "--writes-per-second=200"); err != nil {
		return err
	}
	if err := s.submit(ctx, s.workloads); err != nil {
		return err
	}
	s.say("%d Workloads of %d namespaces are submitted", s.workloads, s.namespaces)
	agreement, err := s.cycles(ctx)
	if err != nil {
		return err
	}
	s.say("Kendall's tau of admissions and RankJobs: %.4f of %d pairs", agreement.tau(), agreement.same+agreement.other)
	return s.awaitLedger(ctx)
}

// cycles goes on until all are over; each second what has run long enough ends.
func (s *simulation) cycles(ctx context.Context) (*agreement, error) {
	a, killed, told := &agreement{}, 0, false
	for over := 0; over < s.workloads; time.Sleep(500 * time.Millisecond) {
		all, err := s.all(ctx)
		if err != nil {
			return a, err
		}
		ranks, err := s.ranks(ctx)
		if err != nil {
			return a, err
		}
		a.take(all, ranks)
		over = s.endWhoRanLongEnough(ctx, all)
		if _, err := s.Priorityd.Calls.Admin.Recalculate(ctx, &pb.RecalculateRequest{}); err != nil {
			return a, err
		}
		if !told && s.someoneIsServed(all) {
			told = true
			s.say("as long as all wait: usage is %.1f %% off the shares on average, %.1f %% at most", 100*s.distance(all, false), 100*s.distance(all, true))
		}
		if s.kills && killed < 4 && over > (killed+1)*s.workloads/5 {
			if err := s.kill(ctx, killed); err != nil {
				return a, err
			}
			killed++
		}
	}
	return a, nil
}

// endWhoRanLongEnough answers how many are over.
func (s *simulation) endWhoRanLongEnough(ctx context.Context, all map[string]*kueue.Workload) (over int) {
	for _, w := range all {
		switch {
		case isTrue(w, kueue.WorkloadFinished):
			over++
		case isTrue(w, kueue.WorkloadAdmitted) && time.Since(time.Unix(since(w, kueue.WorkloadAdmitted), 0)) > runs:
			s.finish(ctx, w) // If not now then in the next cycle.
		}
	}
	return over
}

// someoneIsServed is whether a namespace has nothing left that waits.
func (s *simulation) someoneIsServed(all map[string]*kueue.Workload) bool {
	waiting := map[string]int{}
	for _, w := range all {
		if !isTrue(w, kueue.WorkloadQuotaReserved) {
			waiting[w.Namespace]++
		}
	}
	return len(waiting) < s.namespaces
}

// distance is by how much of what it is due a namespace has got more or less, on average or at most.
func (s *simulation) distance(all map[string]*kueue.Workload, most bool) float64 {
	used, sum, shares := map[string]float64{}, 0.0, 0
	for _, w := range all {
		if isTrue(w, kueue.WorkloadAdmitted) {
			used[w.Namespace]++
			sum++
		}
	}
	for i := range s.namespaces {
		shares += share(i)
	}
	total, worst := 0.0, 0.0
	for i := range s.namespaces {
		off := math.Abs(used[namespace(i)]*float64(shares)/(sum*float64(share(i))) - 1)
		total, worst = total+off, max(worst, off)
	}
	if most {
		return worst
	}
	return total / float64(s.namespaces)
}

func (s *simulation) kill(ctx context.Context, which int) error {
	process := []interface {
		Kill()
		Start() error
	}{s.Controller, s.Priorityd, s.APIServer, s.Etcd}[which]
	s.say("%s is killed", []string{"the controller", "priorityd", "kube-apiserver", "etcd"}[which])
	process.Kill()
	if err := process.Start(); err != nil {
		return err
	}
	if err := s.Priorityd.Await(ctx); err != nil {
		return err
	}
	return s.AwaitAPIServer(ctx)
}

// awaitLedger waits until the ledger has what the API objects say, and tells.
func (s *simulation) awaitLedger(ctx context.Context) error {
	all, err := s.all(ctx)
	if err != nil {
		return err
	}
	want := map[string]float64{}
	sum := 0.0
	for uid, w := range all {
		want[uid] = float64(since(w, kueue.WorkloadFinished) - since(w, kueue.WorkloadAdmitted))
		sum += want[uid]
	}
	for end := time.Now().Add(2 * time.Minute); ; time.Sleep(time.Second) {
		wrong, err := s.wrong(ctx, want)
		if err != nil {
			return err
		}
		if wrong == 0 {
			s.say("%d Workloads are over, none is lost; the ledger has of each what the API says: %.0f seconds", len(all), sum)
			return nil
		}
		if time.Now().After(end) {
			return fmt.Errorf("the ledger has of %d Workloads other than the API says", wrong)
		}
	}
}

func (s *simulation) wrong(ctx context.Context, want map[string]float64) (int, error) {
	now := time.Now()
	answer, err := s.Priorityd.Calls.ReportUsage(ctx, &pb.ReportUsageRequest{
		StartTime: timestamppb.New(now.Add(-24 * time.Hour)), EndTime: timestamppb.New(now.Add(time.Hour)),
		GroupBy: []pb.ReportGrouping{pb.ReportGrouping_REPORT_GROUPING_JOB}, Tres: []string{"cpu"}, PageSize: 10_000})
	if err != nil {
		return 0, err
	}
	charged := map[string]float64{}
	for _, row := range answer.GetRows() {
		charged[row.GetJobId()] += row.GetTresSeconds()["cpu"]
	}
	wrong := 0
	for uid, seconds := range want {
		if charged[uid] != seconds {
			wrong++
		}
	}
	return wrong, nil
}
