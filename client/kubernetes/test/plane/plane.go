package plane

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"priorityd/kubernetes/internal/workload"
)

// Tokens for the API server: an administrator's, and our controller's with the rights of config/rbac.
const (
	adminToken      = "admin"
	controllerToken = "controller"
	namespace       = "priorityd"
	account         = "system:serviceaccount:priorityd:priorityd-kubernetes"
)

const startLimit = 10 * time.Minute

// Plane is a running control plane.
type Plane struct {
	Folder     string
	Client     client.Client // An administrator's.
	Etcd       *Process
	APIServer  *Process
	Controller *Process // priorityd-kubernetes
	Managers   []*Process
	Priorityd  *Priorityd
	Authority  []byte // Of StartAPI: the certificate that the API server's is verified by.

	port    int
	etcdURL string
	Admin   *rest.Config
	// Arguments of kube-apiserver for where it listens and what it admits; empty = this host, and Pods without accounts.
	admission []string
}

// Start starts etcd, kube-apiserver, Kueue and priorityd, without the controllers. The caller must Stop it.
func Start(ctx context.Context) (*Plane, error) {
	folder, err := os.MkdirTemp("/tmp", "plane")
	if err != nil {
		return nil, err
	}
	p := &Plane{Folder: folder, port: freePort()}
	for _, step := range []func(context.Context) error{p.startEtcd, p.startAPIServer, p.connect, p.startKueue, p.startPriorityd, p.grant} {
		if err := step(ctx); err != nil {
			err = fmt.Errorf("%w\n%s", err, p.Tails())
			p.Stop()
			return nil, err
		}
	}
	return p, nil
}

// StartAPI starts etcd and kube-apiserver only, which listens also on another address, with service accounts. The
// caller must Stop it.
func StartAPI(ctx context.Context, address string) (*Plane, error) {
	folder, err := os.MkdirTemp("/tmp", "plane")
	if err != nil {
		return nil, err
	}
	p := &Plane{Folder: folder, port: freePort()}
	if p.Authority, err = WriteCertificate(folder+"/tls", address, "127.0.0.1"); err == nil {
		p.admission = []string{"--bind-address=0.0.0.0", "--tls-cert-file=" + folder + "/tls/tls.crt",
			"--tls-private-key-file=" + folder + "/tls/tls.key", "--disable-admission-plugins=TaintNodesByCondition"}
	}
	writeKubeconfig := func(context.Context) error {
		_, err := p.kubeconfig(adminToken)
		return err
	}
	for _, step := range []func(context.Context) error{p.startEtcd, p.startAPIServer, p.connect, writeKubeconfig} {
		if err = errors.Join(err, step(ctx)); err != nil {
			err = fmt.Errorf("%w\n%s", err, p.Tails())
			p.Stop()
			return nil, err
		}
	}
	return p, nil
}

// Port is the API server's.
func (p *Plane) Port() int { return p.port }

// Stop ends all processes and removes the files.
func (p *Plane) Stop() {
	for _, process := range append([]*Process{p.Controller}, append(p.Managers, p.APIServer, p.Etcd)...) {
		if process != nil {
			process.Kill()
		}
	}
	if p.Priorityd != nil {
		p.Priorityd.Stop()
	}
	os.RemoveAll(p.Folder)
}

// Tails are the ends of the processes' outputs.
func (p *Plane) Tails() string {
	text := ""
	for _, process := range append([]*Process{p.Etcd, p.APIServer, p.Controller}, p.Managers...) {
		if process != nil {
			text += process.Tail() + "\n"
		}
	}
	return text
}

func (p *Plane) process(name string, args ...string) *Process {
	return &Process{name: name, path: filepath.Join(binaries(), name), args: args, log: filepath.Join(p.Folder, name+".log")}
}

func (p *Plane) startEtcd(context.Context) error {
	listen, peer := fmt.Sprintf("http://127.0.0.1:%d", freePort()), fmt.Sprintf("http://127.0.0.1:%d", freePort())
	p.etcdURL = listen
	p.Etcd = p.process("etcd", "--data-dir="+p.Folder+"/etcd", "--listen-client-urls="+listen, "--advertise-client-urls="+listen,
		"--listen-peer-urls="+peer, "--initial-advertise-peer-urls="+peer, "--initial-cluster=default="+peer)
	p.APIServer = p.process("kube-apiserver", "--etcd-servers="+listen)
	return p.Etcd.Start()
}

func (p *Plane) startAPIServer(ctx context.Context) error {
	key, tokens := p.Folder+"/sa.key", p.Folder+"/tokens.csv"
	if err := writeSigningKey(key); err != nil {
		return err
	}
	lines := fmt.Sprintf("%s,admin,1,system:masters\n%s,%s,2,system:serviceaccounts\namy,amy@site.org,3,users\nben,ben,4,users\n"+
		"eve,eve,5,tenants\nbuilder,system:serviceaccount:tenant-space:builder,6,tenants\nrunner,system:serviceaccount:tenant-space:runner,7,tenants\n"+
		"cronjobs,system:serviceaccount:kube-system:cronjob-controller,8,tenants\n"+
		"longest,oidc:a-person-with-a-very-long-name@department.university.example.org,9,tenants\n",
		adminToken, controllerToken, account)
	if err := os.WriteFile(tokens, []byte(lines), 0o600); err != nil {
		return err
	}
	if p.admission == nil {
		p.admission = []string{"--bind-address=127.0.0.1", "--disable-admission-plugins=ServiceAccount,TaintNodesByCondition"}
	}
	p.APIServer.args = append(append(p.APIServer.args, p.admission...), fmt.Sprintf("--secure-port=%d", p.port),
		"--advertise-address=127.0.0.1", "--cert-dir="+p.Folder+"/apiserver", "--token-auth-file="+tokens, "--authorization-mode=RBAC",
		"--service-account-issuer=https://kubernetes.default.svc", "--service-account-key-file="+key,
		"--service-account-signing-key-file="+key, "--service-cluster-ip-range=10.96.0.0/16",
		"--shutdown-delay-duration=0s", "--feature-gates=GenericWorkload=true", "--runtime-config=scheduling.k8s.io/v1alpha2=true")
	if err := p.APIServer.Start(); err != nil {
		return err
	}
	return p.AwaitAPIServer(ctx)
}

// config is the client configuration of a token for the API server.
func (p *Plane) config(token string) *rest.Config {
	return &rest.Config{Host: fmt.Sprintf("https://127.0.0.1:%d", p.port), BearerToken: token, QPS: -1,
		TLSClientConfig: rest.TLSClientConfig{Insecure: true}}
}

// AwaitAPIServer waits until it is ready.
func (p *Plane) AwaitAPIServer(ctx context.Context) error {
	config := p.config(adminToken)
	transport, err := rest.HTTPClientFor(config)
	if err != nil {
		return err
	}
	return Await(ctx, startLimit, "kube-apiserver", func() error {
		answer, err := transport.Get(config.Host + "/readyz")
		if err != nil {
			return err
		}
		defer answer.Body.Close()
		if answer.StatusCode != http.StatusOK {
			return fmt.Errorf("/readyz answers %s", answer.Status)
		}
		return nil
	})
}

func (p *Plane) connect(context.Context) error {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, kueue.AddToScheme, batchv1.AddToScheme} {
		if err := add(scheme); err != nil {
			return err
		}
	}
	p.Admin = p.config(adminToken)
	var err error
	p.Client, err = client.New(p.Admin, client.Options{Scheme: scheme})
	return err
}

// As is a client of another user: amy@site.org has the token `amy`.
func (p *Plane) As(token string) (client.Client, error) {
	return client.New(p.config(token), client.Options{Scheme: p.Client.Scheme()})
}

// kubeconfig writes the kubeconfig of a token.
func (p *Plane) kubeconfig(token string) (string, error) {
	path := filepath.Join(p.Folder, token+".kubeconfig")
	text := fmt.Sprintf(`apiVersion: v1
kind: Config
current-context: plane
contexts: [{name: plane, context: {cluster: plane, user: %[1]s}}]
clusters: [{name: plane, cluster: {server: "https://127.0.0.1:%[2]d", insecure-skip-tls-verify: true}}]
users: [{name: %[1]s, user: {token: %[1]s}}]
`, token, p.port)
	return path, os.WriteFile(path, []byte(text), 0o600)
}

// Kubeconfig is the administrator's kubeconfig.
func (p *Plane) Kubeconfig() string { return filepath.Join(p.Folder, adminToken+".kubeconfig") }

// Lifted is the priority that Kueue orders a Workload by.
func Lifted(w *kueue.Workload) int {
	by, _ := strconv.Atoi(w.Annotations[workload.BoostAnnotation])
	if w.Spec.Priority != nil {
		by += int(*w.Spec.Priority)
	}
	return by
}

// StartController starts priorityd-kubernetes with the rights of config/rbac, and replaces a running one.
func (p *Plane) StartController(flags ...string) error {
	if p.Controller != nil {
		p.Controller.Stop()
	}
	kubeconfig, err := p.kubeconfig(controllerToken)
	if err != nil {
		return err
	}
	health := freePort()
	p.Controller = p.process("priorityd-kubernetes", append([]string{"--kubeconfig=" + kubeconfig,
		"--priorityd=" + p.Priorityd.Address, "--leader-elect=false", "--ledger-namespace=" + namespace, "--provision", "--metrics-bind-address=0",
		fmt.Sprintf("--health-probe-bind-address=127.0.0.1:%d", health)}, flags...)...)
	return p.Controller.Start()
}

// CreateNamespace creates a namespace with a LocalQueue `queue` of a ClusterQueue.
func (p *Plane) CreateNamespace(ctx context.Context, name, clusterQueue string) error {
	if err := p.Client.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}); err != nil {
		return err
	}
	return p.Client.Create(ctx, &kueue.LocalQueue{ObjectMeta: metav1.ObjectMeta{Namespace: name, Name: "queue"},
		Spec: kueue.LocalQueueSpec{ClusterQueue: kueue.ClusterQueueReference(clusterQueue)}})
}
