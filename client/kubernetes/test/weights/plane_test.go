package weights

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"
	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	pb "priorityd.internal/client/priorityv1"
	"priorityd/kubernetes/test/chart"
	"priorityd/kubernetes/test/check"
	"priorityd/kubernetes/test/plane"
)

// site is the control plane that all tests share; program is priorityd-weights.
var (
	site    *plane.Plane
	program string
)

func TestMain(m *testing.M) {
	if missing := plane.Missing(); missing != "" {
		fmt.Printf("skipped, control plane is not built: client/kubernetes/test/run --build (there is no %s)\n", missing)
		os.Exit(0)
	}
	status, err := run(m)
	if err != nil {
		fmt.Println(err)
		status = 1
	}
	os.Exit(status)
}

func run(m *testing.M) (int, error) {
	folder, err := os.MkdirTemp("", "weights")
	if err != nil {
		return 1, err
	}
	defer os.RemoveAll(folder)
	program = filepath.Join(folder, "priorityd-weights")
	if output, err := exec.Command("go", "build", "-buildvcs=false", "-o", program, "priorityd/kubernetes/cmd/priorityd-weights").CombinedOutput(); err != nil {
		return 1, fmt.Errorf("%w: %s", err, output)
	}
	ctx := context.Background()
	if site, err = plane.Start(ctx); err != nil {
		return 1, err
	}
	defer site.Stop()
	if err := configure(ctx); err != nil {
		return 1, err
	}
	status := m.Run()
	if status != 0 {
		fmt.Println(site.Tails())
	}
	return status, nil
}

// configure gives priorityd three accounts with equal shares, whose usage is 4, 2 and 1 CPU hours, and a fourth one with two
// below it, and defines the queues.
func configure(ctx context.Context) error {
	dump := "Cluster - 'k':Fairshare=1\nParent - 'root'\nAccount - 'chem':Fairshare=1\nAccount - 'physics':Fairshare=1\nAccount - 'bio':Fairshare=1\nAccount - 'lab':Fairshare=1\n" +
		"Parent - 'chem'\nUser - 'amy':Fairshare=1\nParent - 'physics'\nUser - 'ben':Fairshare=1\nParent - 'bio'\nUser - 'cem':Fairshare=1\n" +
		"Parent - 'lab'\nAccount - 'one':Fairshare=1\nAccount - 'two':Fairshare=3\nParent - 'one'\nUser - 'dan':Fairshare=1\nParent - 'two'\nUser - 'eva':Fairshare=1\n"
	if _, err := site.Priorityd.Calls.Admin.Import(ctx, &pb.ImportRequest{Files: []*pb.File{{Kind: pb.FileKind_FILE_KIND_SACCTMGR_DUMP, Name: "dump", Content: dump}}}); err != nil {
		return err
	}
	if err := use(ctx, map[string]float64{"chem": 4, "physics": 2, "bio": 1}); err != nil {
		return err
	}
	all, err := definitions()
	if err != nil {
		return err
	}
	for _, object := range all {
		if err := site.Client.Create(ctx, object); err != nil {
			return err
		}
	}
	return nil
}

var users = map[string]string{"chem": "amy", "physics": "ben", "bio": "cem", "one": "dan", "two": "eva"}

// use records so many CPU hours of accounts, and recalculates.
func use(ctx context.Context, hours map[string]float64) error {
	end := time.Now().Add(-time.Second)
	var records []*pb.UsageRecord
	for account, count := range hours {
		records = append(records, &pb.UsageRecord{Source: "test", RecordId: fmt.Sprint(account, end.UnixNano()), Account: account, User: users[account],
			StartTime: timestamppb.New(end.Add(-time.Hour)), EndTime: timestamppb.New(end), Tres: map[string]float64{"cpu": count}})
	}
	if _, err := site.Priorityd.Calls.RecordUsage(ctx, &pb.RecordUsageRequest{Records: records}); err != nil {
		return err
	}
	_, err := site.Priorityd.Calls.Admin.Recalculate(ctx, &pb.RecalculateRequest{})
	return err
}

var must, eventually = check.Must, check.Eventually

// values are those of the chart with groups.
func values(groups ...any) map[string]any {
	return map[string]any{"weights": map[string]any{"enabled": true, "groups": groups}}
}

// weigh runs the program with the configuration and the rights of the chart, and returns what it prints.
func weigh(t *testing.T, groups []any, arguments ...string) (string, error) {
	t.Helper()
	return start(t, configured(t, groups), arguments...)
}

// configured creates the rights of the chart for groups; it returns the path of the configuration.
func configured(t *testing.T, groups []any) string {
	t.Helper()
	objects, err := chart.Render("../../charts/priorityd-kubernetes", "priorityd", values(groups...))
	must(t, err)
	config := filepath.Join(t.TempDir(), "weights.yaml")
	var rights []*unstructured.Unstructured
	for _, object := range objects {
		name := object.GetKind() + " " + object.GetName()
		if name == "ConfigMap priorityd-weights" {
			text, _, _ := unstructured.NestedString(object.Object, "data", "weights.yaml")
			must(t, os.WriteFile(config, []byte(text), 0o600))
		}
		if strings.Contains(name, "Role") && strings.Contains(name, " priorityd-weights") {
			must(t, site.Client.Patch(t.Context(), object, client.Apply, client.FieldOwner("test"), client.ForceOwnership))
			rights = append(rights, object)
		}
	}
	for _, role := range rights {
		awaitRights(t, role)
	}
	return config
}

// awaitRights waits until the API server allows the program what the rules of a role name, which it notices some time after their
// creation.
func awaitRights(t *testing.T, role *unstructured.Unstructured) {
	t.Helper()
	var of rbacv1.ClusterRole // A Role has the same rules, and bindings have none.
	must(t, runtime.DefaultUnstructuredConverter.FromUnstructured(role.Object, &of))
	for _, rule := range of.Rules {
		for _, verb := range rule.Verbs {
			review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{User: programAccount,
				ResourceAttributes: &authorizationv1.ResourceAttributes{Namespace: role.GetNamespace(), Verb: verb, Group: rule.APIGroups[0], Resource: rule.Resources[0]}}}
			if len(rule.ResourceNames) > 0 {
				review.Spec.ResourceAttributes.Name = rule.ResourceNames[0]
			}
			eventually(t, "the rights of "+role.GetName(), func() error {
				asked := review.DeepCopy()
				if err := site.Client.Create(t.Context(), asked); err != nil {
					return err
				}
				if !asked.Status.Allowed {
					return fmt.Errorf("not allowed: %v", asked.Spec.ResourceAttributes)
				}
				return nil
			})
		}
	}
}

// programAccount is the service account that the program acts as.
const programAccount = "system:serviceaccount:priorityd:priorityd-weights"

// forbidden runs the program with a configuration that the rights of the last call are not for.
func forbidden(t *testing.T, config string) (string, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "weights.yaml")
	must(t, os.WriteFile(path, []byte(config), 0o600))
	return start(t, path, "once")
}

func start(t *testing.T, config string, arguments ...string) (string, error) {
	t.Helper()
	command := exec.Command(program, append([]string{"--config=" + config, "--priorityd=" + site.Priorityd.Address, "--kubeconfig=" + account(t)}, arguments...)...)
	output, err := command.CombinedOutput()
	return string(output), err
}

// account is a kubeconfig of the program's service account.
func account(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "kubeconfig")
	text := fmt.Sprintf("apiVersion: v1\nkind: Config\ncurrent-context: a\ncontexts: [{name: a, context: {cluster: a, user: a}}]\n"+
		"clusters: [{name: a, cluster: {server: \"%s\", insecure-skip-tls-verify: true}}]\n"+
		"users: [{name: a, user: {token: %s, as: \"%s\"}}]\n", site.Admin.Host, site.Admin.BearerToken, programAccount)
	must(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// create creates an object from YAML and removes it after the test.
func create(t *testing.T, text string) *unstructured.Unstructured {
	t.Helper()
	object := &unstructured.Unstructured{}
	must(t, yaml.Unmarshal([]byte(text), &object.Object))
	deadline := time.Now().Add(2 * time.Minute)
	for {
		err := site.Client.Create(t.Context(), object)
		if err == nil {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
		time.Sleep(200 * time.Millisecond)
	}
	t.Cleanup(func() { site.Client.Delete(context.Background(), object) })
	return object
}

// again reads an object again.
func again(t *testing.T, object *unstructured.Unstructured) *unstructured.Unstructured {
	t.Helper()
	current := &unstructured.Unstructured{}
	current.SetGroupVersionKind(object.GroupVersionKind())
	must(t, site.Client.Get(t.Context(), types.NamespacedName{Namespace: object.GetNamespace(), Name: object.GetName()}, current))
	return current
}
