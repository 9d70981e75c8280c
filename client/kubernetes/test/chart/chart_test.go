package chart

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"helm.sh/helm/v3/pkg/lint"
	"helm.sh/helm/v3/pkg/lint/support"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
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

func TestAnOlderKubernetesHasAllButTheStamps(t *testing.T) {
	if _, err := RenderFor("v1.35.4", folder, "space", nil); err == nil || !strings.Contains(err.Error(), "policy: got true with Kubernetes v1.35.4") {
		t.Errorf("got %v", err)
	}
	if _, err := RenderFor("v1.35.4", folder, "space", map[string]any{"policy": false}); err != nil {
		t.Error(err)
	}
}

func TestEachPodRunsWithoutRights(t *testing.T) {
	ofEachSet(t, func(t *testing.T, all map[string]*unstructured.Unstructured) {
		for _, deployment := range deployments(t, all) {
			pod := deployment.Spec.Template.Spec
			of := pod.SecurityContext
			if !*of.RunAsNonRoot || *of.RunAsUser != 65532 || *of.RunAsGroup != 65532 || *of.FSGroup != 65532 ||
				of.SeccompProfile.Type != corev1.SeccompProfileTypeRuntimeDefault {
				t.Errorf("%s: got %+v", deployment.Name, of)
			}
			for _, container := range pod.Containers {
				of := container.SecurityContext
				if *of.AllowPrivilegeEscalation || !*of.ReadOnlyRootFilesystem || !reflect.DeepEqual(of.Capabilities.Drop, []corev1.Capability{"ALL"}) {
					t.Errorf("%s: got %+v", container.Name, of)
				}
			}
		}
	})
}

// TestEachNameIsThere checks names by which parts of a Pod refer to each other.
func TestEachNameIsThere(t *testing.T) {
	ofEachSet(t, func(t *testing.T, all map[string]*unstructured.Unstructured) {
		for _, deployment := range deployments(t, all) {
			pod := deployment.Spec.Template.Spec
			volumes, mounted := []string{}, []string{}
			for _, volume := range pod.Volumes {
				volumes = append(volumes, volume.Name)
			}
			for _, mount := range pod.Containers[0].VolumeMounts {
				mounted = append(mounted, mount.Name)
				if !mount.ReadOnly {
					t.Errorf("%s may write %s", deployment.Name, mount.MountPath)
				}
			}
			if !reflect.DeepEqual(volumes, mounted) {
				t.Errorf("%s: volumes %v, mounts %v", deployment.Name, volumes, mounted)
			}
			for _, probe := range []*corev1.Probe{pod.Containers[0].LivenessProbe, pod.Containers[0].ReadinessProbe} {
				if !hasPort(pod, probe.HTTPGet.Port.StrVal) {
					t.Errorf("%s: no port %v", deployment.Name, probe.HTTPGet.Port)
				}
			}
		}
		if service, ok := typed[corev1.Service](t, all, "Service priorityd"); ok {
			deployment, _ := typed[appsv1.Deployment](t, all, "Deployment priorityd")
			for _, port := range service.Spec.Ports {
				if !hasPort(deployment.Spec.Template.Spec, port.TargetPort.StrVal) {
					t.Errorf("the Service has %v, the Pod not", port.TargetPort)
				}
			}
		}
	})
}

func hasPort(pod corev1.PodSpec, name string) bool {
	return slices.ContainsFunc(pod.Containers[0].Ports, func(port corev1.ContainerPort) bool { return port.Name == name })
}

// selects reports whether a selector is of the Pods of a Deployment.
func selects(t *testing.T, selector *metav1.LabelSelector, deployment appsv1.Deployment) bool {
	t.Helper()
	parsed, err := metav1.LabelSelectorAsSelector(selector)
	if err != nil {
		t.Fatal(err)
	}
	return !parsed.Empty() && parsed.Matches(labels.Set(deployment.Spec.Template.Labels))
}

func TestOnePodIsEvictedAtATimeAndTheyAreSpread(t *testing.T) {
	ofEachSet(t, func(t *testing.T, all map[string]*unstructured.Unstructured) {
		for _, deployment := range deployments(t, all) {
			budget, ok := typed[policyv1.PodDisruptionBudget](t, all, "PodDisruptionBudget "+deployment.Name)
			if !ok || budget.Spec.MaxUnavailable.IntValue() != 1 || budget.Spec.MinAvailable != nil || !selects(t, budget.Spec.Selector, deployment) {
				t.Errorf("%s: got %+v", deployment.Name, budget.Spec)
			}
			keys := []string{}
			for _, spread := range deployment.Spec.Template.Spec.TopologySpreadConstraints {
				keys = append(keys, spread.TopologyKey)
				if spread.WhenUnsatisfiable != corev1.ScheduleAnyway || !selects(t, spread.LabelSelector, deployment) {
					t.Errorf("%s: got %+v", deployment.Name, spread)
				}
			}
			if !reflect.DeepEqual(keys, []string{"kubernetes.io/hostname", "topology.kubernetes.io/zone"}) {
				t.Errorf("%s: spread by %v", deployment.Name, keys)
			}
		}
	})
}

func flagOf(t *testing.T, container corev1.Container, name string) float64 {
	t.Helper()
	for _, argument := range container.Args {
		if text, ok := strings.CutPrefix(argument, name+"="); ok {
			number, err := strconv.ParseFloat(text, 64)
			if err != nil {
				t.Error(err)
			}
			return number
		}
	}
	t.Errorf("there is no %s", name)
	return 0
}

// The bound of docs/operations.md, Messages and limits: 1.25 times --memory_budget, 64 MiB for the program, 128 MiB for
// pages of metrics, 330 bytes for each tracked job; `other` is for the rest.
func TestTheMemoryLimitFollowsFromTheFlags(t *testing.T) {
	for name, memory := range map[string]map[string]any{"default": {}, "small": {"budget": 16, "trackedJobs": 1, "other": 64},
		"odd": {"budget": 1021, "trackedJobs": 1234567}, "large": {"budget": 65536, "trackedJobs": 100000000, "other": 4096}} {
		all := render(t, map[string]any{"priorityd": map[string]any{"enabled": true, "memory": memory}})
		deployment, _ := typed[appsv1.Deployment](t, all, "Deployment priorityd")
		container := deployment.Spec.Template.Spec.Containers[0]
		other := 256.0
		if of, ok := memory["other"].(int); ok {
			other = float64(of)
		}
		const mib = 1 << 20
		least := (1.25*flagOf(t, container, "--memory_budget")+64+128+other)*mib + 330*flagOf(t, container, "--max_all_tracked_jobs")
		limit := container.Resources.Limits[corev1.ResourceMemory]
		if got := limit.AsApproximateFloat64(); got < least || got > least+2*mib {
			t.Errorf("%s: got %.1f MiB, want %.1f", name, got/mib, least/mib)
		}
		if requested := container.Resources.Requests[corev1.ResourceMemory]; requested.Cmp(limit) != 0 {
			t.Errorf("%s: %v is requested, the limit is %v", name, &requested, &limit)
		}
	}
}

// admits reports whether the policy lets peers with these labels of a Pod, its namespace, or this address, reach a port.
func admits(t *testing.T, policy networkingv1.NetworkPolicy, port int, pod, namespace labels.Set, cidr string) bool {
	t.Helper()
	matches := func(selector *metav1.LabelSelector, of labels.Set) bool {
		parsed, err := metav1.LabelSelectorAsSelector(selector)
		if err != nil {
			t.Fatal(err)
		}
		return parsed.Matches(of)
	}
	for _, rule := range policy.Spec.Ingress {
		if !slices.ContainsFunc(rule.Ports, func(of networkingv1.NetworkPolicyPort) bool { return of.Port.IntValue() == port }) {
			continue
		}
		if len(rule.From) == 0 {
			return true
		}
		for _, peer := range rule.From {
			if peer.IPBlock != nil && peer.IPBlock.CIDR == cidr {
				return true
			}
			own := namespace["kubernetes.io/metadata.name"] == "space"
			if peer.IPBlock == nil && pod != nil && (peer.PodSelector == nil || matches(peer.PodSelector, pod)) &&
				(peer.NamespaceSelector == nil && own || peer.NamespaceSelector != nil && matches(peer.NamespaceSelector, namespace)) {
				return true
			}
		}
	}
	return false
}

func TestTheNetworkPolicyAdmitsTheControllerAndWhoIsNamed(t *testing.T) {
	space := labels.Set{"kubernetes.io/metadata.name": "space"}
	monitoring := labels.Set{"kubernetes.io/metadata.name": "monitoring"}
	controller := labels.Set{"app.kubernetes.io/name": "priorityd-kubernetes"}
	other := labels.Set{"app.kubernetes.io/name": "other"}
	for name, want := range map[string]struct{ controller, other, monitored, monitoredGRPC, address bool }{
		"open": {controller: true, monitored: true}, "secured": {controller: true, monitored: true}, "whole": {controller: true, address: true},
	} {
		policy, ok := typed[networkingv1.NetworkPolicy](t, render(t, Sets[name]), "NetworkPolicy priorityd")
		got := want
		got.controller = admits(t, policy, 7411, controller, space, "")
		got.other = admits(t, policy, 7411, other, space, "") || admits(t, policy, 7412, other, space, "") || admits(t, policy, 7411, controller, monitoring, "")
		got.monitored = admits(t, policy, 7412, other, monitoring, "")
		got.monitoredGRPC = admits(t, policy, 7411, other, monitoring, "")
		got.address = admits(t, policy, 7411, nil, nil, "10.1.0.0/16")
		if !ok || got != want || !reflect.DeepEqual(policy.Spec.PolicyTypes, []networkingv1.PolicyType{networkingv1.PolicyTypeIngress}) {
			t.Errorf("%s: got %+v, want %+v", name, got, want)
		}
		deployment, _ := typed[appsv1.Deployment](t, render(t, Sets[name]), "Deployment priorityd")
		if !selects(t, &policy.Spec.PodSelector, deployment) {
			t.Errorf("%s: it is of other Pods", name)
		}
	}
}

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
