package conformance

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc/credentials"

	"priorityd/conformance/faults"
)

const clientName = "collector"

// proofs are the credentials of a case's client.
type proofs struct {
	folder string
	tokens int
	certs  int
	sign   func(name string, template *x509.Certificate) // Writes NAME.pem and NAME.key.
	munge  string                                        // The socket of the test's own munged.
	server credentials.TransportCredentials
}

// newProofs makes the credentials of a case.
func newProofs(t *testing.T, kind string) *proofs {
	t.Helper()
	p := &proofs{folder: t.TempDir()}
	switch kind {
	case "token":
		p.renewToken()
	case "munge":
		p.startMunged(t)
	case "certificate":
		p.makeCertificates(t)
	}
	return p
}

// fill adds them to a task.
func (p *proofs) fill(kind string, task *Task) {
	switch kind {
	case "token":
		task.TokenFile = p.folder + "/token"
	case "munge":
		task.MungeSocket = p.munge
	case "certificate":
		task.CA, task.Certificate, task.Key = p.folder+"/ca.pem", p.folder+"/client.pem", p.folder+"/client.key"
	}
}

func (p *proofs) renewToken() {
	p.tokens++
	os.WriteFile(p.folder+"/next", fmt.Appendf(nil, "token-%d\n", p.tokens), 0o600)
	os.Rename(p.folder+"/next", p.folder+"/token")
}

func (p *proofs) startMunged(t *testing.T) {
	t.Helper()
	const munged = "/usr/sbin/munged"
	if _, err := os.Stat(munged); err != nil {
		t.Skip("skipped, needs munged: Debian package munge")
	}
	folder, err := os.MkdirTemp("/tmp", "munge") // A socket's path is short.
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	key := make([]byte, 128)
	rand.Read(key)
	os.WriteFile(folder+"/key", key, 0o600)
	p.munge = folder + "/socket"
	process := exec.Command(munged, "--foreground", "--force", "--socket="+p.munge, "--key-file="+folder+"/key",
		"--pid-file="+folder+"/pid", "--seed-file="+folder+"/seed", "--log-file="+folder+"/log")
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		process.Process.Kill()
		process.Wait()
	})
	p.awaitMunged(t)
}

func (p *proofs) awaitMunged(t *testing.T) {
	t.Helper()
	for deadline := time.Now().Add(startTimeout); ; time.Sleep(10 * time.Millisecond) {
		if exec.Command("munge", "--no-input", "--socket", p.munge).Run() == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("munged does not come up")
		}
	}
}

// nameOf is the proof of a call, in the words of the cases.
func (p *proofs) nameOf(call faults.Call) string {
	kind, value, _ := strings.Cut(call.Authorization, " ")
	switch {
	case strings.HasPrefix(call.Certificate, clientName):
		return strings.Replace(call.Certificate, clientName, "certificate", 1)
	case kind == "Bearer":
		return strings.Replace(value, "-", " ", 1)
	case kind == "MUNGE":
		unmunge := exec.Command("unmunge", "--socket", p.munge, "--no-output")
		unmunge.Stdin = strings.NewReader(value)
		if out, err := unmunge.CombinedOutput(); err != nil {
			return string(out)
		}
		return "munge"
	}
	return call.Authorization
}

// makeCertificates makes the certificates of a server and a client, signed by one authority.
func (p *proofs) makeCertificates(t *testing.T) {
	t.Helper()
	ca := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "authority"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}
	caKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	p.sign = func(name string, template *x509.Certificate) {
		key, _ := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if template == ca {
			key = caKey
		}
		der, err := x509.CreateCertificate(rand.Reader, template, ca, &key.PublicKey, caKey)
		if err != nil {
			t.Error(err)
			return
		}
		keyBytes, _ := x509.MarshalPKCS8PrivateKey(key)
		p.writePEM(name+".pem", "CERTIFICATE", der)
		p.writePEM(name+".key", "PRIVATE KEY", keyBytes)
	}
	p.sign("ca", ca)
	p.sign("server", leaf(2, "server"))
	p.sign("client", leaf(3, clientName))
	p.certs = 1
	p.server = p.serverCredentials(t)
}

func leaf(serial int64, name string) *x509.Certificate {
	return &x509.Certificate{SerialNumber: big.NewInt(serial), Subject: pkix.Name{CommonName: name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}}
}

// renewCertificate replaces the client's files, one after the other, like an administrator.
func (p *proofs) renewCertificate() {
	p.certs++
	p.sign("client", leaf(int64(p.certs+2), fmt.Sprintf("%s %d", clientName, p.certs)))
}

func (p *proofs) writePEM(name, kind string, der []byte) {
	os.WriteFile(p.folder+"/"+name, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600)
}

func (p *proofs) serverCredentials(t *testing.T) credentials.TransportCredentials {
	t.Helper()
	pair, err := tls.LoadX509KeyPair(p.folder+"/server.pem", p.folder+"/server.key")
	if err != nil {
		t.Fatal(err)
	}
	text, _ := os.ReadFile(p.folder + "/ca.pem")
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(text)
	return credentials.NewTLS(&tls.Config{Certificates: []tls.Certificate{pair}, ClientCAs: pool,
		ClientAuth: tls.RequireAndVerifyClientCert})
}
