package client

import (
	"errors"
	"slices"
	"testing"

	"google.golang.org/grpc/codes"

	pb "priorityd.internal/client/priorityv1"
)

func row(jobID string, rank uint32) *pb.RankedJob { return &pb.RankedJob{JobId: jobID, Rank: rank} }

func state(rows ...*pb.RankedJob) *pb.WatchRankingResponse {
	return &pb.WatchRankingResponse{Change: &pb.WatchRankingResponse_State{State: &pb.RankingState{Ranked: rows}}}
}

func delta(change *pb.RankingDelta) *pb.WatchRankingResponse {
	return &pb.WatchRankingResponse{Change: &pb.WatchRankingResponse_Delta{Delta: change}}
}

func left(jobIDs ...string) []*pb.RankedRow {
	var rows []*pb.RankedRow
	for _, id := range jobIDs {
		rows = append(rows, &pb.RankedRow{JobId: id})
	}
	return rows
}

func jobIDs(top *Top) []string {
	var ids []string
	for _, row := range top.Ranked() {
		ids = append(ids, row.GetJobId())
	}
	return ids
}

func TestADeltaPutsRowsInTheirPlaces(t *testing.T) {
	var top Top
	top.Apply(state(row("1", 1), row("2", 2), row("3", 3)))
	err := top.Apply(delta(&pb.RankingDelta{
		Left:    left("1"),
		Entered: []*pb.RankedJob{row("4", 1)},
		Changed: []*pb.RankChange{{Row: row("3", 2)}, {Row: row("2", 3)}},
	}))
	if got, want := jobIDs(&top), []string{"4", "3", "2"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
}

func TestADeltaThatDoesNotFitChangesNothing(t *testing.T) {
	for name, change := range map[string]*pb.RankingDelta{
		"a row that is not there leaves":    {Left: left("7")},
		"a place is taken":                  {Entered: []*pb.RankedJob{row("7", 1)}},
		"a place is beyond the top":         {Entered: []*pb.RankedJob{row("7", 4)}},
		"a place stays free":                {Left: left("1")},
		"a row enters that is there":        {Entered: []*pb.RankedJob{row("2", 3)}},
		"a place before the first":          {Left: left("2"), Entered: []*pb.RankedJob{row("7", 0)}},
		"a row that is not there changes":   {Changed: []*pb.RankChange{{Row: row("7", 1)}}},
		"more rows leave than there are":    {Left: left("1", "2", "3")},
		"a row leaves and changes":          {Left: left("1"), Changed: []*pb.RankChange{{Row: row("1", 1)}}},
		"two rows change to the same place": {Changed: []*pb.RankChange{{Row: row("1", 1)}, {Row: row("2", 1)}}},
	} {
		var top Top
		top.Apply(state(row("1", 1), row("2", 2)))
		err := top.Apply(delta(change))
		var e *Error
		if !errors.As(err, &e) || e.Code != codes.DataLoss {
			t.Errorf("%s: got %v, want DATA_LOSS", name, err)
		}
		if got := jobIDs(&top); !slices.Equal(got, []string{"1", "2"}) {
			t.Errorf("%s: got %v", name, got)
		}
	}
}

// If the service hides the rows of other users, the ranks have as many gaps as hidden rows, and no more.
func TestRowsOfOthersLeaveGaps(t *testing.T) {
	var top Top
	first := state(row("1", 2), row("2", 5))
	first.Others = 3
	top.Apply(first)
	next := delta(&pb.RankingDelta{Left: left("2"), Entered: []*pb.RankedJob{row("3", 1)},
		Changed: []*pb.RankChange{{Row: row("1", 4)}}})
	next.Others = 2
	if err := top.Apply(next); err != nil || !slices.Equal(jobIDs(&top), []string{"3", "1"}) {
		t.Errorf("got %v, %v", jobIDs(&top), err)
	}
	beyond := delta(&pb.RankingDelta{Entered: []*pb.RankedJob{row("4", 6)}})
	beyond.Others = 2
	if top.Apply(beyond) == nil {
		t.Error("got a row beyond the top")
	}
}

func cannotStart(jobID, reason string) *pb.IneligibleJob {
	return &pb.IneligibleJob{JobId: jobID, Reason: reason}
}

func reasons(top *Top) []string {
	var lines []string
	for _, job := range top.Ineligible() {
		lines = append(lines, job.GetJobId()+" "+job.GetReason())
	}
	return lines
}

// The order is that of docs/semantics.md: maximal runs, digits as numbers, finally the whole id.
func TestJobsThatCannotStartAreListedByTheirIDs(t *testing.T) {
	var top Top
	first := state(row("1", 1))
	first.GetState().Ineligible = []*pb.IneligibleJob{cannotStart("2", "Dependency"), cannotStart("10", "JobHeldUser")}
	top.Apply(first)
	top.Apply(delta(&pb.RankingDelta{NoLongerIneligible: []string{"2"}, Ineligible: []*pb.IneligibleJob{
		cannotStart("10", "JobHeldAdmin"), cannotStart("9", "BeginTime"), cannotStart("a", "BeginTime"),
		cannotStart("10_2", "BeginTime"), cannotStart("010", "BeginTime"), cannotStart("10_11", "BeginTime"),
	}}))
	want := []string{"9 BeginTime", "010 BeginTime", "10 JobHeldAdmin", "10_2 BeginTime", "10_11 BeginTime", "a BeginTime"}
	if got := reasons(&top); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	misfit := delta(&pb.RankingDelta{NoLongerIneligible: []string{"7"}, Entered: []*pb.RankedJob{row("5", 2)}})
	if top.Apply(misfit) == nil || !slices.Equal(reasons(&top), want) || !slices.Equal(jobIDs(&top), []string{"1"}) {
		t.Errorf("got %v and %v after a change that does not fit", reasons(&top), jobIDs(&top))
	}
	top.Apply(state(row("1", 1)))
	if got := reasons(&top); got != nil {
		t.Errorf("got %v after a state without any", got)
	}
}
