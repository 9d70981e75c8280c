package integration

import (
	"errors"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	pb "priorityd.internal/client/priorityv1"
)

// A controller that begins with a ConfigMap that it rejects would send the work of all namespaces for other accounts, and create them.
func TestNoAccountIsNamedBeforeTheMapOfAccountsIsRead(t *testing.T) {
	ctx := t.Context()
	must(t, site.CreateClusterQueue(ctx, "maps", map[corev1.ResourceName]string{"cpu": "0"}))
	must(t, site.CreateNamespace(ctx, "maps-space", "maps"))
	submit(t, "maps-space", "w", "amy", 1)
	accounts := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "priorityd", Name: "maps"}, Data: map[string]string{"accounts": "maps-space"}}
	must(t, site.Client.Create(ctx, accounts))
	must(t, site.StartController("--source=order", "--accounts=priorityd/maps"))
	eventually(t, "the rejection", func() error {
		if log := site.Controller.Log(); !strings.Contains(log, `line 1: got \"maps-space\", want NAMESPACE ACCOUNT`) ||
			!strings.Contains(log, "no work is started or charged until the ConfigMap priorityd/maps is read") {
			return errors.New("it is not logged")
		}
		return nil
	})
	accounts.Data["accounts"] = "maps-space maps-lab"
	must(t, site.Client.Update(ctx, accounts))
	eventually(t, "the job of the mapped account", func() error {
		answer, err := site.Priorityd.Calls.ListJobs(ctx, &pb.ListJobsRequest{Accounts: []string{"maps-lab"}})
		if err == nil && len(answer.Jobs) != 1 {
			err = errors.New("there is none")
		}
		return err
	})
	answer, err := site.Priorityd.Calls.Admin.ListAssociations(ctx, &pb.ListAssociationsRequest{Where: &pb.AssociationFilter{Accounts: []string{"maps-space"}}})
	must(t, err)
	if len(answer.GetAssociations()) != 0 {
		t.Errorf("got %v, want no account of the namespace's name", answer.GetAssociations())
	}
}
