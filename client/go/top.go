package client

import (
	"cmp"
	"errors"
	"maps"
	"regexp"
	"slices"
	"strings"

	"google.golang.org/grpc/codes"

	pb "priorityd.internal/client/priorityv1"
)

// Top is the state that the answers of WatchRanking add up to. Not safe for concurrent use.
type Top struct {
	ranked     []*pb.RankedJob
	ineligible []*pb.IneligibleJob
}

// Ranked are the rows in start order. Later answers do not change this slice.
func (t *Top) Ranked() []*pb.RankedJob { return t.ranked }

// Ineligible are the jobs that cannot start, if the request asked for them, in the order of their job
// ids: digits as numbers. Later answers do not change this slice.
func (t *Top) Ineligible() []*pb.IneligibleJob { return t.ineligible }

var errMisfit = errors.New("a change that does not fit the state before it")

type rowName struct{ jobID, partition, qos string }

func nameOf(row interface {
	GetJobId() string
	GetPartition() string
	GetQos() string
}) rowName {
	return rowName{row.GetJobId(), row.GetPartition(), row.GetQos()}
}

// Apply applies the next answer: DATA_LOSS, and no change, if it does not fit the one before.
func (t *Top) Apply(answer *pb.WatchRankingResponse) error {
	if state := answer.GetState(); state != nil {
		t.ranked, t.ineligible = state.GetRanked(), state.GetIneligible()
		return nil
	}
	ranked, rowsFit := applied(t.ranked, answer.GetDelta(), int(answer.GetOthers()))
	ineligible, jobsFit := ineligibleAfter(t.ineligible, answer.GetDelta())
	if !rowsFit || !jobsFit {
		return &Error{Code: codes.DataLoss, Message: "WatchRanking: got " + errMisfit.Error(), cause: errMisfit}
	}
	t.ranked, t.ineligible = ranked, ineligible
	return nil
}

// applied is the top after a change; false if the change does not fit. It fills each rank once; as many
// ranks stay empty as the service hides rows.
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

// ineligibleAfter are the jobs that cannot start after a change; false if the change removes an
// unknown one.
func ineligibleAfter(before []*pb.IneligibleJob, delta *pb.RankingDelta) ([]*pb.IneligibleJob, bool) {
	if len(delta.GetIneligible()) == 0 && len(delta.GetNoLongerIneligible()) == 0 {
		return before, true
	}
	jobs := make(map[string]*pb.IneligibleJob, len(before))
	for _, job := range before {
		jobs[job.GetJobId()] = job
	}
	for _, id := range delta.GetNoLongerIneligible() {
		if _, was := jobs[id]; !was {
			return nil, false
		}
		delete(jobs, id)
	}
	for _, job := range delta.GetIneligible() {
		jobs[job.GetJobId()] = job
	}
	return slices.SortedFunc(maps.Values(jobs), func(a, b *pb.IneligibleJob) int {
		return compareIDs(a.GetJobId(), b.GetJobId())
	}), true
}

var runs = regexp.MustCompile(`[0-9]+|[^0-9]+`)

// compareIDs is the service's order of job ids: run by run, digits as numbers, then as text.
func compareIDs(a, b string) int {
	order := slices.CompareFunc(runs.FindAllString(a, -1), runs.FindAllString(b, -1), compareRuns)
	return cmp.Or(order, strings.Compare(a, b))
}

func compareRuns(a, b string) int {
	if !startsWithDigit(a) || !startsWithDigit(b) {
		return strings.Compare(a, b)
	}
	a, b = strings.TrimLeft(a, "0"), strings.TrimLeft(b, "0")
	return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b))
}

func startsWithDigit(run string) bool { return '0' <= run[0] && run[0] <= '9' }
