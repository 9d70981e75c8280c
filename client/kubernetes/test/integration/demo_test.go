package integration

import (
	"os"
	"strings"
	"testing"

	"priorityd/kubernetes/test/demo"
)

// Amy submits five Jobs, then ben three: all of ben's are admitted before the last of amy's, whichever it is, because amy's
// have one submit time.
func TestTheDemoPrintsAdmittedJobsAndTheReasons(t *testing.T) {
	must(t, site.StartController("--source=order", "--explain-per-second=50"))
	admitted, err := demo.Play(t.Context(), site, os.Stdout)
	must(t, err)
	if len(admitted) != 8 || admitted[0] != "amy-1" || !strings.HasPrefix(admitted[7], "amy-") {
		t.Errorf("got %v, want all, amy's first one first, and one of amy's last", admitted)
	}
}
