package plane

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	kube "sigs.k8s.io/controller-runtime/pkg/client"
)

// Row is a stored object of Kueue in etcd.
type Row struct {
	Key   kube.ObjectKey
	Value []byte // JSON
}

// etcdRow is a row of etcd's JSON: bytes are base64.
type etcdRow struct {
	Key   []byte `json:"key"`
	Value []byte `json:"value,omitempty"`
}

func etcdKey(resource string, key kube.ObjectKey) []byte {
	return []byte("/registry/kueue.x-k8s.io/" + resource + "/" + key.Namespace + "/" + key.Name)
}

// Stored is the row of an object of Kueue in etcd.
func (p *Plane) Stored(ctx context.Context, resource string, key kube.ObjectKey) ([]byte, error) {
	var answer struct {
		Rows []etcdRow `json:"kvs"`
	}
	if err := p.askEtcd(ctx, "/v3/kv/range", etcdRow{Key: etcdKey(resource, key)}, &answer); err != nil {
		return nil, err
	}
	if len(answer.Rows) != 1 {
		return nil, fmt.Errorf("etcd has no %s %s", resource, key)
	}
	return answer.Rows[0].Value, nil
}

// Store writes objects of Kueue directly to etcd, from which the API server reads them: for more than the API server could
// create in the time of a test. Etcd accepts at most 128 at once.
func (p *Plane) Store(ctx context.Context, resource string, rows []Row) error {
	type put struct {
		Put etcdRow `json:"requestPut"`
	}
	var puts []put
	for _, row := range rows {
		puts = append(puts, put{etcdRow{etcdKey(resource, row.Key), row.Value}})
	}
	return p.askEtcd(ctx, "/v3/kv/txn", map[string]any{"success": puts}, &struct{}{})
}

func (p *Plane) askEtcd(ctx context.Context, path string, question, answer any) error {
	text, err := json.Marshal(question)
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, p.etcdURL+path, bytes.NewReader(text))
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("etcd: %s answers %s", path, response.Status)
	}
	return json.NewDecoder(response.Body).Decode(answer)
}
