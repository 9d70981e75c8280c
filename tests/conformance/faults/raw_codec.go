package faults

// frame is a message as it came.
type frame struct{ bytes []byte }

// rawCodec reads and writes no message.
type rawCodec struct{}

func (rawCodec) Name() string { return "proto" }

func (rawCodec) Marshal(message any) ([]byte, error) { return message.(*frame).bytes, nil }

func (rawCodec) Unmarshal(bytes []byte, message any) error {
	// gRPC takes its bytes back.
	message.(*frame).bytes = append([]byte(nil), bytes...)
	return nil
}
