package main

import (
	"context"
	"fmt"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	pb "priorityd/client/priorityv1"
)

// makeAccounts makes an account for each namespace with its shares.
func (s *simulation) makeAccounts(ctx context.Context) error {
	for i := range s.namespaces {
		_, err := s.Priorityd.Calls.Admin.CreateAssociations(ctx, &pb.CreateAssociationsRequest{
			Associations: []*pb.NewAssociation{{Account: namespace(i)}},
			Settings:     []*pb.Setting{{Name: "Fairshare", Value: fmt.Sprint(share(i))}}})
		if err != nil {
			return err
		}
	}
	return nil
}

// submit creates Workloads of one CPU, the namespaces one after the other, eight at a time.
func (s *simulation) submit(ctx context.Context, count int) error {
	var workers sync.WaitGroup
	errs := make(chan error, 8)
	for worker := range 8 {
		workers.Go(func() {
			for i := worker; i < count; i += 8 {
				// All of a namespace before the next one, so that first in first out would be plainly unfair.
				w := workloadOf(namespace(i*s.namespaces/count), fmt.Sprintf("w-%06d", i))
				if err := s.Client.Create(ctx, w); err != nil {
					errs <- err
					return
				}
			}
		})
	}
	workers.Wait()
	close(errs)
	return <-errs
}

func workloadOf(namespace, name string) *kueue.Workload {
	requests := corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("1")}
	return &kueue.Workload{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
		Spec: kueue.WorkloadSpec{QueueName: "queue", PodSets: []kueue.PodSet{{Name: "main", Count: 1,
			Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{RestartPolicy: corev1.RestartPolicyNever,
				Containers: []corev1.Container{{Name: "c", Image: "none", Resources: corev1.ResourceRequirements{Requests: requests}}}}}}}}}
}

// all is every Workload by UID.
func (s *simulation) all(ctx context.Context) (map[string]*kueue.Workload, error) {
	var list kueue.WorkloadList
	if err := s.Client.List(ctx, &list); err != nil {
		return nil, err
	}
	found := make(map[string]*kueue.Workload, len(list.Items))
	for i := range list.Items {
		found[string(list.Items[i].UID)] = &list.Items[i]
	}
	return found, nil
}

func (s *simulation) finish(ctx context.Context, w *kueue.Workload) error {
	before := w.DeepCopy()
	meta.SetStatusCondition(&w.Status.Conditions, metav1.Condition{Type: kueue.WorkloadFinished,
		Status: metav1.ConditionTrue, Reason: kueue.WorkloadFinishedReasonSucceeded, Message: "done"})
	return s.Client.Status().Patch(ctx, w, client.MergeFrom(before))
}

func isTrue(w *kueue.Workload, condition string) bool {
	return meta.IsStatusConditionTrue(w.Status.Conditions, condition)
}

func since(w *kueue.Workload, condition string) int64 {
	return meta.FindStatusCondition(w.Status.Conditions, condition).LastTransitionTime.Unix()
}

// ranks is the place of each waiting Workload in priorityd's order.
func (s *simulation) ranks(ctx context.Context) (map[string]int, error) {
	answer, err := s.Priorityd.Calls.RankJobs(ctx, &pb.RankJobsRequest{BestOnly: true,
		Source: &pb.RankJobsRequest_Tracked{Tracked: &pb.TrackedQueue{}}})
	if err != nil {
		return nil, err
	}
	ranks := map[string]int{}
	for i, row := range answer.GetRanked() {
		ranks[row.GetJobId()] = i
	}
	return ranks, nil
}
