package integration

import (
	"os"
	"slices"
	"testing"

	"priorityd/kubernetes/test/demo"
)

// Amy submits first: four Jobs, two of which run at a time. The wide one of ben's Jobs is first and waits for both nodes;
// the short one is backfilled on a node that is free meanwhile. The wide one starts before amy's last.
func TestTheDemoOfPlainJobsPrintsStartedJobsAndTheReasons(t *testing.T) {
	startPlain(t, "--explain-per-second=50")
	started, err := demo.PlayPlain(t.Context(), site, os.Stdout)
	must(t, err)
	place := func(name string) int { return slices.Index(started, name) }
	if len(started) != 6 || started[0] != "amy-1" || place("ben-short") > place("ben-wide") || place("ben-wide") > place("amy-4") {
		t.Errorf("got %v, want amy's first one first, ben's short one before his wide one, and that before amy's last", started)
	}
}
