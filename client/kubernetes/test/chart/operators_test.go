package chart

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"
)

func TestPrometheusFindsBothAndEachRuleIsOne(t *testing.T) {
	for name, scheme := range map[string]string{"secured": "https", "whole": ""} {
		all := render(t, Sets[name])
		for _, of := range []string{"priorityd", "priorityd-kubernetes"} {
			deployment, _ := typed[appsv1.Deployment](t, all, "Deployment "+of)
			spec := all["PodMonitor "+of].Object["spec"].(map[string]any)
			endpoint := spec["podMetricsEndpoints"].([]any)[0].(map[string]any)
			selector := metav1.LabelSelector{}
			if err := runtime.DefaultUnstructuredConverter.FromUnstructured(spec["selector"].(map[string]any), &selector); err != nil {
				t.Fatal(err)
			}
			if !selects(t, &selector, deployment) || !hasPort(deployment.Spec.Template.Spec, endpoint["port"].(string)) {
				t.Errorf("%s: %s is not scraped by %v", name, of, spec)
			}
			if of == "priorityd" && (fmt.Sprint(endpoint["scheme"]) != scheme && scheme != "" || deployment.Spec.Template.Labels[spec["jobLabel"].(string)] != "priorityd") {
				t.Errorf("%s: got %v", name, spec)
			}
			promtool(t, all["PrometheusRule "+of].Object["spec"])
		}
	}
}

// promtool checks rules by Prometheus' own tool, if it is installed.
func promtool(t *testing.T, spec any) {
	t.Helper()
	text, err := yaml.Marshal(spec)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "rules.yml")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	tool, err := exec.LookPath("promtool")
	if err != nil {
		t.Log("promtool is not installed")
		return
	}
	if output, err := exec.Command(tool, "check", "rules", file).CombinedOutput(); err != nil {
		t.Errorf("%s\n%s", output, text)
	}
}

func TestACommitWaitsForAStandbyAndIsArchived(t *testing.T) {
	nested := func(object *unstructured.Unstructured, fields ...string) any {
		value, _, _ := unstructured.NestedFieldNoCopy(object.Object, fields...)
		return value
	}
	for name, durability := range map[string]any{"whole": "required", "two databases": "preferred", "one database": nil} {
		all := render(t, Sets[name])
		cluster := all["Cluster priorityd-db"]
		if got := nested(cluster, "spec", "postgresql", "synchronous", "dataDurability"); got != durability {
			t.Errorf("%s: got %v, want %v", name, got, durability)
		}
		for _, kind := range []string{"Cluster", "ObjectStore", "ScheduledBackup"} {
			if object := all[kind+" priorityd-db"]; object != nil && object.GetAnnotations()["helm.sh/resource-policy"] != "keep" {
				t.Errorf("%s: helm uninstall deletes the %s", name, kind)
			}
		}
		// docs/production.md, Create the database: 37 connections of a replica. During an update there is one more.
		replicas, _ := typed[appsv1.Deployment](t, all, "Deployment priorityd")
		connections, _ := strconv.Atoi(nested(cluster, "spec", "postgresql", "parameters", "max_connections").(string))
		if want := 37*(int(*replicas.Spec.Replicas)+replicas.Spec.Strategy.RollingUpdate.MaxSurge.IntValue()) + 20; connections != want {
			t.Errorf("%s: got %d connections, want %d", name, connections, want)
		}
		container := replicas.Spec.Template.Spec.Containers[0]
		if from := container.Env[0].ValueFrom.SecretKeyRef; from.Name != "priorityd-db-app" || from.Key != "uri" {
			t.Errorf("%s: the URL is in %v", name, from)
		}
		if container.Env[1].Name != "PGSSLMODE" || container.Env[1].Value != "verify-full" {
			t.Errorf("%s: got %v", name, container.Env)
		}
	}
	all := render(t, Sets["whole"])
	plugin := nested(all["Cluster priorityd-db"], "spec", "plugins").([]any)[0].(map[string]any)
	store := all["ObjectStore "+plugin["parameters"].(map[string]any)["barmanObjectName"].(string)]
	backup := all["ScheduledBackup priorityd-db"]
	if plugin["isWALArchiver"] != true || nested(store, "spec", "configuration", "destinationPath") != "s3://backups/priorityd" ||
		nested(store, "spec", "retentionPolicy") != "30d" || nested(backup, "spec", "cluster", "name") != "priorityd-db" ||
		nested(backup, "spec", "pluginConfiguration", "name") != plugin["name"] {
		t.Errorf("got %v, %v, %v", plugin, store, backup)
	}
}
