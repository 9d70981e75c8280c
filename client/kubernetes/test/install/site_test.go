package install

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"testing"

	"priorityd/client"
	pb "priorityd/client/priorityv1"
	"priorityd/kubernetes/test/kubelet"
)

// importSite makes a cluster, as an administrator whose token the API server signed.
func importSite(t *testing.T, objects objects, server *kubelet.Container) {
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
	defer calls.Close()
	_, err = calls.Admin.Import(t.Context(), &pb.ImportRequest{Files: []*pb.File{
		{Kind: pb.FileKind_FILE_KIND_SLURM_CONF, Name: "slurm.conf", Content: "ClusterName=k\nPriorityType=priority/multifactor\nPriorityWeightFairshare=1000\nPriorityCalcPeriod=1\n"},
		{Kind: pb.FileKind_FILE_KIND_SACCTMGR_DUMP, Name: "dump", Content: "Cluster - 'k':Fairshare=1\nParent - 'root'\n"}}})
	must(t, err)
}
