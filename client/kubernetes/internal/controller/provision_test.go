package controller

import (
	"context"
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

func TestANameThatIsRefusedHoldsUpNobodyElse(t *testing.T) {
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
