package integration

import (
	"os"
	"slices"
	"testing"

	"priorityd/kubernetes/test/demo"
)

// Amy comes first with five Jobs, ben then with three: all of ben's are admitted before amy's last.
func TestTheDemoTellsWhoIsAdmittedAndWhy(t *testing.T) {
	must(t, site.StartController("--source=order", "--explain-per-second=50"))
	admitted, err := demo.Play(t.Context(), site, os.Stdout)
	must(t, err)
	if len(admitted) != 8 || admitted[0] != "amy-1" || slices.Index(admitted, "ben-3") > slices.Index(admitted, "amy-5") {
		t.Errorf("got %v, want all, amy's first one first, and ben's last before amy's", admitted)
	}
}
