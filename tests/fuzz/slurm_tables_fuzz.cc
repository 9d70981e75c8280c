// What squeue, sacct and sprio printed, as tables and as JSON.
#include <string>

#include "client/slurm/tables/sacct_records.h"
#include "client/slurm/tables/sprio_table.h"
#include "client/slurm/tables/squeue_jobs.h"
#include "tests/fuzz/check.h"
#include "tests/fuzz/target.h"

namespace priorityd::tables {
namespace {

using slurm::Check;

void CheckFault(const absl::Status& status) {
  Check(status.ok() || absl::IsInvalidArgument(status), "what is wrong is the argument");
  Check(status.ok() || !status.message().empty(), "a fault says what is wrong");
}

template <typename Message>
void CheckSendable(const Message& message) {
  Message sent;
  Check(sent.ParseFromString(message.SerializeAsString()), "what is read can be sent");
}

void RunOne(const std::string& text) {
  const auto jobs = ReadSqueueJobs("file", text, absl::UTCTimeZone());
  CheckFault(jobs.status());
  if (jobs.ok()) {
    CheckSendable(*jobs);
    for (const auto& job : jobs->jobs()) Check(!job.job_id().empty(), "a job has an id");
  }
  CheckFault(ReadSqueuePriorities("file", text).status());
  CheckFault(ReadSprioTable(text).status());
  const auto sacct = ReadSacctRecords("file", text, "sacct", absl::UTCTimeZone());
  CheckFault(sacct.status());
  if (!sacct.ok()) return;
  Check(sacct->records.size() == sacct->places.size(), "a record has its place");
  for (const auto& record : sacct->records) {
    CheckSendable(record);
    Check(!record.record_id().empty(), "a record has an id");
  }
}

[[maybe_unused]] const bool registered = fuzz::Register({"slurm_tables", RunOne});

}  // namespace
}  // namespace priorityd::tables
