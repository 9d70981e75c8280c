package targets

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/events"
	kube "sigs.k8s.io/controller-runtime/pkg/client"

	"priorityd/kubernetes/internal/weights"
)

// Bounds of what is read from the ConfigMap of YuniKorn.
const (
	mostQueuesYAML = 1 << 20
	mostRecords    = 128 << 10
)

const offset = "priority.offset"

// YuniKornScale is that of priority.offset: YuniKorn's queues have no weights.
var YuniKornScale = weights.Scale{Kind: weights.Logarithmic, Factor: 10, Lowest: -1e6, Limit: 1e6}

// YuniKorn writes the property priority.offset of queues in the ConfigMap of YuniKorn. All other lines, comments too, stay.
type YuniKorn struct {
	Namespace, ConfigMap, Key string
	Partition                 string
	Parent                    string // The path of the queue above, with points: root.tenants.
	In                        weights.Scale
	Client                    kube.Client
	Recorder                  events.EventRecorder // nil = no Events.
}

// Field names the property.
func (y *YuniKorn) Field() string {
	return fmt.Sprintf("%s/%s %s.* %s", y.Namespace, y.ConfigMap, y.Parent, offset)
}

// Scale is that of the property.
func (y *YuniKorn) Scale() weights.Scale { return y.In }

// file is the ConfigMap as it was read.
type file struct {
	object   *corev1.ConfigMap
	document *yaml.Node
	children map[string]*yaml.Node // Queues by name.
	records  map[string]json.RawMessage
	problem  string // The reason that the records are ignored.
}

func (y *YuniKorn) read(ctx context.Context) (*file, error) {
	f := &file{object: &corev1.ConfigMap{}, document: &yaml.Node{}, children: map[string]*yaml.Node{}, records: map[string]json.RawMessage{}}
	if err := y.Client.Get(ctx, kube.ObjectKey{Namespace: y.Namespace, Name: y.ConfigMap}, f.object); err != nil {
		return nil, err
	}
	text := f.object.Data[y.Key]
	if text == "" || len(text) > mostQueuesYAML {
		return nil, fmt.Errorf("%s of ConfigMap %s/%s: got %d bytes, want 1 to %d", y.Key, y.Namespace, y.ConfigMap, len(text), mostQueuesYAML)
	}
	decoder := yaml.NewDecoder(strings.NewReader(text))
	if err := decoder.Decode(f.document); err != nil {
		return nil, fmt.Errorf("%s: %w", y.Key, err)
	}
	if err := decoder.Decode(&yaml.Node{}); !errors.Is(err, io.EOF) { // Only the first one would be written again.
		return nil, fmt.Errorf("%s: got more than one document, want one", y.Key)
	}
	if record := f.object.Annotations[Annotation]; record != "" {
		if f.records, f.problem = readRecords(record); f.problem != "" {
			f.records = map[string]json.RawMessage{}
		}
	}
	return f, f.find(y.Partition, strings.Split(y.Parent, "."))
}

// readRecords reads the annotation, which others may have changed; else why it is not believed.
func readRecords(text string) (records map[string]json.RawMessage, problem string) {
	if len(text) > mostRecords {
		return nil, fmt.Sprintf("records: got %d bytes, want at most %d", len(text), mostRecords)
	}
	if err := json.Unmarshal([]byte(text), &records); err != nil {
		return nil, fmt.Sprintf("records: %v", err)
	}
	if records == nil {
		return nil, "records: got null, want an object"
	}
	return records, ""
}

// find sets the children of a queue.
func (f *file) find(partition string, path []string) error {
	if len(f.document.Content) == 0 {
		return errors.New("queues: got an empty document, want partitions")
	}
	here := named(member(f.document.Content[0], "partitions"), partition)
	if here == nil {
		return fmt.Errorf("partition: got %q, want one of the ConfigMap", partition)
	}
	for _, name := range path {
		if here = named(member(here, "queues"), name); here == nil {
			return fmt.Errorf("parent: got %q, want the path of a queue of the ConfigMap", strings.Join(path, "."))
		}
	}
	if list := member(here, "queues"); list != nil && list.Kind == yaml.SequenceNode {
		for _, queue := range list.Content {
			if name := member(queue, "name"); name != nil {
				f.children[name.Value] = queue
			}
		}
	}
	return nil
}

// member is the value of a key of a mapping; nil = there is none.
func member(node *yaml.Node, key string) *yaml.Node {
	if node == nil || node.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(node.Content); i += 2 {
		if node.Content[i].Value == key {
			return node.Content[i+1]
		}
	}
	return nil
}

// named is the item of a list whose name it is; nil = there is none.
func named(list *yaml.Node, name string) *yaml.Node {
	if list == nil || list.Kind != yaml.SequenceNode {
		return nil
	}
	for _, item := range list.Content {
		if value := member(item, "name"); value != nil && strings.EqualFold(value.Value, name) {
			return item
		}
	}
	return nil
}

// Read reads the queues below the parent.
func (y *YuniKorn) Read(ctx context.Context, queues []string, now time.Time) (map[string]State, error) {
	f, err := y.read(ctx)
	if err != nil {
		return nil, err
	}
	states := map[string]State{}
	for _, name := range queues {
		queue := f.children[name]
		if queue == nil {
			states[name] = State{Missing: true}
			continue
		}
		s := State{Value: y.In.Zero, Problem: f.problem}
		if value := member(member(queue, "properties"), offset); value != nil {
			if number, err := strconv.ParseInt(value.Value, 10, 32); err == nil {
				s.Value = float64(number)
			}
		}
		if text := f.records[y.Parent+"."+name]; text != nil {
			record, err := weights.ReadRecord(string(text), []string{"properties." + offset}, math.MinInt32, now)
			if err != nil {
				s.Problem = err.Error()
			} else {
				s.Record = &record
			}
		}
		states[name] = s
	}
	return states, nil
}

// Write writes one property.
func (y *YuniKorn) Write(ctx context.Context, change Change, now time.Time, dry bool) error {
	return y.change(ctx, change.Queue, dry, "WeightChanged", change.Reason, func(f *file, queue *yaml.Node) error {
		former := map[string]any{"properties." + offset: nil}
		if value := member(member(queue, "properties"), offset); value != nil {
			former["properties."+offset] = value.Value
		} else if member(queue, "properties") == nil {
			former = map[string]any{"properties": nil}
		}
		setProperty(queue, strconv.FormatInt(int64(change.To), 10))
		f.records[y.Parent+"."+change.Queue] = json.RawMessage(next(change.State, former, now).Encode())
		return nil
	})
}

// Restore writes the former property, or removes it.
func (y *YuniKorn) Restore(ctx context.Context, name string, state State, dry bool) error {
	return y.change(ctx, name, dry, "WeightRestored", name+": the value before the first change is restored", func(f *file, queue *yaml.Node) error {
		delete(f.records, y.Parent+"."+name)
		for path, value := range state.Record.Former {
			if value != nil {
				setProperty(queue, fmt.Sprint(value))
			} else if path == "properties" && onlyOffset(member(queue, "properties")) {
				remove(queue, "properties")
			} else {
				remove(member(queue, "properties"), offset)
			}
		}
		return nil
	})
}

// checkProperties is an error if a queue shares its properties with others, or has none that can be changed.
func checkProperties(queue *yaml.Node) error {
	properties := member(queue, "properties")
	switch {
	case properties == nil && member(queue, "<<") != nil, properties != nil && (properties.Kind == yaml.AliasNode || properties.Anchor != ""):
		return errors.New("properties: got some that are shared by an anchor, want the properties of this queue only")
	case properties != nil && properties.Kind != yaml.MappingNode && properties.Tag != "!!null":
		return errors.New("properties: got something else than a mapping")
	default:
		return nil
	}
}

func onlyOffset(properties *yaml.Node) bool {
	return properties != nil && len(properties.Content) == 2 && properties.Content[0].Value == offset
}

// change reads the ConfigMap, changes a queue, and replaces exactly the version that it read.
func (y *YuniKorn) change(ctx context.Context, name string, dry bool, reason, text string, edit func(*file, *yaml.Node) error) error {
	f, err := y.read(ctx)
	if err != nil {
		return err
	}
	queue := f.children[name]
	if queue == nil {
		return fmt.Errorf("queue: got %q, want one of the ConfigMap", name)
	}
	if err := checkProperties(queue); err != nil {
		return fmt.Errorf("queue %q: %w", name, err)
	}
	if err := edit(f, queue); err != nil {
		return err
	}
	changed := f.object.DeepCopy()
	if err := f.store(changed, y.Key); err != nil {
		return err
	}
	options := []kube.UpdateOption{kube.FieldOwner(Manager)}
	if dry {
		options = append(options, kube.DryRunAll)
	}
	if err := y.Client.Update(ctx, changed, options...); err != nil {
		return err
	}
	if y.Recorder != nil && !dry {
		changed.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"}
		y.Recorder.Eventf(changed, nil, corev1.EventTypeNormal, reason, "Weigh", "%s", text)
	}
	return nil
}

// store writes the document and the records into the ConfigMap.
func (f *file) store(object *corev1.ConfigMap, key string) error {
	var text bytes.Buffer
	encoder := yaml.NewEncoder(&text)
	encoder.SetIndent(2)
	if err := encoder.Encode(f.document); err != nil {
		return err
	}
	object.Data[key] = text.String()
	if len(f.records) == 0 {
		delete(object.Annotations, Annotation)
		return nil
	}
	records, err := json.Marshal(f.records)
	if err != nil || len(records) > mostRecords {
		return fmt.Errorf("records: got %d bytes, want at most %d: %w", len(records), mostRecords, err)
	}
	if object.Annotations == nil {
		object.Annotations = map[string]string{}
	}
	object.Annotations[Annotation] = string(records)
	return nil
}

// setProperty sets the priority.offset of a queue.
func setProperty(queue *yaml.Node, value string) {
	properties := member(queue, "properties")
	if properties == nil || properties.Kind != yaml.MappingNode {
		remove(queue, "properties")
		properties = &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
		queue.Content = append(queue.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: "properties"}, properties)
	}
	text := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Style: yaml.DoubleQuotedStyle, Value: value}
	if old := member(properties, offset); old != nil {
		text.HeadComment, text.LineComment, text.FootComment = old.HeadComment, old.LineComment, old.FootComment
		*old = *text
		return
	}
	properties.Content = append(properties.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: offset}, text)
}

func remove(node *yaml.Node, key string) {
	if node == nil || node.Kind != yaml.MappingNode {
		return
	}
	for i := 0; i+1 < len(node.Content); i += 2 {
		if node.Content[i].Value == key {
			node.Content = append(node.Content[:i:i], node.Content[i+2:]...)
			return
		}
	}
}
