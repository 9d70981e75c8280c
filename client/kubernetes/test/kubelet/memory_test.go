package kubelet

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"priorityd.internal/client"
	pb "priorityd.internal/client/priorityv1"
)

const (
	seconds = 4 // At least.
	callers = 16
)

// large is a request of some 6 MiB, which takes 20 to 30 MiB while it is ranked.
func large() *pb.RankJobsRequest {
	jobs := make([]*pb.Job, 20000)
	for number := range jobs {
		jobs[number] = &pb.Job{JobId: fmt.Sprint(number), User: "amy", Account: "lab", Partitions: []string{"batch"}, Name: strings.Repeat("x", 250)}
	}
	return &pb.RankJobsRequest{Source: &pb.RankJobsRequest_Jobs{Jobs: &pb.InlineJobs{Jobs: jobs}}}
}

func TestUnderRequestsBeyondItsBudgetItStaysWithinTheMemoryLimit(t *testing.T) {
	s := newSite(t)
	pod := s.pod(t, map[string]any{"priorityd": map[string]any{"enabled": true, "memory": map[string]any{"budget": 256, "trackedJobs": 10000, "other": 64}}})
	c := s.run(t, pod)
	options := s.options(t, c, nil, "")
	if err := importSite(t.Context(), options); err != nil {
		t.Fatal(err)
	}
	options.Retry = client.RetryPolicy{MaxAttempts: 1}
	options.Deadline = time.Minute
	var refused, answered atomic.Int64
	request := large()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	enough := time.Now().Add(seconds * time.Second)
	var all sync.WaitGroup
	for range callers {
		all.Go(func() {
			calls, err := client.New(options)
			if err != nil {
				t.Error(err)
				return
			}
			defer calls.Close()
			for ctx.Err() == nil {
				_, err := calls.RankJobs(ctx, request)
				switch {
				case err == nil:
					answered.Add(1)
				case status.Code(err) == codes.ResourceExhausted && strings.Contains(err.Error(), "--memory_budget"):
					refused.Add(1)
				}
				if time.Now().After(enough) && answered.Load() > 0 && refused.Load() > 0 {
					cancel()
				}
			}
		})
	}
	all.Wait()
	if err := c.Ended(); err != nil {
		t.Fatalf("it was killed: %v", err)
	}
	limit := pod.Spec.Containers[0].Resources.Limits.Memory().Value()
	peak, err := c.MemoryPeak()
	t.Logf("%d answered, %d refused, at most %d of %d MiB, %v", answered.Load(), refused.Load(), peak>>20, limit>>20, err)
	if answered.Load() == 0 || refused.Load() == 0 {
		t.Error("want requests of both kinds")
	}
	awaitProbe(t, c)
}
