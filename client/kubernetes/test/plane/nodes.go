package plane

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	kube "sigs.k8s.io/controller-runtime/pkg/client"
)

// stages are the actions of a kubelet that kwok simulates: its node is ready, a bound Pod runs, a deleted one is removed.
// The tests end Pods.
const stages = `apiVersion: kwok.x-k8s.io/v1alpha1
kind: Stage
metadata: {name: node-is-ready}
spec:
  resourceRef: {apiGroup: v1, kind: Node}
  selector:
    matchExpressions:
      - {key: '.status.conditions.[] | select( .type == "Ready" ) | .status', operator: NotIn, values: ["True"]}
  next:
    statusTemplate: |
      conditions:
      - type: Ready
        status: "True"
        reason: Played
        lastHeartbeatTime: {{ Now | Quote }}
        lastTransitionTime: {{ Now | Quote }}
---
apiVersion: kwok.x-k8s.io/v1alpha1
kind: Stage
metadata: {name: pod-runs}
spec:
  resourceRef: {apiGroup: v1, kind: Pod}
  selector:
    matchExpressions:
      - {key: .metadata.deletionTimestamp, operator: DoesNotExist}
      - {key: .status.phase, operator: NotIn, values: [Running, Succeeded, Failed]}
  next:
    statusTemplate: |
      {{ $now := Now }}
      phase: Running
      startTime: {{ $now | Quote }}
      containerStatuses:
      {{ range .spec.containers }}
      - name: {{ .name | Quote }}
        image: {{ .image | Quote }}
        ready: true
        restartCount: 0
        state:
          running:
            startedAt: {{ $now | Quote }}
      {{ end }}
---
apiVersion: kwok.x-k8s.io/v1alpha1
kind: Stage
metadata: {name: pod-goes}
spec:
  resourceRef: {apiGroup: v1, kind: Pod}
  selector:
    matchExpressions:
      - {key: .metadata.deletionTimestamp, operator: Exists}
  next:
    delete: true
`

// StartNodes starts the controllers of Jobs and StatefulSets, the scheduler, and kwok as kubelets, and creates nodes with so many CPUs
// each.
func (p *Plane) StartNodes(ctx context.Context, cpus ...int64) error {
	kubeconfig, err := p.kubeconfig(adminToken)
	if err != nil {
		return err
	}
	path := filepath.Join(p.Folder, "kwok.yaml")
	if err := os.WriteFile(path, []byte(stages), 0o644); err != nil {
		return err
	}
	for _, process := range []*Process{
		p.process("kube-controller-manager", "--kubeconfig="+kubeconfig, "--controllers=job-controller,statefulset-controller,garbage-collector-controller",
			"--leader-elect=false", "--secure-port=0"),
		p.process("kube-scheduler", "--kubeconfig="+kubeconfig, "--leader-elect=false", "--secure-port=0"),
		p.process("kwok", "--kubeconfig="+kubeconfig, "--config="+path, "--manage-all-nodes=true", "--node-lease-duration-seconds=0"),
	} {
		p.Managers = append(p.Managers, process)
		if err := process.Start(); err != nil {
			return err
		}
	}
	for i, count := range cpus {
		if err := p.CreateNode(ctx, fmt.Sprint("node", i), count); err != nil {
			return err
		}
	}
	return nil
}

// CreateNode creates a node with so many CPUs.
func (p *Plane) CreateNode(ctx context.Context, name string, cpus int64) error {
	has := corev1.ResourceList{corev1.ResourceCPU: *resource.NewQuantity(cpus, resource.DecimalSI),
		corev1.ResourceMemory: resource.MustParse("64Gi"), corev1.ResourcePods: resource.MustParse("110")}
	return p.Client.Create(ctx, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name},
		Status: corev1.NodeStatus{Allocatable: has, Capacity: has}})
}

// Rights replaces our controller's rights by those of a file of config.
func (p *Plane) Rights(ctx context.Context, file string) error {
	objects, err := readObjects(filepath.Join(Root(), "client/kubernetes/config", file))
	if err != nil {
		return err
	}
	for _, object := range objects {
		if object.GetKind() != "ClusterRole" {
			continue
		}
		current := &unstructured.Unstructured{}
		current.SetGroupVersionKind(object.GroupVersionKind())
		if err := p.Client.Get(ctx, kube.ObjectKeyFromObject(object), current); err != nil {
			return err
		}
		object.SetResourceVersion(current.GetResourceVersion())
		if err := p.Client.Update(ctx, object); err != nil {
			return err
		}
	}
	return nil
}

// EndPod ends a running Pod, as its kubelet would once its containers have ended.
func (p *Plane) EndPod(ctx context.Context, pod *corev1.Pod) error {
	current := &corev1.Pod{}
	if err := p.Client.Get(ctx, kube.ObjectKeyFromObject(pod), current); err != nil {
		return err
	}
	if current.Status.Phase == corev1.PodSucceeded {
		return nil // The answer to an earlier call was lost.
	}
	if current.Status.Phase != corev1.PodRunning {
		return fmt.Errorf("it is %s", current.Status.Phase)
	}
	before := current.DeepCopy()
	current.Status.Phase = corev1.PodSucceeded
	for i := range current.Status.ContainerStatuses {
		status := &current.Status.ContainerStatuses[i]
		status.Ready = false
		status.State = corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{FinishedAt: metav1.Now(), StartedAt: metav1.Now()}}
	}
	return p.Client.Status().Patch(ctx, current, kube.MergeFrom(before))
}
