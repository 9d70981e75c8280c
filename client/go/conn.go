package client

import (
	"context"
	"errors"
	"io"
	"net/url"
	"strings"
	"sync"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	pb "priorityd.internal/client/priorityv1"
)

const priorityService = "/priority.v1.PriorityService/"

// conn is the connection of the generated stubs; it adds the deadline, cluster, proof, retries and choice of server.
type conn struct {
	options           Options
	servers           *servers
	rateLimitReported sync.Once
}

// Invoke makes one unary call.
func (c *conn) Invoke(ctx context.Context, method string, request, answer any, options ...grpc.CallOption) error {
	request = withCluster(request.(proto.Message), c.options.Cluster)
	ctx, cancel := context.WithTimeout(ctx, c.options.Deadline)
	defer cancel()
	ctx = withRoute(ctx, clusterOf(request.(proto.Message), c.options.Cluster))
	once := func() error { return c.invokeOnce(ctx, method, request, answer, options) }
	call := func() error {
		err := once()
		if isStaleCredential(err) {
			return once()
		}
		return err
	}
	if !repeatable(method) {
		return call()
	}
	return c.retry(ctx, c.options.Retry, call)
}

func (c *conn) invokeOnce(ctx context.Context, method string, request, answer any, options []grpc.CallOption) error {
	proved, err := c.prove(ctx)
	if err != nil {
		return err
	}
	return fromGRPC(ctx, c.servers.live(ctx).Invoke(proved, method, request, answer, options...))
}

// NewStream opens a stream, without retries.
func (c *conn) NewStream(ctx context.Context, desc *grpc.StreamDesc, method string, options ...grpc.CallOption) (grpc.ClientStream, error) {
	proved, err := c.prove(withRoute(ctx, c.options.Cluster))
	if err != nil {
		return nil, err
	}
	opened, err := c.servers.live(ctx).NewStream(proved, desc, method, options...)
	if err != nil {
		return nil, fromGRPC(ctx, err)
	}
	return &stream{opened, ctx}, nil
}

// stream is a client stream whose final error is an *Error.
type stream struct {
	grpc.ClientStream
	ctx context.Context
}

// RecvMsg returns io.EOF when the service has ended the stream with OK.
func (s *stream) RecvMsg(message any) error {
	err := s.ClientStream.RecvMsg(message)
	if errors.Is(err, io.EOF) {
		return io.EOF
	}
	return fromGRPC(s.ctx, err)
}

// prove adds the proof of the caller's identity to the call.
func (c *conn) prove(ctx context.Context) (context.Context, error) {
	if c.options.Authorize == nil {
		return ctx, nil
	}
	authorization, err := c.options.Authorize(ctx)
	if err != nil {
		return nil, &Error{Code: codes.FailedPrecondition, Message: err.Error(), cause: err}
	}
	if authorization == "" {
		return ctx, nil
	}
	return metadata.AppendToOutgoingContext(ctx, "authorization", authorization), nil
}

// ClusterKey is the metadata that names the cluster of a call, for load balancers that send it to the
// cluster's cell. A stream is one of the client's cluster, unless its context has the key.
const ClusterKey = "priorityd-cluster"

// withRoute adds the cluster to the call; empty = none. Bytes other than letters, digits, '-', '.', '_'
// and '~' become %XX.
func withRoute(ctx context.Context, cluster string) context.Context {
	if cluster == "" {
		return ctx
	}
	if sent, ok := metadata.FromOutgoingContext(ctx); ok && len(sent.Get(ClusterKey)) > 0 {
		return ctx
	}
	value := strings.ReplaceAll(url.QueryEscape(cluster), "+", "%20")
	return metadata.AppendToOutgoingContext(ctx, ClusterKey, value)
}

// clusterOf returns the cluster that the request names, or otherwise.
func clusterOf(request proto.Message, otherwise string) string {
	named := ""
	switch r := request.(type) {
	case *pb.DeleteClusterRequest:
		named = r.GetName()
	case *pb.UpdateClusterRequest:
		named = r.GetCluster().GetName()
	case interface{ GetCluster() string }:
		named = r.GetCluster()
	}
	if named == "" {
		return otherwise
	}
	return named
}

// repeatable reports whether the call is idempotent.
func repeatable(method string) bool {
	if strings.HasPrefix(method, priorityService) {
		return true
	}
	name := method[strings.LastIndex(method, "/")+1:]
	return strings.HasPrefix(name, "Get") || strings.HasPrefix(name, "List") || name == "Export"
}

// withCluster returns the request, or, if it names no cluster, a copy with the cluster set. The copy
// shares large fields with the request.
func withCluster(request proto.Message, cluster string) proto.Message {
	if cluster == "" {
		return request
	}
	if update, ok := request.(*pb.UpdateClusterRequest); ok {
		return withClusterName(update, cluster)
	}
	message := request.ProtoReflect()
	field := message.Descriptor().Fields().ByName("cluster")
	if field == nil || field.Kind() != protoreflect.StringKind || message.Has(field) {
		return request
	}
	named := message.New()
	message.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		named.Set(f, v)
		return true
	})
	named.Set(field, protoreflect.ValueOfString(cluster))
	return named.Interface()
}

func withClusterName(request *pb.UpdateClusterRequest, cluster string) proto.Message {
	if request.GetCluster().GetName() != "" {
		return request
	}
	named := proto.Clone(request).(*pb.UpdateClusterRequest)
	if named.Cluster == nil {
		named.Cluster = &pb.Cluster{}
	}
	named.Cluster.Name = cluster
	return named
}
