package plane

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// gangController is a controller that makes the Pods of a gang, from its Go module, with its definitions and webhooks.
type gangController struct {
	name     string // The program.
	module   string
	crds     string
	webhooks string
	label    string // Of its Pods, which its webhooks are for.
	config   string // The group and version of its configuration.
}

var gangControllers = []gangController{
	{"jobset", "sigs.k8s.io/jobset", "config/components/crd/bases", "config/components/webhook/manifests.yaml",
		"jobset.sigs.k8s.io/jobset-name", "config.jobset.x-k8s.io/v1alpha1"},
	{"lws", "sigs.k8s.io/lws", "config/crd/bases", "config/webhook/manifests.yaml",
		"leaderworkerset.sigs.k8s.io/name", "config.lws.x-k8s.io/v1alpha1"},
}

// StartGangs starts the controllers of JobSets and LeaderWorkerSets. They need the controllers that StartNodes starts.
func (p *Plane) StartGangs(ctx context.Context) error {
	for _, controller := range gangControllers {
		if err := p.startGangController(ctx, controller); err != nil {
			return fmt.Errorf("%s: %w", controller.name, err)
		}
	}
	return nil
}

func (p *Plane) startGangController(ctx context.Context, c gangController) error {
	sources, err := gangSources(c.module)
	if err != nil {
		return err
	}
	if err := p.applyCRDs(ctx, filepath.Join(sources, c.crds)); err != nil {
		return err
	}
	certificates, port := filepath.Join(p.Folder, c.name), freePort()
	authority, err := writeCertificate(certificates)
	if err != nil {
		return err
	}
	kubeconfig, err := p.kubeconfig(adminToken)
	if err != nil {
		return err
	}
	config := fmt.Sprintf(`apiVersion: %s
kind: Configuration
health: {healthProbeBindAddress: "127.0.0.1:%d"}
metrics: {bindAddress: "0"}
webhook: {port: %d, host: 127.0.0.1, certDir: %s}
leaderElection: {leaderElect: false}
internalCertManagement: {enable: false}
`, c.config, freePort(), port, certificates)
	path := filepath.Join(p.Folder, c.name+".yaml")
	if err := os.WriteFile(path, []byte(config), 0o644); err != nil {
		return err
	}
	process := p.process(c.name, "--config="+path, "--kubeconfig="+kubeconfig)
	p.Managers = append(p.Managers, process)
	if err := process.Start(); err != nil {
		return err
	}
	return p.applyGangWebhooks(ctx, c, filepath.Join(sources, c.webhooks), fmt.Sprintf("https://127.0.0.1:%d", port), authority)
}

// applyGangWebhooks registers the webhooks of a controller under its name; those of Pods only for its own Pods.
func (p *Plane) applyGangWebhooks(ctx context.Context, c gangController, file, url string, authority []byte) error {
	objects, err := readObjects(file)
	if err != nil {
		return err
	}
	for _, object := range objects {
		object.SetName(c.name + "-" + object.GetName())
		hooks, _, _ := unstructured.NestedSlice(object.Object, "webhooks")
		for _, hook := range hooks {
			hook := hook.(map[string]any)
			path, _, _ := unstructured.NestedString(hook, "clientConfig", "service", "path")
			hook["clientConfig"] = map[string]any{"url": url + path, "caBundle": encode(authority)}
			hook["timeoutSeconds"] = webhookSeconds
			if strings.HasSuffix(path, "--v1-pod") {
				hook["objectSelector"] = map[string]any{"matchExpressions": []any{map[string]any{"key": c.label, "operator": "Exists"}}}
			}
		}
		object.Object["webhooks"] = hooks
		if err := p.Client.Create(ctx, object); err != nil {
			return err
		}
	}
	return nil
}

// gangSources is the folder of a module of the control plane's.
func gangSources(module string) (string, error) {
	list := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", module)
	list.Dir = filepath.Join(Root(), "client/kubernetes/test/tools")
	output, err := list.Output()
	return strings.TrimSpace(string(output)), err
}
