package controller

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"priorityd/kubernetes/internal/workload"
)

// partsOf are the parts of a user's Pods, from all records of a book.
func partsOf(book *Book, user string) (waiting, running []*workload.Record, there int64) {
	for _, r := range book.records {
		if r.User != user {
			continue
		}
		if r.Pending() {
			waiting = append(waiting, r)
		} else if r.Finished.IsZero() && !r.Reserved.IsZero() {
			running = append(running, r)
		}
		if !r.Failed && r.Deleted.IsZero() {
			there++
		}
	}
	slices.SortFunc(waiting, inOrder)
	slices.SortFunc(running, inOrder)
	return waiting, running, there
}

func TestAGangKnowsItsMembersAfterEachOfManyChanges(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	book := NewBook(PlaceOptions{})
	key := gangKey{"chem", "LeaderWorkerSet/a/0"}
	for change := range 3000 {
		name := fmt.Sprint("p", random.IntN(40))
		if known := book.records[types.UID(name)]; known != nil && random.IntN(5) == 0 {
			book.Delete(known)
		} else {
			r := &workload.Record{Kind: workload.KindPod, UID: types.UID(name), Namespace: "chem", Name: name, Version: uint64(change),
				User: []string{"amy", "bob"}[random.IntN(2)], Created: time.Unix(random.Int64N(5), 0), Failed: random.IntN(4) == 0,
				Gang: workload.Gang{Key: key.key, Size: 9}}
			for _, at := range []*time.Time{&r.Reserved, &r.Finished, &r.Deleted} {
				if random.IntN(3) == 0 {
					*at = time.Unix(9, 0)
				}
			}
			book.Put(r)
		}
		for _, user := range []string{"amy", "bob"} {
			g := book.gangs[key]
			if g == nil {
				g = &gang{}
			}
			waiting, running, there := g.parts(user)
			wantWaiting, wantRunning, wantThere := partsOf(book, user)
			if !slices.Equal(waiting, wantWaiting) || !slices.Equal(running, wantRunning) || there != wantThere {
				t.Fatalf("change %d, %s: got %d and %d of %d, want %d and %d of %d", change, user,
					len(waiting), len(running), there, len(wantWaiting), len(wantRunning), wantThere)
			}
		}
	}
	for _, r := range book.Records("") {
		book.Delete(r)
	}
	if len(book.gangs) != 0 {
		t.Errorf("got %d gangs without members kept, want none", len(book.gangs))
	}
}

func TestEqualPodsOfAGangAreOneShape(t *testing.T) {
	var together []*workload.Record
	for i, cpus := range []int64{4, 1, 4, 1, 1} {
		together = append(together, workload.FromPod(gated(fmt.Sprint("p", i), cpus)))
	}
	elsewhere := gated("elsewhere", 4)
	elsewhere.Spec.NodeSelector = map[string]string{"disk": "ssd"}
	a := askOfAll(append(together, workload.FromPod(elsewhere)), time.Hour)
	if a.Pods != 2 || len(a.More) != 2 || a.More[0].Pods != 3 || a.More[1].Pods != 1 || a.More[1].Spec.NodeSelector["disk"] != "ssd" {
		t.Errorf("got %d Pods and %+v, want two, three and the one with a selector", a.Pods, a.More)
	}
}
