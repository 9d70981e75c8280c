package controller

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	pb "priorityd.internal/client/priorityv1"
)

// administrator creates associations all or none, as priorityd does; it rejects those of some users.
type administrator struct {
	pb.AdminServiceClient
	refuses string
	down    bool
	calls   int
	users   []string
	made    []string // ACCOUNT/USER below PARENT
	parts   []string // Partitions.
}

func (a *administrator) ListPartitions(context.Context, *pb.ListPartitionsRequest, ...grpc.CallOption) (*pb.ListPartitionsResponse, error) {
	answer := &pb.ListPartitionsResponse{}
	for _, name := range a.parts {
		answer.Partitions = append(answer.Partitions, &pb.Partition{Name: name})
	}
	return answer, nil
}

// UpdatePartitions takes as many names as priorityd does, and not the name that slurm.conf reserves.
func (a *administrator) UpdatePartitions(_ context.Context, request *pb.UpdatePartitionsRequest, _ ...grpc.CallOption) (*pb.ChangeResponse, error) {
	if len(request.Names) > 1000 {
		return nil, status.Errorf(codes.InvalidArgument, "names: got %d, want at most 1000 a call", len(request.Names))
	}
	if slices.Contains(request.Names, "DEFAULT") {
		return nil, status.Error(codes.InvalidArgument, `names[0]: got "DEFAULT", want the name of one partition`)
	}
	a.parts = append(a.parts, request.Names...)
	return &pb.ChangeResponse{}, nil
}

func (a *administrator) CreateAssociations(_ context.Context, request *pb.CreateAssociationsRequest, _ ...grpc.CallOption) (*pb.ChangeResponse, error) {
	a.calls++
	if a.down {
		return nil, status.Error(codes.Unavailable, "away")
	}
	for _, association := range request.Associations {
		if association.User == a.refuses {
			return nil, status.Error(codes.InvalidArgument, "associations: got a name that is none")
		}
	}
	for _, association := range request.Associations {
		a.users = append(a.users, association.User)
		a.made = append(a.made, association.Account+"/"+association.User+" below "+association.ParentAccount)
	}
	return &pb.ChangeResponse{}, nil
}

func TestARefusedNameDelaysNoOther(t *testing.T) {
	admin := &administrator{refuses: "odd"}
	p := &Provision{Admin: admin, Parent: "root"}
	jobs := []*pb.Job{{Account: "chem", User: "odd"}, {Account: "chem", User: "amy"}}
	if err := p.Jobs(t.Context(), jobs); err != nil {
		t.Fatalf("got %v, want amy's job sent", err)
	}
	if !slices.Equal(admin.users, []string{"", "amy"}) {
		t.Errorf("got %q, want the account and amy", admin.users)
	}
	admin.refuses, admin.users = "nobody", nil
	if err := p.Jobs(t.Context(), jobs); err != nil || !slices.Equal(admin.users, []string{"odd"}) {
		t.Errorf("got %v and %q, want that only what was refused is retried", err, admin.users)
	}
}

func TestWhoIsAwayIsAskedAgain(t *testing.T) {
	admin := &administrator{refuses: "odd", down: true}
	p := &Provision{Admin: admin, Parent: "root"}
	jobs := []*pb.Job{{Account: "chem", User: "amy"}}
	if err := p.Jobs(t.Context(), jobs); err == nil {
		t.Fatal("got no error while priorityd is away")
	}
	admin.down = false
	if err := p.Jobs(t.Context(), jobs); err != nil || !slices.Equal(admin.users, []string{"", "amy"}) {
		t.Errorf("got %v and %q, want the account and amy", err, admin.users)
	}
}

func TestNewNamespacesHaveAPartOfOneShare(t *testing.T) {
	admin := &administrator{refuses: "nobody"}
	p := &Provision{Admin: admin, Parent: "kubernetes"}
	for _, account := range []string{"chem", "physics"} {
		if err := p.Jobs(t.Context(), []*pb.Job{{Account: account, User: "amy"}}); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{"kubernetes/ below ", "chem/ below kubernetes", "chem/amy below ", "physics/ below kubernetes", "physics/amy below "}
	if !slices.Equal(admin.made, want) {
		t.Errorf("got %q, want %q", admin.made, want)
	}
}

// The label of a Job's queue is any text of its user.
func TestARefusedPartitionDelaysNoOther(t *testing.T) {
	admin := &administrator{refuses: "nobody"}
	p := &Provision{Admin: admin, Parent: "root"}
	in := func(name string) *pb.Job { return &pb.Job{Account: "chem", User: "amy", Partitions: []string{name}} }
	if err := p.Jobs(t.Context(), []*pb.Job{in("DEFAULT"), in("batch")}); err != nil || !slices.Equal(admin.parts, []string{"batch"}) {
		t.Fatalf("got %v and %q, want batch", err, admin.parts)
	}
	var many []*pb.Job
	for i := range 1500 {
		many = append(many, in(fmt.Sprint("q", i)))
	}
	if err := p.Jobs(t.Context(), many); err != nil || len(admin.parts) != mostPartitions {
		t.Fatalf("got %v and %d partitions, want %d", err, len(admin.parts), mostPartitions)
	}
	admin.parts = admin.parts[:10] // An administrator deletes some.
	if err := p.Jobs(t.Context(), many[1400:]); err != nil || len(admin.parts) != 110 {
		t.Errorf("got %v and %d partitions, want those that had no room created", err, len(admin.parts))
	}
}
