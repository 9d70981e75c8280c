package faults

import (
	"net"
	"sync"
)

// listener tracks the connections that it has accepted.
type listener struct {
	net.Listener
	mutex sync.Mutex
	conns []net.Conn
}

// Accept waits for the next connection.
func (l *listener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err == nil {
		l.mutex.Lock()
		l.conns = append(l.conns, conn)
		l.mutex.Unlock()
	}
	return conn, err
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
