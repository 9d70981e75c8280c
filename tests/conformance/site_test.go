package conformance

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	pb "priorityd.internal/client/priorityv1"
	"priorityd/conformance/faults"
)

const (
	cluster      = "c"
	listening    = "listening on "
	startTimeout = 2 * time.Minute
)

// site is a real priorityd on its own PostgreSQL.
type site struct {
	conn  *grpc.ClientConn
	calls pb.PriorityServiceClient
}

// binary is the path of a binary that Bazel has built.
func binary(name string) string {
	folder := os.Getenv("PRIORITYD_BIN")
	if folder == "" {
		folder = "../../bazel-bin"
	}
	path, _ := filepath.Abs(filepath.Join(folder, name))
	return path
}

// startSite starts priorityd with these flags, and creates these users in one account.
func startSite(t *testing.T, users []string, tls credentials.TransportCredentials, flags ...string) *site {
	t.Helper()
	if tls == nil {
		tls = insecure.NewCredentials()
	}
	conn, err := grpc.NewClient(startPriorityd(t, flags), grpc.WithTransportCredentials(tls), grpc.WithNoProxy())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	s := &site{conn: conn, calls: pb.NewPriorityServiceClient(conn)}
	s.importUsers(t, users)
	return s
}

// startPriorityd returns its address.
func startPriorityd(t *testing.T, flags []string) string {
	t.Helper()
	// PostgreSQL runs as an ordinary user if priorityd runs as root.
	folder, err := os.MkdirTemp("/tmp", "conformance")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	if err := os.Chmod(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	flags = append([]string{"--listen=127.0.0.1:0", "--data_dir=" + folder + "/data"}, flags...)
	priorityd := exec.Command(binary("server/priorityd"), flags...)
	log, err := priorityd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := priorityd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		priorityd.Process.Signal(syscall.SIGTERM)
		priorityd.Wait()
	})
	return awaitAddress(t, log)
}

func awaitAddress(t *testing.T, log io.Reader) string {
	t.Helper()
	address, lines := make(chan string, 1), make(chan string, 1)
	go func() {
		var all strings.Builder
		for scanner := bufio.NewScanner(log); scanner.Scan(); {
			fmt.Fprintln(&all, scanner.Text())
			if _, found, ok := strings.Cut(scanner.Text(), listening); ok {
				address <- strings.Fields(found)[0]
				io.Copy(io.Discard, log)
				return
			}
		}
		lines <- all.String()
	}()
	select {
	case found := <-address:
		return found
	case all := <-lines:
		t.Fatalf("priorityd does not listen:\n%s", all)
	case <-time.After(startTimeout):
		t.Fatalf("priorityd does not listen within %v", startTimeout)
	}
	return ""
}

func (s *site) importUsers(t *testing.T, users []string) {
	t.Helper()
	dump := "Cluster - 'c':Fairshare=1\nParent - 'root'\nAccount - 'a':Fairshare=1\nParent - 'a'\n"
	for _, user := range users {
		dump += fmt.Sprintf("User - '%s':DefaultAccount='a'\n", user)
	}
	conf := "ClusterName=c\nNodeName=n1 CPUs=10\nPartitionName=p Nodes=n1 Default=YES\n"
	_, err := pb.NewAdminServiceClient(s.conn).Import(t.Context(), &pb.ImportRequest{Files: []*pb.File{
		{Kind: pb.FileKind_FILE_KIND_SLURM_CONF, Name: "slurm.conf", Content: conf},
		{Kind: pb.FileKind_FILE_KIND_SACCTMGR_DUMP, Name: "dump", Content: dump},
	}})
	if err != nil {
		t.Fatal(err)
	}
}

// change changes the queue of a user. Jobs rank by the numbers at the ends of their ids.
func (s *site) change(ctx context.Context, user string, change faults.Change) error {
	request := &pb.UpdateJobsRequest{Removals: jobIDs(user, change.Remove)}
	upserted := append(slices.Clone(change.Add), change.Hold...)
	for i, id := range jobIDs(user, upserted) {
		var number int64
		if _, err := fmt.Sscan(upserted[i], &number); err != nil {
			return err
		}
		hold := pb.Hold_HOLD_UNSPECIFIED
		if i >= len(change.Add) {
			hold = pb.Hold_HOLD_USER
		}
		request.Upserts = append(request.Upserts, &pb.Job{JobId: id, User: user, Account: "a",
			State: pb.JobState_JOB_STATE_PENDING, Hold: hold, Nodes: 1, Cpus: 1,
			SubmitTime: &timestamppb.Timestamp{Seconds: recordsBegin + number}})
	}
	answer, err := s.calls.UpdateJobs(ctx, request)
	for _, result := range answer.GetUpserts() {
		switch result.GetOutcome() {
		case pb.UpdateOutcome_UPDATE_OUTCOME_UPSERTED, pb.UpdateOutcome_UPDATE_OUTCOME_REMOVED:
		default:
			return fmt.Errorf("%s: %v %s", result.GetJobId(), result.GetOutcome(), result.GetMessage())
		}
	}
	return err
}

func jobIDs(user string, ends []string) []string {
	var ids []string
	for _, end := range ends {
		ids = append(ids, user+"-"+end)
	}
	return ids
}

// ledger is the number of the user's records in the service, from the first one on, each once; the error
// names a record that differs.
func (s *site) ledger(ctx context.Context, user string, atMost int) (int, error) {
	answer, err := s.calls.ReportUsage(ctx, &pb.ReportUsageRequest{
		Users:        []string{user},
		StartTime:    &timestamppb.Timestamp{Seconds: Start(0)},
		EndTime:      &timestamppb.Timestamp{Seconds: End(atMost)},
		BucketLength: durationpb.New(recordSeconds * time.Second),
		Tres:         []string{"cpu"},
		PageSize:     int32(atMost + 1),
	})
	if err != nil {
		return 0, err
	}
	for i, row := range answer.GetRows() {
		want := CPUs(i) * recordSeconds
		if got := row.GetTresSeconds()["cpu"]; row.GetStartTime().GetSeconds() != Start(i) || got != want {
			return 0, fmt.Errorf("the ledger: record %d: got %v CPU seconds at %v, want %v at %d", i, got,
				row.GetStartTime().GetSeconds(), want, Start(i))
		}
	}
	return len(answer.GetRows()), nil
}
