package kubelet

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"priorityd.internal/client"
	pb "priorityd.internal/client/priorityv1"
	"priorityd/kubernetes/test/chart"
	"priorityd/kubernetes/test/plane"
)

const (
	chartFolder  = "../../charts/priorityd-kubernetes"
	databaseHost = "priorityd-db-rw.space" // As CloudNativePG names it in its URL.
)

// limit is how long a test waits for what a container does.
const limit = 5 * time.Minute

// The environment that the tests share; each has its own database.
var (
	network  *Network
	postgres *plane.Database
)

func TestMain(m *testing.M) {
	os.Exit(func() int {
		_, missing := os.Stat(os.Getenv("PRIORITYD"))
		if missing != nil || os.Geteuid() != 0 || exec.Command("unshare", "--mount", "--net", "true").Run() != nil {
			return m.Run()
		}
		var err error
		if network, err = NewNetwork(); err == nil {
			defer network.Close()
			postgres, err = plane.StartDatabase(context.Background(), network.Host(), databaseHost)
		}
		if err != nil {
			fmt.Println(err)
			return 1
		}
		defer postgres.Stop()
		return m.Run()
	}())
}

// site is a node, and the Secrets that the chart's values name.
type site struct {
	*Node
	stored Stored
	issuer issuer
}

func newSite(t *testing.T) *site {
	t.Helper()
	if postgres == nil {
		t.Skip("needs PRIORITYD, and a root that may make namespaces")
	}
	url, err := postgres.NewDatabase(databaseHost)
	if err != nil {
		t.Fatal(err)
	}
	s := &site{issuer: newIssuer(t), stored: Stored{"priorityd-db-app": {"uri": []byte(url)},
		"priorityd-db-ca": {"ca.crt": postgres.Authority}, "db-ca": {"ca.crt": postgres.Authority}}}
	s.stored["priorityd-auth"] = map[string][]byte{"jwks.json": s.issuer.keys(), "auth.conf": []byte(
		"TokenIssuer=https://kubernetes.default.svc Audience=priorityd Jwks=/etc/priorityd/jwks.json Name=k8s\n" +
			"Principal=k8s:system:serviceaccount:space:priorityd-kubernetes Role=frontend,collector,provisioner\n" +
			"Principal=k8s:system:serviceaccount:space:admin Role=administrator\n")}
	s.renewCertificate(t)
	s.Node = &Node{Network: network, Objects: s.stored, Programs: map[string]string{"priorityd": os.Getenv("PRIORITYD")},
		Hosts: map[string]string{databaseHost: network.Host()}}
	return s
}

// renewCertificate writes a new priorityd-tls, as cert-manager does.
func (s *site) renewCertificate(t *testing.T) {
	t.Helper()
	folder := t.TempDir()
	certificate, err := plane.WriteCertificate(folder, "priorityd", "priorityd.space.svc")
	if err != nil {
		t.Fatal(err)
	}
	key, err := os.ReadFile(folder + "/tls.key")
	if err != nil {
		t.Fatal(err)
	}
	s.stored["priorityd-tls"] = map[string][]byte{"tls.crt": certificate, "tls.key": key, "ca.crt": certificate}
}

// pod is a Pod of the chart's priorityd with the defaults that the API server would set.
func (s *site) pod(t *testing.T, values map[string]any) *corev1.Pod {
	t.Helper()
	objects, err := chart.Render(chartFolder, "space", values)
	if err != nil {
		t.Fatal(err)
	}
	for _, object := range objects {
		if object.GetKind() != "Deployment" || object.GetName() != "priorityd" {
			continue
		}
		deployment := &appsv1.Deployment{}
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, deployment); err != nil {
			t.Fatal(err)
		}
		pod := &corev1.Pod{Spec: deployment.Spec.Template.Spec}
		pod.Name, pod.Namespace = "priorityd-0", "space"
		return pod
	}
	t.Fatal("there is no Deployment priorityd")
	return nil
}

// run starts a Pod and waits until it is ready.
func (s *site) run(t *testing.T, pod *corev1.Pod) *Container {
	t.Helper()
	container, err := s.Run(pod)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(container.Remove)
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	if err := container.Ready(ctx); err != nil {
		t.Fatal(err)
	}
	return container
}

// options are those of a client of the container: by its certificate's name if there is an authority, with a token if
// there is an account.
func (s *site) options(t *testing.T, c *Container, authority []byte, account string) client.Options {
	t.Helper()
	options := client.Options{Address: c.Address + ":7411", Deadline: time.Minute}
	if authority != nil {
		pool := x509.NewCertPool()
		pool.AppendCertsFromPEM(authority)
		options.TLS = &tls.Config{RootCAs: pool, ServerName: "priorityd"}
	}
	if account != "" {
		token := s.issuer.token(t, account)
		options.Authorize = func(context.Context) (string, error) { return "Bearer " + token, nil }
	}
	return options
}

// importSite makes a cluster; its error says whether the caller may.
func importSite(ctx context.Context, options client.Options) error {
	calls, err := client.New(options)
	if err != nil {
		return err
	}
	defer calls.Close()
	_, err = calls.Admin.Import(ctx, &pb.ImportRequest{Files: []*pb.File{
		{Kind: pb.FileKind_FILE_KIND_SLURM_CONF, Name: "slurm.conf", Content: "ClusterName=k\nPriorityType=priority/multifactor\n"},
		{Kind: pb.FileKind_FILE_KIND_SACCTMGR_DUMP, Name: "dump", Content: "Cluster - 'k':Fairshare=1\nParent - 'root'\n"}}})
	return err
}

func TestWithoutAuthenticationItServesWhoReachesIt(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	c := s.run(t, s.pod(t, chart.Sets["open"]))
	if err := importSite(t.Context(), s.options(t, c, nil, "")); err != nil {
		t.Errorf("%v\n%s", err, c.Log())
	}
	isConfined(t, c)
	if code := c.Stop(); code != 0 {
		t.Errorf("it ends with %d\n%s", code, c.Log())
	}
}

func TestWithAuthenticationItServesWhoProvesARole(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	c := s.run(t, s.pod(t, map[string]any{"priorityd": map[string]any{"enabled": true, "authSecret": "priorityd-auth"}}))
	for account, want := range map[string]codes.Code{"": codes.Unauthenticated, "priorityd-kubernetes": codes.PermissionDenied, "admin": codes.OK} {
		if err := importSite(t.Context(), s.options(t, c, nil, account)); status.Code(err) != want {
			t.Errorf("%q: got %v, want %v", account, err, want)
		}
	}
}

func TestWithTLSItIsReadyAndServesByItsCertificateOnly(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	c := s.run(t, s.pod(t, chart.Sets["secured"]))
	old := s.stored["priorityd-tls"]["ca.crt"]
	if err := importSite(t.Context(), s.options(t, c, old, "admin")); err != nil {
		t.Errorf("%v\n%s", err, c.Log())
	}
	if err := importSite(t.Context(), s.options(t, c, nil, "admin")); status.Code(err) != codes.Unavailable {
		t.Errorf("in clear: got %v", err)
	}
	if page, err := get(c, old, "/"); err != nil || !bytes.Contains(page, []byte("<html")) {
		t.Errorf("%v: the page is %.100s", err, page)
	}
	awaitLeads(t, c, old)
	isConfined(t, c)

	// A renewed certificate, and a key that replaces the old one, hold without a restart.
	s.renewCertificate(t)
	s.issuer = newIssuer(t)
	s.stored["priorityd-auth"]["jwks.json"] = s.issuer.keys()
	if err := c.Refresh(); err != nil {
		t.Fatal(err)
	}
	renewed := s.stored["priorityd-tls"]["ca.crt"]
	err := plane.Await(t.Context(), limit, "the renewed certificate", func() error {
		return importSite(t.Context(), s.options(t, c, renewed, "admin"))
	})
	if err != nil {
		t.Errorf("%v\n%s", err, c.Log())
	}
	awaitProbe(t, c)
}

// awaitLeads waits until a container is the one that recalculates.
func awaitLeads(t *testing.T, c *Container, authority []byte) {
	t.Helper()
	err := plane.Await(t.Context(), limit, "that it leads", func() error {
		metrics, err := get(c, authority, "/metrics")
		if err == nil && !bytes.Contains(metrics, []byte("\npriorityd_leader 1")) {
			err = fmt.Errorf("the metrics are %.1000s", metrics)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// awaitProbe waits until the readiness probe succeeds, as a kubelet does, which asks more than once.
func awaitProbe(t *testing.T, c *Container) {
	t.Helper()
	err := plane.Await(t.Context(), limit, "readiness", func() error { return c.Probe(t.Context(), c.container().ReadinessProbe) })
	if err != nil {
		t.Errorf("%v\n%s", err, c.Log())
	}
}

// get is a page of the container by HTTPS.
func get(c *Container, authority []byte, path string) ([]byte, error) {
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(authority)
	calls := http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool, ServerName: "priorityd"}}}
	answer, err := calls.Get("https://" + c.Address + ":7412" + path)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: got %s", path, answer.Status)
	}
	return text, err
}

func TestTwoReplicasOfOneDatabaseHaveOneLeaderAndTheOtherTakesOver(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	first := s.run(t, s.pod(t, chart.Sets["secured"]))
	second := s.run(t, s.pod(t, chart.Sets["secured"]))
	authority := s.stored["priorityd-tls"]["ca.crt"]
	if err := importSite(t.Context(), s.options(t, second, authority, "admin")); err != nil {
		t.Error(err)
	}
	first.Stop()
	awaitLeads(t, second, authority)
}

func TestADatabaseOfAnotherAuthorityIsRefused(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.stored["db-ca"] = map[string][]byte{"ca.crt": s.stored["priorityd-tls"]["ca.crt"]}
	doesNotStart(t, s, s.pod(t, chart.Sets["secured"]), "exit code 2", "certificate verify failed")
}

// TestAPodThatCannotStartIsNoticed has the arguments of a chart whose priorityd refused to start.
func TestAPodThatCannotStartIsNoticed(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for name, values := range map[string]map[string]any{"open": chart.Sets["open"], "secured": chart.Sets["secured"]} {
		pod := s.pod(t, values)
		pod.Spec.Containers[0].Args = slices.DeleteFunc(pod.Spec.Containers[0].Args, func(argument string) bool { return argument == "--insecure" })
		doesNotStart(t, s, pod, "exit code 1", map[string]string{"open": "--listen: got 0.0.0.0:7411", "secured": "--http_listen: got 0.0.0.0:7412"}[name])
	}
}

func doesNotStart(t *testing.T, s *site, pod *corev1.Pod, words ...string) {
	t.Helper()
	c, err := s.Run(pod)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Remove)
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	err = c.Ready(ctx)
	for _, want := range words {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// isConfined checks that the process is the Pod's user without capabilities, and that it can write nothing.
func isConfined(t *testing.T, c *Container) {
	t.Helper()
	process := fmt.Sprintf("/proc/%d/", c.PID())
	text, err := os.ReadFile(process + "status")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Name:\tentrypoint", "Uid:\t65532\t65532\t65532\t65532", "Gid:\t65532\t65532\t65532\t65532",
		"CapPrm:\t0000000000000000", "CapBnd:\t0000000000000000", "NoNewPrivs:\t1"} {
		if !bytes.Contains(text, []byte(want+"\n")) {
			t.Errorf("want %s in\n%s", want, text)
		}
	}
	mounts, err := os.ReadFile(process + "mountinfo")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(strings.TrimSpace(string(mounts)), "\n") {
		fields := strings.Fields(line)
		isKernel := fields[4] == "/dev/null" || strings.HasPrefix(fields[4], "/proc")
		if !isKernel && !slices.Contains(strings.Split(fields[5], ","), "ro") {
			t.Errorf("it may write %s", line)
		}
	}
	if files, err := openForWriting(process + "fd"); err != nil || len(files) > 0 {
		t.Errorf("it writes %v, %v", files, err)
	}
}

// openForWriting are the files of a process that it has opened to write, except its log.
func openForWriting(folder string) ([]string, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	var found []string
	for _, entry := range entries {
		if number, _ := strconv.Atoi(entry.Name()); number <= 2 {
			continue
		}
		target, _ := os.Readlink(folder + "/" + entry.Name())
		if of, err := os.Lstat(folder + "/" + entry.Name()); err == nil && strings.HasPrefix(target, "/") && target != "/dev/null" && of.Mode()&0o200 != 0 {
			found = append(found, target)
		}
	}
	return found, nil
}
