package controller

import (
	"context"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/timestamppb"

	pb "priorityd.internal/client/priorityv1"
	"priorityd/kubernetes/internal/forecast"
	"priorityd/kubernetes/internal/workload"
)

// forecaster is a priorityd whose forecasts are minutes after its time.
type forecaster struct {
	pb.PriorityServiceClient
	now      time.Time
	minutes  map[string][3]float64
	source   pb.ForecastSource
	err      error
	took     func() // Lets the time of an answer pass; nil = none does.
	requests []*pb.ForecastStartsRequest

	explained []string
	unknown   map[string]error // Jobs that are not explained.
}

func (f *forecaster) ForecastStarts(_ context.Context, request *pb.ForecastStartsRequest, _ ...grpc.CallOption) (*pb.ForecastStartsResponse, error) {
	f.requests = append(f.requests, request)
	if f.took != nil {
		f.took()
	}
	if f.err != nil {
		return nil, f.err
	}
	answer := &pb.ForecastStartsResponse{AsOf: timestamppb.New(f.now)}
	for _, id := range request.JobIds {
		if row := f.forecast(id); row != nil {
			answer.Forecasts = append(answer.Forecasts, row)
		}
	}
	return answer, nil
}

func (f *forecaster) forecast(id string) *pb.StartForecast {
	minutes, ok := f.minutes[id]
	if !ok {
		return nil
	}
	row := &pb.StartForecast{JobId: id, Source: f.source, Sentence: "It starts by noon with 90 %."}
	for i, level := range forecast.Levels {
		at := f.now.Add(time.Duration(minutes[i] * float64(time.Minute)))
		row.Start = append(row.Start, &pb.StartQuantile{Level: level, StartTime: timestamppb.New(at)})
	}
	return row
}

func (f *forecaster) ExplainPriority(_ context.Context, request *pb.ExplainPriorityRequest, _ ...grpc.CallOption) (*pb.ExplainPriorityResponse, error) {
	f.explained = append(f.explained, request.JobId)
	if err := f.unknown[request.JobId]; err != nil {
		return nil, err
	}
	return &pb.ExplainPriorityResponse{Forecast: f.forecast(request.JobId), Sentences: []string{"One."}}, nil
}

// forecastSite is Forecasts for the Jobs and Pods of a fake API server.
type forecastSite struct {
	*plainSite
	*Forecasts
	priorityd *forecaster
	patched   []string           // The names of the patched objects.
	refuse    func(string) error // The error of a patch.
}

func newForecastSite(t *testing.T) *forecastSite {
	t.Helper()
	s := &forecastSite{plainSite: newPlainSite(t), refuse: func(string) error { return nil },
		priorityd: &forecaster{minutes: map[string][3]float64{}, source: pb.ForecastSource_FORECAST_SOURCE_FOREST}}
	s.priorityd.now = s.plainSite.now
	s.Forecasts = NewForecasts(s.priorityd, s.plainSite.Book, s, 1e6)
	s.Forecasts.Now = func() time.Time { return s.plainSite.now }
	return s
}

// Annotate patches, like the Writer of a controller.
func (s *forecastSite) Annotate(ctx context.Context, r *workload.Record, annotations Annotations) error {
	if err := s.refuse(r.Name); err != nil {
		return err
	}
	s.patched = append(s.patched, r.Name)
	return s.Releaser.(*Writer).Annotate(ctx, r, annotations)
}

func (s *forecastSite) Lift(context.Context, *workload.Record, int32, Form) error { return nil }
func (s *forecastSite) Finalize(context.Context, *workload.Record, bool) error    { return nil }
func (s *forecastSite) Find(context.Context, Kept) (*workload.Record, error)      { return nil, nil }

// passAt makes a pass so many minutes later, and returns the names of the objects that it patches.
func (s *forecastSite) passAfter(minutes int) []string {
	s.plainSite.now = s.plainSite.now.Add(time.Duration(minutes) * time.Minute)
	s.priorityd.now, s.patched = s.plainSite.now, nil
	s.pass(s.t.Context())
	return s.patched
}

// stated is the annotation of a Pod, as the API server has it; false = it has none.
func (s *forecastSite) stated(name string) (text string, ok bool) {
	s.t.Helper()
	for _, p := range s.pods() {
		if p.Name == name {
			text, ok = p.Annotations[workload.ForecastAnnotation]
		}
	}
	for _, j := range s.jobs() {
		if j.Name == name {
			text, ok = j.Annotations[workload.ForecastAnnotation]
		}
	}
	return text, ok
}

func (s *forecastSite) annotate(name, text string) {
	s.t.Helper()
	p := gated(name, 1)
	p.Annotations = map[string]string{workload.ForecastAnnotation: text, workload.PlaceAnnotation: "place 1"}
	s.create(p)
}

// forecastText is an annotation whose quantiles are the same time.
func forecastText(t *testing.T, now time.Time, minutes float64) string {
	t.Helper()
	priorityd := &forecaster{now: now, minutes: map[string][3]float64{"x": {minutes, minutes, minutes}}, source: pb.ForecastSource_FORECAST_SOURCE_TABLE}
	f, ok := forecast.Of(priorityd.forecast("x"))
	if !ok {
		t.Fatal("no forecast")
	}
	return f.Text()
}
