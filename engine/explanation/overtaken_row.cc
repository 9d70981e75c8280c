#include "engine/explanation/overtaken_row.h"

#include <cstdint>
#include <vector>

#include "engine/priority/jobs/factors.h"
#include "engine/priority/ranking/scored_queue.h"
#include "engine/priority/ranking/start_order.h"

namespace priorityd::explanation {
namespace {

struct Row {
  int job = 0;
  uint32_t priority = 0;
  double age = 0;
  double others = 0;
};

std::vector<Row> RowsOf(const priority::ScoredQueue& queue, absl::Time as_of) {
  const priority::StartOrder order(queue.snapshot(), queue.table(), queue.priorities(), as_of);
  std::vector<Row> rows;
  for (size_t row = 0; row < queue.table().rows(); ++row) {
    const bool set = (queue.table().flags[row] & priority::JobTable::kAdminPriority) != 0;
    if (set || !order.Ranked(row)) continue;
    priority::JobRow filled;
    queue.FillRow(row, /*with_factors=*/true, filled);
    rows.push_back({static_cast<int>(filled.job), filled.priority.value_or(0), filled.factors->age,
                    priority::SumOf(*filled.contributions) - filled.contributions->age});
  }
  return rows;
}

const Row* MostPoints(const std::vector<Row>& rows) {
  const Row* most = nullptr;
  for (const Row& row : rows) {
    if (most == nullptr || row.others > most->others) most = &row;
  }
  return most;
}

const Row* FewestPointsAbove(const std::vector<Row>& rows, uint32_t priority) {
  const Row* fewest = nullptr;
  for (const Row& row : rows) {
    if (row.priority <= priority) continue;
    if (fewest == nullptr || row.others < fewest->others) fewest = &row;
  }
  return fewest;
}

}  // namespace

std::optional<OvertakenRow> FindOvertakenByAge(const priority::Snapshot& snapshot,
                                               absl::Span<const priority::Job> jobs,
                                               absl::Time as_of) {
  if (snapshot.policy().priority_type == priority::PriorityType::kBasic) return std::nullopt;
  const priority::ScoredQueue queue(snapshot, jobs, as_of);
  const std::vector<Row> rows = RowsOf(queue, as_of);
  const Row* behind = MostPoints(rows);
  const Row* ahead = behind == nullptr ? nullptr : FewestPointsAbove(rows, behind->priority);
  if (ahead == nullptr || ahead->others >= behind->others) return std::nullopt;
  return OvertakenRow{std::string(jobs[behind->job].job_id), behind->others,
                      std::string(jobs[ahead->job].job_id), ahead->others,
                      (ahead->age - behind->age) * snapshot.policy().max_age};
}

}  // namespace priorityd::explanation
