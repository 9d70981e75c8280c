#include "engine/explanation/row_pick.h"

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "engine/priority/limits/reason.h"

namespace priorityd::explanation {
namespace {

absl::StatusOr<uint32_t> FindJob(absl::Span<const priority::Job> jobs, absl::string_view job_id,
                                 absl::string_view field) {
  if (job_id.empty()) {
    if (jobs.size() == 1) return 0;
    if (jobs.empty()) return absl::NotFoundError("jobs: got none, want the job to explain");
    return absl::InvalidArgumentError(absl::StrCat(field, ": got none, want one of the jobs"));
  }
  const auto found =
      absl::c_find_if(jobs, [job_id](const priority::Job& job) { return job.job_id == job_id; });
  if (found == jobs.end()) {
    return absl::NotFoundError(absl::StrCat(field, ": got ", job_id, ", want one of the jobs"));
  }
  return static_cast<uint32_t>(found - jobs.begin());
}

bool Asked(const priority::ScoredQueue& queue, uint32_t row, const RowPick& pick) {
  const auto is = [](absl::string_view wanted, int index, const auto& things) {
    return wanted.empty() || (index >= 0 && things[index].name == wanted);
  };
  return is(pick.partition, queue.table().partition[row], queue.snapshot().partitions()) &&
         is(pick.qos, queue.table().qos[row], queue.snapshot().qos());
}

bool Better(const priority::ScoredQueue& queue, const priority::StartOrder& order, uint32_t a,
            uint32_t b) {
  if (order.Ranked(a) && order.Ranked(b)) return order.Before(a, b);
  return queue.ReasonOf(a) > queue.ReasonOf(b);
}

}  // namespace

absl::StatusOr<PickedRow> PickRow(const priority::ScoredQueue& queue,
                                  const priority::StartOrder& order, const RowPick& pick,
                                  absl::string_view field) {
  const absl::StatusOr<uint32_t> job = FindJob(queue.jobs(), pick.job_id, field);
  if (!job.ok()) return job.status();
  const priority::JobTable& table = queue.table();
  PickedRow picked{*job, kNoRow};
  if (table.unresolved[*job] != priority::Reason::kNone) return picked;
  for (uint32_t row = table.first_row[*job]; row < table.first_row[*job + 1]; ++row) {
    if (!Asked(queue, row, pick)) continue;
    if (picked.row == kNoRow || Better(queue, order, row, picked.row)) picked.row = row;
  }
  if (picked.row != kNoRow) return picked;
  return absl::NotFoundError(
      absl::StrCat("job ", table.job_id[*job], ": cannot run in",
                   pick.partition.empty() ? "" : absl::StrCat(" partition ", pick.partition),
                   pick.qos.empty() ? "" : absl::StrCat(" QOS ", pick.qos)));
}

}  // namespace priorityd::explanation
