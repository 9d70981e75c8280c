package chart

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	"helm.sh/helm/v3/pkg/lint"
	"helm.sh/helm/v3/pkg/lint/support"
	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"
)

const folder = "../../charts/priorityd-kubernetes"

func render(t *testing.T, values map[string]any) map[string]*unstructured.Unstructured {
	t.Helper()
	objects, err := Render(folder, "space", values)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]*unstructured.Unstructured{}
	for _, object := range objects {
		all[object.GetKind()+" "+object.GetName()] = object
	}
	return all
}

// typed is an object as Kubernetes' own type; false if there is none of that name.
func typed[T any](t *testing.T, all map[string]*unstructured.Unstructured, name string) (T, bool) {
	t.Helper()
	var result T
	object, ok := all[name]
	if !ok {
		return result, false
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, &result); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return result, true
}

// ofEachSet runs a test of the objects that each set of values gives.
func ofEachSet(t *testing.T, test func(t *testing.T, all map[string]*unstructured.Unstructured)) {
	for name, values := range Sets {
		t.Run(name, func(t *testing.T) { test(t, render(t, values)) })
	}
}

func deployments(t *testing.T, all map[string]*unstructured.Unstructured) []appsv1.Deployment {
	t.Helper()
	var found []appsv1.Deployment
	for name := range all {
		if strings.HasPrefix(name, "Deployment ") {
			deployment, _ := typed[appsv1.Deployment](t, all, name)
			found = append(found, deployment)
		}
	}
	return found
}

func TestHelmFindsNoFaultInTheChart(t *testing.T) {
	for name, values := range Sets {
		linter := lint.All(folder, values, "space", true)
		for _, message := range linter.Messages {
			if message.Severity > support.InfoSev {
				t.Errorf("%s: %s", name, message)
			}
		}
	}
}

func TestThePackedChartIsTheSame(t *testing.T) {
	loaded, err := loader.Load(folder)
	if err != nil {
		t.Fatal(err)
	}
	file, err := chartutil.Save(loaded, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	packed, err := Render(file, "space", Sets["secured"])
	if err != nil {
		t.Fatal(err)
	}
	unpacked, err := Render(folder, "space", Sets["secured"])
	if err != nil || !reflect.DeepEqual(packed, unpacked) {
		t.Errorf("%v: it has other objects", err)
	}
}

func TestEachObjectFitsItsSchemaAndHasNoUnknownField(t *testing.T) {
	schemas, err := NewSchemas()
	if err != nil {
		t.Fatal(err)
	}
	ofEachSet(t, func(t *testing.T, all map[string]*unstructured.Unstructured) {
		for name, object := range all {
			if err := schemas.Validate(object); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			spec, _ := object.Object["spec"].(map[string]any)
			if spec == nil {
				continue
			}
			spec["unknownField"] = "x"
			if err := schemas.Validate(object); err == nil || !strings.Contains(err.Error(), "unknownField") {
				t.Errorf("%s with an unknown field: got %v", name, err)
			}
		}
	})
}

// mapsOf calls a function with each map of the values, by its path.
func mapsOf(values map[string]any, path []string, each func(path []string)) {
	each(path)
	for key, value := range values {
		if inner, ok := value.(map[string]any); ok && !slices.Contains([]string{"nodeSelector", "requests"}, key) {
			mapsOf(inner, append(slices.Clone(path), key), each)
		}
	}
}

func TestAnUnknownValueIsRefusedByItsName(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(folder, "values.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]any{}
	if err := yaml.Unmarshal(text, &values); err != nil {
		t.Fatal(err)
	}
	mapsOf(values, nil, func(path []string) {
		changed := map[string]any{"replica": 2}
		for _, key := range slices.Backward(path) {
			changed = map[string]any{key: changed}
		}
		_, err := Render(folder, "space", changed)
		at := ""
		for _, key := range path {
			at += "/" + key
		}
		if want := fmt.Sprintf("at '%s': additional properties 'replica' not allowed", at); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	})
}

func TestAValueOutOfRangeIsRefusedByItsName(t *testing.T) {
	of := func(key string, value any) map[string]any { return map[string]any{"enabled": true, key: value} }
	for want, values := range map[string]map[string]any{
		"/mode":                                      {"mode": "both"},
		"/replicas":                                  {"replicas": 0},
		"/address":                                   {"address": "priorityd"},
		"/flags/0":                                   {"flags": []any{"top=3"}},
		"/priorityd/memory/budget":                   {"priorityd": of("memory", map[string]any{"budget": 8})},
		"/priorityd/authSecret":                      {"priorityd": of("authSecret", "No Name")},
		"/priorityd/databaseSecret":                  {"priorityd": of("databaseSecret", "")},
		"/weights/groups/0/queues/chem":              {"weights": of("groups", []any{map[string]any{"target": "kai-queue", "queues": map[string]any{"chem": ""}}})},
		"/priorityd/networkPolicy/clients/0":         {"priorityd": of("networkPolicy", map[string]any{"clients": []any{map[string]any{}}})},
		"/cloudnativepg/storage":                     {"cloudnativepg": of("storage", "20 GB")},
		"/cloudnativepg/backup/schedule":             {"cloudnativepg": of("backup", map[string]any{"schedule": "0 2 * * *"})},
		"/cloudnativepg/backup/retention":            {"cloudnativepg": of("backup", map[string]any{"retention": "a month"})},
		"cloudnativepg.backup.secret: got none":      {"cloudnativepg": of("backup", map[string]any{"destination": "s3://bucket"})},
		"priorityd.networkPolicy.enabled: got false": {"priorityd": of("networkPolicy", map[string]any{"enabled": false})},
		"priorityd.page: got true":                   {"priorityd": of("page", true)},
	} {
		if _, err := Render(folder, "space", values); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: got %v, want an error with %s", values, err, want)
		}
	}
}

// The texts have what YAML would read as a comment, a map, a number or a new line.
func TestATextOfTheValuesIsWholeWhereItIsUsed(t *testing.T) {
	for _, text := range []string{"site #1", "site: one", "7", "a\n- --mode=plain", "'\"", "{{ .Release.Name }}"} {
		all := render(t, map[string]any{"source": text, "parentAccount": text})
		deployment, _ := typed[appsv1.Deployment](t, all, "Deployment priorityd-kubernetes")
		for _, want := range []string{"--source=" + text, "--parent-account=" + text} {
			if got := deployment.Spec.Template.Spec.Containers[0].Args; !slices.Contains(got, want) {
				t.Errorf("got %q, want %q", got, want)
			}
		}
	}
}

func TestASizeWithoutAUnitFitsTheSchema(t *testing.T) {
	schemas, err := NewSchemas()
	if err != nil {
		t.Fatal(err)
	}
	cluster := render(t, map[string]any{"cloudnativepg": map[string]any{"enabled": true, "storage": "20000000000", "memory": "2000000000"}})["Cluster priorityd-db"]
	if err := schemas.Validate(cluster); err != nil {
		t.Error(err)
	}
}

// leavesOf calls a function with the path of each value that is no map of values.
func leavesOf(values map[string]any, path []string, each func(path []string, value any)) {
	for key, value := range values {
		path := append(slices.Clone(path), key)
		if inner, ok := value.(map[string]any); ok && len(inner) > 0 && key != "resources" {
			leavesOf(inner, path, each)
		} else {
			each(path, value)
		}
	}
}

// byHelm renders as Helm does, for which a missing value is empty.
func byHelm(changed map[string]any) (map[string]string, error) {
	loaded, err := loader.Load(folder)
	if err != nil {
		return nil, err
	}
	kubernetes := chartutil.DefaultCapabilities.Copy()
	kubernetes.KubeVersion = chartutil.KubeVersion{Version: Newest}
	values, err := chartutil.ToRenderValues(loaded, changed, chartutil.ReleaseOptions{Name: "priorityd", Namespace: "space"}, kubernetes)
	if err != nil {
		return nil, err
	}
	return engine.Render(loaded, values)
}

func TestANullIsTheEmptyDefaultOrRefusedByItsName(t *testing.T) {
	loaded, err := loader.Load(folder)
	if err != nil {
		t.Fatal(err)
	}
	rendered := func(changed map[string]any) (map[string]string, error) {
		for _, part := range []string{"priorityd", "cloudnativepg"} {
			of, _ := changed[part].(map[string]any)
			changed[part] = chartutil.CoalesceTables(map[string]any{"enabled": true}, of)
		}
		return byHelm(changed)
	}
	want, err := rendered(map[string]any{})
	if err != nil {
		t.Fatal(err)
	}
	leavesOf(loaded.Values, nil, func(path []string, value any) {
		name := strings.Join(path, ".")
		if slices.Contains([]string{"resources", "priorityd.networkPolicy.monitoring", "priorityd.enabled", "cloudnativepg.enabled"}, name) {
			return // Null has its own meaning: none.
		}
		var changed any
		for _, key := range slices.Backward(path) {
			changed = map[string]any{key: changed}
		}
		got, err := rendered(changed.(map[string]any))
		if filled := !reflect.ValueOf(value).IsZero() && fmt.Sprint(value) != "[]" && fmt.Sprint(value) != "map[]"; filled {
			if missing := fmt.Sprintf("missing property '%s'", path[len(path)-1]); err == nil || !strings.Contains(err.Error(), missing) {
				t.Errorf("%s: got %v, want %s", name, err, missing)
			}
		} else if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %v, or other objects than with %v", name, err, value)
		}
	})
}

func TestAPartOfTheChartThatIsNullIsNotThere(t *testing.T) {
	for _, part := range []string{"priorityd", "cloudnativepg"} {
		with := func(enabled any) map[string]string {
			values := map[string]any{"priorityd": map[string]any{"enabled": true}, "cloudnativepg": map[string]any{"enabled": true}}
			values[part] = map[string]any{"enabled": enabled}
			files, err := byHelm(values)
			if err != nil {
				t.Errorf("%s: %v", part, err)
			}
			return files
		}
		if !reflect.DeepEqual(with(nil), with(false)) {
			t.Errorf("%s: got other objects with null than with false", part)
		}
	}
}

func TestAnOlderKubernetesHasAllButTheStamps(t *testing.T) {
	if _, err := RenderFor("v1.35.4", folder, "space", nil); err == nil || !strings.Contains(err.Error(), "policy: got true with Kubernetes v1.35.4") {
		t.Errorf("got %v", err)
	}
	if _, err := RenderFor("v1.35.4", folder, "space", map[string]any{"policy": false}); err != nil {
		t.Error(err)
	}
}

func TestTheNotesSayWhatIsOpen(t *testing.T) {
	for name, want := range map[string][]string{"kueue": {"there is no priorityd"}, "open": {"is an administrator", "tokens can be read"},
		"two databases": {"there is no backup"}, "secured": nil, "elsewhere": nil} {
		notes, err := Notes(folder, "space", Sets[name])
		if err != nil || strings.Count(notes, "! ") < len(want) || want == nil && strings.Contains(notes, "! ") {
			t.Errorf("%s: got %v\n%s", name, err, notes)
		}
		for _, words := range want {
			if !strings.Contains(notes, words) {
				t.Errorf("%s: want %q in\n%s", name, words, notes)
			}
		}
	}
}

func TestAQuantityOfTheSchemaIsOneOfKubernetes(t *testing.T) {
	for _, quantity := range []string{"20Gi", "500m", "1", "0.5", "2G"} {
		if _, err := resource.ParseQuantity(quantity); err != nil {
			t.Error(err)
		}
		if _, err := Render(folder, "space", map[string]any{"priorityd": map[string]any{"enabled": true, "cpu": quantity}}); err != nil {
			t.Error(err)
		}
	}
	if _, err := Render(folder, "space", map[string]any{"priorityd": map[string]any{"cpu": "a core"}}); err == nil {
		t.Error("want an error")
	}
}
