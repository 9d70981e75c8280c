package faults

import (
	"io"
	"net"
	"time"
)

// Late returns an address that refuses connections for a while, and then leads to another one. The function ends it.
func Late(address string, after time.Duration) (string, func(), error) {
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	late := free.Addr().String()
	free.Close()
	ended := make(chan struct{})
	go func() {
		select {
		case <-ended:
			return
		case <-time.After(after):
		}
		listener, err := net.Listen("tcp", late)
		if err != nil {
			return
		}
		go func() {
			<-ended
			listener.Close()
		}()
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go join(conn, address)
		}
	}()
	return late, func() { close(ended) }, nil
}

// join copies the bytes of each side to the other, until one of them ends.
func join(conn net.Conn, address string) {
	defer conn.Close()
	other, err := net.Dial("tcp", address)
	if err != nil {
		return
	}
	defer other.Close()
	go func() {
		io.Copy(other, conn)
		other.Close()
	}()
	io.Copy(conn, other)
}
