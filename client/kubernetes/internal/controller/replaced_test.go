package controller

import (
	"testing"
	"time"
)

// While the watch was interrupted a Pod was deleted, and another created under its name: the informer reports an update.
func TestAPodThatWasReplacedUnderItsNameHasEnded(t *testing.T) {
	s := newPlainSite(t, 2)
	s.service.order = []string{"a"}
	s.pod("a", 2)
	s.turns("a")
	s.bind()
	a := s.accounting()
	a.turn(t.Context())
	before := s.pods()[0]
	after := gated("a", 2)
	after.Namespace, after.UID = "chem", "other"
	s.now = s.now.Add(100 * time.Second)
	handler.OnUpdate(onPod(s.Book, s.Machine), &before, after)
	if first(s.Book.Get("a")) != nil || first(s.Book.Get("other")) == nil || len(s.Machine.On(s.now, nil, s.limit)) != 0 {
		t.Error("got the replaced Pod still there, want only the new one, which holds no room")
	}
	for range 4 {
		a.turn(t.Context())
	}
	s.now = s.now.Add(1000 * time.Second)
	a.turn(t.Context())
	if got := s.service.seconds(); got != 100 {
		t.Errorf("got %d seconds charged, want 100", got)
	}
}

// The merge patch of an object that was replaced under its name conflicts: nothing is written, and nobody waits for it.
func TestAWriteToAReplacedObjectIsNoError(t *testing.T) {
	s := newPlainSite(t, 2)
	s.pod("a", 1)
	w := s.Releaser.(*Writer)
	w.Client = &busy{Client: s.client, name: "a", change: 1}
	if err := w.Annotate(t.Context(), first(s.Book.Get("a")), Annotations{}); err != nil {
		t.Errorf("got %v, want none", err)
	}
}
