package client

import (
	"context"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"

	pb "priorityd.internal/client/priorityv1"
)

// forecastIDs is the most job_ids of one ForecastStarts.
const forecastIDs = 10_000

// AllForecasts is the forecasts of any number of job_ids in one answer, by as many calls as they need; without ids, of
// at most 10,000 jobs:
//
//	forecasts, err := client.AllForecasts(ctx, &priorityv1.ForecastStartsRequest{JobIds: ids}, c.ForecastStarts)
//
// Its score and as_of are those of the last call.
func AllForecasts(ctx context.Context, request *pb.ForecastStartsRequest,
	forecast func(context.Context, *pb.ForecastStartsRequest, ...grpc.CallOption) (*pb.ForecastStartsResponse, error)) (*pb.ForecastStartsResponse, error) {
	ids, jobs := request.GetJobIds(), request.GetJobs()
	common := proto.CloneOf(request)
	common.JobIds, common.Jobs = nil, nil
	var all []*pb.StartForecast
	for {
		some, count := proto.CloneOf(common), min(len(ids), forecastIDs)
		some.JobIds, ids = ids[:count], ids[count:]
		if len(ids) == 0 {
			some.Jobs = jobs // Their forecasts come last.
		}
		answer, err := forecast(ctx, some)
		if err != nil {
			return nil, err
		}
		if all = append(all, answer.GetForecasts()...); len(ids) == 0 {
			answer.Forecasts = all
			return answer, nil
		}
	}
}
