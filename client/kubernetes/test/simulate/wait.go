package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	pb "priorityd/client/priorityv1"
	"priorityd/kubernetes/test/plane"
)

const top = 500

// wait has many Workloads wait for nothing, and measures the controller.
func (s *simulation) wait(ctx context.Context) error {
	if err := s.prepare(ctx, 0); err != nil {
		return err
	}
	if err := s.submit(ctx, s.pending); err != nil {
		return err
	}
	s.say("%d Workloads wait", s.pending)
	started := time.Now()
	if err := s.StartController("--source=simulation", "--explain-per-second=0"); err != nil {
		return err
	}
	if err := s.awaitOrder(ctx); err != nil {
		return err
	}
	s.say("%.1f s after its start the controller has told priorityd of all, and Kueue of the first %d; it has %s", time.Since(started).Seconds(), top, s.memory())
	return s.change(ctx)
}

// change charges the first tenant of the order a lot, and waits until Kueue's order follows.
func (s *simulation) change(ctx context.Context) error {
	now := time.Now()
	first := namespace(3)
	_, err := s.Priorityd.Calls.RecordUsage(ctx, &pb.RecordUsageRequest{Records: []*pb.UsageRecord{{Source: "simulate", RecordId: "1",
		User: "kubernetes", Account: first, StartTime: timestamppb.New(now.Add(-time.Hour)), EndTime: timestamppb.New(now), Tres: map[string]float64{"cpu": 1000}}}})
	if err != nil {
		return err
	}
	if _, err := s.Priorityd.Calls.Admin.Recalculate(ctx, &pb.RecalculateRequest{}); err != nil {
		return err
	}
	changed := time.Now()
	if err := s.awaitOrder(ctx); err != nil {
		return err
	}
	s.say("%.1f s after a recalculation Kueue has the first %d in the new order; the controller has %s", time.Since(changed).Seconds(), top, s.memory())
	return nil
}

// awaitOrder waits until Kueue's order of the first is priorityd's: falling at the head, not rising behind.
func (s *simulation) awaitOrder(ctx context.Context) error {
	return plane.Await(ctx, 10*time.Minute, "the order", func() error {
		time.Sleep(500 * time.Millisecond) // A list of all is work for the API server.
		answer, err := s.Priorityd.Calls.RankJobs(ctx, &pb.RankJobsRequest{BestOnly: true, Limit: top, Partitions: []string{"all"},
			Source: &pb.RankJobsRequest_Tracked{Tracked: &pb.TrackedQueue{}}})
		if err != nil {
			return err
		}
		if int(answer.GetRankedTotal()) != s.pending {
			return fmt.Errorf("priorityd ranks %d", answer.GetRankedTotal())
		}
		all, err := s.all(ctx)
		if err != nil {
			return err
		}
		return inOrder(answer.GetRanked(), all)
	})
}

func inOrder(ranked []*pb.RankedJob, all map[string]*kueue.Workload) error {
	var values []int
	for _, row := range ranked {
		w := all[row.GetJobId()]
		if w == nil {
			return fmt.Errorf("%s is no Workload", row.GetJobId())
		}
		values = append(values, plane.Lifted(w))
		delete(all, row.GetJobId())
	}
	slices.Reverse(values)
	if !slices.IsSorted(values) || len(values) == 0 || values[0] <= 0 {
		return fmt.Errorf("Kueue has another order")
	}
	for _, w := range all {
		if plane.Lifted(w) != 0 {
			return fmt.Errorf("%s is still lifted", w.Name)
		}
	}
	return nil
}

// memory is what the controller has in RAM, and had at most.
func (s *simulation) memory() string {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.Controller.Pid()))
	var found []string
	for _, line := range strings.Split(string(text), "\n") {
		if name, value, _ := strings.Cut(line, ":"); name == "VmRSS" || name == "VmHWM" {
			found = append(found, name+" "+strings.Join(strings.Fields(value), " "))
		}
	}
	return strings.Join(found, ", ")
}
