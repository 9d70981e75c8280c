package controller

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"priorityd/kubernetes/internal/workload"
)

// Entries of the ConfigMap: the account of each namespace, and the priorityd user of each user of Kubernetes.
const (
	accountsKey = "accounts"
	usersKey    = "users"
)

// watched are the handlers of each kind of object.
type watched map[client.Object]handler

// watchedOf are the kinds to watch: Kueue's, or plain Jobs and Pods, their nodes and LimitRanges, and PodGroups if there are any; nil =
// the API server does not serve them.
func watchedOf(book *Book, machine *Machine, groups *unstructured.Unstructured) watched {
	if machine == nil {
		return watched{&kueue.ClusterQueue{}: onClusterQueue(book), &kueue.LocalQueue{}: onLocalQueue(book), &workload.Workload{}: onWorkload(book)}
	}
	all := watched{&corev1.Node{}: onNode(machine), &corev1.Pod{}: onPod(book, machine), &batchv1.Job{}: onJob(book, machine), &corev1.LimitRange{}: onLimitRange(book)}
	if groups != nil {
		all[groups] = onPodGroup(book)
	}
	return all
}

// follow connects the informers to the book. The function that it returns waits until the book has all present objects, and
// the maps of accounts and users, if there is a ConfigMap of them: without it work would be charged to other accounts.
func follow(ctx context.Context, source cache.Cache, book *Book, all watched, accounts types.NamespacedName, report func(error)) (func(context.Context) error, error) {
	all[&corev1.Namespace{}] = onNamespace(book)
	if accounts.Name != "" {
		all[&corev1.ConfigMap{}] = onAccounts(book, accounts, report)
	}
	var synced []toolscache.InformerSynced
	for object, on := range all {
		informer, err := source.GetInformer(ctx, object)
		if err != nil {
			return nil, fmt.Errorf("watching %T: %w", object, err)
		}
		registration, err := informer.AddEventHandler(on)
		if err != nil {
			return nil, fmt.Errorf("watching %T: %w", object, err)
		}
		synced = append(synced, registration.HasSynced)
	}
	if accounts.Name != "" {
		missing := sync.OnceFunc(func() { report(fmt.Errorf("no work is started or charged until the ConfigMap %v is read", accounts)) })
		synced = append(synced, func() bool {
			if !book.HasAccounts() {
				missing()
			}
			return book.HasAccounts()
		})
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

// handler is notified of an object that exists, or was deleted.
type handler func(object any, there bool)

func (h handler) OnAdd(object any, _ bool) { h(object, true) }
func (h handler) OnDelete(object any)      { h(last(object), false) }

// OnUpdate is also called for an object that was deleted and created again while the watch was interrupted.
func (h handler) OnUpdate(before, object any) {
	if uidOf(before) != uidOf(object) {
		h(before, false)
	}
	h(object, true)
}

func uidOf(object any) types.UID {
	if known, ok := object.(client.Object); ok {
		return known.GetUID()
	}
	return ""
}

func last(object any) any {
	if unknown, ok := object.(toolscache.DeletedFinalStateUnknown); ok {
		return unknown.Obj
	}
	return object
}

func onWorkload(book *Book) handler {
	return func(object any, there bool) {
		if w, ok := object.(*workload.Workload); ok {
			bookOne(book, w, there)
		}
	}
}

// bookOne adds an object to a book, or removes it once our labels no longer select it.
func bookOne(book *Book, object client.Object, there bool) {
	if r := book.recordOf(object); r != nil && there {
		book.Put(r)
	} else if known, _ := book.Get(object.GetUID()); known != nil {
		book.Delete(cmp.Or(r, known))
	}
}

func onPod(book *Book, machine *Machine) handler {
	return func(object any, there bool) {
		if p, ok := object.(*corev1.Pod); ok {
			machine.SetPod(p, there)
			bookOne(book, p, there)
		}
	}
}

func onJob(book *Book, machine *Machine) handler {
	return func(object any, there bool) {
		if j, ok := object.(*batchv1.Job); ok {
			machine.SetJob(j, there)
			book.SetJob(j, there)
			bookOne(book, j, there)
		}
	}
}

func onPodGroup(book *Book) handler {
	return func(object any, there bool) {
		if group, ok := object.(*unstructured.Unstructured); ok {
			book.SetPodGroup(group.GetNamespace(), workload.PodGroup(group), there)
		}
	}
}

func onNode(machine *Machine) handler {
	return func(object any, there bool) {
		if n, ok := object.(*corev1.Node); ok {
			machine.SetNode(n, there)
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
			book.SetQuota(queue.Name, quotaOf(queue, there))
		}
	}
}

func quotaOf(queue *kueue.ClusterQueue, there bool) Total {
	if !there {
		return Total{}
	}
	tres, pods := workload.QuotaOf(queue)
	return Total{Nodes: uint32(min(max(pods, 0), math.MaxUint32)), TRES: tres}
}

func onNamespace(book *Book) handler {
	return func(object any, there bool) {
		if namespace, ok := object.(*corev1.Namespace); ok && there {
			book.SetNamespace(namespace.Name, namespace.Labels)
		}
	}
}

func onLimitRange(book *Book) handler {
	return func(object any, there bool) {
		if limits, ok := object.(*corev1.LimitRange); ok {
			var requests corev1.ResourceList
			if there {
				requests = workload.DefaultRequests(limits)
			}
			book.SetLimitRange(client.ObjectKeyFromObject(limits), requests)
		}
	}
}

func onAccounts(book *Book, name types.NamespacedName, report func(error)) handler {
	return func(object any, there bool) {
		config, ok := object.(*corev1.ConfigMap)
		if !ok || client.ObjectKeyFromObject(config) != name {
			return
		}
		if !there {
			report(fmt.Errorf("the ConfigMap %v was deleted: its last contents apply until the controller ends", name))
			return
		}
		accounts, err := workload.ParseAccounts(config.Data[accountsKey])
		users, also := workload.ParseUsers(config.Data[usersKey])
		if err = errors.Join(err, also); err != nil {
			report(fmt.Errorf("the ConfigMap %v is rejected: %w", name, err))
			return
		}
		book.SetAccounts(accounts, users)
	}
}
