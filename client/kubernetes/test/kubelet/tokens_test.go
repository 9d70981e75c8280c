package kubelet

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"math/big"
	"testing"
	"time"
)

// issuer signs tokens as the API server signs those of service accounts.
type issuer struct{ key *rsa.PrivateKey }

func newIssuer(t *testing.T) issuer {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	return issuer{key}
}

func encode(data []byte) string { return base64.RawURLEncoding.EncodeToString(data) }

// keys is the issuer's JWKS.
func (i issuer) keys() []byte {
	text, _ := json.Marshal(map[string]any{"keys": []any{map[string]any{"kty": "RSA", "use": "sig", "alg": "RS256", "kid": "one",
		"n": encode(i.key.N.Bytes()), "e": encode(big.NewInt(int64(i.key.E)).Bytes())}}})
	return text
}

// token is a token of a service account for the audience priorityd.
func (i issuer) token(t *testing.T, account string) string {
	t.Helper()
	head, _ := json.Marshal(map[string]any{"alg": "RS256", "kid": "one", "typ": "JWT"})
	claims, _ := json.Marshal(map[string]any{"iss": "https://kubernetes.default.svc", "aud": []string{"priorityd"},
		"sub": "system:serviceaccount:space:" + account, "iat": time.Now().Unix(), "exp": time.Now().Add(time.Hour).Unix()})
	signed := encode(head) + "." + encode(claims)
	digest := sha256.Sum256([]byte(signed))
	signature, err := rsa.SignPKCS1v15(rand.Reader, i.key, crypto.SHA256, digest[:])
	if err != nil {
		t.Fatal(err)
	}
	return signed + "." + encode(signature)
}
