package client

import (
	"context"
	"fmt"
	"net"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/timestamppb"

	pb "priorityd.internal/client/priorityv1"
)

// forecasting is a server that forecasts each asked job at the number of the call.
type forecasting struct {
	pb.UnimplementedPriorityServiceServer
	requests []*pb.ForecastStartsRequest
	fails    map[int]error // By the number of the call, from 1.
}

func (f *forecasting) ForecastStarts(_ context.Context, request *pb.ForecastStartsRequest) (*pb.ForecastStartsResponse, error) {
	f.requests = append(f.requests, request)
	if err := f.fails[len(f.requests)]; err != nil {
		return nil, err
	}
	at := timestamppb.Timestamp{Seconds: int64(len(f.requests))}
	answer := &pb.ForecastStartsResponse{AsOf: &at, Score: &pb.ForecastScore{Count: at.Seconds}}
	for _, id := range request.GetJobIds() {
		answer.Forecasts = append(answer.Forecasts, &pb.StartForecast{JobId: id})
	}
	for _, job := range request.GetJobs().GetJobs() {
		answer.Forecasts = append(answer.Forecasts, &pb.StartForecast{JobId: job.GetJobId()})
	}
	return answer, nil
}

func (f *forecasting) ScoreForecasts(context.Context, *pb.ScoreForecastsRequest) (*pb.ScoreForecastsResponse, error) {
	return &pb.ScoreForecastsResponse{Scores: []*pb.ForecastScore{{Count: 3}}}, nil
}

// start serves it, and returns a client.
func (f *forecasting) start(t *testing.T) *Client {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := grpc.NewServer()
	pb.RegisterPriorityServiceServer(server, f)
	go server.Serve(listener)
	t.Cleanup(server.Stop)
	c, err := New(Options{Address: listener.Addr().String(), Cluster: "c"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

func ids(count int) []string {
	var ids []string
	for i := range count {
		ids = append(ids, fmt.Sprint(i))
	}
	return ids
}

func TestForecastsOfAnyNumberOfJobsAreOneAnswer(t *testing.T) {
	supposed := &pb.InlineJobs{Jobs: []*pb.Job{{JobId: "supposed"}}}
	for _, c := range []struct{ jobs, calls int }{{0, 1}, {1, 1}, {forecastIDs, 1}, {forecastIDs + 1, 2}, {2 * forecastIDs, 2}, {2*forecastIDs + 1, 3}} {
		f := &forecasting{}
		request := &pb.ForecastStartsRequest{JobIds: ids(c.jobs), Jobs: supposed, Levels: []float64{.5}}
		answer, err := AllForecasts(t.Context(), request, f.start(t).ForecastStarts)
		if err != nil {
			t.Fatal(err)
		}
		if len(f.requests) != c.calls || answer.GetAsOf().GetSeconds() != int64(c.calls) || answer.GetScore().GetCount() != int64(c.calls) {
			t.Errorf("%d jobs: got %d calls, the answer of %v, want %d", c.jobs, len(f.requests), answer.GetAsOf(), c.calls)
		}
		for i, want := range append(ids(c.jobs), "supposed") {
			if len(answer.GetForecasts()) != c.jobs+1 || answer.GetForecasts()[i].GetJobId() != want {
				t.Fatalf("%d jobs: got %d forecasts, and not %s at %d", c.jobs, len(answer.GetForecasts()), want, i)
			}
		}
		for _, sent := range f.requests {
			if sent.GetCluster() != "c" || len(sent.GetLevels()) != 1 || len(sent.GetJobIds()) > forecastIDs {
				t.Errorf("got %v of %d jobs, want the levels and cluster, and at most %d", sent.GetLevels(), len(sent.GetJobIds()), forecastIDs)
			}
		}
		if len(request.GetJobIds()) != c.jobs || request.GetJobs() != supposed {
			t.Error("the request of the caller has changed")
		}
	}
}

func TestForecastsAreAskedForAgainAndWhatIsRefusedIsAnError(t *testing.T) {
	f := &forecasting{fails: map[int]error{1: status.Error(codes.Unavailable, ""), 3: status.Error(codes.PermissionDenied, "no")}}
	_, err := AllForecasts(t.Context(), &pb.ForecastStartsRequest{JobIds: ids(forecastIDs + 1)}, f.start(t).ForecastStarts)
	if status.Code(err) != codes.PermissionDenied || len(f.requests) != 3 {
		t.Errorf("got %v after %d calls, want PERMISSION_DENIED after 3", err, len(f.requests))
	}
	score, err := f.start(t).ScoreForecasts(t.Context(), &pb.ScoreForecastsRequest{})
	if err != nil || score.GetScores()[0].GetCount() != 3 {
		t.Errorf("got %v, %v", score, err)
	}
}
