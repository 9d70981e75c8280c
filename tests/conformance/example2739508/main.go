package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"

	"google.golang.org/protobuf/types/known/timestamppb"

	"priorityd/client"
	pb "priorityd/client/priorityv1"
)

func main() {
	if err := run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context) error {
	c, err := client.New(client.Options{Address: os.Getenv("PRIORITYD_SERVER")})
	if err != nil {
		return err
	}
	defer c.Close()

	jobs := []*pb.Job{{JobId: "11", User: "amy", Account: "a", State: pb.JobState_JOB_STATE_PENDING, Nodes: 1, Cpus: 4}}
	if _, err := c.UpdateJobs(ctx, &pb.UpdateJobsRequest{Source: "example", Upserts: jobs, FullSync: true}); err != nil {
		return err
	}

	batcher, err := c.NewUsageBatcher(client.BatcherOptions{
		OnBatch: func(first int64, answer *pb.RecordUsageResponse) {
			fmt.Printf("from %d: %d accepted, %d known\n", first, answer.GetAccepted(), answer.GetDuplicates())
		},
	})
	if err != nil {
		return err
	}
	defer batcher.Close()
	record := &pb.UsageRecord{Source: "example", RecordId: "11.0", User: "amy", Account: "a",
		StartTime: &timestamppb.Timestamp{Seconds: 1_700_000_000},
		EndTime:   &timestamppb.Timestamp{Seconds: 1_700_003_600},
		Tres:      map[string]float64{"cpu": 4}}
	if err := errors.Join(batcher.Add(ctx, record), batcher.Flush(ctx)); err != nil {
		return err
	}

	watch := c.NewRankingWatch(&pb.WatchRankingRequest{Users: []string{"amy"}}, client.WatchOptions{})
	for update, err := range watch.Updates(ctx) {
		if err != nil {
			return err
		}
		for _, row := range update.Top {
			fmt.Println(row.GetRank(), row.GetJobId())
		}
		break
	}

	_, err = c.ListShares(ctx, &pb.ListSharesRequest{Cluster: "nowhere"})
	if e := (*client.Error)(nil); errors.As(err, &e) {
		fmt.Println(e.Code, e.Reason)
	}
	return nil
}
