package controller

import (
	"strings"
	"testing"
	"time"

	"golang.org/x/time/rate"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kube "sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"priorityd/kubernetes/internal/usage"
	"priorityd/kubernetes/internal/workload"
)

// A request for an object without a name, or of a kind that is not served, never succeeds.
func TestALedgerThatNamesNoObjectStopsNoOtherCharge(t *testing.T) {
	open := usage.Ledger{Until: 400, Open: &usage.Attempt{Begin: 100, TRES: workload.TRES{"cpu": 1}, Account: "chem", User: "amy"}}
	var objects []kube.Object
	faults := map[string]string{}
	for name, data := range map[string]map[string]string{
		`kind: got ""`:                {"namespace": "chem", "name": "fold"},
		`kind: got "Workload"`:        {"kind": "Workload", "namespace": "chem", "name": "fold"},
		`name: got ""`:                {"kind": "Job", "namespace": "chem"},
		`namespace: got ""`:           {"kind": "Pod", "name": "fold"},
		`name: got "../nodes/x"`:      {"kind": "Pod", "namespace": "chem", "name": "../nodes/x"},
		`ledger: got nothing`:         {"kind": "Job", "namespace": "chem", "name": "fold"},
		`namespace: got "chem%2fjob"`: {"kind": "Job", "namespace": "chem%2fjob", "name": "fold"},
	} {
		if data["ledger"] = open.String(); name == "ledger: got nothing" {
			delete(data, "ledger")
		}
		uid := string(rune('a' + len(objects)))
		faults[uid] = name
		objects = append(objects, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "priorityd", Name: ledgerPrefix + uid, Labels: map[string]string{ledgerLabel: "plain"}}, Data: data})
	}
	client := fake.NewClientBuilder().WithObjects(objects...).Build()
	book, s := newBook(t), newService()
	writer := &Writer{Client: client, Reader: client, Book: book, Limit: rate.NewLimiter(rate.Inf, 1)}
	ledgers := &ConfigMaps{Client: client, Reader: client, Namespace: "priorityd", Mode: "plain", Limit: writer.Limit}
	all, _, err := ledgers.Load(t.Context())
	if err != nil || len(all) != len(faults) {
		t.Fatalf("got %d ledgers, %v", len(all), err)
	}
	for _, kept := range all {
		if want := faults[string(kept.UID)]; !strings.Contains(kept.Fault, want) || (kept.Name.Name == "") == strings.HasPrefix(want, "ledger") {
			t.Errorf("got %q of %v, want %s", kept.Fault, kept.Name, want)
		}
	}
	accounting := NewAccounting(s, book, writer, ledgers, "k")
	accounting.Now = func() time.Time { return time.Unix(1000, 0) }
	if err := accounting.load(t.Context()); err != nil {
		t.Fatalf("got %v, want all ledgers read", err)
	}
	for range 5 {
		accounting.turn(t.Context())
	}
	var left corev1.ConfigMapList
	if err := client.List(t.Context(), &left, kube.MatchingLabels{ledgerLabel: "plain"}); err != nil || len(left.Items) != 0 {
		t.Errorf("got %v, %v left, want each charged as far as it states, and deleted", left.Items, err)
	}
}
