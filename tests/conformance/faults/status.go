package faults

import (
	"fmt"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/protoadapt"
	"google.golang.org/protobuf/types/known/durationpb"
)

// codeOf a name such as UNAVAILABLE.
func codeOf(name string) (codes.Code, error) {
	var code codes.Code
	err := code.UnmarshalJSON([]byte(`"` + name + `"`))
	return code, err
}

// status of the fault, with the details that priorityd sends.
func (f Fault) status() error {
	code, err := codeOf(f.Code)
	if err != nil {
		return status.Error(codes.Internal, fmt.Sprintf("the case: %v", err))
	}
	var details []protoadapt.MessageV1
	if f.Reason != "" {
		details = append(details, &errdetails.ErrorInfo{Reason: f.Reason, Domain: "priorityd"})
	}
	if f.RetryMs != nil {
		wait := time.Duration(*f.RetryMs) * time.Millisecond
		details = append(details, &errdetails.RetryInfo{RetryDelay: durationpb.New(wait)})
	}
	s, err := status.New(code, "a fault of the case").WithDetails(details...)
	if err != nil {
		return err
	}
	return s.Err()
}
