package plane

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
)

// nobody is an ordinary user: PostgreSQL refuses to run as root.
const nobody = 65534

// Database is a PostgreSQL of this host with TLS, and a user priorityd.
type Database struct {
	*Process
	Authority []byte // The certificate of the authority of its own one.

	folder    string
	address   string
	databases atomic.Int32
}

// StartDatabase starts one that listens on an address, with a certificate for these names. The caller must Stop it.
func StartDatabase(ctx context.Context, address string, names ...string) (*Database, error) {
	folder, err := os.MkdirTemp("", "postgres")
	if err != nil {
		return nil, err
	}
	p := &Database{folder: folder, address: fmt.Sprintf("%s:%d", address, freePort())}
	if err := errors.Join(os.Chmod(folder, 0o755), p.start(ctx, names)); err != nil {
		p.Stop()
		return nil, err
	}
	return p, nil
}

// NewDatabase makes an empty database and returns its URL by one of the server's names.
func (p *Database) NewDatabase(name string) (string, error) {
	programs, err := postgresPrograms()
	if err != nil {
		return "", err
	}
	database := fmt.Sprintf("priorityd%d", p.databases.Add(1))
	_, port, _ := net.SplitHostPort(p.address)
	return fmt.Sprintf("postgresql://priorityd:secret@%s:%s/%s", name, port, database),
		asNobody(programs+"/createdb", "-h", p.folder, "-p", port, "-U", "priorityd", database)
}

// Stop ends it and removes its files.
func (p *Database) Stop() {
	if p.Process != nil {
		p.Process.Kill()
	}
	os.RemoveAll(p.folder)
}

func (p *Database) start(ctx context.Context, names []string) error {
	authority, err := WriteCertificate(p.folder+"/tls", append(slices.Clone(names), "127.0.0.1")...)
	if err != nil {
		return err
	}
	p.Authority = authority
	data, password := p.folder+"/data", p.folder+"/password"
	if err := os.WriteFile(password, []byte("secret"), 0o644); err != nil {
		return err
	}
	for _, name := range []string{"", "tls", "tls/tls.crt", "tls/tls.key"} {
		if err := os.Chown(filepath.Join(p.folder, name), nobody, nobody); err != nil {
			return err
		}
	}
	programs, err := postgresPrograms()
	if err != nil {
		return err
	}
	if err := asNobody(programs+"/initdb", "-D", data, "-U", "priorityd", "--auth=scram-sha-256", "--pwfile="+password, "--no-sync"); err != nil {
		return err
	}
	if err := os.WriteFile(data+"/pg_hba.conf", []byte("local all all trust\nhost all all all scram-sha-256\n"), 0o644); err != nil {
		return err
	}
	host, port, _ := net.SplitHostPort(p.address)
	// A power failure is not what these tests are of.
	p.Process = &Process{name: "postgres", path: programs + "/postgres", log: p.folder + "/log", user: nobody, args: []string{"-D", data, "-p", port,
		"-c", "listen_addresses=" + host, "-c", "unix_socket_directories=" + p.folder, "-c", "fsync=off", "-c", "ssl=on",
		"-c", "ssl_cert_file=" + p.folder + "/tls/tls.crt", "-c", "ssl_key_file=" + p.folder + "/tls/tls.key"}}
	if err := p.Process.Start(); err != nil {
		return err
	}
	return Await(ctx, startLimit, "PostgreSQL", func() error {
		return asNobody(programs+"/pg_isready", "-h", p.folder, "-p", port)
	})
}

// postgresPrograms is the folder of the newest PostgreSQL.
func postgresPrograms() (string, error) {
	folders, err := filepath.Glob("/usr/lib/postgresql/*/bin")
	if err != nil || len(folders) == 0 {
		return "", fmt.Errorf("no PostgreSQL in /usr/lib/postgresql: %w", err)
	}
	return slices.Max(folders), nil
}

func asNobody(path string, arguments ...string) error {
	command := exec.Command(path, arguments...)
	command.Dir = "/"
	command.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	if output, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w: %s", path, strings.Join(arguments, " "), err, output)
	}
	return nil
}
