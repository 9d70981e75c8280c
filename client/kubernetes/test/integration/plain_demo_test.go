package integration

import (
	"os"
	"slices"
	"testing"

	"priorityd/kubernetes/test/demo"
)

// Amy comes first with four Jobs, two of which run at a time. Ben's wide one waits for both nodes, and his short one passes
// it on the first that is free; the wide one starts before amy's last.
func TestTheDemoOfPlainJobsTellsWhoStartsAndWhy(t *testing.T) {
	startPlain(t, "--explain-per-second=50")
	started, err := demo.PlayPlain(t.Context(), site, os.Stdout)
	must(t, err)
	place := func(name string) int { return slices.Index(started, name) }
	if len(started) != 6 || place("ben-short") != 2 || place("ben-wide") > place("amy-4") {
		t.Errorf("got %v, want amy's first two, ben's short one, and his wide one before amy's last", started)
	}
}
