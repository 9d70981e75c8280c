package domain

import (
	"context"
	"errors"
	"io"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/credentials/insecure"

	pb "priorityd.internal/client/priorityv1"
)

// relay passes the records of a collector to priorityd, and withholds acknowledgements until that stream ends: so a kill of
// either side is certain to come while one new record is acknowledged, and another is stored but not acknowledged.
type relay struct {
	pb.UnimplementedPriorityServiceServer
	address  string
	backend  pb.PriorityServiceClient
	withheld chan struct{} // Closed when priorityd has stored a record whose acknowledgement is withheld.
	stored   atomic.Int32  // Acknowledgements of new records that have come from priorityd.
	failed   atomic.Int32  // Streams that ended with an error, those that never reached priorityd included.
}

func startRelay(t *testing.T, priorityd string) *relay {
	t.Helper()
	soon := backoff.DefaultConfig
	soon.MaxDelay = time.Second
	connection, err := grpc.NewClient(priorityd, grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithConnectParams(grpc.ConnectParams{Backoff: soon, MinConnectTimeout: time.Second}))
	must(t, err)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	r := &relay{address: listener.Addr().String(), backend: pb.NewPriorityServiceClient(connection), withheld: make(chan struct{})}
	server := grpc.NewServer()
	pb.RegisterPriorityServiceServer(server, r)
	go server.Serve(listener)
	t.Cleanup(func() {
		server.Stop()
		connection.Close()
	})
	return r
}

// RecordUsage relays a mark.
func (r *relay) RecordUsage(ctx context.Context, mark *pb.RecordUsageRequest) (*pb.RecordUsageResponse, error) {
	return r.backend.RecordUsage(ctx, mark)
}

// StreamUsage relays one stream.
func (r *relay) StreamUsage(collector pb.PriorityService_StreamUsageServer) error {
	backend, err := r.backend.StreamUsage(collector.Context())
	if err == nil {
		go passRecords(collector, backend)
		err = r.passAnswers(collector, backend)
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	r.failed.Add(1)
	return err
}

func passRecords(collector pb.PriorityService_StreamUsageServer, backend pb.PriorityService_StreamUsageClient) {
	for {
		batch, err := collector.Recv()
		if err != nil {
			backend.CloseSend()
			return
		}
		if backend.Send(batch) != nil {
			return
		}
	}
}

// passAnswers passes acknowledgements; from that of the second new record on it withholds those of this stream.
func (r *relay) passAnswers(collector pb.PriorityService_StreamUsageServer, backend pb.PriorityService_StreamUsageClient) error {
	withholds := false
	for {
		answer, err := backend.Recv()
		if err != nil {
			return err
		}
		if answer.Results.Accepted > 0 && r.stored.Add(1) == 2 {
			withholds = true
			close(r.withheld)
		}
		if withholds {
			continue
		}
		if err := collector.Send(answer); err != nil {
			return err
		}
	}
}

// awaitWithheld waits until one new record is acknowledged, and another is stored but not acknowledged.
func (r *relay) awaitWithheld(t *testing.T) {
	t.Helper()
	select {
	case <-r.withheld:
	case <-time.After(5 * time.Minute):
		t.Fatalf("%d new records were stored, want two", r.stored.Load())
	}
}
