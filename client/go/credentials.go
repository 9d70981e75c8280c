package client

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

const (
	// The payload that the service expects in a MUNGE credential.
	mungePayload  = "priorityd"
	mungeSocket   = "/run/munge/munge.socket.2"
	tokenVariable = "SLURM_JWT"
)

// Authorize returns the value of the metadata `authorization` for one call. It runs for each call:
// MUNGE accepts a credential once, and a token may have been renewed. Empty = the call proves nothing.
type Authorize func(ctx context.Context) (string, error)

// TokenFile proves the caller by the JSON web token in a file, which is read for each call.
func TokenFile(path string) Authorize {
	return func(context.Context) (string, error) {
		token, err := os.ReadFile(path)
		if err != nil {
			return "", fmt.Errorf("token file: %w", err)
		}
		return bearer(string(token))
	}
}

// TokenOfEnvironment proves the caller by the token in SLURM_JWT, in the form that scontrol prints.
func TokenOfEnvironment() Authorize {
	return func(context.Context) (string, error) { return bearer(os.Getenv(tokenVariable)) }
}

func bearer(token string) (string, error) {
	if token = strings.TrimSpace(token); token == "" {
		return "", fmt.Errorf("token: got none, want one in %s or in a file", tokenVariable)
	}
	return "Bearer " + token, nil
}

// Munge proves the caller by credentials of this host's munged, which the command munge makes.
// An empty socket is munged's default.
func Munge(socket string) Authorize {
	words := []string{"--string", mungePayload}
	if socket != "" {
		words = append(words, "--socket", socket)
	}
	return func(ctx context.Context) (string, error) {
		var complaint bytes.Buffer
		munge := exec.CommandContext(ctx, "munge", words...)
		munge.Stderr = &complaint
		credential, err := munge.Output()
		if err != nil {
			return "", fmt.Errorf("munged of this host: %w: %s", err, bytes.TrimSpace(complaint.Bytes()))
		}
		return "MUNGE " + strings.TrimSpace(string(credential)), nil
	}
}

// Automatic proves the caller by the token in SLURM_JWT if set, else by MUNGE if munged runs, else
// not at all.
func Automatic() Authorize {
	return func(ctx context.Context) (string, error) {
		if os.Getenv(tokenVariable) != "" {
			return TokenOfEnvironment()(ctx)
		}
		if _, err := os.Stat(mungeSocket); err == nil {
			return Munge("")(ctx)
		}
		return "", nil
	}
}

// TLSFiles reads PEM files: the trusted authorities, and the client's own certificate and its key
// (both or none), which are read again for each connection.
func TLSFiles(ca, certificate, key string) (*tls.Config, error) {
	if (certificate == "") != (key == "") {
		return nil, errors.New("TLS: got one of certificate and key, want both or none")
	}
	pem, err := os.ReadFile(ca)
	if err != nil {
		return nil, fmt.Errorf("TLS: %w", err)
	}
	config := &tls.Config{RootCAs: x509.NewCertPool(), MinVersion: tls.VersionTLS12}
	if !config.RootCAs.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("TLS: %s: got no certificate, want PEM", ca)
	}
	if certificate == "" {
		return config, nil
	}
	read := func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
		pair, err := tls.LoadX509KeyPair(certificate, key)
		return &pair, err
	}
	if _, err := read(nil); err != nil {
		return nil, fmt.Errorf("TLS: %w", err)
	}
	config.GetClientCertificate = read
	return config, nil
}
