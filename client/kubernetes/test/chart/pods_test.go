package chart

import (
	"os"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
)

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

// TestAPodOfTheServiceHasTheTimeOfTheUnitToStop reads the unit, whose own test compares it with the flags.
func TestAPodOfTheServiceHasTheTimeOfTheUnitToStop(t *testing.T) {
	unit, err := os.ReadFile("../../../../deploy/systemd/priorityd.service")
	if err != nil {
		t.Fatal(err)
	}
	stop := regexp.MustCompile(`(?m)^TimeoutStopSec=(\d+)$`).FindStringSubmatch(string(unit))
	if stop == nil {
		t.Fatal("the unit has no TimeoutStopSec in seconds")
	}
	checked := 0
	ofEachSet(t, func(t *testing.T, all map[string]*unstructured.Unstructured) {
		deployment, ok := typed[appsv1.Deployment](t, all, "Deployment priorityd")
		if !ok {
			return
		}
		checked++
		if got := deployment.Spec.Template.Spec.TerminationGracePeriodSeconds; got == nil || strconv.FormatInt(*got, 10) != stop[1] {
			t.Errorf("got a grace period of %v, want %s seconds", got, stop[1])
		}
	})
	if checked == 0 {
		t.Error("no set of values has the service")
	}
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
