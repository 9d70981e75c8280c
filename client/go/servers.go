package client

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/connectivity"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/keepalive"
)

const patience = time.Second

// servers are the replicas of one service; each can answer every call.
type servers struct {
	conns []*grpc.ClientConn
	last  atomic.Int32
}

// addresses of `a:1,b:2`.
func addresses(address string) []string { return strings.Split(address, ",") }

func dialOptions(options Options) []grpc.DialOption {
	transport := insecure.NewCredentials()
	if options.TLS != nil {
		transport = credentials.NewTLS(options.TLS)
	}
	return []grpc.DialOption{
		grpc.WithTransportCredentials(transport),
		// http_proxy is for connections that leave the site; priorityd is inside it.
		grpc.WithNoProxy(),
		grpc.WithDefaultCallOptions(
			grpc.MaxCallRecvMsgSize(options.MaxMessageBytes),
			grpc.MaxCallSendMsgSize(options.MaxMessageBytes)),
		// gRPC's default of a second between two attempts to connect is longer than our backoff.
		grpc.WithConnectParams(grpc.ConnectParams{
			Backoff: backoff.Config{
				BaseDelay: 100 * time.Millisecond, Multiplier: 1.6, Jitter: 0.2, MaxDelay: 5 * time.Second},
			MinConnectTimeout: 5 * time.Second,
		}),
		// A watch has no deadline and sends nothing, so only pings notice that the server's host vanished.
		grpc.WithKeepaliveParams(keepalive.ClientParameters{
			Time: options.KeepaliveTime, Timeout: options.KeepaliveTimeout}),
	}
}

func dial(options Options) (*servers, error) {
	s := &servers{}
	for _, address := range addresses(options.Address) {
		conn, err := grpc.NewClient(address, dialOptions(options)...)
		if err != nil {
			return nil, errors.Join(err, s.close())
		}
		s.conns = append(s.conns, conn)
	}
	return s, nil
}

func (s *servers) close() error {
	var errs []error
	for _, conn := range s.conns {
		errs = append(errs, conn.Close())
	}
	return errors.Join(errs...)
}

// live is the server that answered last while it is connected, else the next that connects. With a
// single server it does not wait.
func (s *servers) live(ctx context.Context) *grpc.ClientConn {
	last := int(s.last.Load())
	for i := 0; i < len(s.conns) && len(s.conns) > 1; i++ {
		next := (last + i) % len(s.conns)
		if connects(ctx, s.conns[next]) {
			s.last.Store(int32(next))
			return s.conns[next]
		}
	}
	return s.conns[last]
}

// connects reports whether the server is connected, or will be soon.
func connects(ctx context.Context, conn *grpc.ClientConn) bool {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		state := conn.GetState()
		switch state {
		case connectivity.Ready:
			return true
		case connectivity.TransientFailure, connectivity.Shutdown:
			return false
		case connectivity.Idle:
			conn.Connect()
		}
		if !conn.WaitForStateChange(ctx, state) {
			return false
		}
	}
}
