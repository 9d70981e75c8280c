package install

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"slices"
	"testing"

	"priorityd.internal/client"
	pb "priorityd.internal/client/priorityv1"
	"priorityd/kubernetes/test/kubelet"
)

// administrator is a client of the server with a token that the API server signed.
func administrator(t *testing.T, objects objects, server *kubelet.Container) *client.Client {
	t.Helper()
	secret, err := objects.Secret("priorityd-tls")
	must(t, err)
	token, err := objects.token("default", "priorityd")
	must(t, err)
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(secret["ca.crt"])
	calls, err := client.New(client.Options{Address: server.Address + ":7411", TLS: &tls.Config{RootCAs: pool, ServerName: "priorityd"},
		Authorize: func(context.Context) (string, error) { return "Bearer " + string(token), nil }})
	must(t, err)
	t.Cleanup(func() { calls.Close() })
	return calls
}

func importSite(t *testing.T, calls *client.Client) {
	t.Helper()
	_, err := calls.Admin.Import(t.Context(), &pb.ImportRequest{Files: []*pb.File{
		{Kind: pb.FileKind_FILE_KIND_SLURM_CONF, Name: "slurm.conf", Content: "ClusterName=k\nPriorityType=priority/multifactor\nPriorityWeightFairshare=1000\nPriorityCalcPeriod=1\n"},
		{Kind: pb.FileKind_FILE_KIND_SACCTMGR_DUMP, Name: "dump", Content: "Cluster - 'k':Fairshare=1\nParent - 'root'\n"}}})
	must(t, err)
}

// knows checks that the controller has created the namespace's account and the partition, which only its role allows.
func knows(t *testing.T, calls *client.Client, account, partition string) {
	t.Helper()
	associations, err := calls.Admin.ListAssociations(t.Context(), &pb.ListAssociationsRequest{})
	must(t, err)
	partitions, err := calls.Admin.ListPartitions(t.Context(), &pb.ListPartitionsRequest{})
	must(t, err)
	if !slices.ContainsFunc(associations.Associations, func(of *pb.Association) bool { return of.Account == account }) ||
		!slices.ContainsFunc(partitions.Partitions, func(of *pb.Partition) bool { return of.Name == partition }) {
		t.Errorf("want account %s, partition %s, got %v, %v", account, partition, associations, partitions)
	}
}
