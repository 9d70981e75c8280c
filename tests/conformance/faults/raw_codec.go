package faults

// frame is an encoded message.
type frame struct{ bytes []byte }

// rawCodec forwards messages without decoding them.
type rawCodec struct{}

func (rawCodec) Name() string { return "proto" }

func (rawCodec) Marshal(message any) ([]byte, error) { return message.(*frame).bytes, nil }

func (rawCodec) Unmarshal(bytes []byte, message any) error {
	// gRPC reuses its buffer.
	message.(*frame).bytes = append([]byte(nil), bytes...)
	return nil
}
