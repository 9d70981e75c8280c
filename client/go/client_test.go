package client

import (
	"context"
	"errors"
	"os"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	pb "priorityd.internal/client/priorityv1"
)

// The address has no listener.
func unreachable(t *testing.T) *Client {
	t.Helper()
	c, err := New(Options{Address: "127.0.0.1:1", Retry: RetryPolicy{MaxAttempts: 2, InitialBackoff: time.Millisecond}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

func TestAnErrorIsUnderstoodByErrorsAsAndByGRPC(t *testing.T) {
	_, err := unreachable(t).ListJobs(t.Context(), &pb.ListJobsRequest{})
	var e *Error
	if !errors.As(err, &e) || e.Code != codes.Unavailable {
		t.Errorf("got %v, want UNAVAILABLE", err)
	}
	if status.Code(err) != codes.Unavailable {
		t.Errorf("got %v of gRPC's status", status.Code(err))
	}
}

func TestACancelledContextIsTheCallersOwnEnd(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	c := unreachable(t)
	_, err := c.ListJobs(ctx, &pb.ListJobsRequest{})
	if !errors.Is(err, context.Canceled) || IsTransient(err) {
		t.Errorf("got %v, want context.Canceled", err)
	}
	for _, err := range c.NewRankingWatch(&pb.WatchRankingRequest{}, WatchOptions{}).Updates(ctx) {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("a watch: got %v, want context.Canceled", err)
		}
	}
}

func TestACallWithoutTimeFailsAtOnce(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 0)
	defer cancel()
	_, err := unreachable(t).ListJobs(ctx, &pb.ListJobsRequest{})
	if status.Code(err) != codes.DeadlineExceeded || IsTransient(err) {
		t.Errorf("got %v, want DEADLINE_EXCEEDED", err)
	}
}

func TestAnErrorNamesEachViolationOnce(t *testing.T) {
	err := &Error{Code: codes.InvalidArgument, Message: "limit: got 2,\nwant 1", Violations: []Violation{
		{"limit", "want 1"}, {"view", "got 7"}}}
	if got, want := err.Error(), "priorityd: InvalidArgument: limit: got 2, want 1; view: got 7"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestABatcherKeepsNoMoreThanItMay(t *testing.T) {
	batcher, err := unreachable(t).NewUsageBatcher(BatcherOptions{BatchSize: 2, MaxKept: 10})
	if err != nil {
		t.Fatal(err)
	}
	defer batcher.Close()
	for batcher.Kept() < 10 {
		if err := batcher.Add(t.Context(), &pb.UsageRecord{}); errors.Is(err, ErrSpoolFull) {
			t.Fatalf("full with %d records", batcher.Kept())
		}
	}
	if err := batcher.Add(t.Context(), &pb.UsageRecord{}); !errors.Is(err, ErrSpoolFull) || batcher.Kept() != 10 {
		t.Errorf("got %v with %d records, want ErrSpoolFull with 10", err, batcher.Kept())
	}
}

func TestOptionsThatCannotBeAreNamed(t *testing.T) {
	c := unreachable(t)
	for _, options := range []BatcherOptions{{BatchSize: -1}, {BatchSize: 100_001}, {BatchSize: 10, MaxKept: 49}} {
		if _, err := c.NewUsageBatcher(options); err == nil {
			t.Errorf("%+v was taken", options)
		}
	}
	if _, err := TLSFiles("", "certificate", ""); err == nil {
		t.Error("a certificate without its key was taken")
	}
	if _, err := TokenFile(t.TempDir() + "/none")(t.Context()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v, want that the file is not there", err)
	}
}

// A request belongs to the caller: the client sets the cluster in a copy.
func TestTheClusterIsPutIntoACopy(t *testing.T) {
	request := &pb.RecordUsageRequest{Records: []*pb.UsageRecord{{RecordId: "1"}}}
	named := withCluster(request, "c").(*pb.RecordUsageRequest)
	if request.GetCluster() != "" || named.GetCluster() != "c" || len(named.GetRecords()) != 1 {
		t.Errorf("got %v of %v", named, request)
	}
	update := &pb.UpdateClusterRequest{Cluster: &pb.Cluster{}}
	if named := withCluster(update, "c").(*pb.UpdateClusterRequest); named.GetCluster().GetName() != "c" ||
		update.GetCluster().GetName() != "" {
		t.Errorf("got %v of %v", named, update)
	}
	if other := withCluster(named, "d").(*pb.RecordUsageRequest); other.GetCluster() != "c" {
		t.Errorf("got %v, want the caller's own cluster", other)
	}
}

func TestOnlyHarmlessCallsAreRepeated(t *testing.T) {
	for method, want := range map[string]bool{
		pb.PriorityService_RecordUsage_FullMethodName: true,
		pb.PriorityService_TopJobs_FullMethodName:     true,
		pb.AdminService_ListQos_FullMethodName:        true,
		pb.AdminService_Export_FullMethodName:         true,
		pb.AdminService_ResetUsage_FullMethodName:     false,
		pb.AdminService_CreateQos_FullMethodName:      false,
	} {
		if repeatable(method) != want {
			t.Errorf("%s: got %v, want %v", method, !want, want)
		}
	}
}
