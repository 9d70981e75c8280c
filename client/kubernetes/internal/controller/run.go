package controller

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/go-logr/logr"
	"golang.org/x/time/rate"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/selection"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/discovery"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/events"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	kube "sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"priorityd.internal/client"
	pb "priorityd.internal/client/priorityv1"
	"priorityd/kubernetes/internal/workload"
)

// Options are the values of the flags.
type Options struct {
	Plain bool // Plain Jobs and Pods, not Kueue's Workloads.

	Priorityd client.Options
	Source    string // Names this controller in priorityd; one of a cluster.

	Copies        bool // Also Workloads that a manager cluster of MultiKueue created.
	Place         PlaceOptions
	Accounts      types.NamespacedName // The ConfigMap; an empty name = none.
	Provision     bool
	ParentAccount string
	// LedgerNamespace is the namespace of the ledgers; owners of Workloads must not have write access to it.
	LedgerNamespace string

	Top             uint32
	WritesPerSecond float64
	ExplainedPer    int  // A second.
	Forecasts       bool // Of starts, as annotations and in Events.
	Finalize        bool
	FinalizerHold   time.Duration
	DefaultLimit    time.Duration // The assumed time limit of plain work without one.
	FIFOAfter       time.Duration // After so long without priorityd, release plain work in order of submission; 0 = never.

	LeaderElection          bool
	LeaderElectionNamespace string
	MetricsAddress          string
	HealthAddress           string
}

// Run runs the controller until the context ends or it no longer leads.
func Run(ctx context.Context, config *rest.Config, options Options) error {
	service, err := client.New(options.Priorityd)
	if err != nil {
		return err
	}
	defer service.Close()
	m, err := newManager(config, options)
	if err != nil {
		return err
	}
	book := NewBook(options.Place)
	var machine *Machine
	if options.Plain {
		machine = NewMachine()
	}
	boosts, err := newBoosts(config, m.GetLogger())
	if err != nil {
		return err
	}
	p := newParts(m, service, book, machine, boosts, options)
	groups, err := podGroups(m.GetRESTMapper(), m.GetLogger())
	if err != nil {
		return err
	}
	synced, err := follow(ctx, m.GetCache(), book, watchedOf(book, machine, groups), options.Accounts, func(err error) { m.GetLogger().Error(err, "accounts") })
	if err != nil {
		return err
	}
	if err := addParts(m, p, synced); err != nil {
		return err
	}
	if options.Accounts.Name != "" { // An update of the Deployment stops at a ConfigMap that is rejected.
		if err := m.AddReadyzCheck("accounts", hasAccounts(book)); err != nil {
			return err
		}
	}
	if err := RegisterBook(book); err != nil {
		return err
	}
	return m.Start(ctx)
}

func hasAccounts(book *Book) healthz.Checker {
	return func(*http.Request) error {
		if !book.HasAccounts() {
			return errors.New("the ConfigMap of --accounts is not read")
		}
		return nil
	}
}

// podGroups is the kind PodGroup in the version that the API server prefers; nil = it serves none.
func podGroups(mapper meta.RESTMapper, log logr.Logger) (*unstructured.Unstructured, error) {
	mapping, err := mapper.RESTMapping(schema.GroupKind{Group: "scheduling.k8s.io", Kind: "PodGroup"})
	if meta.IsNoMatchError(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	log.Info("PodGroups are gangs", "version", mapping.GroupVersionKind.GroupVersion().String())
	kind := &unstructured.Unstructured{}
	kind.SetGroupVersionKind(mapping.GroupVersionKind)
	return kind, nil
}

func newBoosts(config *rest.Config, log logr.Logger) (*Boosts, error) {
	api, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return nil, err
	}
	return &Boosts{Paths: api.OpenAPIV3().Paths, Log: log.WithName("boosts")}, nil
}

func newManager(config *rest.Config, options Options) (manager.Manager, error) {
	scheme := runtime.NewScheme()
	if err := clientgoscheme.AddToScheme(scheme); err != nil {
		return nil, err
	}
	workload.AddKueue(scheme)
	return ctrl.NewManager(config, ctrl.Options{
		Scheme:                  scheme,
		Cache:                   cache.Options{DefaultTransform: cache.TransformStripManagedFields(), ByObject: cached(options)},
		Metrics:                 metricsserver.Options{BindAddress: options.MetricsAddress},
		HealthProbeBindAddress:  options.HealthAddress,
		LeaderElection:          options.LeaderElection,
		LeaderElectionID:        "priorityd-kubernetes",
		LeaderElectionNamespace: options.LeaderElectionNamespace,
		// A stopped leader ends its passes first, so another one may lead at once.
		LeaderElectionReleaseOnCancel: true,
	})
}

// counted selects the Workloads that this cluster's controller orders and charges: without copies only those that no
// manager cluster of MultiKueue has created, because they count on the manager.
func counted(copies bool) labels.Selector {
	if copies {
		return labels.Everything()
	}
	created, _ := labels.NewRequirement(kueue.MultiKueueOriginLabel, selection.DoesNotExist, nil)
	return labels.NewSelector().Add(*created)
}

// cached are the objects kept in memory, reduced. Of the ConfigMaps only that of the accounts, not the ledgers beside it.
func cached(options Options) map[kube.Object]cache.ByObject {
	byObject := stripped(options.Plain, options.Copies)
	if named := options.Accounts; named.Name != "" {
		only := cache.Config{FieldSelector: fields.OneTermEqualSelector("metadata.name", named.Name)}
		byObject[&corev1.ConfigMap{}] = cache.ByObject{Namespaces: map[string]cache.Config{named.Namespace: only}}
	}
	return byObject
}

// stripped are the transforms that reduce the objects kept in memory.
func stripped(plain, copies bool) map[kube.Object]cache.ByObject {
	if !plain {
		return map[kube.Object]cache.ByObject{&workload.Workload{}: {Transform: workload.Strip, Label: counted(copies)}}
	}
	// All Jobs: one that is being charged is followed also without its label.
	return map[kube.Object]cache.ByObject{
		&corev1.Node{}: {Transform: workload.StripNode},
		&corev1.Pod{}:  {Transform: workload.StripPod},
		&batchv1.Job{}: {Transform: workload.StripJob},
	}
}

// afterSync is a part that waits until the informers have synced.
type afterSync struct {
	manager.Runnable
	synced func(context.Context) error
}

func (a afterSync) Start(ctx context.Context) error {
	if err := a.synced(ctx); err != nil {
		return nil
	}
	return a.Runnable.Start(ctx)
}

func (afterSync) NeedLeaderElection() bool { return true }

// addParts adds the parts that run while this controller is the leader.
func addParts(m manager.Manager, parts []manager.Runnable, synced func(context.Context) error) error {
	for _, part := range parts {
		if err := m.Add(afterSync{part, synced}); err != nil {
			return err
		}
	}
	if err := m.AddHealthzCheck("alive", healthz.Ping); err != nil {
		return err
	}
	return m.AddReadyzCheck("alive", healthz.Ping)
}

func newParts(m manager.Manager, service *client.Client, book *Book, machine *Machine, boosts *Boosts, options Options) []manager.Runnable {
	limit := rate.NewLimiter(rate.Limit(options.WritesPerSecond), max(1, int(options.WritesPerSecond)))
	writer := &Writer{Client: m.GetClient(), Reader: m.GetAPIReader(), Book: book, Limit: limit}
	recorder := m.GetEventRecorder("priorityd-kubernetes")
	log := m.GetLogger()
	queue := NewQueue(service, book, options.Source)
	queue.Log, queue.Report = log.WithName("queue"), reportJob(recorder)
	ledgers := &ConfigMaps{Client: m.GetClient(), Reader: m.GetAPIReader(), Namespace: options.LedgerNamespace, Mode: modeOf(machine), Limit: limit}
	accounting := NewAccounting(service, book, writer, ledgers, options.Source)
	accounting.Log, accounting.Report, accounting.Warn = log.WithName("accounting"), reportUsage(recorder), warn(recorder)
	if machine != nil {
		accounting.OfJob, accounting.ByPods, machine.Left = machine.OfJob, machine.ByPods, accounting.Left
	}
	accounting.Finalize, accounting.Hold = options.Finalize, options.FinalizerHold
	starter, orders, count := newStarter(service, book, machine, boosts, queue, writer, recorder, options)
	explain := &Explain{Service: service, Book: book, Orders: orders, Annotator: writer, Recorder: recorder,
		PerSecond: options.ExplainedPer, Forecasts: options.Forecasts, Log: log.WithName("explain")}
	forecasts := NewForecasts(service, book, writer, options.WritesPerSecond)
	forecasts.Off, forecasts.Log = !options.Forecasts, log.WithName("forecasts")
	parts := []manager.Runnable{queue, starter, accounting, explain, forecasts}
	if !options.Plain {
		parts = append(parts, boosts)
	}
	if options.Provision {
		queue.Provision = &Provision{Admin: service.Admin, Parent: options.ParentAccount}
		parts = append(parts, &Capacity{Admin: service.Admin, Cluster: options.Priorityd.Cluster, Count: count,
			Now: time.Now, Log: log.WithName("capacity")})
	}
	return parts
}

// modeOf names the mode, which separates the ledgers of both modes in one namespace.
func modeOf(machine *Machine) string {
	if machine == nil {
		return "kueue"
	}
	return "plain"
}

func warn(recorder events.EventRecorder) func(*workload.Record, string, string) {
	return func(r *workload.Record, reason, text string) {
		Event(recorder, r, corev1.EventTypeWarning, reason, text)
	}
}

// newStarter makes the part that starts Workloads, or Jobs and Pods, in order; also its orders, and the capacity.
func newStarter(service *client.Client, book *Book, machine *Machine, boosts *Boosts, queue *Queue, writer *Writer, recorder events.EventRecorder,
	options Options) (manager.Runnable, Orders, func() Total) {
	log := ctrl.Log
	if machine == nil {
		ranking := NewRanking(service, book, writer, options.Top)
		ranking.Boosts, ranking.Log = boosts, log.WithName("ranking")
		return ranking, ranking, book.Quota
	}
	release := NewRelease(service, book, machine, queue, writer)
	release.Top, release.Limit, release.FIFOAfter = options.Top, options.DefaultLimit, options.FIFOAfter
	release.Log, release.Report = log.WithName("release"), warn(recorder)
	return release, release, machine.Total
}

func reportJob(recorder events.EventRecorder) func(*workload.Record, *pb.JobUpdateResult) {
	return func(r *workload.Record, result *pb.JobUpdateResult) {
		Event(recorder, r, corev1.EventTypeWarning, "NotRanked", result.GetReason()+": "+result.GetMessage())
	}
}

func reportUsage(recorder events.EventRecorder) func(*workload.Record, *pb.UsageRecordResult) {
	return func(r *workload.Record, result *pb.UsageRecordResult) {
		Event(recorder, r, corev1.EventTypeWarning, "NotCharged", result.GetMessage())
	}
}
