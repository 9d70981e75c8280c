package integration

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	pb "priorityd.internal/client/priorityv1"
	"priorityd/kubernetes/internal/forecast"
	"priorityd/kubernetes/internal/workload"
)

// priorityd forecasts from the first start of a job that it has seen waiting.
func TestAWaitingWorkloadStatesWhenItStartsUntilThatIsSwitchedOff(t *testing.T) {
	ctx := t.Context()
	flags := []string{"--source=order", "--explain-per-second=20"}
	must(t, site.CreateClusterQueue(ctx, "forecast", map[corev1.ResourceName]string{"cpu": "1"}))
	must(t, site.CreateNamespace(ctx, "forecast", "forecast"))
	must(t, site.StartController(flags...))
	first := submit(t, "forecast", "first", "amy", 1)
	eventually(t, "the first", func() error { return admitted(ctx, first) })
	running := submit(t, "forecast", "runs", "amy", 1)
	awaitSeen(t, running)
	finish(t, first)
	eventually(t, "the second", func() error { return admitted(ctx, running) })
	waiting := submit(t, "forecast", "waits", "ben", 1)
	awaitForecast(t, waiting)
	must(t, site.StartController(flags...)) // It asks when it starts; the next time is in a minute.
	awaitStated(t, waiting)
	eventually(t, "the Event", func() error { return stateOfEvent(t, waiting) })
	must(t, site.StartController(append(flags, "--start-forecasts=false")...))
	eventually(t, "the annotation is removed", func() error {
		must(t, site.Client.Get(ctx, client.ObjectKeyFromObject(waiting), waiting))
		if text, ok := waiting.Annotations[workload.ForecastAnnotation]; ok {
			return errors.New(text)
		}
		return nil
	})
	finish(t, running)
	eventually(t, "the third", func() error { return admitted(ctx, waiting) })
	finish(t, waiting)
}

func TestAWaitingPodStatesWhenItStartsAndItsOwnerCannot(t *testing.T) {
	ctx := t.Context()
	startPlain(t)
	allowUsers(t)
	createNamespace(t, "plain-forecast")
	create := func(name string) *corev1.Pod {
		p := gatedPod("plain-forecast", name, 2)
		must(t, site.Client.Create(ctx, p))
		return p
	}
	first := create("first")
	create("second")
	awaitFull(t, 2, 0, "plain-forecast")
	awaitSeen(t, create("third"))
	endPod(t, first)
	awaitFull(t, 2, 0, "plain-forecast")
	waiting := create("waits")
	awaitForecast(t, waiting)
	must(t, site.StartController("--source=plain", "--mode=plain", "--explain-per-second=20"))
	awaitStated(t, waiting)
	amy, err := site.As("amy")
	must(t, err)
	awaitTurnPolicies(t, amy, "plain-forecast")
	before := waiting.DeepCopy()
	waiting.Annotations[workload.ForecastAnnotation] = "at once"
	if err := amy.Patch(ctx, waiting, client.MergeFrom(before)); !apierrors.IsInvalid(err) && !apierrors.IsForbidden(err) {
		t.Errorf("got %v, want that users write no forecasts", err)
	}
}

// awaitSeen waits until priorityd has seen that an object waits.
func awaitSeen(t *testing.T, object client.Object) {
	t.Helper()
	eventually(t, "priorityd sees that it waits", func() error {
		_, err := answerOf(t, object)
		return err
	})
}

// awaitForecast waits until priorityd forecasts the start of an object from starts that it has seen.
func awaitForecast(t *testing.T, object client.Object) {
	t.Helper()
	eventually(t, "a forecast of priorityd", func() error {
		_, err := forecastOf(t, object)
		return err
	})
}

func forecastOf(t *testing.T, object client.Object) (forecast.Forecast, error) {
	answer, err := answerOf(t, object)
	if err != nil {
		return forecast.Forecast{}, err
	}
	found, ok := forecast.Of(answer)
	if !ok {
		return found, fmt.Errorf("got %v", answer)
	}
	return found, nil
}

func answerOf(t *testing.T, object client.Object) (*pb.StartForecast, error) {
	answer, err := site.Priorityd.Calls.ForecastStarts(t.Context(),
		&pb.ForecastStartsRequest{JobIds: []string{string(object.GetUID())}, Levels: forecast.Levels})
	if err != nil {
		return nil, err
	}
	if len(answer.GetForecasts()) != 1 {
		return nil, fmt.Errorf("got %v, want one", answer.GetForecasts())
	}
	return answer.GetForecasts()[0], nil
}

// awaitStated waits until an object has the forecast of priorityd as its annotation.
func awaitStated(t *testing.T, object client.Object) {
	t.Helper()
	eventually(t, "the annotation", func() error {
		must(t, site.Client.Get(t.Context(), client.ObjectKeyFromObject(object), object))
		text := object.GetAnnotations()[workload.ForecastAnnotation]
		stated, ok := forecast.Parse(text)
		want, err := forecastOf(t, object)
		if err == nil && (!ok || stated.Source != want.Source || want.MovedFrom(stated, time.Now())) {
			err = fmt.Errorf("got %q, want %s", text, want.Text())
		}
		return err
	})
}

// stateOfEvent is nil once an Event of an object has its place and the forecast.
func stateOfEvent(t *testing.T, object client.Object) error {
	var list eventsv1.EventList
	if err := site.Client.List(t.Context(), &list, client.InNamespace(object.GetNamespace())); err != nil {
		return err
	}
	var notes []string
	for _, e := range list.Items {
		if e.Reason == "Ranked" && e.Regarding.UID == object.GetUID() {
			notes = append(notes, e.Note)
			if strings.HasPrefix(e.Note, "place 1 of 1; ") && strings.Contains(e.Note, "; It starts ") {
				t.Log(e.Note)
				return nil
			}
		}
	}
	return fmt.Errorf("got %q", notes)
}
