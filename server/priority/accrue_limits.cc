#include <algorithm>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/node_hash_map.h"
#include "server/priority/job_id.h"
#include "server/priority/job_table.h"

namespace priorityd {
namespace {

// Who still may accrue, as jobs come one after another.
class AccrueLimits {
 public:
  explicit AccrueLimits(const AssociationTree& tree) : tree_(tree) {}

  // Whether any limit concerns jobs of this association.
  bool Concern(AssociationIndex association) {
    const auto known = concerned_.find(association);
    if (known != concerned_.end()) return known->second;
    const AssociationLimits& own = tree_.limits(association);
    const bool concerned = own.max_jobs_accrue.has_value() || own.grp_jobs_accrue.has_value() ||
                           (association != 0 && Concern(tree_.parent()[association]));
    concerned_.emplace(association, concerned);
    return concerned;
  }

  // Takes a place for one job under each limit; false and none if one is full.
  bool Take(AssociationIndex association) {
    std::vector<uint32_t*> taken;
    std::optional<uint32_t> max_jobs;
    for (AssociationIndex i = association;; i = tree_.parent()[i]) {
      const AssociationLimits& own = tree_.limits(i);
      if (!max_jobs.has_value()) max_jobs = own.max_jobs_accrue;
      if (own.grp_jobs_accrue.has_value()) {
        uint32_t& jobs = jobs_below_[i];
        if (jobs >= *own.grp_jobs_accrue) return false;
        taken.push_back(&jobs);
      }
      if (i == 0) break;
    }
    uint32_t& jobs = jobs_of_[association];
    if (max_jobs.has_value() && jobs >= *max_jobs) return false;
    ++jobs;
    for (uint32_t* count : taken) ++*count;
    return true;
  }

 private:
  const AssociationTree& tree_;
  absl::flat_hash_map<AssociationIndex, bool> concerned_;
  absl::flat_hash_map<AssociationIndex, uint32_t> jobs_of_;
  // Of the associations with GrpJobsAccrue.
  absl::node_hash_map<AssociationIndex, uint32_t> jobs_below_;
};

bool Accrues(const JobTable& table, size_t row, int64_t as_of_us) {
  return !table.Running(row) && table.accrue_us[row] != JobTable::kNever &&
         table.BegunAt(row, as_of_us);
}

}  // namespace

void ApplyAccrueLimits(const Snapshot& snapshot, absl::Time as_of, JobTable& table) {
  if (snapshot.policy().accrue_always || !snapshot.tree().has_limits()) return;
  const int64_t as_of_us = absl::ToUnixMicros(as_of);
  AccrueLimits limits(snapshot.tree());
  std::vector<uint32_t> jobs;
  for (uint32_t job = 0; job < table.jobs(); ++job) {
    const uint32_t row = table.first_row[job];
    if (row == table.first_row[job + 1] || !Accrues(table, row, as_of_us)) continue;
    if (limits.Concern(table.association[job])) jobs.push_back(job);
  }
  std::sort(jobs.begin(), jobs.end(), [&table](uint32_t a, uint32_t b) {
    const int64_t submit_a = table.submit_us[table.first_row[a]];
    const int64_t submit_b = table.submit_us[table.first_row[b]];
    if (submit_a != submit_b) return submit_a < submit_b;
    return CompareJobIds(table.job_id[a], table.job_id[b]) < 0;
  });
  for (const uint32_t job : jobs) {
    if (limits.Take(table.association[job])) continue;
    for (uint32_t row = table.first_row[job]; row < table.first_row[job + 1]; ++row) {
      table.flags[row] |= JobTable::kNoAccrual;
    }
  }
}

}  // namespace priorityd
