package faults

import (
	"context"
	"errors"
	"io"
	"net"
	"path"
	"strings"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/peer"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	pb "priorityd.internal/client/priorityv1"
)

const (
	mostBytes = 256 << 20
	// The client has its answer already.
	untilBroken = 100 * time.Millisecond
	watch       = "WatchRanking"
)

// Call is a call of a client.
type Call struct {
	RPC           string
	At            time.Time
	Authorization string // The value in the metadata.
	Cluster       string // The value of priorityd-cluster in the metadata.
	Certificate   string // The common name of the client's certificate.
}

// Proxy forwards calls to a real service, with the faults of a case.
type Proxy struct {
	Address string

	faults   map[string][]Fault
	backend  *grpc.ClientConn
	server   *grpc.Server
	listener *listener
	hooks    Hooks

	mutex   sync.Mutex
	calls   []Call
	answers int // Answers of WatchRanking that clients got.
}

// Hooks are the functions that a Proxy calls during a case.
type Hooks struct {
	// RenewCertificate puts another certificate into the client's files.
	RenewCertificate func()
	// RenewToken puts another token into the client's file.
	RenewToken func()
	// OnChange is called after each answer of WatchRanking, with their number.
	OnChange func(answers int)
}

// Listen begins to serve, over TLS if credentials are given.
func Listen(backend *grpc.ClientConn, faults map[string][]Fault, tls credentials.TransportCredentials, hooks Hooks) (*Proxy, error) {
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &Proxy{Address: tcp.Addr().String(), faults: faults, backend: backend,
		listener: &listener{Listener: tcp}, hooks: hooks}
	options := []grpc.ServerOption{
		grpc.ForceServerCodec(rawCodec{}),
		grpc.UnknownServiceHandler(p.handle),
		grpc.MaxRecvMsgSize(mostBytes),
	}
	if tls != nil {
		options = append(options, grpc.Creds(tls))
	}
	p.server = grpc.NewServer(options...)
	go p.server.Serve(p.listener)
	return p, nil
}

// Stop ends every call.
func (p *Proxy) Stop() { p.server.Stop() }

// Calls are the calls so far, in order.
func (p *Proxy) Calls() []Call {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return append([]Call(nil), p.calls...)
}

// begin notes a call and returns its fault.
func (p *Proxy) begin(ctx context.Context, rpc string) Fault {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	number := 0
	for _, call := range p.calls {
		if call.RPC == rpc {
			number++
		}
	}
	p.calls = append(p.calls, Call{rpc, time.Now(), authorization(ctx), clusterOf(ctx), certificate(ctx)})
	if number < len(p.faults[rpc]) {
		return p.faults[rpc][number]
	}
	return Fault{}
}

func clusterOf(ctx context.Context) string {
	md, _ := metadata.FromIncomingContext(ctx)
	return strings.Join(md.Get("priorityd-cluster"), " and ")
}

func authorization(ctx context.Context) string {
	md, _ := metadata.FromIncomingContext(ctx)
	if values := md.Get("authorization"); len(values) > 0 {
		return values[0]
	}
	return ""
}

func certificate(ctx context.Context) string {
	p, _ := peer.FromContext(ctx)
	tls, ok := p.AuthInfo.(credentials.TLSInfo)
	if !ok || len(tls.State.PeerCertificates) == 0 {
		return ""
	}
	return tls.State.PeerCertificates[0].Subject.CommonName
}

func (p *Proxy) handle(_ any, client grpc.ServerStream) error {
	method, _ := grpc.MethodFromServerStream(client)
	rpc := path.Base(method)
	fault := p.begin(client.Context(), rpc)
	if fault.Code != "" && fault.DropAfter == nil {
		return p.end(fault)
	}
	if !pause(client.Context(), time.Duration(fault.DelayMs)*time.Millisecond) {
		return status.FromContextError(client.Context().Err()).Err()
	}
	return p.pass(method, fault, client)
}

func (p *Proxy) end(fault Fault) error {
	if fault.RenewToken {
		p.hooks.RenewToken()
	}
	if fault.RenewCertificate {
		p.hooks.RenewCertificate()
		time.AfterFunc(untilBroken, p.listener.breakAll)
	}
	return fault.status()
}

func pause(ctx context.Context, wait time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(wait):
		return true
	}
}

// pass forwards a call of any kind.
func (p *Proxy) pass(method string, fault Fault, client grpc.ServerStream) error {
	ctx, cancel := context.WithCancel(client.Context())
	defer cancel()
	service, err := p.backend.NewStream(ctx, &grpc.StreamDesc{ServerStreams: true, ClientStreams: true},
		method, grpc.ForceCodec(rawCodec{}), grpc.MaxCallRecvMsgSize(mostBytes))
	if err != nil {
		return err
	}
	go passRequests(client, service)
	return p.passAnswers(path.Base(method), fault, client, service)
}

func passRequests(client grpc.ServerStream, service grpc.ClientStream) {
	for {
		var request frame
		if client.RecvMsg(&request) != nil {
			service.CloseSend()
			return
		}
		if service.SendMsg(&request) != nil {
			return
		}
	}
}

func (p *Proxy) passAnswers(rpc string, fault Fault, client grpc.ServerStream, service grpc.ClientStream) error {
	for got := 0; ; got++ {
		var answer frame
		err := service.RecvMsg(&answer)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if fault.DropAfter != nil && got == *fault.DropAfter {
			return p.end(fault)
		}
		if fault.Silent {
			continue
		}
		if err := p.answer(rpc, fault, got+1, client, &answer); err != nil {
			return err
		}
	}
}

// answer sends the client its answer of that number, with its fault.
func (p *Proxy) answer(rpc string, fault Fault, number int, client grpc.ServerStream, answer *frame) error {
	err := client.SendMsg(answer)
	if fault.Repeat && err == nil {
		err = client.SendMsg(answer)
	}
	if fault.FreezeAfter == number {
		time.Sleep(untilBroken)
		p.listener.freezeAll()
	}
	if fault.MisfitAfter == number && err == nil {
		err = client.SendMsg(misfit(fault.MisfitIneligible))
	}
	if rpc == watch && err == nil {
		p.changed()
	}
	return err
}

func (p *Proxy) changed() {
	p.mutex.Lock()
	p.answers++
	answers := p.answers
	p.mutex.Unlock()
	p.hooks.OnChange(answers)
}

// misfit is a change that removes an unknown row, or an unknown job that cannot start.
func misfit(ofIneligible bool) *frame {
	delta := &pb.RankingDelta{Left: []*pb.RankedRow{{JobId: "a job of nobody"}}}
	if ofIneligible {
		delta = &pb.RankingDelta{NoLongerIneligible: []string{"a job of nobody"}}
	}
	text, _ := proto.Marshal(&pb.WatchRankingResponse{
		Change: &pb.WatchRankingResponse_Delta{Delta: delta}})
	return &frame{text}
}
