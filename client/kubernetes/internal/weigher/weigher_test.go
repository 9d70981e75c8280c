package weigher

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/go-logr/logr/funcr"
	"google.golang.org/protobuf/types/known/durationpb"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	pb "priorityd.internal/client/priorityv1"
	"priorityd/kubernetes/internal/targets"
	"priorityd/kubernetes/internal/weights"
	"priorityd/kubernetes/test/check"
)

var start = time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC)

// service is a priorityd with a level of accounts.
type service struct {
	generation int64
	levelFS    map[string]float64
	algorithm  string
	stale      bool
	err        error
	listed     int // Calls for the whole level.
}

func (s *service) AllShares(_ context.Context, request *pb.ListSharesRequest) (*pb.ListSharesResponse, error) {
	if s.err != nil {
		return nil, s.err
	}
	answer := &pb.ListSharesResponse{FairShareAlgorithm: s.algorithm, Snapshot: &pb.Snapshot{Generation: s.generation}}
	if s.stale {
		answer.Snapshot.StaleFor = durationpb.New(time.Minute)
	}
	if !request.Subtree {
		return answer, nil
	}
	s.listed++
	one := uint32(1)
	answer.Shares = append(answer.Shares, &pb.AssociationShare{Account: "root", RawShares: &one, LevelShares: 1})
	for account, fs := range s.levelFS {
		answer.Shares = append(answer.Shares, &pb.AssociationShare{Account: account, ParentAccount: "root", RawShares: &one, LevelShares: 3, LevelFs: &fs},
			&pb.AssociationShare{Account: account, ParentAccount: account, User: "amy", RawShares: &one, LevelShares: 1, LevelFs: &fs},
			&pb.AssociationShare{Account: account + "-group", ParentAccount: account, RawShares: &one, LevelShares: 1, LevelFs: &fs})
	}
	return answer, nil
}

// scheduler is a target in memory.
type scheduler struct {
	states    map[string]targets.State
	writes    int
	conflicts int // So many writes conflict first.
	broken    string
}

func (*scheduler) Field() string { return "weight" }

func (*scheduler) Scale() weights.Scale {
	return weights.Scale{Factor: 100, Lowest: 1, Limit: 1e6}
}

func (s *scheduler) Read(_ context.Context, queues []string, _ time.Time) (map[string]targets.State, error) {
	states := map[string]targets.State{}
	for _, queue := range queues {
		state, found := s.states[queue]
		state.Missing = !found
		states[queue] = state
	}
	return states, nil
}

func (s *scheduler) Write(_ context.Context, change targets.Change, now time.Time, dry bool) error {
	if s.conflicts > 0 {
		s.conflicts--
		return apierrors.NewConflict(schema.GroupResource{}, change.Queue, nil)
	}
	if change.Queue == s.broken {
		return errors.New("it is broken")
	}
	if !dry {
		s.writes++
		s.states[change.Queue] = targets.State{Value: change.To, Record: &weights.Record{Former: map[string]any{"weight": change.State.Value}, Written: now}}
	}
	return nil
}

func (s *scheduler) Restore(_ context.Context, queue string, state targets.State, _ bool) error {
	s.states[queue] = targets.State{Value: state.Record.Former["weight"].(float64)}
	return nil
}

func (s *scheduler) values() map[string]float64 {
	values := map[string]float64{}
	for queue, state := range s.states {
		values[queue] = state.Value
	}
	return values
}

// play is a Follower of one group at a time that a test moves.
func play(t *testing.T) (*Follower, *service, *scheduler, *time.Time) {
	t.Helper()
	s := &service{generation: 1, algorithm: "fair_tree", levelFS: map[string]float64{"chem": 0.5, "physics": 1, "bio": 1.5}}
	to := &scheduler{states: map[string]targets.State{}}
	for _, queue := range []string{"chem", "physics", "bio"} {
		to.states[queue] = targets.State{Value: 100}
	}
	now := start
	rule := weights.Default
	rule.Step = 3
	f := &Follower{Shares: s, Groups: []*Group{{Name: "g", Parent: "root", Rule: rule, Target: to}}, Poll: time.Second,
		Now: func() time.Time { return now }, Log: logr.Discard()}
	return f, s, to, &now
}

var must = check.Must

func TestWeightsFollowOncePerRecalculation(t *testing.T) {
	f, s, to, now := play(t)
	must(t, f.Once(t.Context()))
	if want := map[string]float64{"chem": 50, "physics": 100, "bio": 150}; !maps.Equal(to.values(), want) {
		t.Errorf("got %v, want %v", to.values(), want)
	}
	for range 3 {
		must(t, f.Once(t.Context()))
	}
	if s.listed != 1 {
		t.Errorf("got %d lists of one recalculation, want 1", s.listed)
	}
	s.generation, s.levelFS = 2, map[string]float64{"chem": 2, "physics": 1, "bio": 1}
	must(t, f.Once(t.Context()))
	if to.writes != 2 {
		t.Errorf("within the interval: got %d writes, want the first 2", to.writes)
	}
	*now, s.generation = now.Add(time.Hour), 3
	must(t, f.Once(t.Context()))
	if want := map[string]float64{"chem": 150, "physics": 75, "bio": 75}; !maps.Equal(to.values(), want) {
		t.Errorf("got %v, want %v", to.values(), want)
	}
}

func TestWeightsStayIfSharesAreNotSure(t *testing.T) {
	for want, change := range map[string]func(*service){
		"stale_for": func(s *service) { s.stale = true }, "got \"classic\"": func(s *service) { s.algorithm = "classic" },
		"unreachable": func(s *service) { s.err = errors.New("unreachable") },
	} {
		f, s, to, _ := play(t)
		change(s)
		if err := f.Once(t.Context()); err == nil || !strings.Contains(err.Error(), want) || to.writes > 0 {
			t.Errorf("got %v and %d writes, want %s", err, to.writes, want)
		}
	}
}

func TestAFailedTurnIsRepeatedBeforeTheNextRecalculation(t *testing.T) {
	f, s, to, _ := play(t)
	s.stale = true
	if f.Once(t.Context()) == nil {
		t.Error("got no error")
	}
	s.stale = false
	must(t, f.Once(t.Context()))
	if to.writes != 2 {
		t.Errorf("got %d writes, want 2", to.writes)
	}
}

func TestAGroupThatFailsDelaysNoOther(t *testing.T) {
	f, _, to, _ := play(t)
	bad := *f.Groups[0]
	bad.Name, bad.Queues = "bad", map[string]string{"none": "none"}
	f.Groups = []*Group{&bad, f.Groups[0]}
	err := f.Once(t.Context())
	if err == nil || !strings.Contains(err.Error(), `group "bad": queues: got the accounts ["none"]`) || to.writes != 2 {
		t.Errorf("got %v and %d writes", err, to.writes)
	}
}

func TestAConflictIsReadAgain(t *testing.T) {
	f, _, to, _ := play(t)
	to.conflicts = 3
	must(t, f.Once(t.Context()))
	f, _, to, _ = play(t)
	to.conflicts = 4
	if err := f.Once(t.Context()); err == nil {
		t.Error("got no error, want one after 4 attempts")
	}
}

func TestAQueueThatCannotBeWrittenIsNamedAndTheOthersAreWritten(t *testing.T) {
	f, _, to, _ := play(t)
	to.broken = "chem"
	if err := f.Once(t.Context()); err == nil || !strings.Contains(err.Error(), `1 of 3 weights: "chem": it is broken`) || to.states["bio"].Value != 150 {
		t.Errorf("got %v, %v", err, to.values())
	}
}

func TestUndoRestoresEachWrittenQueue(t *testing.T) {
	f, _, to, _ := play(t)
	must(t, f.Once(t.Context()))
	must(t, f.Undo(t.Context()))
	if want := map[string]float64{"chem": 100, "physics": 100, "bio": 100}; !maps.Equal(to.values(), want) {
		t.Errorf("got %v, want %v", to.values(), want)
	}
}

func TestADryRunPrintsTheDifferencesAndWritesNothing(t *testing.T) {
	f, _, to, _ := play(t)
	var out bytes.Buffer
	f.Dry, f.Out = true, &out
	must(t, f.Once(t.Context()))
	for _, want := range []string{"-  \"chem\" 100\n+  \"chem\" 50    # account \"chem\": LevelFS 0.5, share 0.3333\n", "+  \"bio\" 150"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("want %s in\n%s", want, &out)
		}
	}
	if to.writes > 0 {
		t.Errorf("got %d writes", to.writes)
	}
}

func TestAnAccountWithoutAQueueIsLeftOut(t *testing.T) {
	f, _, to, _ := play(t)
	delete(to.states, "bio")
	must(t, f.Once(t.Context()))
	// 0.5 and 1 by their mean.
	if want := map[string]float64{"chem": 67, "physics": 133}; !maps.Equal(to.values(), want) {
		t.Errorf("got %v, want %v", to.values(), want)
	}
}

func TestAParentThatDoesNotExistIsNamed(t *testing.T) {
	f, _, to, _ := play(t)
	f.Groups[0].Parent = "nosuch"
	if err := f.Once(t.Context()); err == nil || !strings.Contains(err.Error(), `group "g": parent: got "nosuch", want an account`) || to.writes > 0 {
		t.Errorf("got %v and %d writes", err, to.writes)
	}
}

func TestAGroupWithFewerThanTwoQueuesIsLogged(t *testing.T) {
	for _, queues := range []int{0, 1, 2} {
		f, _, to, _ := play(t)
		for i, queue := range []string{"chem", "physics", "bio"} {
			if i >= queues {
				delete(to.states, queue)
			}
		}
		var lines []string
		f.Log = funcr.New(func(_, line string) { lines = append(lines, line) }, funcr.Options{})
		must(t, f.Once(t.Context()))
		logged := strings.Contains(strings.Join(lines, "\n"), "fewer than two accounts have a queue")
		if logged != (queues < 2) {
			t.Errorf("%d queues: got %q", queues, lines)
		}
	}
}

func TestAConfigurationIsReadWithItsDefaults(t *testing.T) {
	c, err := ParseConfig([]byte("groups:\n- target: yunikorn\n- {target: slurm, name: old, parent: chem, gain: 0.5, interval: 1h, slurm: {cluster: old, stateFile: /x}}\n"))
	must(t, err)
	first, second := c.Groups[0], c.Groups[1]
	if first.Name != "yunikorn-root" || !reflect.DeepEqual(*first.YuniKorn, YuniKornConfig{"yunikorn", "yunikorn-configs", "queues.yaml", "default", "root"}) {
		t.Errorf("got %+v", first)
	}
	rule, err := second.Rule()
	if err != nil || rule.Gain != 0.5 || rule.Interval != time.Hour || rule.Min != weights.Default.Min || second.Slurm.Command[0] != "sacctmgr" {
		t.Errorf("got %+v, %v", rule, err)
	}
}

func TestAConfigurationOutOfRangeIsNamed(t *testing.T) {
	for text, want := range map[string]string{
		"":                      "groups: got 0",
		"groups: []":            "groups: got 0",
		"groups: [{}]":          `groups[0].target: got ""`,
		"group: [{}]":           "unknown field",
		"groups: [{target: x}]": `groups[0].target: got "x"`,
		"groups: [{target: volcano-queue, gain: 9}]":                                  "groups[0].gain: got 9",
		"groups: [{target: volcano-queue, interval: soon}]":                           "groups[0].interval",
		"groups: [{target: volcano-queue, scale: -1}]":                                "groups[0].scale: got -1",
		"groups: [{target: volcano-queue, scale: 2}]":                                 "groups[0].scale: got 2",
		"groups: [{target: volcano-queue, base: usage}]":                              "groups[0].base",
		"groups: [{target: volcano-queue, queues: {a: b, c: b}}]":                     `groups[0].queues: got "b" for "a" and "c"`,
		"groups: [{target: volcano-queue, queues: {a: ''}}]":                          "groups[0].queues",
		"groups: [{target: volcano-queue}, {target: volcano-queue}]":                  "groups[1].name",
		"groups: [{target: volcano-queue, slurm: {}}]":                                "groups[0].slurm",
		"groups: [{target: slurm}]":                                                   "groups[0].slurm",
		"groups: [{target: armada, armada: {url: 'ftp://x', stateFile: /x}}]":         "groups[0].armada",
		"groups: [{target: volcano-queue, parent: " + strings.Repeat("x", 300) + "}]": "groups[0].name",
	} {
		if _, err := ParseConfig([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.80s: got %v, want %s", text, err, want)
		}
	}
}

// Each group applies its own fields only, and has one record in a queue: it would remove what the other has written.
func TestTwoGroupsDoNotWriteOneQueue(t *testing.T) {
	for text, want := range map[string]string{
		"{target: kai-queue}, {target: kai-priority}":                                                                            `groups[1].parent: got "root", whose queues group "kai-queue-root" has`,
		"{target: kai-queue, queues: {a: q, b: r}}, {target: kai-priority, parent: x, queues: {c: p, d: q}}":                     `groups[1].queues: got "q", which group "kai-queue-root" has`,
		"{target: volcano-queue, queues: {a: q}}, {target: volcano-queue, name: n}":                                              `groups[1].parent: got "root"`,
		"{target: yunikorn}, {target: yunikorn, name: n}":                                                                        `groups[1].parent: got "root"`,
		"{target: slurm, slurm: {cluster: a, stateFile: /x}}, {target: slurm, name: n, slurm: {cluster: b, stateFile: /y/../x}}": `groups[1].slurm.stateFile: got "/x", which group "slurm-root" has`,

		"{target: volcano-queue}, {target: kai-queue}":                                                                        "",
		"{target: volcano-queue}, {target: volcano-queue, parent: chem}":                                                      "",
		"{target: volcano-queue, queues: {a: q}}, {target: volcano-queue, name: n, queues: {b: r}}":                           "",
		"{target: yunikorn}, {target: yunikorn, name: n, yunikorn: {parent: root.tenants}}":                                   "",
		"{target: slurm, slurm: {cluster: a, stateFile: /x}}, {target: slurm, parent: p, slurm: {cluster: a, stateFile: /x}}": "",
	} {
		_, err := ParseConfig([]byte("groups: [" + text + "]"))
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", text, err, want)
		}
	}
}

func TestAConfigurationHasABoundedSize(t *testing.T) {
	var text strings.Builder
	text.WriteString("groups: [{target: volcano-queue, queues: {")
	for i := range mostQueues + 1 {
		fmt.Fprintf(&text, "a%d: b%d, ", i, i)
	}
	text.WriteString("}}]")
	if _, err := ParseConfig([]byte(text.String())); err == nil || !strings.Contains(err.Error(), "more than 10000") {
		t.Errorf("got %v", err)
	}
}

func TestOnlyAccountsDirectlyBelowTheParentAreSiblings(t *testing.T) {
	f, s, to, _ := play(t)
	for account := range s.levelFS {
		to.states[account+"-group"] = targets.State{Value: 7}
	}
	must(t, f.Once(t.Context()))
	if to.states["chem"].Value != 50 || to.states["chem-group"].Value != 7 || to.states["bio-group"].Value != 7 {
		t.Errorf("got %v, want the children of root only", to.values())
	}
	shares, err := s.AllShares(t.Context(), &pb.ListSharesRequest{Subtree: true})
	must(t, err)
	group := Group{Parent: "chem"}
	members, err := group.members(shares)
	if err != nil || len(members) != 1 || members[0].Account != "chem-group" {
		t.Errorf("got %+v, %v, want chem-group, and no user", members, err)
	}
}
