package client

import (
	"context"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	pb "priorityd.internal/client/priorityv1"
)

const (
	pageSize     = 10_000
	listAttempts = 3
)

type paged interface {
	proto.Message
	GetNextPageToken() string
}

// AllPages is every page of a list in one answer:
//
//	jobs, err := client.AllPages(ctx, &priorityv1.ListJobsRequest{}, c.ListJobs)
//
// It begins with the first page and ignores the request's page_token. Entries that are added, deleted or
// moved meanwhile may be in it or not.
func AllPages[Request proto.Message, Answer paged](ctx context.Context, request Request,
	list func(context.Context, Request, ...grpc.CallOption) (Answer, error)) (Answer, error) {
	request = proto.CloneOf(request)
	setPageSize(request)
	var all Answer
	for token, first := "", true; first || token != ""; first = false {
		setText(request, "page_token", token)
		page, err := list(ctx, request)
		if err != nil {
			return page, err
		}
		token = page.GetNextPageToken()
		if first {
			all = page
		} else {
			proto.Merge(all, page)
		}
	}
	setText(all, "next_page_token", "")
	return all, nil
}

// AllShares is every page of ListShares in one answer, all of one snapshot: it starts again when a new
// snapshot is published before the last page; ABORTED when that happens too often.
func (c *Client) AllShares(ctx context.Context, request *pb.ListSharesRequest) (*pb.ListSharesResponse, error) {
	for range listAttempts - 1 {
		all, err := c.sharesOfOneSnapshot(ctx, request)
		if e := errorOf(err); e == nil || e.Code != codes.Aborted {
			return all, err
		}
	}
	return c.sharesOfOneSnapshot(ctx, request)
}

func (c *Client) sharesOfOneSnapshot(ctx context.Context, request *pb.ListSharesRequest) (*pb.ListSharesResponse, error) {
	var of *pb.Snapshot
	return AllPages(ctx, request, func(ctx context.Context, request *pb.ListSharesRequest, options ...grpc.CallOption) (*pb.ListSharesResponse, error) {
		page, err := c.ListShares(ctx, request, options...)
		if err != nil {
			return nil, err
		}
		if of != nil && of.GetGeneration() != page.GetSnapshot().GetGeneration() {
			return nil, &Error{Code: codes.Aborted, Message: "the list: a recalculation ran between its pages; retry"}
		}
		of = page.GetSnapshot()
		return page, nil
	})
}

func setText(message proto.Message, field protoreflect.Name, text string) {
	m := message.ProtoReflect()
	m.Set(m.Descriptor().Fields().ByName(field), protoreflect.ValueOfString(text))
}

func setPageSize(request proto.Message) {
	m := request.ProtoReflect()
	field := m.Descriptor().Fields().ByName("page_size")
	if field != nil && !m.Has(field) {
		m.Set(field, protoreflect.ValueOfInt32(pageSize))
	}
}
