// Command priorityd-weights writes the fair-share of priorityd's accounts as weights of queues in other schedulers.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"
	"k8s.io/apimachinery/pkg/runtime"
	clientset "k8s.io/client-go/kubernetes"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/events"
	ctrl "sigs.k8s.io/controller-runtime"
	kube "sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"priorityd.internal/client"
	"priorityd/kubernetes/internal/weigher"
)

const usage = `usage: priorityd-weights [FLAG...] [run | once | undo]

Writes the fair-share of priorityd's accounts as weights of queues in other schedulers, once in each recalculation: run until
it is stopped, or once. undo restores what the queues had before. All of it: docs/weights.md.

`

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "priorityd-weights:", err)
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
	ctrl.SetLogger(zap.New(zap.UseFlagOptions(&log)))
	command, err := f.command(flag.Args())
	if err != nil {
		return err
	}
	ctx := ctrl.SetupSignalHandler()
	follower, end, err := f.follower(command, os.Stdout)
	if err != nil {
		return err
	}
	defer end()
	switch command {
	case "once":
		return follower.Once(ctx)
	case "undo":
		return follower.Undo(ctx)
	}
	return f.serve(ctx, follower)
}

// flags are the values of the flags.
type flags struct {
	config                   string
	dry                      bool
	poll                     time.Duration
	metrics, health          string
	service                  client.Options
	tokenFile, ca, cert, key string
}

func defineFlags(set *flag.FlagSet) *flags {
	f := &flags{}
	set.StringVar(&f.config, "config", "/etc/priorityd/weights.yaml", "the file with the groups of accounts and queues")
	set.BoolVar(&f.dry, "dry-run", false, "print the differences and write nothing; the API server validates them")
	set.DurationVar(&f.poll, "poll", 30*time.Second, "the time between two questions whether priorityd has recalculated, 1s to 1h")
	set.StringVar(&f.service.Address, "priorityd", "127.0.0.1:7411", "host:port of priorityd; several divided by commas are replicas")
	set.StringVar(&f.service.Cluster, "cluster", "", "the cluster in priorityd; empty = the only one")
	set.StringVar(&f.tokenFile, "priorityd-token-file", "", "a file with the token that proves the program's identity, such as a projected service account token")
	set.StringVar(&f.ca, "priorityd-ca", "", "the authority that signed priorityd's certificate; empty = no TLS")
	set.StringVar(&f.cert, "priorityd-cert", "", "the program's certificate, for TLS")
	set.StringVar(&f.key, "priorityd-key", "", "its key")
	set.DurationVar(&f.service.Deadline, "priorityd-deadline", time.Minute, "the time limit of a call to priorityd, with all its attempts")
	set.StringVar(&f.metrics, "metrics-bind-address", ":8080", "the address of the metrics; 0 = none")
	set.StringVar(&f.health, "health-probe-bind-address", ":8081", "the address of /healthz and /readyz; 0 = none")
	return f
}

func (f *flags) command(arguments []string) (string, error) {
	if f.poll < time.Second || f.poll > time.Hour {
		return "", fmt.Errorf("--poll: got %v, want 1s to 1h", f.poll)
	}
	if len(arguments) == 0 {
		return "run", nil
	}
	if command := arguments[0]; len(arguments) == 1 && (command == "run" || command == "once" || command == "undo") {
		return command, nil
	}
	return "", fmt.Errorf("got %q, want run, once or undo, after all flags", arguments)
}

// follower makes the parts; the caller must call the returned function at the end.
func (f *flags) follower(command string, out io.Writer) (*weigher.Follower, func(), error) {
	config, err := weigher.ReadConfig(f.config)
	if err != nil {
		return nil, nil, err
	}
	if f.tokenFile != "" {
		f.service.Authorize = client.TokenFile(f.tokenFile)
	}
	if f.ca != "" || f.cert != "" || f.key != "" {
		if f.service.TLS, err = client.TLSFiles(f.ca, f.cert, f.key); err != nil {
			return nil, nil, err
		}
	}
	service, err := client.New(f.service)
	if err != nil {
		return nil, nil, err
	}
	objects, recorder, err := kubernetes(config)
	if err != nil {
		service.Close()
		return nil, nil, err
	}
	groups, err := weigher.Groups(config, objects, recorder)
	if err != nil {
		service.Close()
		return nil, nil, err
	}
	follower := &weigher.Follower{Shares: service, Groups: groups, Poll: f.poll, Now: time.Now, Dry: f.dry, Log: ctrl.Log.WithName("weights")}
	if f.dry || command != "run" {
		follower.Out = out
	}
	return follower, func() { service.Close() }, nil
}

// kubernetes connects to the API server, if a group needs it.
func kubernetes(config weigher.Config) (kube.Client, events.EventRecorder, error) {
	needed := false
	for i := range config.Groups {
		needed = needed || config.Groups[i].InKubernetes()
	}
	if !needed {
		return nil, nil, nil
	}
	to, err := ctrl.GetConfig()
	if err != nil {
		return nil, nil, err
	}
	scheme := runtime.NewScheme()
	if err := clientgoscheme.AddToScheme(scheme); err != nil {
		return nil, nil, err
	}
	objects, err := kube.New(to, kube.Options{Scheme: scheme})
	if err != nil {
		return nil, nil, err
	}
	set, err := clientset.NewForConfig(to)
	if err != nil {
		return nil, nil, err
	}
	return objects, &eventWriter{set: set.EventsV1(), scheme: scheme, log: ctrl.Log.WithName("events")}, nil
}

// serve follows priorityd, with metrics and probes, until the context ends.
func (f *flags) serve(ctx context.Context, follower *weigher.Follower) error {
	probes := http.NewServeMux()
	for _, path := range []string{"/healthz", "/readyz"} {
		probes.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	}
	shown := http.NewServeMux()
	shown.Handle("/metrics", promhttp.HandlerFor(metrics.Registry, promhttp.HandlerOpts{}))
	for address, handler := range map[string]http.Handler{f.health: probes, f.metrics: shown} {
		if address == "0" {
			continue
		}
		listener, err := net.Listen("tcp", address)
		if err != nil {
			return err
		}
		server := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second}
		defer server.Close()
		go server.Serve(listener)
	}
	follower.Run(ctx)
	return nil
}
