package plane

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"priorityd/kubernetes/test/chart"
)

// kueueSources is the folder of Kueue's module, for its manifests.
func kueueSources() (string, error) {
	output, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "sigs.k8s.io/kueue").Output()
	return strings.TrimSpace(string(output)), err
}

// startKueue starts Kueue with its webhooks, in its own /etc, where it expects its certificates.
func (p *Plane) startKueue(ctx context.Context) error {
	sources, err := kueueSources()
	if err != nil {
		return fmt.Errorf("go list of Kueue's module, want the folder to be client/kubernetes: %w", err)
	}
	if err := p.applyCRDs(ctx, filepath.Join(sources, "config/components/crd/bases")); err != nil {
		return err
	}
	webhooks := freePort()
	authority, err := writeCertificate(filepath.Join(p.Folder, "etc/kueue/metrics/certs"))
	if err != nil {
		return err
	}
	if err := p.startKueueProcess(webhooks); err != nil {
		return err
	}
	manifests := filepath.Join(sources, "config/components/webhook/manifests.yaml")
	if err := p.applyWebhooks(ctx, manifests, fmt.Sprintf("https://127.0.0.1:%d", webhooks), authority); err != nil {
		return err
	}
	return Await(ctx, startLimit, "Kueue", func() error { return p.createFlavor(ctx) })
}

func (p *Plane) startKueueProcess(webhooks int) error {
	kubeconfig, err := p.kubeconfig(adminToken)
	if err != nil {
		return err
	}
	config := fmt.Sprintf(`apiVersion: config.kueue.x-k8s.io/v1beta2
kind: Configuration
namespace: kueue-system
health: {healthProbeBindAddress: "127.0.0.1:%d"}
metrics: {bindAddress: "127.0.0.1:%d"}
webhook: {port: %d, host: 127.0.0.1, certDir: %s/etc/kueue/metrics/certs}
leaderElection: {leaderElect: false}
internalCertManagement: {enable: false}
clientConnection: {qps: 300, burst: 500}
integrations: {frameworks: [batch/job], labelKeysToCopy: [priorityd/user]}
fairSharing: {preemptionStrategies: [LessThanOrEqualToFinalShare]}
resources: {deviceClassMappings: [{name: whole-gpus, deviceClassNames: [gpu.example.com]}]}
featureGates: {PriorityBoost: true, VisibilityOnDemand: false}
`, freePort(), freePort(), webhooks, p.Folder)
	path := filepath.Join(p.Folder, "kueue.yaml")
	if err := os.WriteFile(path, []byte(config), 0o644); err != nil {
		return err
	}
	script := fmt.Sprintf("for f in passwd group hosts nsswitch.conf resolv.conf localtime ssl; do cp -aL /etc/$f %[1]s/etc/ 2>/dev/null; done; "+
		"mount --bind %[1]s/etc /etc && exec %[2]s/kueue --config=%[3]s --kubeconfig=%[4]s", p.Folder, binaries(), path, kubeconfig)
	kueue := &Process{name: "kueue", path: "/usr/bin/unshare", args: []string{"-rm", "sh", "-c", script}, log: filepath.Join(p.Folder, "kueue.log")}
	p.Managers = append(p.Managers, kueue)
	return kueue.Start()
}

func (p *Plane) applyCRDs(ctx context.Context, folder string) error {
	files, err := filepath.Glob(filepath.Join(folder, "*.yaml"))
	if err != nil {
		return err
	}
	var kinds []string
	for _, file := range files {
		objects, err := readObjects(file)
		if err != nil {
			return err
		}
		for _, object := range objects {
			if err := p.Client.Create(ctx, object); err != nil {
				return fmt.Errorf("%s: %w", file, err)
			}
			kinds = append(kinds, object.GetName())
		}
	}
	return Await(ctx, startLimit, "the kinds of "+folder, func() error { return p.served(ctx, kinds) })
}

// served returns nil once the API server serves all of some kinds, and Kueue's Workloads.
func (p *Plane) served(ctx context.Context, kinds []string) error {
	for _, name := range kinds {
		crd := &unstructured.Unstructured{}
		crd.SetAPIVersion("apiextensions.k8s.io/v1")
		crd.SetKind("CustomResourceDefinition")
		if err := p.Client.Get(ctx, client.ObjectKey{Name: name}, crd); err != nil {
			return err
		}
		if !isEstablished(crd) {
			return fmt.Errorf("%s is not served", name)
		}
	}
	var list kueue.WorkloadList
	return p.Client.List(ctx, &list)
}

func isEstablished(crd *unstructured.Unstructured) bool {
	conditions, _, _ := unstructured.NestedSlice(crd.Object, "status", "conditions")
	return slices.ContainsFunc(conditions, func(condition any) bool {
		c := condition.(map[string]any)
		return c["type"] == "Established" && c["status"] == "True"
	})
}

// webhookSeconds is the longest timeout of a webhook that Kubernetes allows: on a loaded machine its process may have to wait.
const webhookSeconds = int64(30)

// applyWebhooks registers the webhooks of the kinds that the tests use, by URL.
func (p *Plane) applyWebhooks(ctx context.Context, file, url string, authority []byte) error {
	objects, err := readObjects(file)
	if err != nil {
		return err
	}
	for _, object := range objects {
		hooks, _, _ := unstructured.NestedSlice(object.Object, "webhooks")
		var kept []any
		for _, hook := range hooks {
			hook := hook.(map[string]any)
			if path, _, _ := unstructured.NestedString(hook, "clientConfig", "service", "path"); isServed(path) {
				hook["clientConfig"] = map[string]any{"url": url + path, "caBundle": encode(authority)}
				hook["timeoutSeconds"] = webhookSeconds
				kept = append(kept, hook)
			}
		}
		object.Object["webhooks"] = kept
		if err := p.Client.Create(ctx, object); err != nil {
			return err
		}
	}
	return nil
}

func isServed(path string) bool {
	return strings.HasSuffix(path, "batch-v1-job") || strings.Contains(path, "kueue-x-k8s-io")
}

// readObjects reads the objects of a file.
func readObjects(file string) ([]*unstructured.Unstructured, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	objects, err := chart.Read(string(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return objects, nil
}

// createFlavor creates the flavor of all quotas once Kueue's webhooks see what is created: they give it a finalizer.
func (p *Plane) createFlavor(ctx context.Context) error {
	flavor := &kueue.ResourceFlavor{ObjectMeta: metav1.ObjectMeta{Name: "default"}}
	trial := flavor.DeepCopy()
	if err := p.Client.Create(ctx, trial, client.DryRunAll); err != nil {
		return err
	}
	if len(trial.Finalizers) == 0 {
		return errors.New("the webhooks are not in force")
	}
	return p.Client.Create(ctx, flavor)
}

// CreateClusterQueue makes a ClusterQueue with so much of each resource, strictly first in first out, without preemption.
func (p *Plane) CreateClusterQueue(ctx context.Context, name string, quota map[corev1.ResourceName]string) error {
	var covered []corev1.ResourceName
	flavor := kueue.FlavorQuotas{Name: "default"}
	for resourceName, amount := range quota {
		covered = append(covered, resourceName)
		flavor.Resources = append(flavor.Resources, kueue.ResourceQuota{Name: resourceName, NominalQuota: resource.MustParse(amount)})
	}
	return p.Client.Create(ctx, &kueue.ClusterQueue{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: kueue.ClusterQueueSpec{
		NamespaceSelector: &metav1.LabelSelector{}, QueueingStrategy: kueue.StrictFIFO,
		ResourceGroups: []kueue.ResourceGroup{{CoveredResources: covered, Flavors: []kueue.FlavorQuotas{flavor}}}}})
}
