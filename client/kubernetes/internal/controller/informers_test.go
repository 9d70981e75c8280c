package controller

import (
	"context"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/cache/informertest"

	"priorityd/kubernetes/internal/workload"
)

// Without its map a namespace would be charged to the account of its name, and with --provision that account would be created.
func TestNothingBeginsWithoutTheMapOfAccounts(t *testing.T) {
	book, informers := newBook(t), &informertest.FakeInformers{}
	var reports []string
	synced, err := follow(t.Context(), informers, book, watched{}, types.NamespacedName{Namespace: "priorityd", Name: "accounts"},
		func(err error) { reports = append(reports, err.Error()) })
	if err != nil {
		t.Fatal(err)
	}
	source, err := informers.FakeInformerFor(t.Context(), &corev1.ConfigMap{})
	if err != nil {
		t.Fatal(err)
	}
	config := func(accounts string) *corev1.ConfigMap {
		return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "priorityd", Name: "accounts"}, Data: map[string]string{"accounts": accounts}}
	}
	waits := func() bool {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		return synced(ctx) != nil
	}
	account := func() string { return book.PlaceOf(&workload.Record{Namespace: "chem"}).Account }
	if !waits() || hasAccounts(book)(nil) == nil {
		t.Error("it begins without the ConfigMap")
	}
	source.Add(config("chem"))
	if !waits() || hasAccounts(book)(nil) == nil {
		t.Error("it begins with a ConfigMap that is rejected")
	}
	source.Update(config("chem"), config("chem lab"))
	if err := synced(t.Context()); err != nil || hasAccounts(book)(nil) != nil || account() != "lab" {
		t.Errorf("got %v and %q, want lab", err, account())
	}
	source.Update(config("chem lab"), config("chem lab more"))
	source.Delete(config("chem lab more"))
	if waits() || account() != "lab" {
		t.Errorf("got %q, want the last contents", account())
	}
	for i, want := range []string{"until the ConfigMap priorityd/accounts is read", "line 1: got \"chem\"", "line 1: got \"chem lab more\"", "was deleted"} {
		if len(reports) != 4 || !strings.Contains(reports[i], want) {
			t.Errorf("got %q, want %q", reports, want)
		}
	}
}

func TestLedgersAreNotKeptInMemoryWithTheMapOfAccounts(t *testing.T) {
	for object, by := range cached(Options{Plain: true, Accounts: types.NamespacedName{Namespace: "priorityd", Name: "accounts"}}) {
		if _, ok := object.(*corev1.ConfigMap); !ok {
			continue
		}
		of := by.Namespaces["priorityd"].FieldSelector
		if len(by.Namespaces) != 1 || of == nil || !of.Matches(fields.Set{"metadata.name": "accounts"}) || of.Matches(fields.Set{"metadata.name": ledgerPrefix + "x"}) {
			t.Errorf("got %+v, want the ConfigMap of the accounts only", by.Namespaces)
		}
		return
	}
	t.Error("the ConfigMap of the accounts is not watched")
}

func TestWorkOfNamespacesOfSlurmBridgeIsNotOurs(t *testing.T) {
	book := NewBook(PlaceOptions{Slurms: map[string]bool{"bridge": true}})
	for namespace, ours := range map[string]bool{"bridge": false, "chem": true} {
		pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{UID: types.UID(namespace), Namespace: namespace, Labels: map[string]string{workload.QueueLabel: "main"}},
			Spec: corev1.PodSpec{SchedulingGates: []corev1.PodSchedulingGate{{Name: workload.Gate}}}}
		bookOne(book, pod, true)
		if r, _ := book.Get(pod.UID); (r != nil) != ours {
			t.Errorf("%s: got the record %v, want one: %v", namespace, r, ours)
		}
	}
}
