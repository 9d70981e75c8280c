// A job as scenarios write it.
#ifndef PRIORITYD_TESTS_SCENARIOS_JOB_LINE_H_
#define PRIORITYD_TESTS_SCENARIOS_JOB_LINE_H_

#include <optional>

#include "absl/time/time.h"
#include "priority/v1/job.pb.h"
#include "tests/scenarios/arguments.h"

namespace priorityd::scenarios {

// `7 user=amy cpus=4 submit=now-1h`: the job_id, then fields of Job, most by their names
// in the proto.
void ReadJob(Arguments& arguments, std::optional<absl::Time> now, ::priority::v1::Job* job);

}  // namespace priorityd::scenarios

#endif  // PRIORITYD_TESTS_SCENARIOS_JOB_LINE_H_
