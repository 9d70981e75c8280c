package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/go-logr/logr"
	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	typed "k8s.io/client-go/kubernetes/typed/events/v1"
	"k8s.io/client-go/tools/events"
	"k8s.io/client-go/tools/reference"

	"priorityd/kubernetes/internal/targets"
)

const (
	mostNote  = 1024 // Bytes, as the API server accepts them.
	eventWait = 10 * time.Second
)

// eventWriter writes each Event before it returns: a program that runs once ends with all of them written. Weights change
// rarely, so nothing is merged.
type eventWriter struct {
	set    typed.EventsV1Interface
	scheme *runtime.Scheme
	log    logr.Logger
}

var _ events.EventRecorder = (*eventWriter)(nil)

// Eventf writes an Event about an object. A failure is logged only: the weight is written already.
func (w *eventWriter) Eventf(regarding, _ runtime.Object, kind, reason, action, note string, arguments ...any) {
	about, err := reference.GetReference(w.scheme, regarding)
	if err != nil {
		w.log.Error(err, "an Event is not written", "reason", reason)
		return
	}
	text := fmt.Sprintf(note, arguments...)
	if len(text) > mostNote {
		text = strings.ToValidUTF8(text[:mostNote], "")
	}
	space := about.Namespace
	if space == "" {
		space = metav1.NamespaceDefault
	}
	now := time.Now()
	event := &eventsv1.Event{
		ObjectMeta: metav1.ObjectMeta{Namespace: space, GenerateName: "priorityd-weights-"},
		EventTime:  metav1.NewMicroTime(now), ReportingController: targets.Manager, ReportingInstance: targets.Manager,
		Regarding: *about, Type: kind, Reason: reason, Action: action, Note: text,
	}
	ctx, cancel := context.WithTimeout(context.Background(), eventWait)
	defer cancel()
	if _, err := w.set.Events(space).Create(ctx, event, metav1.CreateOptions{}); err != nil {
		w.log.Error(err, "an Event is not written", "reason", reason, "name", about.Name)
	}
}
