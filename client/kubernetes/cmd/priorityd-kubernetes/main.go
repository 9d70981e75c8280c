// Command priorityd-kubernetes starts Kueue's Workloads, or plain Jobs and Pods, in the order of priorityd's
// priorities and charges their usage.
package main

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"

	"priorityd.internal/client"
	"priorityd/kubernetes/internal/controller"
)

const usage = `usage: priorityd-kubernetes [FLAG...]

Has Kueue's Workloads start in the order of priorityd's priorities, or with --mode=plain Jobs and Pods without Kueue, and
charges what they use. In a cluster it needs --priorityd only; outside, --kubeconfig. All of it: docs/kubernetes.md.

`

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "priorityd-kubernetes:", err)
		os.Exit(1)
	}
}

func run() error {
	f := defineFlags(flag.CommandLine)
	log := zap.Options{}
	log.BindFlags(flag.CommandLine)
	flag.Usage = func() {
		fmt.Fprint(flag.CommandLine.Output(), usage)
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() > 0 {
		return fmt.Errorf("got %q, want flags only; --help lists them", flag.Arg(0))
	}
	ctrl.SetLogger(zap.New(zap.UseFlagOptions(&log)))
	options, err := f.options()
	if err != nil {
		return err
	}
	config, err := ctrl.GetConfig()
	if err != nil {
		return err
	}
	// A separate flag limits writes; the other requests are a lease and a few reads.
	config.QPS, config.Burst = -1, -1
	return controller.Run(ctrl.SetupSignalHandler(), config, options)
}

// flags are the flags whose values need conversion to options.
type flags struct {
	result                   controller.Options
	tokenFile, ca, cert, key string
	accounts, mode, slurms   string
	top                      uint
	deadline                 time.Duration
}

func defineFlags(set *flag.FlagSet) *flags {
	f := &flags{}
	o := &f.result
	set.StringVar(&f.mode, "mode", "kueue", "kueue: order Kueue's Workloads; plain: start Jobs and Pods with the label priorityd/queue, without Kueue")
	set.StringVar(&o.Priorityd.Address, "priorityd", "127.0.0.1:7411", "host:port of priorityd; several divided by commas are replicas")
	set.StringVar(&o.Priorityd.Cluster, "cluster", "", "the cluster in priorityd; empty = the only one")
	set.StringVar(&o.Source, "source", "kubernetes", "names this controller in priorityd; each Kubernetes cluster has its own")
	set.StringVar(&f.tokenFile, "priorityd-token-file", "", "a file with the token that proves the controller's identity, such as a projected service account token")
	set.StringVar(&f.ca, "priorityd-ca", "", "the authority that signed priorityd's certificate; empty = no TLS")
	set.StringVar(&f.cert, "priorityd-cert", "", "the controller's certificate, for TLS")
	set.StringVar(&f.key, "priorityd-key", "", "its key")
	set.DurationVar(&f.deadline, "priorityd-deadline", time.Minute, "the time limit of a call to priorityd, with all its attempts")

	set.StringVar(&o.Place.DefaultUser, "default-user", "kubernetes", "the user of Workloads without a stamped user")
	set.BoolVar(&o.Place.QOSFromClass, "qos-from-class", false, "use the WorkloadPriorityClass of a Workload as its QOS, which an administrator must create in priorityd")
	set.StringVar(&f.accounts, "accounts", "", "NAMESPACE/NAME of a ConfigMap whose entry `accounts` has lines of NAMESPACE ACCOUNT, and `users` of NAME USER")
	set.StringVar(&f.slurms, "slurm-namespaces", "", "namespaces, divided by commas, in which slurm-bridge sets the scheduler of Pods: work there is Slurm's, and neither ordered nor charged")
	set.BoolVar(&o.Copies, "multikueue-copies", false, "also order and charge Workloads that a manager cluster of MultiKueue created here; only if no priorityd-kubernetes runs on the manager")
	set.BoolVar(&o.Provision, "provision", false, "create missing accounts, users and partitions in priorityd that Workloads name")
	set.StringVar(&o.ParentAccount, "parent-account", "kubernetes", "the parent of new accounts, itself created below root if missing; root = each namespace has a share beside all other accounts")
	set.StringVar(&o.LedgerNamespace, "ledger-namespace", "", "the namespace of the ledgers of charges, ConfigMaps that only the controller may write; default: that of --leader-elect-namespace, or of the pod")

	set.UintVar(&f.top, "top", 500, "the number of ranked Workloads of each ClusterQueue; plain: the number of ranked Jobs and Pods considered for release")
	set.DurationVar(&o.DefaultLimit, "default-time-limit", 24*time.Hour, "plain: the time limit that backfill assumes for work without activeDeadlineSeconds")
	set.DurationVar(&o.FIFOAfter, "fifo-after", 15*time.Minute, "plain: after so long without priorityd, start work in order of submission; 0 = never")
	set.Float64Var(&o.WritesPerSecond, "writes-per-second", 50, "patches of Workloads, Jobs and Pods a second at most")
	set.IntVar(&o.ExplainedPer, "explain-per-second", 2, "places explained a second at most; 0 = none")
	set.BoolVar(&o.Forecasts, "start-forecasts", true, "write the annotation priorityd/start-forecast, when waiting work starts; false = remove it")
	set.BoolVar(&o.Finalize, "accounting-finalizer", false, "keep deleted Workloads until their usage is charged")
	set.DurationVar(&o.FinalizerHold, "accounting-finalizer-hold", time.Hour, "the longest time to keep a deleted Workload; 0 = until it is charged")

	set.BoolVar(&o.LeaderElection, "leader-elect", true, "elect one of several controllers as the leader")
	set.StringVar(&o.LeaderElectionNamespace, "leader-elect-namespace", "", "the namespace of the lease; default: that of the pod")
	set.StringVar(&o.MetricsAddress, "metrics-bind-address", ":8080", "the address of the metrics; 0 = none")
	set.StringVar(&o.HealthAddress, "health-probe-bind-address", ":8081", "the address of /healthz and /readyz; 0 = none")
	return f
}

func (f *flags) options() (controller.Options, error) {
	o := f.result
	if f.mode != "kueue" && f.mode != "plain" {
		return o, fmt.Errorf("--mode: got %q, want kueue or plain", f.mode)
	}
	o.Plain = f.mode == "plain"
	if o.DefaultLimit <= 0 || o.FIFOAfter < 0 {
		return o, fmt.Errorf("--default-time-limit, --fifo-after: got %v and %v, want a time, and one that is not negative", o.DefaultLimit, o.FIFOAfter)
	}
	if o.FinalizerHold < 0 {
		return o, fmt.Errorf("--accounting-finalizer-hold: got %v, want a time, or 0 to keep a deleted Workload until it is charged", o.FinalizerHold)
	}
	if f.top < 1 || f.top > 10_000 {
		return o, fmt.Errorf("--top: got %d, want 1 to 10000", f.top)
	}
	o.Top = uint32(f.top)
	if !(o.WritesPerSecond > 0) {
		return o, fmt.Errorf("--writes-per-second: got %v, want more than 0", o.WritesPerSecond)
	}
	if o.Source == "" || len(o.Source) > 255 {
		return o, fmt.Errorf("--source: got %q, want a name of at most 255 bytes", o.Source)
	}
	if o.ParentAccount == "" {
		return o, fmt.Errorf("--parent-account: got none, want an account")
	}
	if o.LedgerNamespace = ledgerNamespace(o); o.LedgerNamespace == "" {
		return o, fmt.Errorf("--ledger-namespace: got none, want a namespace without write access for users, as the controller does not run in a pod")
	}
	if f.accounts != "" {
		namespace, name, _ := strings.Cut(f.accounts, "/")
		if namespace == "" || name == "" {
			return o, fmt.Errorf("--accounts: got %q, want NAMESPACE/NAME", f.accounts)
		}
		o.Accounts = types.NamespacedName{Namespace: namespace, Name: name}
	}
	if f.slurms != "" {
		o.Place.Slurms = map[string]bool{}
		for _, namespace := range strings.Split(f.slurms, ",") {
			if wrong := validation.IsDNS1123Label(namespace); wrong != nil {
				return o, fmt.Errorf("--slurm-namespaces: got %q, want names of namespaces divided by commas", f.slurms)
			}
			o.Place.Slurms[namespace] = true
		}
	}
	return o, f.prove(&o)
}

// podNamespace is the file from which a pod reads its namespace.
var podNamespace = "/var/run/secrets/kubernetes.io/serviceaccount/namespace"

func ledgerNamespace(o controller.Options) string {
	text, _ := os.ReadFile(podNamespace)
	return cmp.Or(o.LedgerNamespace, o.LeaderElectionNamespace, strings.TrimSpace(string(text)))
}

// prove sets the credentials and TLS of the connection to priorityd.
func (f *flags) prove(o *controller.Options) error {
	o.Priorityd.Deadline = f.deadline
	if f.tokenFile != "" {
		o.Priorityd.Authorize = client.TokenFile(f.tokenFile)
	}
	if f.ca == "" && f.cert == "" && f.key == "" {
		return nil
	}
	var err error
	o.Priorityd.TLS, err = client.TLSFiles(f.ca, f.cert, f.key)
	return err
}
