package weights

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	eventsv1 "k8s.io/api/events/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"priorityd/kubernetes/internal/targets"
	"priorityd/kubernetes/internal/weights"
)

// The weights of usage 4, 2 and 1 with equal shares: LevelFS is as 1, 2 and 4, with a mean of 7/3.
var want = map[string]float64{"chem": 3. / 7, "physics": 6. / 7, "bio": 12. / 7}

const clusterQueue = `{apiVersion: kueue.x-k8s.io/v1beta2, kind: ClusterQueue, metadata: {name: team-%s}, spec: {cohortName: all, namespaceSelector: {}%s,
  resourceGroups: [{coveredResources: [cpu], flavors: [{name: default, resources: [{name: cpu, nominalQuota: 4}]}]}]}}`

// kinds are the objects of each target, before the first write, by account.
var kinds = []struct {
	target  string
	objects map[string]string
	path    string
	value   func(weight float64) float64
}{
	{"kueue-clusterqueue", map[string]string{"chem": fmt.Sprintf(clusterQueue, "chem", ""), "physics": fmt.Sprintf(clusterQueue, "physics", ", fairSharing: {weight: 1}"),
		"bio": fmt.Sprintf(clusterQueue, "bio", ", fairSharing: {weight: '1'}")}, "spec.fairSharing.weight", nil},
	{"kueue-cohort", map[string]string{"chem": `{apiVersion: kueue.x-k8s.io/v1beta2, kind: Cohort, metadata: {name: team-chem}, spec: {parentName: all}}`,
		"physics": `{apiVersion: kueue.x-k8s.io/v1beta2, kind: Cohort, metadata: {name: team-physics}, spec: {parentName: all, fairSharing: {weight: 1}}}`,
		"bio":     `{apiVersion: kueue.x-k8s.io/v1beta2, kind: Cohort, metadata: {name: team-bio}, spec: {parentName: all}}`}, "spec.fairSharing.weight", nil},
	{"kai-queue", map[string]string{
		"chem":    `{apiVersion: scheduling.run.ai/v2, kind: Queue, metadata: {name: team-chem}, spec: {resources: {gpu: {quota: 2, limit: -1, overQuotaWeight: 1}}}}`,
		"physics": `{apiVersion: scheduling.run.ai/v2, kind: Queue, metadata: {name: team-physics}, spec: {resources: {gpu: {quota: 2.5, overQuotaWeight: 1}, cpu: {quota: -1}}}}`,
		"bio":     `{apiVersion: scheduling.run.ai/v2, kind: Queue, metadata: {name: team-bio}, spec: {resources: {gpu: {quota: 2, overQuotaWeight: 1}}}}`},
		"spec.resources.gpu.overQuotaWeight", nil},
	{"kai-priority", map[string]string{
		"chem":    `{apiVersion: scheduling.run.ai/v2, kind: Queue, metadata: {name: team-chem}, spec: {priority: 100}}`,
		"physics": `{apiVersion: scheduling.run.ai/v2, kind: Queue, metadata: {name: team-physics}, spec: {}}`,
		"bio":     `{apiVersion: scheduling.run.ai/v2, kind: Queue, metadata: {name: team-bio}, spec: {priority: 100}}`},
		"spec.priority", func(weight float64) float64 { return math.Round(100 + 10*math.Log2(weight)) }},
	{"volcano-queue", map[string]string{
		"chem":    `{apiVersion: scheduling.volcano.sh/v1beta1, kind: Queue, metadata: {name: team-chem}, spec: {weight: 1, reclaimable: true}}`,
		"physics": `{apiVersion: scheduling.volcano.sh/v1beta1, kind: Queue, metadata: {name: team-physics}, spec: {}}`,
		"bio":     `{apiVersion: scheduling.volcano.sh/v1beta1, kind: Queue, metadata: {name: team-bio}, spec: {weight: 1}}`},
		"spec.weight", func(weight float64) float64 { return math.Round(100 * weight) }},
}

// table is a group whose queues have the prefix team-.
func table(target string, more map[string]any) []any {
	group := map[string]any{"target": target, "step": 4, "queues": map[string]any{"chem": "team-chem", "physics": "team-physics", "bio": "team-bio"}}
	for key, value := range more {
		group[key] = value
	}
	return []any{group}
}

func field(t *testing.T, object *unstructured.Unstructured, path string) float64 {
	t.Helper()
	value, found, err := unstructured.NestedFieldNoCopy(object.Object, strings.Split(path, ".")...)
	number, numberErr := weights.Number(value)
	if !found || err != nil || numberErr != nil {
		t.Fatalf("%s %s: got %v", object.GetName(), path, value)
	}
	return number
}

func spec(t *testing.T, object *unstructured.Unstructured) string {
	t.Helper()
	text, err := json.Marshal(object.Object["spec"])
	must(t, err)
	return string(text)
}

func TestWeightsAreWrittenOnceAndUndone(t *testing.T) {
	for _, kind := range kinds {
		t.Run(kind.target, func(t *testing.T) {
			before := map[string]*unstructured.Unstructured{}
			for account, text := range kind.objects {
				before[account] = again(t, create(t, text))
			}
			if output, err := weigh(t, table(kind.target, nil), "--dry-run", "once"); err != nil || strings.Count(output, "\n+  ") != 3 && kind.value == nil {
				t.Errorf("dry run: %v, want three changes in\n%s", err, output)
			}
			for account, object := range before {
				if now := again(t, object); now.GetResourceVersion() != object.GetResourceVersion() && !strings.HasPrefix(kind.target, "kueue") {
					t.Errorf("%s: the dry run has changed it", account)
				}
			}
			output, err := weigh(t, table(kind.target, nil), "once")
			if err != nil {
				t.Fatalf("%v\n%s", err, output)
			}
			for account, weight := range want {
				value := weight
				if kind.value != nil {
					value = kind.value(weight)
				}
				if got := field(t, again(t, before[account]), kind.path); math.Abs(got-value) > 0.01*math.Abs(value) {
					t.Errorf("%s: got %v, want %v", account, got, value)
				}
			}
			if output, err := weigh(t, table(kind.target, map[string]any{"interval": "0s"}), "once"); err != nil || strings.Contains(output, "+  ") {
				t.Errorf("the same shares again: got %v, want no change in\n%s", err, output)
			}
			checkEvents(t, before["bio"])
			if output, err := weigh(t, table(kind.target, nil), "undo"); err != nil {
				t.Fatalf("%v\n%s", err, output)
			}
			for account, object := range before {
				now := again(t, object)
				if spec(t, now) != spec(t, object) || now.GetAnnotations()[targets.Annotation] != "" {
					t.Errorf("%s: got %s after undo, want %s", account, spec(t, now), spec(t, object))
				}
			}
		})
	}
}

// checkEvents: a change of the object has an Event with both values.
func checkEvents(t *testing.T, object *unstructured.Unstructured) {
	t.Helper()
	var list eventsv1.EventList
	must(t, site.Client.List(t.Context(), &list, client.InNamespace("default")))
	for _, event := range list.Items {
		if event.Regarding.UID == object.GetUID() && event.Reason == "WeightChanged" && strings.Contains(event.Note, `account "bio" has LevelFS `) {
			return
		}
	}
	t.Errorf("%s has no Event WeightChanged", object.GetName())
}

func TestOnlyTheWeightAndTheRecordAreOwned(t *testing.T) {
	object := create(t, kinds[4].objects["chem"])
	create(t, kinds[4].objects["physics"])
	create(t, kinds[4].objects["bio"])
	if output, err := weigh(t, table("volcano-queue", nil), "once"); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	for _, entry := range again(t, object).GetManagedFields() {
		if entry.Manager == targets.Manager {
			var fields map[string]any
			must(t, json.Unmarshal(entry.FieldsV1.Raw, &fields))
			want := map[string]any{"f:metadata": map[string]any{"f:annotations": map[string]any{"f:" + targets.Annotation: map[string]any{}}},
				"f:spec": map[string]any{"f:weight": map[string]any{}}}
			if !reflect.DeepEqual(fields, want) {
				t.Errorf("got %v, want %v", fields, want)
			}
			return
		}
	}
	t.Error("it owns nothing")
}

func TestNoRightReachesBeyondTheQueuesOfTheTable(t *testing.T) {
	for _, account := range []string{"chem", "physics", "bio"} {
		create(t, kinds[4].objects[account])
	}
	other := create(t, `{apiVersion: scheduling.volcano.sh/v1beta1, kind: Queue, metadata: {name: other}, spec: {weight: 1}}`)
	// The rights are those of the table; the configuration has another queue.
	if output, err := weigh(t, table("volcano-queue", nil), "--dry-run", "once"); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	output, err := forbidden(t, strings.ReplaceAll(`{groups: [{target: volcano-queue, queues: {chem: other, physics: team-physics, bio: team-bio}}]}`, "'", `"`))
	if err == nil || !strings.Contains(output, "forbidden") {
		t.Errorf("got %v, want a refusal in\n%s", err, output)
	}
	if got := field(t, again(t, other), "spec.weight"); got != 1 {
		t.Errorf("got %v, want 1", got)
	}
}

func TestAMissingQueueIsNamedAndNeverCreated(t *testing.T) {
	create(t, kinds[4].objects["chem"])
	create(t, kinds[4].objects["physics"])
	output, err := weigh(t, table("volcano-queue", nil), "once")
	if err == nil || !strings.Contains(output, `"team-bio" for account "bio", want a queue that exists`) {
		t.Errorf("got %v\n%s", err, output)
	}
	if _, err := weigh(t, []any{map[string]any{"target": "volcano-queue"}}, "once"); err != nil {
		t.Errorf("queues by the names of accounts, of which there is none: got %v", err)
	}
}

func TestARecordThatSomebodyForgedIsReplacedAndNotRestored(t *testing.T) {
	objects := map[string]*unstructured.Unstructured{}
	for account, text := range kinds[4].objects {
		objects[account] = create(t, text)
	}
	forged := again(t, objects["chem"])
	forged.SetAnnotations(map[string]string{targets.Annotation: `{"former":{"spec.reclaimable":false},"written":"2026-01-01T00:00:00Z"}`})
	must(t, site.Client.Update(t.Context(), forged))
	if output, err := weigh(t, table("volcano-queue", nil), "undo"); err == nil || !strings.Contains(output, "spec.reclaimable") {
		t.Errorf("got %v, want a refusal in\n%s", err, output)
	}
	if output, err := weigh(t, table("volcano-queue", nil), "once"); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	record, err := weights.ReadRecord(again(t, objects["chem"]).GetAnnotations()[targets.Annotation], []string{"spec.weight"}, 0, time.Now())
	if err != nil || !reflect.DeepEqual(record.Former, map[string]any{"spec.weight": 1.}) {
		t.Errorf("got %+v, %v", record, err)
	}
}

// An application of fields by one manager removes those that it applied before.
func TestAnotherTargetOfTheSameQueuesIsRefusedUntilTheFirstOneIsUndone(t *testing.T) {
	before := map[string]*unstructured.Unstructured{}
	for account, text := range kinds[2].objects {
		before[account] = again(t, create(t, text))
	}
	if output, err := weigh(t, table("kai-queue", nil), "once"); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	weighed := again(t, before["bio"])
	for _, command := range []string{"once", "undo"} {
		if output, err := weigh(t, table("kai-priority", nil), command); err == nil || !strings.Contains(output, "got a weight of the target kai-queue, want it undone first") {
			t.Errorf("%s: got %v, want a refusal in\n%s", command, err, output)
		}
	}
	if now := again(t, weighed); now.GetResourceVersion() != weighed.GetResourceVersion() {
		t.Errorf("got %v, want no change of %v", now, weighed)
	}
	for _, step := range []struct{ target, command string }{{"kai-queue", "undo"}, {"kai-priority", "once"}, {"kai-priority", "undo"}} {
		if output, err := weigh(t, table(step.target, nil), step.command); err != nil {
			t.Fatalf("%v: %v\n%s", step, err, output)
		}
	}
	for account, object := range before {
		if now := again(t, object); spec(t, now) != spec(t, object) {
			t.Errorf("%s: got %s, want %s", account, spec(t, now), spec(t, object))
		}
	}
}
