package conformance

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"os"
	"testing"
	"time"

	"google.golang.org/grpc/credentials"

	"priorityd.internal/client"
)

const securedUser = "amy"

// securedSite is a real priorityd over TLS, with authentication.
type securedSite struct {
	address string
	proofs  *proofs
	jwtKey  []byte
}

// startSecuredSite starts a site that accepts MUNGE, Slurm's tokens and certificates.
func startSecuredSite(t *testing.T) *securedSite {
	t.Helper()
	s := &securedSite{proofs: &proofs{folder: t.TempDir()}, jwtKey: make([]byte, 32)}
	rand.Read(s.jwtKey)
	s.proofs.startMunged(t)
	s.proofs.makeCertificates(t)
	folder := s.proofs.folder
	settings := fmt.Sprintf("AuthType=auth/munge\nAuthInfo=socket=%s\nAuthAltTypes=auth/jwt\n"+
		"AuthAltParameters=jwt_key=%s/jwt.key\nPrincipal=tls:%s Role=administrator\n", s.proofs.munge, folder, clientName)
	os.WriteFile(folder+"/jwt.key", s.jwtKey, 0o600)
	os.WriteFile(folder+"/auth.conf", []byte(settings), 0o600)
	os.WriteFile(folder+"/token", []byte(s.token(time.Now().Add(time.Hour))), 0o600)
	tls, err := client.TLSFiles(folder+"/ca.pem", folder+"/client.pem", folder+"/client.key")
	if err != nil {
		t.Fatal(err)
	}
	site := startSite(t, []string{securedUser}, credentials.NewTLS(tls), "--auth_file="+folder+"/auth.conf",
		"--tls_cert="+folder+"/server.pem", "--tls_key="+folder+"/server.key", "--tls_client_ca="+folder+"/ca.pem")
	s.address = site.conn.Target()
	return s
}

// token is a token as `scontrol token` makes it.
func (s *securedSite) token(expires time.Time) string {
	encode := base64.RawURLEncoding.EncodeToString
	signed := encode([]byte(`{"alg":"HS256","typ":"JWT"}`)) + "." +
		encode(fmt.Appendf(nil, `{"sun":%q,"exp":%d}`, securedUser, expires.Unix()))
	hash := hmac.New(sha256.New, s.jwtKey)
	hash.Write([]byte(signed))
	return signed + "." + encode(hash.Sum(nil))
}

// run runs a case in a library without a proxy before the service.
func (s *securedSite) run(t *testing.T, r *trial) {
	t.Helper()
	task := r.task(s.address)
	s.proofs.fill(r.Client.Proof, &task)
	task.CA = s.proofs.folder + "/ca.pem"
	outcome, err := r.library.run(task)
	if err != nil {
		t.Fatal(err)
	}
	r.checkOutcome(t, outcome, 0)
	if t.Failed() {
		t.Logf("%s\ngot %+v", r.What, outcome)
	}
}
