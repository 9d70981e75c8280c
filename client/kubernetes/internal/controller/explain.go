package controller

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/go-logr/logr"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/events"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	pb "priorityd.internal/client/priorityv1"
	"priorityd/kubernetes/internal/forecast"
	"priorityd/kubernetes/internal/workload"
)

const (
	explainAgain  = 5 * time.Minute // For an unchanged place,
	explainMoved  = 3 * time.Second // and for a changed one.
	mostSentences = 2
	mostPlaceText = 1000
	mostNote      = 1024 // Of an Event, which the API server refuses otherwise.
	fewestKept    = 1000
)

// Orders are the start orders that the controller follows.
type Orders interface {
	// Names are the names of the orders.
	Names() []string
	// TopOf is the followed top of an order, and the order's whole length. Must not be changed.
	TopOf(name string) ([]*pb.RankedJob, uint32)
	// Why is the reason why a Workload in the order does not start, apart from those before it; empty = not known.
	Why(uid types.UID) string
}

// Explain shows users the place of a Workload and its reason: as an annotation, updated within the rate PerSecond,
// and as an Event when the reason changes, or the forecast of its start moves materially.
type Explain struct {
	Service   pb.PriorityServiceClient
	Book      *Book
	Orders    Orders
	Annotator Annotator
	Recorder  events.EventRecorder
	PerSecond int  // The most explanations in a second; 0 = none.
	Forecasts bool // Events have the forecast of the start.
	Log       logr.Logger

	last map[types.UID]explanation
	most int // The length of last at which what no longer waits is forgotten.
}

// explanation is the last explanation of a Workload.
type explanation struct {
	at     time.Time
	rank   int
	reason string
	start  *forecast.Forecast // Of the last Event; nil = none.
}

// Start explains until the context ends.
func (e *Explain) Start(ctx context.Context) error {
	if e.PerSecond <= 0 {
		return nil
	}
	e.last = map[types.UID]explanation{}
	return inTurns(ctx, nil, time.Second, time.Second, e.turn)
}

// turn explains what is due. What only one Workload is refused delays no other.
func (e *Explain) turn(ctx context.Context) {
	e.forget()
	for _, r := range e.due(time.Now()) {
		err := e.explain(ctx, r)
		if err != nil && ctx.Err() == nil {
			e.Log.Info("place not explained", "workload", r.Key(), "error", err.Error())
		}
		if err != nil && !isOfOne(err) && !concernsOne(err) {
			return
		}
	}
}

// forget deletes the explanations of work that no longer waits, whenever their number has doubled.
func (e *Explain) forget() {
	if len(e.last) < e.most {
		return
	}
	maps.DeleteFunc(e.last, func(uid types.UID, _ explanation) bool {
		r, _ := e.Book.Get(uid)
		return r == nil || !r.Pending()
	})
	e.most = max(2*len(e.last), fewestKept)
}

// due are the Workloads to explain: first those without an explanation, then those with an old one or a changed
// place, each in start order.
func (e *Explain) due(now time.Time) []*workload.Record {
	var never, again []*workload.Record
	for _, queue := range e.Orders.Names() {
		ranked, _ := e.Orders.TopOf(queue)
		for i, row := range ranked {
			r, _ := e.Book.Get(types.UID(row.GetJobId()))
			if r == nil || !r.Pending() {
				continue
			}
			switch last, known := e.last[r.UID]; {
			case !known:
				never = append(never, r)
			case last.isOld(i+1, now):
				again = append(again, r)
			}
		}
	}
	due := append(never, again...)
	return due[:min(len(due), e.PerSecond)]
}

func (x explanation) isOld(rank int, now time.Time) bool {
	age := now.Sub(x.at)
	return age >= explainAgain || rank != x.rank && age >= explainMoved
}

// isNewsAfter reports whether a changed reason or forecast is worth an Event; a move by one place is not.
func (x explanation) isNewsAfter(last explanation) bool {
	return x.reason != last.reason || x.start != nil && (last.start == nil || x.start.MovedFrom(*last.start, x.at))
}

func (e *Explain) explain(ctx context.Context, r *workload.Record) error {
	place := e.Book.PlaceOf(r)
	answer, err := e.Service.ExplainPriority(ctx, &pb.ExplainPriorityRequest{
		Source: &pb.ExplainPriorityRequest_Tracked{Tracked: &pb.TrackedQueue{}}, JobId: string(r.UID), Partition: place.Partition})
	rank, total := e.rank(r.UID, place.Partition)
	if isOfOne(err) { // It has its next turn with the others.
		e.last[r.UID] = explanation{at: time.Now(), rank: rank}
	}
	if err != nil {
		return err
	}
	text := PlaceText(answer, rank, total, e.Orders.Why(r.UID))
	sentence, next := "", explanation{at: time.Now(), rank: rank, reason: reasonOf(answer)}
	if start, ok := forecast.Of(answer.GetForecast()); ok && e.Forecasts {
		next.start, sentence = &start, answer.GetForecast().GetSentence()
	}
	if last := e.last[r.UID]; next.isNewsAfter(last) {
		Event(e.Recorder, r, corev1.EventTypeNormal, "Ranked", withSentence(text, sentence))
	} else {
		next.start = last.start
	}
	e.last[r.UID] = next
	if text == r.Place {
		return nil
	}
	return e.Annotator.Annotate(ctx, r, Annotations{workload.PlaceAnnotation: &text})
}

// rank is a Workload's place in the order of its ClusterQueue, 0 = not in the watched top.
func (e *Explain) rank(uid types.UID, queue string) (rank int, total uint32) {
	ranked, total := e.Orders.TopOf(queue)
	for i, row := range ranked {
		if row.GetJobId() == string(uid) {
			return i + 1, total
		}
	}
	return 0, total
}

// PlaceText is `place 12 of 340; ...`, with the reason of the wait, and priorityd's sentences.
func PlaceText(answer *pb.ExplainPriorityResponse, rank int, total uint32, why string) string {
	var parts []string
	switch {
	case answer.GetIneligibleMessage() != "":
		parts = append(parts, "cannot start: "+answer.GetIneligibleMessage())
	case rank > 0:
		parts = append(parts, fmt.Sprintf("place %d of %d", rank, total))
	}
	shown := len(parts)
	if why != "" {
		parts = append(parts, why)
	}
	for _, sentence := range answer.GetSentences() {
		if sentence = brief(sentence); sentence != "" && shown <= mostSentences {
			parts = append(parts, sentence)
			shown++
		}
	}
	return cut(strings.Join(parts, "; "), mostPlaceText)
}

// withSentence is the text of a place with the sentence of its forecast; empty = none.
func withSentence(place, sentence string) string {
	if sentence == "" {
		return place
	}
	sentence = cut("; "+sentence, mostPlaceText/2)
	return cut(place, mostPlaceText-len(sentence)) + sentence
}

// cut is the first part of a text, of at most so many bytes.
func cut(text string, most int) string {
	return strings.ToValidUTF8(text[:min(len(text), most)], "")
}

// brief is a sentence without the place, which the text already has; empty for the sum of the points.
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

// reasonOf is the reason whose change is worth an Event.
func reasonOf(answer *pb.ExplainPriorityResponse) string {
	if reason := answer.GetIneligibleReason(); reason != "" {
		return reason
	}
	if ahead := answer.GetAhead(); len(ahead) > 0 {
		return ahead[0].GetRule().String() + ahead[0].GetFactor()
	}
	return "first"
}

// Event publishes an Event about a Workload, a Job or a Pod.
func Event(recorder events.EventRecorder, r *workload.Record, kind, reason, text string) {
	if recorder == nil {
		return
	}
	object := objectOf(r)
	object.SetUID(r.UID)
	object.GetObjectKind().SetGroupVersionKind(versionOf(r).WithKind(string(r.Kind)))
	recorder.Eventf(object, nil, kind, reason, "Rank", "%s", cut(text, mostNote))
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
