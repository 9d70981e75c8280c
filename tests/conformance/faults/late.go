package faults

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"syscall"
	"time"
)

// Late returns an address that refuses connections for a while, and then leads to another one. The function ends it.
func Late(address string, after time.Duration) (string, func(), error) {
	socket, late, err := bound()
	if err != nil {
		return "", nil, err
	}
	ended := make(chan struct{})
	go func() {
		select {
		case <-ended:
			socket.Close()
			return
		case <-time.After(after):
		}
		listener, err := listen(socket)
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

// bound is a socket with an address of its own that does not listen: it refuses connections, and no other process gets the address.
func bound() (*os.File, string, error) {
	descriptor, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC|syscall.SOCK_NONBLOCK, 0)
	if err != nil {
		return nil, "", err
	}
	socket := os.NewFile(uintptr(descriptor), "late")
	err = syscall.Bind(descriptor, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}})
	name, nameErr := syscall.Getsockname(descriptor)
	if err := errors.Join(err, nameErr); err != nil {
		socket.Close()
		return nil, "", err
	}
	return socket, fmt.Sprint("127.0.0.1:", name.(*syscall.SockaddrInet4).Port), nil
}

// listen makes a bound socket listen.
func listen(socket *os.File) (net.Listener, error) {
	defer socket.Close()
	if err := syscall.Listen(int(socket.Fd()), syscall.SOMAXCONN); err != nil {
		return nil, err
	}
	return net.FileListener(socket)
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
