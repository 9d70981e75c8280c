package controller

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"priorityd/kubernetes/internal/workload"
)

// accountsKey is the entry of the ConfigMap that says which namespaces are charged to which accounts.
const accountsKey = "accounts"

// follow has the informers write into the book. What it answers waits until all that there was is in it.
func follow(ctx context.Context, source cache.Cache, book *Book, accounts types.NamespacedName, tell func(error)) (func(context.Context) error, error) {
	var synced []toolscache.InformerSynced
	add := func(object client.Object, on handler) error {
		informer, err := source.GetInformer(ctx, object)
		if err != nil {
			return err
		}
		registration, err := informer.AddEventHandler(on)
		if err == nil {
			synced = append(synced, registration.HasSynced)
		}
		return err
	}
	watched := map[client.Object]handler{
		&corev1.Namespace{}: onNamespace(book), &kueue.ClusterQueue{}: onClusterQueue(book),
		&kueue.LocalQueue{}: onLocalQueue(book), &kueue.Workload{}: onWorkload(book)}
	if accounts.Name != "" {
		watched[&corev1.ConfigMap{}] = onAccounts(book, accounts, tell)
	}
	for object, on := range watched {
		if err := add(object, on); err != nil {
			return nil, fmt.Errorf("watching %T: %w", object, err)
		}
	}
	return func(ctx context.Context) error { return awaitAll(ctx, synced) }, nil
}

func awaitAll(ctx context.Context, synced []toolscache.InformerSynced) error {
	for _, done := range synced {
		for !done() {
			if !sleep(ctx, 20*time.Millisecond) {
				return ctx.Err()
			}
		}
	}
	return nil
}

// handler is told of an object that is there, or is there no more.
type handler func(object any, there bool)

func (h handler) OnAdd(object any, _ bool) { h(object, true) }
func (h handler) OnUpdate(_, object any)   { h(object, true) }
func (h handler) OnDelete(object any)      { h(last(object), false) }
func last(object any) any {
	if unknown, ok := object.(toolscache.DeletedFinalStateUnknown); ok {
		return unknown.Obj
	}
	return object
}

func onWorkload(book *Book) handler {
	return func(object any, there bool) {
		w, ok := object.(*kueue.Workload)
		switch {
		case !ok:
		case there:
			book.Put(workload.From(w))
		default:
			book.Delete(workload.From(w))
		}
	}
}

func onLocalQueue(book *Book) handler {
	return func(object any, there bool) {
		if queue, ok := object.(*kueue.LocalQueue); ok {
			target := string(queue.Spec.ClusterQueue)
			if !there {
				target = ""
			}
			book.SetLocalQueue(client.ObjectKeyFromObject(queue), target)
		}
	}
}

func onClusterQueue(book *Book) handler {
	return func(object any, there bool) {
		if queue, ok := object.(*kueue.ClusterQueue); ok {
			book.SetClusterQueue(queue.Name, there)
		}
	}
}

func onNamespace(book *Book) handler {
	return func(object any, there bool) {
		if namespace, ok := object.(*corev1.Namespace); ok && there {
			book.SetNamespace(namespace.Name, namespace.Labels)
		}
	}
}

func onAccounts(book *Book, name types.NamespacedName, tell func(error)) handler {
	return func(object any, there bool) {
		config, ok := object.(*corev1.ConfigMap)
		if !ok || client.ObjectKeyFromObject(config) != name {
			return
		}
		text := ""
		if there {
			text = config.Data[accountsKey]
		}
		accounts, err := workload.ParseAccounts(text)
		if err != nil {
			tell(fmt.Errorf("the ConfigMap %v is not taken: %w", name, err))
			return
		}
		book.SetAccounts(accounts)
	}
}
