// Command simulate plays many Workloads of many namespaces through Kueue and priorityd-kubernetes on a real control
// plane, kills its parts in turn, and measures; docs/kubernetes.md has the figures. Needs what client/kubernetes/test/run
// --build builds.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"time"

	corev1 "k8s.io/api/core/v1"

	"priorityd/kubernetes/test/plane"
)

type options struct {
	workloads, namespaces, slots, pending int
	kills                                 bool
}

func main() {
	var o options
	flag.IntVar(&o.workloads, "workloads", 2000, "Workloads that come and go")
	flag.IntVar(&o.namespaces, "namespaces", 40, "namespaces that submit them; the shares of a quarter each are 1 to 4")
	flag.IntVar(&o.slots, "slots", 40, "Workloads that run at a time")
	flag.IntVar(&o.pending, "pending", 0, "instead, have so many wait, and measure the controller")
	flag.BoolVar(&o.kills, "kills", true, "kill controller, priorityd, kube-apiserver and etcd in turn")
	flag.Parse()
	if err := run(context.Background(), o); err != nil {
		fmt.Fprintln(os.Stderr, "simulate:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options) error {
	if missing := plane.Missing(); missing != "" {
		return fmt.Errorf("there is no %s", missing)
	}
	p, err := plane.Start(ctx)
	if err != nil {
		return err
	}
	defer p.Stop()
	s := &simulation{Plane: p, options: o, begin: time.Now()}
	if o.pending > 0 {
		return s.wait(ctx)
	}
	return s.play(ctx)
}

// simulation is one run.
type simulation struct {
	*plane.Plane
	options
	begin time.Time
}

func (s *simulation) say(format string, words ...any) {
	fmt.Printf("%6.1f s  "+format+"\n", append([]any{time.Since(s.begin).Seconds()}, words...)...)
}

func namespace(i int) string { return fmt.Sprintf("tenant-%02d", i) }

// share is what a namespace is due.
func share(i int) int { return i%4 + 1 }

func (s *simulation) prepare(ctx context.Context, slots int) error {
	if err := s.CreateClusterQueue(ctx, "all", map[corev1.ResourceName]string{"cpu": fmt.Sprint(slots)}); err != nil {
		return err
	}
	for i := range s.namespaces {
		if err := s.CreateNamespace(ctx, namespace(i), "all"); err != nil {
			return err
		}
	}
	return s.makeAccounts(ctx)
}
