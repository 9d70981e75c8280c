package client

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// More make a line that nobody reads.
const mostViolationsTold = 4

// Violation is one fault of one field of a request.
type Violation struct {
	Field       string // jobs[17].partitions[0], or slurm.conf line 14
	Description string // what was found and what is wanted
}

// Error is why a call failed. Get it with errors.As.
type Error struct {
	Code    codes.Code
	Message string
	// Reason is an UPPER_SNAKE word, for example UNKNOWN_CLUSTER; empty where there is none.
	Reason string
	// Violations are the fields at fault; empty where the error is not about fields.
	Violations []Violation
	// RetryDelay is how long the service asks to wait before another attempt; 0 = it does not.
	RetryDelay time.Duration

	asksToWait bool
	cause      error
}

// Error is the error for people, in one line: what the service said, then every violation that
// this does not say already.
func (e *Error) Error() string {
	text := "priorityd: " + e.Code.String()
	if e.Message != "" {
		text += ": " + e.Message
	}
	for i, violation := range e.Violations {
		if i == mostViolationsTold {
			return text + "; ..."
		}
		if !strings.Contains(text, violation.Description) {
			text += fmt.Sprintf("; %s: %s", violation.Field, violation.Description)
		}
	}
	return strings.NewReplacer("\r\n", " ", "\n", " ").Replace(text)
}

// Unwrap is context.Canceled or context.DeadlineExceeded where the caller's context or a deadline has
// ended the call.
func (e *Error) Unwrap() error { return e.cause }

// GRPCStatus is what status.FromError makes of it.
func (e *Error) GRPCStatus() *status.Status { return status.New(e.Code, e.Message) }

func errorOf(err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return nil
}

// fromGRPC is the *Error of what a call said whose context was ctx. CANCELLED, which a service says
// that stops while the call is open, becomes UNAVAILABLE: who cancels a call does not ask how it ended.
func fromGRPC(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if ended := ctx.Err(); ended != nil {
		return fromContext(ended)
	}
	if errorOf(err) != nil {
		return err
	}
	s := status.Convert(err)
	if s.Code() == codes.Canceled {
		return &Error{Code: codes.Unavailable, Message: "the service ended the call: it stops"}
	}
	e := &Error{Code: s.Code(), Message: s.Message()}
	if s.Code() == codes.DeadlineExceeded {
		e.cause = context.DeadlineExceeded
	}
	for _, detail := range s.Details() {
		e.take(detail)
	}
	return e
}

func fromContext(ended error) *Error {
	if errors.Is(ended, context.DeadlineExceeded) {
		return &Error{Code: codes.DeadlineExceeded, Message: "no answer in time", cause: ended}
	}
	return &Error{Code: codes.Canceled, Message: "the caller cancelled the call", cause: ended}
}

func (e *Error) take(detail any) {
	switch detail := detail.(type) {
	case *errdetails.ErrorInfo:
		e.Reason = detail.GetReason()
	case *errdetails.RetryInfo:
		e.RetryDelay, e.asksToWait = detail.GetRetryDelay().AsDuration(), true
	case *errdetails.BadRequest:
		for _, violation := range detail.GetFieldViolations() {
			e.Violations = append(e.Violations, Violation{violation.GetField(), violation.GetDescription()})
		}
	}
}
