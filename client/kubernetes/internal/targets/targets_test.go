package targets

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kube "sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"priorityd/kubernetes/internal/weights"
	"priorityd/kubernetes/test/check"
)

var now = time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC)

var must = check.Must

// write reads a queue and writes a value; it returns the state read after it.
func write(t *testing.T, target Target, queue string, to float64) State {
	t.Helper()
	states, err := target.Read(t.Context(), []string{queue}, now)
	must(t, err)
	must(t, target.Write(t.Context(), Change{Queue: queue, To: to, State: states[queue]}, now, false))
	states, err = target.Read(t.Context(), []string{queue}, now)
	must(t, err)
	if s := states[queue]; s.Value != to || s.Record == nil || !s.Record.Written.Equal(now) {
		t.Fatalf("%s: got %+v, want %v with a record", queue, s, to)
	}
	return states[queue]
}

const queuesYAML = `# The queues of the site.
partitions:
  - name: default
    queues:
      - name: root
        submitacl: '*'
        queues:
          - name: chem # of the faculty
            properties:
              application.sort.policy: fifo
          - name: physics
            resources:
              guaranteed: {memory: 10G}
          - name: bio
            properties:
              priority.offset: "-3" # by hand
`

func yunikorn(t *testing.T) (*YuniKorn, func() *corev1.ConfigMap) {
	t.Helper()
	object := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "yunikorn", Name: "yunikorn-configs"},
		Data: map[string]string{"queues.yaml": queuesYAML, "log.level": "-1"}}
	client := fake.NewClientBuilder().WithObjects(object).Build()
	y := &YuniKorn{Namespace: "yunikorn", ConfigMap: "yunikorn-configs", Key: "queues.yaml", Partition: "default", Parent: "root", In: YuniKornScale, Client: client}
	return y, func() *corev1.ConfigMap {
		var current corev1.ConfigMap
		must(t, client.Get(t.Context(), kube.ObjectKeyFromObject(object), &current))
		return &current
	}
}

func TestYuniKornGetsOffsetsAndKeepsEveryOtherLine(t *testing.T) {
	y, current := yunikorn(t)
	for queue, to := range map[string]float64{"chem": -12, "physics": 7, "bio": 3} {
		write(t, y, queue, to)
	}
	want := strings.NewReplacer("application.sort.policy: fifo\n", "application.sort.policy: fifo\n              priority.offset: \"-12\"\n",
		"memory: 10G}\n", "memory: 10G}\n            properties:\n              priority.offset: \"7\"\n", `"-3"`, `"3"`).Replace(queuesYAML)
	if got := current().Data["queues.yaml"]; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := current().Data["log.level"]; got != "-1" {
		t.Errorf("log.level: got %q", got)
	}
}

func TestYuniKornIsRestoredToTheLetter(t *testing.T) {
	y, current := yunikorn(t)
	for _, queue := range []string{"chem", "physics", "bio"} {
		write(t, y, queue, 5)
		must(t, y.Restore(t.Context(), queue, write(t, y, queue, 9), false))
	}
	if got := current(); got.Data["queues.yaml"] != queuesYAML || len(got.Annotations) > 0 {
		t.Errorf("got %v\n%s", got.Annotations, got.Data["queues.yaml"])
	}
}

func TestYuniKornNamesWhatItDoesNotFind(t *testing.T) {
	for want, change := range map[string]func(*YuniKorn){
		"partition": func(y *YuniKorn) { y.Partition = "gpu" }, "parent": func(y *YuniKorn) { y.Parent = "root.none" }, "0 bytes": func(y *YuniKorn) { y.Key = "x" },
	} {
		y, _ := yunikorn(t)
		change(y)
		if _, err := y.Read(t.Context(), []string{"chem"}, now); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	y, _ := yunikorn(t)
	if states, err := y.Read(t.Context(), []string{"none"}, now); err != nil || !states["none"].Missing {
		t.Errorf("got %+v, %v", states, err)
	}
}

// Otherwise the change of a queue would be one of others, or remove what its file has for it.
func TestYuniKornsFileIsNotChangedWhereAQueueSharesItsProperties(t *testing.T) {
	sharing := strings.NewReplacer("            properties:\n              application.sort.policy: fifo\n", "            properties: &all\n              application.sort.policy: fifo\n",
		"            resources:\n              guaranteed: {memory: 10G}\n", "            properties: *all\n", "            properties:\n              priority.offset: \"-3\" # by hand\n", "            properties: 7\n")
	merging := "partitions: [{name: default, queues: [{name: root, queues: [&c {name: chem, properties: {a: b}}, {<<: *c, name: physics}]}]}]\n"
	for _, c := range []struct{ text, queue, want string }{
		{sharing.Replace(queuesYAML), "chem", `queue "chem": properties: got some that are shared`},
		{sharing.Replace(queuesYAML), "physics", `queue "physics": properties: got some that are shared`},
		{sharing.Replace(queuesYAML), "bio", `queue "bio": properties: got something else`},
		{merging, "physics", `queue "physics": properties: got some that are shared`},
		{queuesYAML + "---\npartitions: []\n", "chem", "queues.yaml: got more than one document"},
	} {
		y, current := yunikorn(t)
		object := current()
		object.Data["queues.yaml"] = c.text
		must(t, y.Client.Update(t.Context(), object))
		states, err := y.Read(t.Context(), []string{c.queue}, now)
		if err == nil {
			err = y.Write(t.Context(), Change{Queue: c.queue, To: 5, State: states[c.queue]}, now, false)
		}
		if err == nil || !strings.Contains(err.Error(), c.want) || current().Data["queues.yaml"] != c.text {
			t.Errorf("%s: got %v, want %s, and the file as it was", c.queue, err, c.want)
		}
	}
}

func TestRecordsOfYuniKornThatSomebodyForgedAreNotBelieved(t *testing.T) {
	for _, text := range []string{"{", "null", `{"root.chem":null}`, `{"root.chem":{"former":{"resources":null},"written":"2026-01-01T00:00:00Z"}}`,
		`{"root.chem":{"former":{"properties.priority.offset":"x"},"written":"2026-01-01T00:00:00Z"}}`} {
		y, current := yunikorn(t)
		object := current()
		object.Annotations = map[string]string{Annotation: text}
		must(t, y.Client.Update(t.Context(), object))
		if states, err := y.Read(t.Context(), []string{"chem"}, now); err != nil || states["chem"].Problem == "" || states["chem"].Record != nil {
			t.Errorf("%s: got %+v, %v", text, states, err)
		}
		write(t, y, "chem", 5)
	}
}

// armada is an Armada that has one queue, and replaces it whole, as the real one does.
func armada(t *testing.T) (*Armada, map[string]any) {
	t.Helper()
	queue := map[string]any{"name": "chem", "priorityFactor": 2., "userOwners": []any{"amy"}, "labels": map[string]any{"site": "a"}, "cordoned": true}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer secret" {
			http.Error(w, "who?", http.StatusUnauthorized)
			return
		}
		if r.URL.Path != "/v1/queue/chem" {
			http.NotFound(w, r)
			return
		}
		if r.Method == http.MethodPut {
			text, _ := io.ReadAll(r.Body)
			clear(queue)
			if err := json.Unmarshal(text, &queue); err != nil {
				t.Error(err)
			}
			io.WriteString(w, "{}")
			return
		}
		json.NewEncoder(w).Encode(queue)
	}))
	t.Cleanup(server.Close)
	token := filepath.Join(t.TempDir(), "token")
	must(t, os.WriteFile(token, []byte("secret\n"), 0o600))
	return &Armada{URL: server.URL, TokenFile: token, StateFile: filepath.Join(t.TempDir(), "state"), In: ArmadaScale, HTTP: server.Client()}, queue
}

func TestArmadaGetsAFactorAndKeepsTheRestOfAQueue(t *testing.T) {
	a, queue := armada(t)
	write(t, a, "chem", 50)
	state := write(t, a, "chem", 75)
	want := map[string]any{"name": "chem", "priorityFactor": 75., "userOwners": []any{"amy"}, "labels": map[string]any{"site": "a"}, "cordoned": true}
	if !reflect.DeepEqual(queue, want) {
		t.Errorf("got %v, want %v", queue, want)
	}
	must(t, a.Restore(t.Context(), "chem", state, false))
	want["priorityFactor"] = 2.
	if !reflect.DeepEqual(queue, want) {
		t.Errorf("restored: got %v, want %v", queue, want)
	}
	states, err := a.Read(t.Context(), []string{"chem", "none"}, now)
	if err != nil || states["chem"].Record != nil || !states["none"].Missing {
		t.Errorf("got %+v, %v", states, err)
	}
}

func TestArmadaIsNotWrittenIfTheFactorHasChanged(t *testing.T) {
	a, queue := armada(t)
	states, err := a.Read(t.Context(), []string{"chem"}, now)
	must(t, err)
	queue["priorityFactor"] = 3.
	if err := a.Write(t.Context(), Change{Queue: "chem", To: 50, State: states["chem"]}, now, false); err == nil || queue["priorityFactor"] != 3. {
		t.Errorf("got %v, with %v", err, queue)
	}
}

// slurm is a Slurm with two accounts, played by a function that checks its arguments.
func slurm(t *testing.T) (*Slurm, map[string]string, *[]string) {
	t.Helper()
	shares, ran := map[string]string{"chem": "1", "bio": "7"}, &[]string{}
	return &Slurm{Cluster: "old", Command: []string{"sacctmgr"}, StateFile: filepath.Join(t.TempDir(), "state"), In: SlurmScale,
		Run: func(_ context.Context, command []string) (string, error) {
			line := strings.Join(command, " ")
			if account, to, found := strings.Cut(strings.TrimPrefix(line, "sacctmgr -i modify account where name="), " cluster=old set fairshare="); found {
				*ran = append(*ran, line)
				shares[account] = to
				return "", nil
			}
			if line != "sacctmgr -n -P show assoc cluster=old account=chem format=Account,User,Share" {
				t.Errorf("got the command %s", line)
			}
			return "chem||" + shares["chem"] + "\nchem|amy|1\nchem|ben|parent\n", nil
		}}, shares, ran
}

func TestSlurmGetsSharesBySacctmgr(t *testing.T) {
	s, shares, ran := slurm(t)
	state := write(t, s, "chem", 1500)
	if want := []string{"sacctmgr -i modify account where name=chem cluster=old set fairshare=1500"}; !reflect.DeepEqual(*ran, want) {
		t.Errorf("got %v, want %v", *ran, want)
	}
	must(t, s.Restore(t.Context(), "chem", state, false))
	if shares["chem"] != "1" {
		t.Errorf("restored: got %s", shares["chem"])
	}
}

func TestADryRunWritesNothing(t *testing.T) {
	s, _, ran := slurm(t)
	a, queue := armada(t)
	for _, target := range []Target{s, a} {
		states, err := target.Read(t.Context(), []string{"chem"}, now)
		must(t, err)
		must(t, target.Write(t.Context(), Change{Queue: "chem", To: 50, State: states["chem"]}, now, true))
	}
	y, current := yunikorn(t)
	states, err := y.Read(t.Context(), []string{"chem"}, now)
	must(t, err)
	must(t, y.Write(t.Context(), Change{Queue: "chem", To: 50, State: states["chem"]}, now, true))
	if len(*ran) > 0 || queue["priorityFactor"] != 2. || current().Data["queues.yaml"] != queuesYAML {
		t.Errorf("got %v, %v", *ran, queue)
	}
}

func TestACommandThatDoesNotEndIsEnded(t *testing.T) {
	before := commandTime
	t.Cleanup(func() { commandTime = before })
	commandTime = 50 * time.Millisecond
	if output, err := RunCommand(t.Context(), []string{"sh", "-c", "sleep 20; echo done"}); err == nil || !strings.Contains(err.Error(), "no end within") {
		t.Errorf("got %q, %v", output, err)
	}
}

func TestNamesThatSacctmgrWouldSplitAreRefused(t *testing.T) {
	s, _, _ := slurm(t)
	for _, name := range []string{"a b", "a,b", "a=b", "a|b", "a'b", "a\nb"} {
		if _, err := s.Read(t.Context(), []string{name}, now); err == nil {
			t.Errorf("%q: got no error", name)
		}
	}
}

func TestAStateFileThatIsBrokenStopsTheWrite(t *testing.T) {
	for _, text := range []string{"{", "null"} {
		s, _, ran := slurm(t)
		must(t, os.WriteFile(s.StateFile, []byte(text), 0o600))
		if _, err := s.Read(t.Context(), []string{"chem"}, now); err == nil {
			t.Error("got no error")
		}
		if err := s.Write(t.Context(), Change{Queue: "chem", To: 5}, now, false); err == nil || len(*ran) > 0 {
			t.Errorf("got %v, %v", err, *ran)
		}
	}
}

func TestTheScalesFitTheDefaultRule(t *testing.T) {
	all := map[string]weights.Scale{"yunikorn": YuniKornScale, "armada": ArmadaScale, "slurm": SlurmScale}
	for name, kind := range Kinds {
		all[name] = kind.Scale
	}
	for name, scale := range all {
		if err := scale.Check(weights.Default); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
