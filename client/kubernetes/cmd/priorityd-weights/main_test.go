package main

import (
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"priorityd/kubernetes/internal/weigher"
	"priorityd/kubernetes/test/chart"
)

func TestTheChartGivesFlagsAndAConfigurationThatThereAre(t *testing.T) {
	objects, err := chart.Render("../../charts/priorityd-kubernetes", "priorityd", chart.Sets["weights"])
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for _, object := range objects {
		switch object.GetKind() + " " + object.GetName() {
		case "ConfigMap priorityd-weights":
			text, _, _ := unstructured.NestedString(object.Object, "data", "weights.yaml")
			config, err := weigher.ParseConfig([]byte(text))
			if err != nil || len(config.Groups) != 6 || config.Groups[0].Queues["chem"] != "team-chem" {
				t.Errorf("got %+v, %v", config, err)
			}
			checked++
		case "Deployment priorityd-weights":
			containers, _, _ := unstructured.NestedSlice(object.Object, "spec", "template", "spec", "containers")
			arguments, _, _ := unstructured.NestedStringSlice(containers[0].(map[string]any), "args")
			set := flag.NewFlagSet("", flag.ContinueOnError)
			f := defineFlags(set)
			if err := set.Parse(arguments); err != nil || f.config != "/etc/priorityd-weights/weights.yaml" || f.poll != 10*time.Second || f.ca == "" || f.tokenFile == "" {
				t.Errorf("got %+v, %v", f, err)
			}
			checked++
		}
	}
	if checked != 2 {
		t.Errorf("got %d objects, want the ConfigMap and the Deployment", checked)
	}
}

func TestACommandOutOfPlaceIsNamed(t *testing.T) {
	for _, c := range []struct {
		arguments []string
		poll      time.Duration
		want      string
	}{{nil, time.Minute, ""}, {[]string{"undo"}, time.Minute, ""}, {[]string{"redo"}, time.Minute, "redo"},
		{[]string{"once", "--dry-run"}, time.Minute, "after all flags"}, {nil, 0, "--poll"}, {nil, 2 * time.Hour, "--poll"}} {
		f := flags{poll: c.poll}
		if _, err := f.command(c.arguments); (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: got %v, want %q", c.arguments, err, c.want)
		}
	}
}

func TestAProgramForSlurmOnlyNeedsNoKubernetes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "weights.yaml")
	if err := os.WriteFile(path, []byte("groups: [{target: slurm, slurm: {cluster: old, stateFile: /x}}]"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("KUBECONFIG", "/nonexistent")
	f := defineFlags(flag.NewFlagSet("", flag.ContinueOnError))
	f.config = path
	follower, end, err := f.follower("once", io.Discard)
	if err != nil || len(follower.Groups) != 1 {
		t.Fatalf("got %v", err)
	}
	end()
}
