package controller

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/go-logr/logr"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/events"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	pb "priorityd/client/priorityv1"
	"priorityd/kubernetes/internal/workload"
)

const (
	explainAgain  = 5 * time.Minute // Where a place is as it was,
	explainMoved  = 3 * time.Second // and where it is not.
	sentencesTold = 2
	mostPlaceText = 1000
)

// Orders are the start orders that somebody follows.
type Orders interface {
	// Names is which there are.
	Names() []string
	// TopOf is one of them as far as it is followed, and how long all of it is. Not to be changed.
	TopOf(name string) ([]*pb.RankedJob, uint32)
	// Why is why somebody in the order does not start, beside those before her; empty = that is not known.
	Why(uid types.UID) string
}

// Explain tells people where a Workload stands and why: an annotation, which follows as fast as PerSecond allows,
// and an Event where the reason is another one.
type Explain struct {
	Service   pb.PriorityServiceClient
	Book      *Book
	Orders    Orders
	Annotator Annotator
	Recorder  events.EventRecorder
	PerSecond int // So many are explained; 0 = none.
	Log       logr.Logger

	told map[types.UID]told
}

// told is what was last said of a Workload.
type told struct {
	at     time.Time
	rank   int
	reason string
}

// Start explains until the context ends.
func (e *Explain) Start(ctx context.Context) error {
	if e.PerSecond <= 0 {
		return nil
	}
	e.told = map[types.UID]told{}
	return inTurns(ctx, nil, time.Second, time.Second, func(ctx context.Context) {
		for _, r := range e.due(time.Now()) {
			if err := e.explain(ctx, r); err != nil {
				if ctx.Err() == nil {
					e.Log.Info("a place is not explained", "workload", r.Key(), "error", err.Error())
				}
				return
			}
		}
	})
}

// due is who is to be told: first those who never were, then those whose place has changed or was told long
// ago, the first of each order first.
func (e *Explain) due(now time.Time) []*workload.Record {
	var never, again []*workload.Record
	for _, queue := range e.Orders.Names() {
		ranked, _ := e.Orders.TopOf(queue)
		for i, row := range ranked {
			r, _ := e.Book.Get(types.UID(row.GetJobId()))
			if r == nil || !r.Pending() {
				continue
			}
			switch told, known := e.told[r.UID]; {
			case !known:
				never = append(never, r)
			case told.isOld(i+1, now):
				again = append(again, r)
			}
		}
	}
	due := append(never, again...)
	return due[:min(len(due), e.PerSecond)]
}

func (t told) isOld(rank int, now time.Time) bool {
	age := now.Sub(t.at)
	return age >= explainAgain || rank != t.rank && age >= explainMoved
}

func (e *Explain) explain(ctx context.Context, r *workload.Record) error {
	place := e.Book.PlaceOf(r)
	answer, err := e.Service.ExplainPriority(ctx, &pb.ExplainPriorityRequest{
		Source: &pb.ExplainPriorityRequest_Tracked{Tracked: &pb.TrackedQueue{}}, JobId: string(r.UID), Partition: place.Partition})
	if err != nil {
		return err
	}
	rank, total := e.rank(r.UID, place.Partition)
	text := PlaceText(answer, rank, total, e.Orders.Why(r.UID))
	reason := reasonOf(answer)
	if before := e.told[r.UID]; before.reason != reason {
		Event(e.Recorder, r, corev1.EventTypeNormal, "Ranked", text)
	}
	e.told[r.UID] = told{time.Now(), rank, reason}
	if text == r.Place {
		return nil
	}
	return e.Annotator.Annotate(ctx, r, Annotations{workload.PlaceAnnotation: &text})
}

// rank is a Workload's place in the order of its ClusterQueue, 0 = not in what is watched of it.
func (e *Explain) rank(uid types.UID, queue string) (rank int, total uint32) {
	ranked, total := e.Orders.TopOf(queue)
	for i, row := range ranked {
		if row.GetJobId() == string(uid) {
			return i + 1, total
		}
	}
	return 0, total
}

// PlaceText is `place 12 of 340; ...`, with why not now, and priorityd's sentences.
func PlaceText(answer *pb.ExplainPriorityResponse, rank int, total uint32, why string) string {
	var parts []string
	switch {
	case answer.GetIneligibleMessage() != "":
		parts = append(parts, "cannot start: "+answer.GetIneligibleMessage())
	case rank > 0:
		parts = append(parts, fmt.Sprintf("place %d of %d", rank, total))
	}
	told := len(parts)
	if why != "" {
		parts = append(parts, why)
	}
	for _, sentence := range answer.GetSentences() {
		if sentence = brief(sentence); sentence != "" && told <= sentencesTold {
			parts = append(parts, sentence)
			told++
		}
	}
	text := strings.Join(parts, "; ")
	return strings.ToValidUTF8(text[:min(len(text), mostPlaceText)], "")
}

// brief is a sentence without what the place says already; the sum of the points says nothing by itself.
func brief(sentence string) string {
	sentence = strings.TrimRight(sentence, ".")
	if _, ahead, ok := strings.Cut(sentence, " in the start order"); ok {
		return strings.TrimLeft(ahead, ": ")
	}
	if strings.Contains(sentence, "is the sum of its points") {
		return ""
	}
	return sentence
}

// reasonOf is what an Event is worth: not that a place has moved by one.
func reasonOf(answer *pb.ExplainPriorityResponse) string {
	if reason := answer.GetIneligibleReason(); reason != "" {
		return reason
	}
	if ahead := answer.GetAhead(); len(ahead) > 0 {
		return ahead[0].GetRule().String() + ahead[0].GetFactor()
	}
	return "first"
}

// Event is one about a Workload, a Job or a Pod.
func Event(recorder events.EventRecorder, r *workload.Record, kind, reason, text string) {
	if recorder == nil {
		return
	}
	object := objectOf(r)
	object.SetUID(r.UID)
	object.GetObjectKind().SetGroupVersionKind(versionOf(r).WithKind(string(r.Kind)))
	recorder.Eventf(object, nil, kind, reason, "Rank", "%s", text)
}

func versionOf(r *workload.Record) schema.GroupVersion {
	switch r.Kind {
	case workload.KindPod:
		return corev1.SchemeGroupVersion
	case workload.KindJob:
		return batchv1.SchemeGroupVersion
	default:
		return kueue.SchemeGroupVersion
	}
}
