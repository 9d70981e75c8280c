#include "client/prioctl/forecast/read_history.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "client/prioctl/input/input_file.h"
#include "client/prioctl/replay/ledger_history.h"
#include "client/timestamp.h"
#include "priority/v1/usage.pb.h"

namespace priorityd::prioctl {
namespace {

// About a gigabyte.
constexpr int64_t kMostRecords = 2'000'000;

}  // namespace

absl::StatusOr<RecordedJobs> ReadFiles(const std::vector<std::string>& files) {
  RecordedJobs all;
  for (const std::string& file : files) {
    const auto content = ReadFile(file);
    if (!content.ok()) return content.status();
    auto recorded =
        ReadRecordedJobs(file == "-" ? "standard input" : file, *content, absl::LocalTimeZone());
    if (!recorded.ok()) return recorded.status();
    std::move(recorded->jobs.begin(), recorded->jobs.end(), std::back_inserter(all.jobs));
    std::move(recorded->notes.begin(), recorded->notes.end(), std::back_inserter(all.notes));
    all.cpus = std::max(all.cpus, recorded->cpus);
  }
  return all;
}

absl::StatusOr<RecordedJobs> ReadLedger(std::optional<absl::Time> from,
                                        const client::PriorityClient& client) {
  ::priority::v1::ListUsageRecordsRequest request;
  if (from.has_value()) *request.mutable_ended_from() = client::ToTimestamp(*from);
  const auto records = client.ListAllUsageRecords(request, kMostRecords);
  if (!records.ok()) return records.status();
  if (records->records_size() > kMostRecords) {
    return absl::InvalidArgumentError(absl::StrCat("--ledger-from: got more than ", kMostRecords,
                                                   " records since then, want a later time"));
  }
  std::vector<std::string> notes;
  RecordedJobs recorded = RecordedJobsOf(replay::LedgerHistory(*records, &notes));
  recorded.notes = std::move(notes);
  return recorded;
}

}  // namespace priorityd::prioctl
