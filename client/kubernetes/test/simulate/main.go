// Command simulate runs months of a site in minutes on a real control plane, and measures how closely Kueue follows
// priorityd: admission order against RankJobs, usage against shares and against the API's own times, with a crash of
// each part; and how large a queue may be.
//
//	cd client/kubernetes && PRIORITYD=.../priorityd go run ./test/simulate            # 2,000 Workloads of 40 namespaces
//	cd client/kubernetes && PRIORITYD=.../priorityd go run ./test/simulate -pending 100000
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/go-logr/logr"
	ctrl "sigs.k8s.io/controller-runtime"

	"priorityd/kubernetes/test/plane"
)

func main() {
	workloads := flag.Int("workloads", 2000, "how many Workloads are played")
	kills := flag.Bool("kills", true, "kill controller, priorityd, kube-apiserver and etcd in turn")
	cpus := flag.Int("cpus", 20, "how many CPUs the ClusterQueue has")
	lasts := flag.Duration("lasts", 2500*time.Millisecond, "how long a Workload runs on average; it stands for an hour")
	period := flag.Duration("period", 5*time.Second, "after how long priorityd recalculates, whole seconds")
	pending := flag.Int("pending", 0, "instead: so many Workloads that wait, and what they cost")
	flag.Parse()
	ctrl.SetLogger(logr.Discard())
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if err := simulate(ctx, *pending, options{*workloads, *cpus, *lasts, *period, *kills}); err != nil {
		fmt.Fprintln(os.Stderr, "simulate:", err)
		os.Exit(1)
	}
}

func simulate(ctx context.Context, pending int, o options) error {
	if missing := plane.Missing(); missing != "" {
		return fmt.Errorf("there is no %s: client/kubernetes/test/run --build", missing)
	}
	p, err := plane.Start(ctx)
	if err != nil {
		return err
	}
	defer p.Stop()
	if pending > 0 {
		return crowd(ctx, p, pending)
	}
	return play(ctx, p, o)
}
