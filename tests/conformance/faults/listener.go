package faults

import (
	"net"
	"sync"
	"sync/atomic"
)

// listener tracks the connections that it has accepted.
type listener struct {
	net.Listener
	mutex sync.Mutex
	conns []*conn
}

// conn is a connection; once it is frozen, what each side sends is lost.
type conn struct {
	net.Conn
	frozen atomic.Bool
}

// Read reads what the client sent before the freeze, and waits for its end after it.
func (c *conn) Read(bytes []byte) (int, error) {
	for {
		n, err := c.Conn.Read(bytes)
		if err != nil || !c.frozen.Load() {
			return n, err
		}
	}
}

// Write reports success, as the kernel does for bytes that no peer acknowledges yet.
func (c *conn) Write(bytes []byte) (int, error) {
	if c.frozen.Load() {
		return len(bytes), nil
	}
	return c.Conn.Write(bytes)
}

// Accept waits for the next connection.
func (l *listener) Accept() (net.Conn, error) {
	accepted, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	c := &conn{Conn: accepted}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.conns = append(l.conns, c)
	return c, nil
}

// breakAll breaks the open connections, like a network failure.
func (l *listener) breakAll() {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	for _, conn := range l.conns {
		conn.Close()
	}
	l.conns = nil
}

// freezeAll makes the open connections silent, like a host that vanishes.
func (l *listener) freezeAll() {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	for _, conn := range l.conns {
		conn.frozen.Store(true)
	}
}
