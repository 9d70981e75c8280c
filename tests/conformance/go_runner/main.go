// Command go_runner runs cases of conformance on the Go client library.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/types/known/timestamppb"

	"priorityd.internal/client"
	pb "priorityd.internal/client/priorityv1"
	"priorityd/conformance"
)

// An unreachable service returns within so many.
const flushes = 100

func main() {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var task conformance.Task
		if err := json.Unmarshal(lines.Bytes(), &task); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		text, _ := json.Marshal(run(task))
		fmt.Println(string(text))
	}
}

// A run handles one task.
type taskRun struct {
	conformance.Task
	client  *client.Client
	outcome conformance.Outcome
}

func run(task conformance.Task) conformance.Outcome {
	var notices atomic.Int32
	options, err := optionsOf(task, func(error) { notices.Add(1) })
	if err != nil {
		return conformance.Outcome{Code: "the options", Message: err.Error()}
	}
	c, err := client.New(options)
	if err != nil {
		return conformance.Outcome{Code: "the client", Message: err.Error()}
	}
	defer c.Close()
	r := &taskRun{Task: task, client: c}
	r.report(r.call(context.Background()))
	r.outcome.Notices = int(notices.Load())
	return r.outcome
}

func optionsOf(task conformance.Task, onRateLimited func(error)) (client.Options, error) {
	options := client.Options{
		Address:  task.Address,
		Cluster:  task.Cluster,
		Deadline: milliseconds(task.DeadlineMs),
		Retry: client.RetryPolicy{
			MaxAttempts:    task.MaxAttempts,
			InitialBackoff: milliseconds(task.InitialBackoffMs),
			MaxBackoff:     milliseconds(task.MaxBackoffMs),
		},
		KeepaliveTime:    milliseconds(task.KeepaliveMs),
		KeepaliveTimeout: milliseconds(task.KeepaliveMs),
		OnRateLimited:    onRateLimited,
	}
	if task.TokenFile != "" {
		options.Authorize = client.TokenFile(task.TokenFile)
	}
	if task.MungeSocket != "" {
		options.Authorize = client.Munge(task.MungeSocket)
	}
	var err error
	if task.CA != "" {
		options.TLS, err = client.TLSFiles(task.CA, task.Certificate, task.Key)
	}
	return options, err
}

func milliseconds(n int) time.Duration { return time.Duration(n) * time.Millisecond }

// report sets the outcome of the task.
func (r *taskRun) report(err error) {
	r.outcome.Code = "OK"
	if err == nil {
		return
	}
	r.outcome.Message = err.Error()
	var e *client.Error
	if !errors.As(err, &e) {
		r.outcome.Code = "no *client.Error"
		return
	}
	r.outcome.Code, r.outcome.Reason = nameOf(e.Code), e.Reason
	for _, violation := range e.Violations {
		r.outcome.Violations = append(r.outcome.Violations, violation.Field)
	}
}

// nameOf is the name of a code in the documents: grpc-go reads these names and writes others.
func nameOf(code codes.Code) string {
	for _, name := range []string{"OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED",
		"NOT_FOUND", "ALREADY_EXISTS", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION",
		"ABORTED", "OUT_OF_RANGE", "UNIMPLEMENTED", "INTERNAL", "UNAVAILABLE", "DATA_LOSS", "UNAUTHENTICATED"} {
		var named codes.Code
		if named.UnmarshalJSON([]byte(`"`+name+`"`)) == nil && named == code {
			return name
		}
	}
	return code.String()
}

func (r *taskRun) call(ctx context.Context) error {
	switch r.Call {
	case "RankJobs":
		_, err := r.client.RankJobs(ctx, &pb.RankJobsRequest{
			Source: &pb.RankJobsRequest_Tracked{Tracked: &pb.TrackedQueue{}}})
		return err
	case "RecordUsage":
		return r.recordUsage(ctx)
	case "Recalculate":
		_, err := r.client.Admin.Recalculate(ctx, &pb.RecalculateRequest{})
		return err
	case "RebuildUsage":
		return r.rebuild(ctx)
	case "GetStatus":
		_, err := r.client.Admin.GetStatus(ctx, &pb.GetStatusRequest{})
		return err
	case "AllShares":
		shares, err := r.client.AllShares(ctx, &pb.ListSharesRequest{PageSize: int32(r.PageSize)})
		r.outcome.Rows = len(shares.GetShares())
		return err
	case "UsageBatcher":
		return r.batch(ctx)
	case "Spool":
		return r.spool(ctx)
	case "RankingWatch":
		return r.watch(ctx)
	case "Serving":
		return r.serving(ctx)
	}
	return fmt.Errorf("no call %q", r.Call)
}

func (r *taskRun) rebuild(ctx context.Context) error {
	stream, err := r.client.Admin.RebuildUsage(ctx, &pb.RebuildUsageRequest{Cluster: r.Cluster, ValidateOnly: true})
	for err == nil {
		_, err = stream.Recv()
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

func (r *taskRun) recordUsage(ctx context.Context) error {
	request := &pb.RecordUsageRequest{}
	for i := range r.Records {
		request.Records = append(request.Records, r.record(i))
	}
	answer, err := r.client.RecordUsage(ctx, request)
	r.answered(answer)
	return err
}

func (r *taskRun) answered(answer *pb.RecordUsageResponse) {
	r.outcome.Answered += int(answer.GetAccepted() + answer.GetDuplicates())
}

func (r *taskRun) record(i int) *pb.UsageRecord {
	return &pb.UsageRecord{
		Source:    r.User,
		RecordId:  strconv.Itoa(i),
		User:      r.User,
		Account:   "a",
		StartTime: &timestamppb.Timestamp{Seconds: conformance.Start(i)},
		EndTime:   &timestamppb.Timestamp{Seconds: conformance.End(i)},
		Tres:      map[string]float64{"cpu": conformance.CPUs(i)},
	}
}

func (r *taskRun) batch(ctx context.Context) error {
	batcher, err := r.client.NewUsageBatcher(client.BatcherOptions{
		BatchSize: r.BatchSize,
		OnBatch:   func(_ int64, answer *pb.RecordUsageResponse) { r.answered(answer) },
	})
	if err != nil {
		return err
	}
	defer batcher.Close()
	err = r.addAll(ctx, batcher)
	if err != nil && r.FlushAgain {
		err = batcher.Flush(ctx)
	}
	return err
}

func (r *taskRun) addAll(ctx context.Context, batcher *client.UsageBatcher) error {
	for i := range r.Records {
		if err := batcher.Add(ctx, r.record(i)); err != nil {
			return err
		}
	}
	return batcher.Flush(ctx)
}

// spool adds records until a batcher rejects one, and flushes until all are answered.
func (r *taskRun) spool(ctx context.Context) error {
	batcher, err := r.client.NewUsageBatcher(client.BatcherOptions{
		BatchSize: r.BatchSize,
		MaxKept:   r.MaxKept,
		OnBatch:   func(_ int64, answer *pb.RecordUsageResponse) { r.answered(answer) },
	})
	if err != nil {
		return err
	}
	defer batcher.Close()
	for i := 0; i < r.Records && !r.outcome.Full; i++ {
		r.outcome.Full = errors.Is(batcher.Add(ctx, r.record(i)), client.ErrSpoolFull)
	}
	for range flushes {
		if err = batcher.Flush(ctx); err == nil {
			break
		}
	}
	return err
}

func (r *taskRun) watch(ctx context.Context) error {
	watch := r.client.NewRankingWatch(&pb.WatchRankingRequest{Users: []string{r.User}, Limit: uint32(r.Limit), Ineligible: r.Ineligible},
		client.WatchOptions{Reconnect: client.RetryPolicy{InitialBackoff: milliseconds(r.InitialBackoffMs)}})
	for update, err := range watch.Updates(ctx) {
		if err != nil {
			return err
		}
		r.outcome.Top = nil
		for _, row := range update.Top {
			r.outcome.Top = append(r.outcome.Top, row.GetJobId())
		}
		r.outcome.Ineligible = nil
		for _, job := range update.Ineligible {
			r.outcome.Ineligible = append(r.outcome.Ineligible, job.GetJobId())
		}
		if slices.Equal(r.outcome.Top, r.Until) && slices.Equal(r.outcome.Ineligible, r.UntilIneligible) {
			return nil
		}
	}
	return nil
}

func (r *taskRun) serving(ctx context.Context) error {
	serving, err := r.client.Serving(ctx, "")
	if err == nil && !serving {
		return errors.New("not serving")
	}
	return err
}
