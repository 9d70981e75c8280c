package plane

import (
	"context"
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	kube "sigs.k8s.io/controller-runtime/pkg/client"

	"priorityd.internal/client"
	pb "priorityd.internal/client/priorityv1"
)

// Priorityd is a real priorityd, which can be killed and started again at the same address.
type Priorityd struct {
	*Process
	Address string
	Calls   *client.Client
}

// PrioritydBinary is the path of priorityd.
func PrioritydBinary() string {
	if path := os.Getenv("PRIORITYD"); path != "" {
		return path
	}
	return filepath.Join(Root(), "bazel-bin/server/priorityd")
}

// Root is the folder of the project.
func Root() string {
	folder, _ := os.Getwd()
	for folder != "/" {
		if _, err := os.Stat(filepath.Join(folder, "CONTRIBUTING.md")); err == nil {
			return folder
		}
		folder = filepath.Dir(folder)
	}
	return "."
}

// startPriorityd starts a priorityd whose only cluster, `k`, orders by fair-share. It counts usage when a test asks for that: an
// order that a test has read holds until then.
func (p *Plane) startPriorityd(ctx context.Context) error {
	// PostgreSQL runs as an ordinary user if priorityd runs as root.
	if err := os.Chmod(p.Folder, 0o755); err != nil {
		return err
	}
	address := fmt.Sprintf("127.0.0.1:%d", freePort())
	calls, err := client.New(client.Options{Address: address})
	if err != nil {
		return err
	}
	p.Priorityd = &Priorityd{Address: address, Calls: calls, Process: &Process{name: "priorityd", path: PrioritydBinary(),
		args: []string{"--listen=" + address, "--data_dir=" + p.Folder + "/priorityd"}, log: p.Folder + "/priorityd.log"}}
	p.Managers = append(p.Managers, p.Priorityd.Process)
	if err := p.Priorityd.Start(); err != nil {
		return err
	}
	if err := p.Priorityd.Await(ctx); err != nil {
		return err
	}
	return p.Priorityd.configure(ctx)
}

// Await waits until it serves.
func (s *Priorityd) Await(ctx context.Context) error {
	return Await(ctx, startLimit, "priorityd", func() error {
		ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
		defer cancel()
		serving, err := s.Calls.Serving(ctx, "")
		if err == nil && !serving {
			return fmt.Errorf("it does not serve yet")
		}
		return err
	})
}

// Stop ends it and its PostgreSQL.
func (s *Priorityd) Stop() {
	s.Calls.Close()
	s.Process.Stop()
}

func (s *Priorityd) configure(ctx context.Context) error {
	conf := "ClusterName=k\nPriorityType=priority/multifactor\nPriorityWeightFairshare=100000\nPriorityWeightAge=1000\n" +
		"PriorityDecayHalfLife=1-0\nPriorityCalcPeriod=60\n"
	_, err := s.Calls.Admin.Import(ctx, &pb.ImportRequest{Files: []*pb.File{
		{Kind: pb.FileKind_FILE_KIND_SLURM_CONF, Name: "slurm.conf", Content: conf},
		{Kind: pb.FileKind_FILE_KIND_SACCTMGR_DUMP, Name: "dump", Content: "Cluster - 'k':Fairshare=1\nParent - 'root'\n"}}})
	return err
}

// Ledger are the charged CPU seconds of the last day by job.
func (s *Priorityd) Ledger(ctx context.Context) (map[string]float64, error) {
	now := time.Now()
	answer, err := s.Calls.ReportUsage(ctx, &pb.ReportUsageRequest{
		StartTime: timestamppb.New(now.Add(-24 * time.Hour)), EndTime: timestamppb.New(now.Add(time.Hour)),
		GroupBy: []pb.ReportGrouping{pb.ReportGrouping_REPORT_GROUPING_JOB}, Tres: []string{"cpu"}, PageSize: 10_000})
	if err != nil {
		return nil, err
	}
	charged := map[string]float64{}
	for _, row := range answer.Rows {
		charged[row.JobId] += row.TresSeconds["cpu"]
	}
	return charged, nil
}

// Ranked are the waiting jobs of a partition in start order.
func (s *Priorityd) Ranked(ctx context.Context, partition string) ([]string, error) {
	answer, err := s.Calls.RankJobs(ctx, &pb.RankJobsRequest{BestOnly: true, Partitions: []string{partition},
		Source: &pb.RankJobsRequest_Tracked{Tracked: &pb.TrackedQueue{}}})
	var ranked []string
	for _, row := range answer.GetRanked() {
		ranked = append(ranked, row.JobId)
	}
	return ranked, err
}

// grant gives our controller the rights of config/rbac.
func (p *Plane) grant(ctx context.Context) error {
	space := &unstructured.Unstructured{}
	space.SetAPIVersion("v1")
	space.SetKind("Namespace")
	space.SetName(namespace)
	if err := p.Client.Create(ctx, space); err != nil {
		return err
	}
	return p.Apply(ctx, filepath.Join(Root(), "client/kubernetes/config/rbac"))
}

// Apply creates the objects in the files of a folder, except the kustomization.
func (p *Plane) Apply(ctx context.Context, folder string) error {
	files, err := filepath.Glob(filepath.Join(folder, "*.yaml"))
	if err != nil {
		return err
	}
	for _, file := range files {
		if strings.HasSuffix(file, "kustomization.yaml") {
			continue
		}
		objects, err := readObjects(file)
		if err != nil {
			return err
		}
		for _, object := range objects {
			if err := p.Client.Create(ctx, object); kube.IgnoreAlreadyExists(err) != nil {
				return fmt.Errorf("%s: %w", file, err)
			}
		}
	}
	return nil
}

func encode(text []byte) string { return base64.StdEncoding.EncodeToString(text) }
