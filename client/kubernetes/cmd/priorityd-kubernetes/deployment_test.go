package main

import (
	"encoding/json"
	"flag"
	"os"
	"reflect"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"priorityd/kubernetes/test/chart"
)

const (
	chartFolder = "../../charts/priorityd-kubernetes"
	config      = "../../config/"
)

// full enables every option of the chart.
var full = map[string]any{"accounts": "team-* chem", "tokenAudience": "priorityd", "accountingFinalizer": true, "monitoring": true,
	"dashboard": true, "flags": []any{"--top=100"}, "priorityd": map[string]any{"enabled": true, "authSecret": "auth"}}

func render(t *testing.T, values map[string]any) map[string]*unstructured.Unstructured {
	t.Helper()
	objects, err := chart.Render(chartFolder, "priorityd", values)
	if err != nil {
		t.Fatal(err)
	}
	return byName(objects)
}

func byName(objects []*unstructured.Unstructured) map[string]*unstructured.Unstructured {
	all := map[string]*unstructured.Unstructured{}
	for _, object := range objects {
		all[object.GetKind()+" "+object.GetName()] = object
	}
	return all
}

func read(t *testing.T, file string) map[string]*unstructured.Unstructured {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	objects, err := chart.Read(string(text))
	if err != nil {
		t.Fatal(err)
	}
	return byName(objects)
}

func TestTheChartHasTheRightsAndThePolicyOfTheKustomization(t *testing.T) {
	plain := map[string]any{"mode": "plain"}
	for file, values := range map[string]map[string]any{"rbac/role.yaml": nil, "policy/user.yaml": nil, "plain/role.yaml": plain, "plain/turn.yaml": plain} {
		rendered := render(t, values)
		for name, object := range read(t, config+file) {
			if !reflect.DeepEqual(rendered[name], object) {
				t.Errorf("%s: the chart has %v, %s %v", name, rendered[name], file, object)
			}
		}
	}
}

func TestWhatIsNotWantedIsNotThere(t *testing.T) {
	less := render(t, map[string]any{"policy": false})
	for name := range less {
		if strings.Contains(name, "Policy") || strings.Contains(name, "priorityd-turn") || strings.Contains(name, "Monitor") || name == "Deployment priorityd" {
			t.Errorf("there is %s", name)
		}
	}
	all := render(t, full)
	for _, name := range []string{"Deployment priorityd", "Service priorityd", "PodMonitor priorityd-kubernetes",
		"PrometheusRule priorityd-kubernetes", "ConfigMap priorityd-kubernetes-dashboard", "ConfigMap priorityd-accounts"} {
		if all[name] == nil {
			t.Errorf("there is no %s", name)
		}
	}
}

// arguments are the arguments of a Deployment's only container.
func arguments(t *testing.T, deployment *unstructured.Unstructured) []string {
	t.Helper()
	containers, _, _ := unstructured.NestedSlice(deployment.Object, "spec", "template", "spec", "containers")
	arguments, _, err := unstructured.NestedStringSlice(containers[0].(map[string]any), "args")
	if err != nil {
		t.Fatal(err)
	}
	return arguments
}

func TestDeploymentsGiveFlagsThatThereAre(t *testing.T) {
	const deployment = "Deployment priorityd-kubernetes"
	for _, object := range []*unstructured.Unstructured{render(t, nil)[deployment], render(t, full)[deployment],
		read(t, config+"manager/controller.yaml")[deployment]} {
		set := flag.NewFlagSet("", flag.ContinueOnError)
		flags := defineFlags(set)
		if err := set.Parse(arguments(t, object)); err != nil || set.NArg() > 0 {
			t.Fatalf("%v: %v", arguments(t, object), err)
		}
		options, err := flags.options()
		if err != nil || options.Priorityd.Address != "priorityd:7411" || options.LeaderElectionNamespace != "priorityd" ||
			options.LedgerNamespace != "priorityd" || options.ParentAccount != "kubernetes" || !options.Provision {
			t.Errorf("got %+v %v", options, err)
		}
	}
}

func TestTheModeIsSet(t *testing.T) {
	for _, mode := range []string{"kueue", "plain"} {
		set := flag.NewFlagSet("", flag.ContinueOnError)
		flags := defineFlags(set)
		if err := set.Parse(arguments(t, render(t, map[string]any{"mode": mode})["Deployment priorityd-kubernetes"])); err != nil {
			t.Fatal(err)
		}
		if options, err := flags.options(); err != nil || options.Plain != (mode == "plain") {
			t.Errorf("%s: got plain %v, %v", mode, options.Plain, err)
		}
	}
}

func TestForecastsAreWrittenUnlessTheyAreSwitchedOff(t *testing.T) {
	for _, values := range []map[string]any{nil, {"startForecasts": true}, {"startForecasts": false}} {
		set := flag.NewFlagSet("", flag.ContinueOnError)
		flags := defineFlags(set)
		if err := set.Parse(arguments(t, render(t, values)["Deployment priorityd-kubernetes"])); err != nil {
			t.Fatal(err)
		}
		if options, err := flags.options(); err != nil || options.Forecasts != (values["startForecasts"] != false) {
			t.Errorf("%v: got %v, %v", values, options.Forecasts, err)
		}
	}
}

func TestTheDashboardIsOneDocument(t *testing.T) {
	data, _, _ := unstructured.NestedString(render(t, full)["ConfigMap priorityd-kubernetes-dashboard"].Object, "data", "priorityd-kubernetes.json")
	var dashboard struct{ Panels []any }
	if err := json.Unmarshal([]byte(data), &dashboard); err != nil || len(dashboard.Panels) == 0 {
		t.Errorf("got %d panels, %v", len(dashboard.Panels), err)
	}
}

func TestFlagsOutOfRangeAreNamed(t *testing.T) {
	for argument, name := range map[string]string{"--top=0": "--top", "--top=10001": "--top", "--writes-per-second=0": "--writes-per-second",
		"--source=": "--source", "--parent-account=": "--parent-account", "--top=7": "--ledger-namespace", "--mode=both": "--mode", "--default-time-limit=0": "--default-time-limit", "--accounts=x": "--accounts", "--accounting-finalizer-hold=-1s": "--accounting-finalizer-hold", "--priorityd-cert=x": "TLS"} {
		set := flag.NewFlagSet("", flag.ContinueOnError)
		flags := defineFlags(set)
		if err := set.Parse([]string{argument}); err != nil {
			t.Fatal(err)
		}
		if name != "--ledger-namespace" {
			flags.result.LedgerNamespace = "priorityd"
		}
		if _, err := flags.options(); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: got %v, want an error that names %s", argument, err, name)
		}
	}
}
