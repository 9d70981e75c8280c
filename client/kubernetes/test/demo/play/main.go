// Command play starts a control plane on this machine and runs the demo on it; deploy/kubernetes/demo runs it.
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
	plain := flag.Bool("plain", false, "without Kueue: Jobs have their turns from the controller")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if err := play(ctx, *hold, *plain); err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

func play(ctx context.Context, hold, plain bool) error {
	if missing := plane.Missing(); missing != "" {
		return fmt.Errorf("there is no %s", missing)
	}
	fmt.Println("Starting etcd, kube-apiserver, Kueue, priorityd and priorityd-kubernetes.")
	p, err := plane.Start(ctx)
	if err != nil {
		return err
	}
	defer p.Stop()
	if plain {
		err = playPlain(ctx, p)
	} else {
		err = playKueue(ctx, p)
	}
	if err != nil {
		return err
	}
	if hold {
		kind := "workloads"
		if plain {
			kind = "jobs"
		}
		fmt.Printf("\nkubectl --kubeconfig=%s get %s -A\nprioctl --server %s shares\nCtrl-C ends it.\n", p.Kubeconfig(), kind, p.Priorityd.Address)
		<-ctx.Done()
	}
	return nil
}

func playKueue(ctx context.Context, p *plane.Plane) error {
	if err := p.StartController("--explain-per-second=50"); err != nil {
		return err
	}
	_, err := demo.Play(ctx, p, os.Stdout)
	return err
}

func playPlain(ctx context.Context, p *plane.Plane) error {
	if err := p.Rights(ctx, "plain/role.yaml"); err != nil {
		return err
	}
	if err := p.StartNodes(ctx, 2, 2); err != nil {
		return err
	}
	if err := p.StartController("--mode=plain", "--explain-per-second=50"); err != nil {
		return err
	}
	_, err := demo.PlayPlain(ctx, p, os.Stdout)
	return err
}
