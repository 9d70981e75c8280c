package client

import (
	"errors"
	"slices"

	"google.golang.org/grpc/codes"

	pb "priorityd/client/priorityv1"
)

// Top is what the answers of WatchRanking add up to. Not safe for concurrent use.
type Top struct {
	ranked []*pb.RankedJob
}

// Ranked are the rows in start order. Later answers change the rows of another slice.
func (t *Top) Ranked() []*pb.RankedJob { return t.ranked }

var errMisfit = errors.New("a change that does not fit what came before")

type rowName struct{ jobID, partition, qos string }

func nameOf(row interface {
	GetJobId() string
	GetPartition() string
	GetQos() string
}) rowName {
	return rowName{row.GetJobId(), row.GetPartition(), row.GetQos()}
}

// Apply takes the next answer: DATA_LOSS, and no change, if it does not fit the one before.
func (t *Top) Apply(answer *pb.WatchRankingResponse) error {
	if state := answer.GetState(); state != nil {
		t.ranked = state.GetRanked()
		return nil
	}
	after, fits := applied(t.ranked, answer.GetDelta(), int(answer.GetOthers()))
	if !fits {
		return &Error{Code: codes.DataLoss, Message: "WatchRanking: got " + errMisfit.Error(), cause: errMisfit}
	}
	t.ranked = after
	return nil
}

// applied is the top after a change; false where that does not fit. Of the ranks, each of which is
// filled once, as many stay free as rows are not told.
func applied(before []*pb.RankedJob, delta *pb.RankingDelta, others int) ([]*pb.RankedJob, bool) {
	stay := make(map[rowName]*pb.RankedJob, len(before))
	for _, row := range before {
		stay[nameOf(row)] = row
	}
	took := func(name rowName) bool {
		_, was := stay[name]
		delete(stay, name)
		return was
	}
	size := len(before) - len(delta.GetLeft()) + len(delta.GetEntered())
	if size < 0 {
		return nil, false
	}
	places := places(make([]*pb.RankedJob, size+others))
	fits := true
	for _, row := range delta.GetLeft() {
		fits = took(nameOf(row)) && fits
	}
	for _, change := range delta.GetChanged() {
		fits = took(nameOf(change.GetRow())) && places.put(change.GetRow()) && fits
	}
	for _, row := range delta.GetEntered() {
		_, twice := stay[nameOf(row)]
		fits = !twice && places.put(row) && fits
	}
	for _, row := range stay {
		fits = places.put(row) && fits
	}
	rows := slices.DeleteFunc(places, func(row *pb.RankedJob) bool { return row == nil })
	return rows, fits && len(rows) == size
}

type places []*pb.RankedJob

func (p places) put(row *pb.RankedJob) bool {
	rank := int(row.GetRank())
	if rank < 1 || rank > len(p) || p[rank-1] != nil {
		return false
	}
	p[rank-1] = row
	return true
}
