// Command play brings a control plane up on this machine and plays the demo on it; deploy/kubernetes/demo runs it.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"priorityd/kubernetes/test/demo"
	"priorityd/kubernetes/test/plane"
)

func main() {
	hold := flag.Bool("hold", false, "leave it up until Ctrl-C")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if err := play(ctx, *hold); err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

func play(ctx context.Context, hold bool) error {
	if missing := plane.Missing(); missing != "" {
		return fmt.Errorf("there is no %s", missing)
	}
	fmt.Println("Starting etcd, kube-apiserver, Kueue, priorityd and priorityd-kubernetes.")
	p, err := plane.Start(ctx)
	if err != nil {
		return err
	}
	defer p.Stop()
	if err := p.StartController("--explain-per-second=50"); err != nil {
		return err
	}
	if _, err := demo.Play(ctx, p, os.Stdout); err != nil {
		return err
	}
	if hold {
		fmt.Printf("\nkubectl --kubeconfig=%s get workloads -A\nprioctl --server %s shares\nCtrl-C ends it.\n", p.Kubeconfig(), p.Priorityd.Address)
		<-ctx.Done()
	}
	return nil
}
