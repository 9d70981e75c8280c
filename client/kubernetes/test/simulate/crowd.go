package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/uuid"
	"sigs.k8s.io/controller-runtime/pkg/client"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	pb "priorityd.internal/client/priorityv1"
	"priorityd/kubernetes/test/plane"
)

const (
	resourceName = "workloads"
	comeASecond  = 100
	rowsAtATime  = 100
	head         = 64 // Places with distinct priorities.
)

// crowded is a control plane with many waiting Workloads.
type crowded struct {
	*plane.Plane
	metrics string
	names   map[string]client.ObjectKey // By UID.
}

// crowd queues so many Workloads for a ClusterQueue without room, and prints the cost.
func crowd(ctx context.Context, p *plane.Plane, pending int) error {
	c := &crowded{Plane: p, names: map[string]client.ObjectKey{}}
	if err := prepare(ctx, p, 0, time.Hour); err != nil {
		return err
	}
	begin := time.Now()
	if err := c.create(ctx, pending); err != nil {
		return err
	}
	fmt.Printf("%d Workloads are in etcd after %v.\n", pending, time.Since(begin).Round(time.Second))
	return c.measure(ctx)
}

func (c *crowded) measure(ctx context.Context) error {
	begin, port := time.Now(), plane.FreePort()
	c.metrics = fmt.Sprintf("http://127.0.0.1:%d/metrics", port)
	if err := c.StartController("--parent-account=root", "--source=sim", "--explain-per-second=0", "--start-forecasts=false", fmt.Sprintf("--metrics-bind-address=127.0.0.1:%d", port)); err != nil {
		return err
	}
	if err := plane.Await(ctx, 30*time.Minute, "the order", func() error { return c.isWritten(ctx) }); err != nil {
		return err
	}
	fmt.Printf("The controller has sent all Workloads to priorityd and written the order %v after its start.\n", time.Since(begin).Round(100*time.Millisecond))
	for range 5 {
		if err := c.change(ctx); err != nil {
			return err
		}
	}
	resident, most := c.memory()
	fmt.Printf("Memory of the controller: %s now, %s at most.\n", resident, most)
	return nil
}

// create makes one Workload by the API server, and writes as many copies into etcd as if 100 were submitted a second.
func (c *crowded) create(ctx context.Context, count int) error {
	first := newWorkload(space(0), "w0", 1)
	if err := c.Client.Create(ctx, first); err != nil {
		return err
	}
	c.names[string(first.UID)] = client.ObjectKeyFromObject(first)
	text, err := c.Stored(ctx, resourceName, client.ObjectKeyFromObject(first))
	if err != nil {
		return err
	}
	begin := time.Now().Add(-time.Duration(count) * time.Second / comeASecond)
	for number := 1; number < count; {
		var rows []plane.Row
		for ; number < count && len(rows) < rowsAtATime; number++ {
			row, err := c.another(text, number, begin.Add(time.Duration(number)*time.Second/comeASecond))
			if err != nil {
				return err
			}
			rows = append(rows, row)
		}
		if err := c.Store(ctx, resourceName, rows); err != nil {
			return err
		}
	}
	return nil
}

// another is a copy of a stored Workload with another name, namespace and time.
func (c *crowded) another(text []byte, number int, created time.Time) (plane.Row, error) {
	w := &kueue.Workload{}
	if err := json.Unmarshal(text, w); err != nil {
		return plane.Row{}, err
	}
	like := newWorkload(space(number%namespaces), fmt.Sprint("w", number), 1)
	w.Namespace, w.Name, w.Labels = like.Namespace, like.Name, like.Labels
	w.UID, w.CreationTimestamp = uuid.NewUUID(), metav1.NewTime(created)
	key := client.ObjectKeyFromObject(w)
	c.names[string(w.UID)] = key
	value, err := json.Marshal(w)
	return plane.Row{Key: key, Value: value}, err
}

// isWritten returns nil once the head of Kueue's order equals that of RankJobs.
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

// change charges the first account until it is last, and measures the time until the order shows it.
func (c *crowded) change(ctx context.Context) error {
	answer, err := c.Priorityd.Calls.RankJobs(ctx, &pb.RankJobsRequest{BestOnly: true, Limit: 1, Partitions: []string{queueName},
		Source: &pb.RankJobsRequest_Tracked{Tracked: &pb.TrackedQueue{}}})
	if err != nil || len(answer.GetRanked()) == 0 {
		return errors.Join(err, errors.New("nobody is ranked"))
	}
	account := c.names[answer.GetRanked()[0].GetJobId()].Namespace
	now := time.Now()
	recorded, err := c.Priorityd.Calls.RecordUsage(ctx, &pb.RecordUsageRequest{Records: []*pb.UsageRecord{{
		Source: "sim-change", RecordId: now.String(), JobId: now.String(), User: "user-" + account, Account: account,
		StartTime: timestamppb.New(now.Add(-time.Hour)), EndTime: timestamppb.New(now.Add(-time.Second)), Tres: map[string]float64{"cpu": 1000}}}})
	if err != nil || recorded.GetAccepted() != 1 {
		return errors.Join(err, fmt.Errorf("recorded %v, want one new record", recorded))
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
	fmt.Printf("%s has used much: the order shows it after %v, by %.0f API writes, %.0f a second.\n",
		account, took.Round(100*time.Millisecond), count, count/took.Seconds())
	return sleep(ctx, 5*time.Second)
}

// written is the controller's count of patches.
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

// memory is the memory of the controller, now and at most, from Linux.
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
