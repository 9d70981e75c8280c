package workload

import (
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	pb "priorityd.internal/client/priorityv1"
)

// Place is the user, account, partition and QOS of a Workload in priorityd.
type Place struct {
	Account   string
	User      string
	Partition string // The ClusterQueue.
	QOS       string // Empty = the association's default.
}

// Job is the job of a Workload in priorityd: pending, running from the reservation of quota on, or ended.
func (r *Record) Job(at Place) *pb.Job {
	job := &pb.Job{
		JobId:      string(r.UID),
		Name:       clipped(r.Namespace + "/" + r.Name),
		User:       at.User,
		Account:    at.Account,
		Partitions: named(at.Partition),
		Qos:        named(at.QOS),
		State:      r.state(),
		SubmitTime: timestamppb.New(r.Created),
		Nodes:      uint32(max(r.Pods, 0)),
		Cpus:       r.TRES["cpu"],
		Tres:       bounded(r.TRES),
	}
	if r.Held {
		job.Hold = pb.Hold_HOLD_USER
	}
	if r.TimeLimit > 0 {
		job.TimeLimit = durationpb.New(r.TimeLimit)
	}
	if job.State == pb.JobState_JOB_STATE_RUNNING {
		job.StartTime = timestamppb.New(r.Reserved)
	}
	return job
}

func (r *Record) state() pb.JobState {
	switch {
	case !r.Finished.IsZero() && r.Failed:
		return pb.JobState_JOB_STATE_FAILED
	case !r.Finished.IsZero():
		return pb.JobState_JOB_STATE_COMPLETED
	case !r.Reserved.IsZero():
		return pb.JobState_JOB_STATE_RUNNING
	default:
		return pb.JobState_JOB_STATE_PENDING
	}
}

// mostNames is the most names of TRES that a job may have in priorityd.
const mostNames = 64

// bounded is a TRES whose size is bounded: of one with too many names, which priorityd refuses, some, but still too many.
func bounded(tres TRES) TRES {
	if len(tres) <= mostNames {
		return tres
	}
	some := TRES{}
	for name, amount := range tres {
		if some[name] = amount; len(some) > mostNames {
			break
		}
	}
	return some
}

// mostTextBytes is the longest text in priorityd.
const mostTextBytes = 1024

func clipped(text string) string { return text[:min(len(text), mostTextBytes)] }

func named(name string) []string {
	if name == "" {
		return nil
	}
	return []string{name}
}
