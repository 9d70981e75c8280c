#include "client/prioctl/forecast/read_history.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
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

// Replaces those of `all` that `more` has too; returns how many these are.
int64_t Add(std::vector<forecast::RecordedJob> more, std::vector<forecast::RecordedJob>* all) {
  using Key = std::pair<std::string, forecast::Seconds>;
  absl::flat_hash_map<Key, size_t> places;
  for (size_t i = 0; i < all->size(); ++i) {
    places.emplace(Key((*all)[i].job.id, (*all)[i].job.submit_time), i);
  }
  int64_t repeated = 0;
  for (forecast::RecordedJob& job : more) {
    const auto found = places.find(Key(job.job.id, job.job.submit_time));
    if (found == places.end()) {
      all->push_back(std::move(job));
    } else {
      (*all)[found->second] = std::move(job);
      ++repeated;
    }
  }
  return repeated;
}

}  // namespace

absl::StatusOr<RecordedJobs> ReadFiles(const std::vector<std::string>& files) {
  RecordedJobs all;
  int64_t repeated = 0;
  for (const std::string& file : files) {
    const auto content = ReadFile(file);
    if (!content.ok()) return content.status();
    auto recorded =
        ReadRecordedJobs(file == "-" ? "standard input" : file, *content, absl::LocalTimeZone());
    if (!recorded.ok()) return recorded.status();
    repeated += Add(std::move(recorded->jobs), &all.jobs);
    std::move(recorded->notes.begin(), recorded->notes.end(), std::back_inserter(all.notes));
    all.cpus = std::max(all.cpus, recorded->cpus);
  }
  if (repeated > 0) {
    all.notes.push_back(absl::StrCat("jobs that several files have, counted once: ", repeated));
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
