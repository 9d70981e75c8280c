package weights

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"priorityd/kubernetes/test/plane"
)

// freeAddress is an address of this host that nothing listens on.
func freeAddress() string { return fmt.Sprint("127.0.0.1:", plane.FreePort()) }

func TestTheProgramFollowsRecalculationsAndShowsMetrics(t *testing.T) {
	objects := map[string]*unstructured.Unstructured{}
	for _, account := range []string{"one", "two"} {
		objects[account] = create(t, fmt.Sprintf(`{apiVersion: scheduling.volcano.sh/v1beta1, kind: Queue, metadata: {name: %s}, spec: {weight: 1}}`, account))
	}
	must(t, use(t.Context(), map[string]float64{"one": 1, "two": 1}))
	group := map[string]any{"target": "volcano-queue", "name": "v", "parent": "lab", "interval": "0s", "step": 100, "deadBand": 0.01}
	config := configured(t, []any{group})
	shown, health := freeAddress(), freeAddress()
	var log bytes.Buffer
	command := exec.Command(program, "--config="+config, "--priorityd="+site.Priorityd.Address, "--kubeconfig="+account(t), "--poll=1s",
		"--metrics-bind-address="+shown, "--health-probe-bind-address="+health)
	command.Stdout, command.Stderr = &log, &log
	must(t, command.Start())
	defer func() {
		command.Process.Signal(os.Interrupt)
		if err := command.Wait(); err != nil {
			t.Errorf("it ends with %v\n%s", err, &log)
		}
	}()
	first := 0.0
	eventually(t, "the first weights", func() error {
		// Shares of 1/4 and 3/4 and equal usage: LevelFS is 1/2 and 3/2, and the weights are as 1 and 9.
		if first = field(t, again(t, objects["two"]), "spec.weight"); first != 180 {
			return fmt.Errorf("got %v, want 180", first)
		}
		return nil
	})
	must(t, use(t.Context(), map[string]float64{"two": 8}))
	eventually(t, "the next weights", func() error {
		if now := field(t, again(t, objects["two"]), "spec.weight"); now >= first {
			return fmt.Errorf("got %v, want less than %v", now, first)
		}
		return nil
	})
	eventually(t, "the metrics of these weights", func() error {
		page, err := read("http://" + shown + "/metrics")
		if err != nil {
			return err
		}
		for _, want := range []string{fmt.Sprintf(`priorityd_weights_value{group="v",queue="two"} %v`, field(t, again(t, objects["two"]), "spec.weight")),
			`priorityd_weights_level_fs{account="two",group="v"} `, `priorityd_weights_writes_total{group="v"} `, `priorityd_weights_success_timestamp_seconds{group="v"} `} {
			if !strings.Contains(page, want) {
				return fmt.Errorf("want %s in\n%s", want, page)
			}
		}
		return nil
	})
	eventually(t, "readiness", func() error {
		answer, err := read("http://" + health + "/readyz")
		if err == nil && answer != "ok\n" {
			err = fmt.Errorf("got %q", answer)
		}
		return err
	})
}

func read(url string) (string, error) {
	answer, err := http.Get(url)
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	return string(text), err
}
