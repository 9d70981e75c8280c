package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"
	"sigs.k8s.io/controller-runtime/pkg/client"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	pb "priorityd/client/priorityv1"
	"priorityd/kubernetes/test/plane"
)

const (
	creators = 16
	head     = 64 // Places whose order is told one by one.
)

// crowded is a control plane with many Workloads that wait.
type crowded struct {
	*plane.Plane
	metrics string
	mutex   sync.Mutex
	names   map[string]client.ObjectKey // By UID.
}

// crowd has so many Workloads wait for a ClusterQueue without room, and says what that costs.
func crowd(ctx context.Context, p *plane.Plane, pending int) error {
	c := &crowded{Plane: p, names: map[string]client.ObjectKey{}}
	if err := prepare(ctx, p, 0, time.Hour); err != nil {
		return err
	}
	begin := time.Now()
	// Kueue's webhooks would double the time that this takes, and nothing is measured of it.
	if err := p.WithoutKueue(ctx, func() error { return c.create(ctx, pending) }); err != nil {
		return err
	}
	took := time.Since(begin)
	fmt.Printf("%d Workloads are created in %v, %.0f a second.\n", pending, took.Round(time.Second), float64(pending)/took.Seconds())
	return c.measure(ctx)
}

func (c *crowded) measure(ctx context.Context) error {
	begin, port := time.Now(), plane.FreePort()
	c.metrics = fmt.Sprintf("http://127.0.0.1:%d/metrics", port)
	if err := c.StartController("--source=sim", "--explain-per-second=0", fmt.Sprintf("--metrics-bind-address=127.0.0.1:%d", port)); err != nil {
		return err
	}
	if err := plane.Await(ctx, 30*time.Minute, "the order", func() error { return c.isWritten(ctx) }); err != nil {
		return err
	}
	fmt.Printf("The controller has told priorityd of all and written the order %v after its start.\n", time.Since(begin).Round(100*time.Millisecond))
	for range 5 {
		if err := c.change(ctx); err != nil {
			return err
		}
	}
	resident, most := c.memory()
	fmt.Printf("Memory of the controller: %s now, %s at most.\n", resident, most)
	return nil
}

func (c *crowded) create(ctx context.Context, count int) error {
	numbers, failed := make(chan int), make(chan error, creators)
	var working sync.WaitGroup
	for range creators {
		working.Go(func() {
			for number := range numbers {
				w := newWorkload(space(number%namespaces), fmt.Sprint("w", number), 1)
				if err := c.Client.Create(ctx, w); err != nil {
					failed <- err
					return
				}
				c.mutex.Lock()
				c.names[string(w.UID)] = client.ObjectKeyFromObject(w)
				c.mutex.Unlock()
			}
		})
	}
	var err error
	for number := 0; number < count && err == nil; number++ {
		select {
		case numbers <- number:
		case err = <-failed:
		}
	}
	close(numbers)
	working.Wait()
	return err
}

// isWritten is nil once the first of Kueue's order are those of RankJobs, one by one.
func (c *crowded) isWritten(ctx context.Context) error {
	answer, err := c.Priorityd.Calls.RankJobs(ctx, &pb.RankJobsRequest{BestOnly: true, Limit: head, Partitions: []string{queueName},
		Source: &pb.RankJobsRequest_Tracked{Tracked: &pb.TrackedQueue{}}})
	if err != nil {
		return err
	}
	if len(answer.GetRanked()) < head {
		return fmt.Errorf("%d are ranked", len(answer.GetRanked()))
	}
	above := 1 << 30
	for _, row := range answer.GetRanked() {
		var w kueue.Workload
		if err := c.Client.Get(ctx, c.names[row.GetJobId()], &w); err != nil {
			return err
		}
		lifted := plane.Lifted(&w)
		if lifted <= 0 || lifted >= above {
			return fmt.Errorf("%s has %d behind %d", w.Name, lifted, above)
		}
		above = lifted
	}
	return nil
}

// change charges the account that is first as much as puts it last, and measures until the order says so.
func (c *crowded) change(ctx context.Context) error {
	answer, err := c.Priorityd.Calls.RankJobs(ctx, &pb.RankJobsRequest{BestOnly: true, Limit: 1, Partitions: []string{queueName},
		Source: &pb.RankJobsRequest_Tracked{Tracked: &pb.TrackedQueue{}}})
	if err != nil || len(answer.GetRanked()) == 0 {
		return errors.Join(err, errors.New("nobody is ranked"))
	}
	account := answer.GetRanked()[0].GetAccount()
	now := time.Now()
	if _, err := c.Priorityd.Calls.RecordUsage(ctx, &pb.RecordUsageRequest{Records: []*pb.UsageRecord{{
		Source: "sim-change", RecordId: now.String(), JobId: now.String(), User: "user-" + account, Account: account,
		StartTime: timestamppb.New(now.Add(-time.Hour)), EndTime: timestamppb.New(now.Add(-time.Second)), Tres: map[string]float64{"cpu": 1000}}}}); err != nil {
		return err
	}
	if _, err := c.Priorityd.Calls.Admin.Recalculate(ctx, &pb.RecalculateRequest{}); err != nil {
		return err
	}
	begin, written := time.Now(), c.written()
	if err := plane.Await(ctx, 10*time.Minute, "the changed order", func() error { return c.isWritten(ctx) }); err != nil {
		return err
	}
	took := time.Since(begin)
	count := c.written() - written
	fmt.Printf("%s has used much: the order says so after %v, by %.0f API writes, %.0f a second.\n",
		account, took.Round(100*time.Millisecond), count, count/took.Seconds())
	return sleep(ctx, 5*time.Second)
}

// written is how many patches the controller says it has made.
func (c *crowded) written() float64 {
	answer, err := http.Get(c.metrics)
	if err != nil {
		return 0
	}
	defer answer.Body.Close()
	for lines := bufio.NewScanner(answer.Body); lines.Scan(); {
		if value, ok := strings.CutPrefix(lines.Text(), "priorityd_kubernetes_workload_writes_total "); ok {
			count, _ := strconv.ParseFloat(value, 64)
			return count
		}
	}
	return 0
}

// memory is what the controller holds, now and at most, as Linux has it.
func (c *crowded) memory() (resident, most string) {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", c.Controller.PID()))
	for line := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			resident = strings.TrimSpace(value)
		}
		if value, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			most = strings.TrimSpace(value)
		}
	}
	return resident, most
}
