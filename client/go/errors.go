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

// A line with more violations is too long to read.
const mostViolations = 4

// Violation is one fault of one field of a request.
type Violation struct {
	Field       string // jobs[17].partitions[0], or slurm.conf line 14
	Description string // the value found and the value wanted
}

// Error is the error of a failed call. Get it with errors.As.
type Error struct {
	Code    codes.Code
	Message string
	// Reason is an UPPER_SNAKE word, for example UNKNOWN_CLUSTER; empty = none.
	Reason string
	// Violations are the fields at fault; empty if the error is not about fields.
	Violations []Violation
	// RetryDelay is how long the service asks to wait before another attempt; 0 = it does not.
	RetryDelay time.Duration

	asksToWait bool
	cause      error
}

// Error is the error in one line: the service's message, then every violation that the message does
// not contain.
func (e *Error) Error() string {
	text := "priorityd: " + e.Code.String()
	if e.Message != "" {
		text += ": " + e.Message
	}
	for i, violation := range e.Violations {
		if i == mostViolations {
			return text + "; ..."
		}
		if !strings.Contains(text, violation.Description) {
			text += fmt.Sprintf("; %s: %s", violation.Field, violation.Description)
		}
	}
	return strings.NewReplacer("\r\n", " ", "\n", " ").Replace(text)
}

// Unwrap is context.Canceled or context.DeadlineExceeded if the caller's context or a deadline ended
// the call.
func (e *Error) Unwrap() error { return e.cause }

// GRPCStatus is the status that status.FromError returns.
func (e *Error) GRPCStatus() *status.Status { return status.New(e.Code, e.Message) }

func errorOf(err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return nil
}

// fromGRPC converts the error of a call with context ctx to an *Error. CANCELLED becomes UNAVAILABLE,
// because a service that stops ends its open calls with it, and a caller that cancels a call ignores
// its status.
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
