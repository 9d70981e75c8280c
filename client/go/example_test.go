package client_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"priorityd.internal/client"
	pb "priorityd.internal/client/priorityv1"
)

func Example() {
	c, err := client.New(client.Options{Address: "login1:7411,login2:7411", Authorize: client.Automatic()})
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	answer, err := c.RankJobs(context.Background(),
		&pb.RankJobsRequest{Source: &pb.RankJobsRequest_Tracked{Tracked: &pb.TrackedQueue{}}})
	if err != nil {
		log.Fatal(err)
	}
	for _, row := range answer.GetRanked() {
		fmt.Println(row.GetRank(), row.GetJobId())
	}
}

func ExampleError() {
	var c *client.Client
	_, err := c.Admin.ApplyPolicy(context.Background(), &pb.ApplyPolicyRequest{})
	if e := (*client.Error)(nil); errors.As(err, &e) {
		for _, violation := range e.Violations {
			fmt.Println(violation.Field, violation.Description)
		}
	}
}

func ExampleClient_NewUsageBatcher() {
	ctx := context.Background()
	var c *client.Client
	batcher, err := c.NewUsageBatcher(client.BatcherOptions{BatchSize: 1000})
	if err != nil {
		log.Fatal(err)
	}
	defer batcher.Close()
	for _, record := range []*pb.UsageRecord{{Source: "collector-1", RecordId: "7.0"}} {
		if err := batcher.Add(ctx, record); err != nil {
			log.Print(err) // The record is kept; the next Add or Flush sends it again.
		}
	}
	if err := batcher.Flush(ctx); err != nil {
		log.Fatal(err) // Read the unanswered records from their source again: each counts once.
	}
}

func ExampleRankingWatch_Updates() {
	var c *client.Client
	watch := c.NewRankingWatch(&pb.WatchRankingRequest{Limit: 10}, client.WatchOptions{
		OnLost: func(err error) { log.Print("lost: ", err) },
	})
	for update, err := range watch.Updates(context.Background()) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(len(update.Top), "jobs lead the queue")
	}
}

func ExampleAllPages() {
	var c *client.Client
	jobs, err := client.AllPages(context.Background(), &pb.ListJobsRequest{}, c.ListJobs)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(jobs.GetJobs()))
}
