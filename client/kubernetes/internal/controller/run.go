package controller

import (
	"context"
	"time"

	"golang.org/x/time/rate"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
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

	"priorityd/client"
	pb "priorityd/client/priorityv1"
	"priorityd/kubernetes/internal/workload"
)

// Options are what the flags say.
type Options struct {
	Priorityd client.Options
	Source    string // Names this controller in priorityd; one of a cluster.

	Place         PlaceOptions
	Accounts      types.NamespacedName // The ConfigMap; an empty name = none.
	Provision     bool
	ParentAccount string

	Top             uint32
	WritesPerSecond float64
	ExplainedPer    int // A second.
	Finalize        bool
	FinalizerHold   time.Duration

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
	p := newParts(m, service, book, options)
	synced, err := follow(ctx, m.GetCache(), book, options.Accounts, func(err error) { m.GetLogger().Error(err, "accounts") })
	if err != nil {
		return err
	}
	if err := addParts(m, p, synced); err != nil {
		return err
	}
	if err := RegisterBook(book); err != nil {
		return err
	}
	return m.Start(ctx)
}

func newManager(config *rest.Config, options Options) (manager.Manager, error) {
	scheme := runtime.NewScheme()
	if err := clientgoscheme.AddToScheme(scheme); err != nil {
		return nil, err
	}
	if err := kueue.AddToScheme(scheme); err != nil {
		return nil, err
	}
	byObject := map[kube.Object]cache.ByObject{&kueue.Workload{}: {Transform: workload.Strip}}
	if options.Accounts.Name != "" {
		byObject[&corev1.ConfigMap{}] = cache.ByObject{Namespaces: map[string]cache.Config{options.Accounts.Namespace: {}}}
	}
	return ctrl.NewManager(config, ctrl.Options{
		Scheme:                  scheme,
		Cache:                   cache.Options{DefaultTransform: cache.TransformStripManagedFields(), ByObject: byObject},
		Metrics:                 metricsserver.Options{BindAddress: options.MetricsAddress},
		HealthProbeBindAddress:  options.HealthAddress,
		LeaderElection:          options.LeaderElection,
		LeaderElectionID:        "priorityd-kubernetes",
		LeaderElectionNamespace: options.LeaderElectionNamespace,
		// What leads ends its turns when it is stopped, so another may lead at once.
		LeaderElectionReleaseOnCancel: true,
	})
}

// parts are what works while this controller leads.
type parts struct {
	queue      *Queue
	ranking    *Ranking
	accounting *Accounting
	explain    *Explain
}

// afterSync is a part that waits until the informers have told all that there was.
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

func addParts(m manager.Manager, p parts, synced func(context.Context) error) error {
	for _, part := range []manager.Runnable{p.queue, p.ranking, p.accounting, p.explain} {
		if err := m.Add(afterSync{part, synced}); err != nil {
			return err
		}
	}
	if err := m.AddHealthzCheck("alive", healthz.Ping); err != nil {
		return err
	}
	return m.AddReadyzCheck("alive", healthz.Ping)
}

func newParts(m manager.Manager, service *client.Client, book *Book, options Options) parts {
	limit := rate.NewLimiter(rate.Limit(options.WritesPerSecond), max(1, int(options.WritesPerSecond)))
	writer := &Writer{Client: m.GetClient(), Reader: m.GetAPIReader(), Book: book, Limit: limit}
	recorder := m.GetEventRecorder("priorityd-kubernetes")
	log := m.GetLogger()
	queue := NewQueue(service, book, options.Source)
	queue.Log, queue.Tell = log.WithName("queue"), tellOfJob(recorder)
	if options.Provision {
		queue.Provision = &Provision{Admin: service.Admin, Parent: options.ParentAccount}
	}
	ranking := NewRanking(service, book, writer, options.Top)
	ranking.Log = log.WithName("ranking")
	accounting := NewAccounting(service, book, writer, options.Source)
	accounting.Log, accounting.Tell = log.WithName("accounting"), tellOfUsage(recorder)
	accounting.Finalize, accounting.Hold = options.Finalize, options.FinalizerHold
	explain := &Explain{Service: service, Book: book, Ranking: ranking, Annotator: writer, Recorder: recorder,
		PerSecond: options.ExplainedPer, Log: log.WithName("explain")}
	return parts{queue, ranking, accounting, explain}
}

func tellOfJob(recorder events.EventRecorder) func(*workload.Record, *pb.JobUpdateResult) {
	return func(r *workload.Record, result *pb.JobUpdateResult) {
		Event(recorder, r, corev1.EventTypeWarning, "NotRanked", result.GetReason()+": "+result.GetMessage())
	}
}

func tellOfUsage(recorder events.EventRecorder) func(*workload.Record, *pb.UsageRecordResult) {
	return func(r *workload.Record, result *pb.UsageRecordResult) {
		Event(recorder, r, corev1.EventTypeWarning, "NotCharged", result.GetMessage())
	}
}
