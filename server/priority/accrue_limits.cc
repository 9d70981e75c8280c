#include "server/priority/accrue_limits.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/node_hash_map.h"
#include "server/priority/job_id.h"

namespace priorityd::priority {
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

// The jobs that a limit concerns and that would accrue.
class Candidates {
 public:
  Candidates(const Snapshot& snapshot, int64_t as_of_us)
      : as_of_us_(as_of_us), limits_(snapshot.tree()) {}

  void Add(absl::Span<const JobTable* const> tables) {
    tables_ = tables;
    for (uint32_t i = 0; i < tables.size(); ++i) {
      for (uint32_t job = 0; job < tables[i]->jobs(); ++job) AddJob(i, job);
    }
    std::sort(jobs_.begin(), jobs_.end(), [this](Place a, Place b) { return Before(a, b); });
  }

  AccrueLimited Find() && {
    for (const Place job : jobs_) {
      if (!limits_.Take(Table(job).association[job.job])) found_.jobs.push_back(job);
    }
    return std::move(found_);
  }

 private:
  using Place = AccrueLimited::Place;

  const JobTable& Table(Place job) const { return *tables_[job.table]; }

  void AddJob(uint32_t index, uint32_t job) {
    const JobTable& table = *tables_[index];
    const uint32_t row = table.first_row[job];
    if (row == table.first_row[job + 1] || table.Running(row)) return;
    if (table.accrue_us[row] == JobTable::kNever) return;
    if (!limits_.Concern(table.association[job])) return;
    if ((table.flags[row] & JobTable::kBeginsLater) != 0) NoteBegin(table.begin_us[row]);
    if (table.BegunAt(row, as_of_us_)) jobs_.push_back({index, job});
  }

  void NoteBegin(int64_t begin_us) {
    if (begin_us <= as_of_us_) {
      found_.from_us = std::max(found_.from_us, begin_us);
    } else {
      found_.until_us = std::min(found_.until_us, begin_us);
    }
  }

  bool Before(Place a, Place b) const {
    const int64_t submit_a = Table(a).submit_us[Table(a).first_row[a.job]];
    const int64_t submit_b = Table(b).submit_us[Table(b).first_row[b.job]];
    if (submit_a != submit_b) return submit_a < submit_b;
    return CompareJobIds(Table(a).job_id[a.job], Table(b).job_id[b.job]) < 0;
  }

  int64_t as_of_us_;
  AccrueLimits limits_;
  absl::Span<const JobTable* const> tables_;
  std::vector<Place> jobs_;
  AccrueLimited found_;
};

}  // namespace

AccrueLimited FindAccrueLimited(const Snapshot& snapshot, absl::Time as_of,
                                absl::Span<const JobTable* const> tables) {
  if (snapshot.policy().accrue_always || !snapshot.tree().has_limits()) return {};
  Candidates candidates(snapshot, absl::ToUnixMicros(as_of));
  candidates.Add(tables);
  return std::move(candidates).Find();
}

void ApplyAccrueLimits(const Snapshot& snapshot, absl::Time as_of, JobTable& table) {
  const JobTable* const tables[] = {&table};
  for (const auto& [index, job] : FindAccrueLimited(snapshot, as_of, tables).jobs) {
    for (uint32_t row = table.first_row[job]; row < table.first_row[job + 1]; ++row) {
      table.flags[row] |= JobTable::kNoAccrual;
    }
  }
}

}  // namespace priorityd::priority
