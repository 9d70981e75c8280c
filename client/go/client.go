package client

import (
	"context"

	healthpb "google.golang.org/grpc/health/grpc_health_v1"

	pb "priorityd.internal/client/priorityv1"
)

// Client is a connection to priorityd. It connects on first use, and again when the connection is
// lost. Safe for concurrent use.
type Client struct {
	// The calls of PriorityService. StreamUsage and WatchRanking are bare streams: NewUsageBatcher and
	// NewRankingWatch reconnect when a stream breaks.
	pb.PriorityServiceClient
	// Admin has the calls of AdminService.
	Admin pb.AdminServiceClient

	conn *conn
}

// New makes a client, which connects on first use. The error names an invalid address or option.
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

// Close ends the connections, and every open call.
func (c *Client) Close() error { return c.conn.servers.close() }

// Serving asks whether the service takes calls (gRPC's health protocol), without retries. An empty
// service is all of priorityd; with `priorityd.recording` it asks whether usage is being written.
func (c *Client) Serving(ctx context.Context, service string) (bool, error) {
	answer, err := healthpb.NewHealthClient(c.conn).Check(ctx, &healthpb.HealthCheckRequest{Service: service})
	return answer.GetStatus() == healthpb.HealthCheckResponse_SERVING, err
}
