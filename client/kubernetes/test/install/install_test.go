// Package install installs the chart on a real API server, and runs its Pods as a kubelet would.
package install

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	kubernetes "k8s.io/client-go/kubernetes"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"priorityd/kubernetes/test/chart"
	"priorityd/kubernetes/test/check"
	"priorityd/kubernetes/test/kubelet"
	"priorityd/kubernetes/test/plane"
)

const (
	chartFolder  = "../../charts/priorityd-kubernetes"
	databaseHost = "priorityd-db-rw.priorityd"
	space        = "priorityd"
)

// limit is how long a test waits for what another process does.
const limit = 5 * time.Minute

// The environment that the tests share.
var (
	api     *plane.Plane
	network *kubelet.Network
)

func TestMain(m *testing.M) {
	if missing := plane.MissingOf("etcd", "kube-apiserver", "helm", "priorityd-kubernetes"); missing != "" || os.Geteuid() != 0 {
		fmt.Printf("skipped, needs root and a control plane: client/kubernetes/test/run --build (there is no %s)\n", missing)
		os.Exit(0)
	}
	os.Exit(func() int {
		var err error
		if network, err = kubelet.NewNetwork(); err != nil {
			fmt.Println(err)
			return 1
		}
		defer network.Close()
		if api, err = plane.StartAPI(context.Background(), network.Host()); err == nil {
			defer api.Stop()
			err = define(context.Background())
		}
		if err != nil {
			fmt.Println(err)
			return 1
		}
		return m.Run()
	}())
}

// define creates the definitions of the operators' objects, and waits until the API server serves them.
func define(ctx context.Context) error {
	definitions, err := chart.Definitions()
	if err != nil {
		return err
	}
	for _, definition := range definitions {
		object, err := runtime.DefaultUnstructuredConverter.ToUnstructured(definition)
		if err != nil {
			return err
		}
		delete(object, "status")
		if err := api.Client.Create(ctx, &unstructured.Unstructured{Object: object}); err != nil {
			return err
		}
		list := &unstructured.UnstructuredList{}
		list.SetAPIVersion(definition.Spec.Group + "/" + definition.Spec.Versions[0].Name)
		list.SetKind(definition.Spec.Names.ListKind)
		if err := plane.Await(ctx, limit, definition.Name, func() error { return api.Client.List(ctx, list) }); err != nil {
			return err
		}
	}
	return nil
}

var must = check.Must

// createNamespace makes one where Kubernetes refuses Pods with any right beyond the profile `restricted`, with what
// the controller manager would make in it.
func createNamespace(t *testing.T, name string) {
	t.Helper()
	must(t, api.Client.Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name,
		Labels: map[string]string{"pod-security.kubernetes.io/enforce": "restricted"}}}))
	meta := func(of string) metav1.ObjectMeta { return metav1.ObjectMeta{Namespace: name, Name: of} }
	must(t, api.Client.Create(t.Context(), &corev1.ServiceAccount{ObjectMeta: meta("default")}))
	must(t, api.Client.Create(t.Context(), &corev1.ConfigMap{ObjectMeta: meta("kube-root-ca.crt"), Data: map[string]string{"ca.crt": string(api.Authority)}}))
}

// podOf is a Pod as the Deployment's controller would create it.
func podOf(t *testing.T, object *unstructured.Unstructured) *corev1.Pod {
	t.Helper()
	deployment := &appsv1.Deployment{}
	must(t, runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, deployment))
	pod := &corev1.Pod{ObjectMeta: deployment.Spec.Template.ObjectMeta, Spec: deployment.Spec.Template.Spec}
	pod.Namespace, pod.Name = deployment.Namespace, deployment.Name+"-0"
	return pod
}

func TestTheAPIServerTakesEachObjectOfEachSetAndEachPodIsRestricted(t *testing.T) {
	strict := client.NewDryRunClient(client.WithFieldValidation(api.Client, metav1.FieldValidationStrict))
	number := 0
	for name, values := range chart.Sets {
		number++
		in := fmt.Sprint("set-", number)
		createNamespace(t, in)
		for _, account := range []string{"priorityd-kubernetes", "priorityd-weights"} {
			must(t, api.Client.Create(t.Context(), &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: in, Name: account}}))
		}
		objects, err := chart.Render(chartFolder, in, values)
		must(t, err)
		for _, object := range objects {
			if object.GetKind() == "Deployment" {
				if err := strict.Create(t.Context(), podOf(t, object)); err != nil {
					t.Errorf("%s: a Pod of %s: %v", name, object.GetName(), err)
				}
			}
			if err := strict.Create(t.Context(), object); client.IgnoreAlreadyExists(err) != nil {
				t.Errorf("%s: %s %s: %v", name, object.GetKind(), object.GetName(), err)
			}
		}
	}
}

// objects are what Pods of a namespace refer to, read from the API server.
type objects struct {
	t         *testing.T
	clientset *kubernetes.Clientset
}

func (o objects) Secret(name string) (map[string][]byte, error) {
	secret, err := o.clientset.CoreV1().Secrets(space).Get(o.t.Context(), name, metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	return secret.Data, nil
}

func (o objects) ConfigMap(name string) (map[string][]byte, error) {
	found, err := o.clientset.CoreV1().ConfigMaps(space).Get(o.t.Context(), name, metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	data := map[string][]byte{}
	for key, value := range found.Data {
		data[key] = []byte(value)
	}
	return data, nil
}

func (o objects) Token(pod *corev1.Pod, audience string) ([]byte, error) {
	return o.token(pod.Spec.ServiceAccountName, audience)
}

func (o objects) token(account, audience string) ([]byte, error) {
	request := &authenticationv1.TokenRequest{}
	if audience != "" {
		request.Spec.Audiences = []string{audience}
	}
	answer, err := o.clientset.CoreV1().ServiceAccounts(space).CreateToken(o.t.Context(), account, request, metav1.CreateOptions{})
	if err != nil {
		return nil, err
	}
	return []byte(answer.Status.Token), nil
}

// createSecrets makes the Secrets that the values name: the URL of a database, a certificate of the Service, and an
// auth.conf that takes the tokens of this API server.
func createSecrets(t *testing.T, clientset *kubernetes.Clientset, postgres *plane.Database) {
	t.Helper()
	url, err := postgres.NewDatabase(databaseHost)
	must(t, err)
	keys, err := clientset.RESTClient().Get().AbsPath("/openid/v1/jwks").DoRaw(t.Context())
	must(t, err)
	folder := t.TempDir()
	certificate, err := plane.WriteCertificate(folder, "priorityd", "priorityd."+space+".svc")
	must(t, err)
	key, err := os.ReadFile(folder + "/tls.key")
	must(t, err)
	for name, data := range map[string]map[string][]byte{
		"priorityd-db-app": {"uri": []byte(url)},
		"priorityd-db-ca":  {"ca.crt": postgres.Authority},
		"priorityd-tls":    {"tls.crt": certificate, "tls.key": key, "ca.crt": certificate},
		"priorityd-auth": {"jwks.json": keys, "auth.conf": []byte(
			"TokenIssuer=https://kubernetes.default.svc Audience=priorityd Jwks=/etc/priorityd/jwks.json Name=k8s\n" +
				"Principal=k8s:system:serviceaccount:priorityd:priorityd-kubernetes Role=frontend,collector,provisioner\n" +
				"Principal=k8s:system:serviceaccount:priorityd:default Role=administrator\n")},
	} {
		must(t, api.Client.Create(t.Context(), &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: space, Name: name}, Data: data}))
	}
}

// run creates a Pod, and runs what the API server made of it until it is ready.
func run(t *testing.T, node *kubelet.Node, pod *corev1.Pod) *kubelet.Container {
	t.Helper()
	must(t, api.Client.Create(t.Context(), pod))
	container, err := node.Run(pod)
	must(t, err)
	t.Cleanup(container.Remove)
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	must(t, container.Ready(ctx))
	return container
}

// helm runs a command of Helm on the release, which is secured and without Kueue.
func helm(t *testing.T, command string, flags ...string) {
	t.Helper()
	arguments := []string{command, "priorityd", "--namespace", space, "--kubeconfig", api.Kubeconfig()}
	if command != "uninstall" {
		arguments = append(arguments, chartFolder, "--set", "mode=plain,tokenAudience=priorityd,priorityd.enabled=true",
			"--set", "priorityd.authSecret=priorityd-auth,priorityd.tlsSecret=priorityd-tls")
	}
	output, err := exec.Command(plane.Binary("helm"), append(arguments, flags...)...).CombinedOutput()
	if err != nil {
		t.Fatalf("helm %s: %v\n%s", command, err, output)
	}
	t.Logf("%s", output)
}

// get reads an object of the release.
func get(apiVersion, kind, name string) (*unstructured.Unstructured, error) {
	object := &unstructured.Unstructured{}
	object.SetAPIVersion(apiVersion)
	object.SetKind(kind)
	return object, api.Client.Get(context.Background(), client.ObjectKey{Namespace: space, Name: name}, object)
}

func installed(t *testing.T, deployment string) *unstructured.Unstructured {
	t.Helper()
	object, err := get("apps/v1", "Deployment", deployment)
	must(t, err)
	return object
}

func TestTheInstalledChartReleasesAJobInItsTurn(t *testing.T) {
	postgres, err := plane.StartDatabase(t.Context(), network.Host(), databaseHost)
	must(t, err)
	t.Cleanup(postgres.Stop)
	clientset, err := kubernetes.NewForConfig(api.Admin)
	must(t, err)
	createNamespace(t, space)
	createSecrets(t, clientset, postgres)
	helm(t, "install", "--set", "monitoring=true", "--set", "cloudnativepg.enabled=true")
	node := &kubelet.Node{Network: network, Objects: objects{t, clientset},
		Programs:    map[string]string{"priorityd": os.Getenv("PRIORITYD"), "priorityd-kubernetes": plane.Binary("priorityd-kubernetes")},
		Hosts:       map[string]string{databaseHost: network.Host()},
		Environment: []string{"KUBERNETES_SERVICE_HOST=" + network.Host(), fmt.Sprint("KUBERNETES_SERVICE_PORT=", api.Port())}}
	server := run(t, node, podOf(t, installed(t, "priorityd")))
	calls := administrator(t, objects{t, clientset}, server)
	importSite(t, calls)
	node.Hosts["priorityd"] = server.Address
	controller := run(t, node, podOf(t, installed(t, "priorityd-kubernetes")))
	must(t, api.CreateNode(t.Context(), "node-0", 2))

	createNamespace(t, "lab")
	job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: "lab", Name: "fold", Labels: map[string]string{"priorityd/queue": "batch"}},
		Spec: batchv1.JobSpec{Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{RestartPolicy: corev1.RestartPolicyNever,
			Containers: []corev1.Container{{Name: "c", Image: "none"}}}}}}
	// An API server notices a policy some time after it is created.
	must(t, plane.Await(t.Context(), limit, "the policy that suspends Jobs", func() error {
		probe := job.DeepCopy()
		if err := api.Client.Create(t.Context(), probe, client.DryRunAll); err != nil {
			return err
		}
		if probe.Spec.Suspend == nil || !*probe.Spec.Suspend {
			return errors.New("it does not suspend them yet")
		}
		return nil
	}))
	must(t, api.Client.Create(t.Context(), job))
	err = plane.Await(t.Context(), limit, "the Job's turn", func() error {
		if err := api.Client.Get(t.Context(), client.ObjectKeyFromObject(job), job); err != nil {
			return err
		}
		if *job.Spec.Suspend {
			return fmt.Errorf("it waits: %v", job.Annotations)
		}
		return nil
	})
	if err != nil {
		t.Errorf("%v\n%s\n%s", err, controller.Log(), server.Log())
	}
	knows(t, calls, "lab", "batch")

	helm(t, "upgrade", "--set", "priorityd.replicas=3", "--set", "cloudnativepg.enabled=true")
	if replicas, _, _ := unstructured.NestedInt64(installed(t, "priorityd").Object, "spec", "replicas"); replicas != 3 {
		t.Errorf("after an upgrade it has %d replicas, want 3", replicas)
	}
	helm(t, "uninstall")
	if _, err := get("apps/v1", "Deployment", "priorityd"); !apierrors.IsNotFound(err) {
		t.Errorf("after uninstall: got %v, want no Deployment", err)
	}
	if _, err := get("postgresql.cnpg.io/v1", "Cluster", "priorityd-db"); err != nil {
		t.Errorf("after uninstall the database is deleted: %v", err)
	}
}

func TestTheAPIServerTakesTheKustomization(t *testing.T) {
	strict := client.NewDryRunClient(client.WithFieldValidation(api.Client, metav1.FieldValidationStrict))
	const in = "priorityd-config"
	createNamespace(t, in)
	must(t, api.Client.Create(t.Context(), &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: in, Name: "priorityd-kubernetes"}}))
	files, err := filepath.Glob("../../config/*/*.yaml")
	must(t, err)
	for _, file := range files {
		if filepath.Base(file) == "kustomization.yaml" {
			continue
		}
		text, err := os.ReadFile(file)
		must(t, err)
		found, err := chart.Read(string(text))
		must(t, err)
		for _, object := range found {
			if object.GetNamespace() != "" {
				object.SetNamespace(in)
			}
			if object.GetKind() == "Deployment" {
				must(t, strict.Create(t.Context(), podOf(t, object)))
			}
			if err := strict.Create(t.Context(), object); client.IgnoreAlreadyExists(err) != nil {
				t.Errorf("%s: %s %s: %v", file, object.GetKind(), object.GetName(), err)
			}
		}
	}
}
