package client

import (
	"context"

	healthpb "google.golang.org/grpc/health/grpc_health_v1"

	pb "priorityd/client/priorityv1"
)

// Client is a connection to priorityd. It connects when it is first used, and again when the
// connection is lost. Safe for concurrent use.
type Client struct {
	// The calls of PriorityService. StreamUsage and WatchRanking are bare streams: NewUsageBatcher and
	// NewRankingWatch are what goes on where a stream breaks.
	pb.PriorityServiceClient
	// Admin has the calls of AdminService.
	Admin pb.AdminServiceClient

	conn *conn
}

// New makes a client, which connects when it is first used. The error is about an address or an
// option that cannot be.
func New(options Options) (*Client, error) {
	options = options.withDefaults()
	servers, err := dial(options)
	if err != nil {
		return nil, err
	}
	c := &conn{options: options, servers: servers}
	return &Client{
		PriorityServiceClient: pb.NewPriorityServiceClient(c),
		Admin:                 pb.NewAdminServiceClient(c),
		conn:                  c,
	}, nil
}

// Close ends the connections, and every call that is open.
func (c *Client) Close() error { return c.conn.servers.close() }

// Serving asks whether the service takes calls (gRPC's health protocol). An empty service is
// all of priorityd; `priorityd.recording` is whether usage is being written. Asked once, not tried again.
func (c *Client) Serving(ctx context.Context, service string) (bool, error) {
	answer, err := healthpb.NewHealthClient(c.conn).Check(ctx, &healthpb.HealthCheckRequest{Service: service})
	return answer.GetStatus() == healthpb.HealthCheckResponse_SERVING, err
}
