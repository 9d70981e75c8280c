#include "engine/priority/ranking/accrue_limits.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/node_hash_map.h"
#include "absl/strings/string_view.h"
#include "engine/priority/jobs/job_id.h"

namespace priorityd::priority {
namespace {

// Counts the jobs that accrue, in the order in which jobs are given places.
class AccrueLimits {
 public:
  explicit AccrueLimits(const Snapshot& snapshot) : snapshot_(snapshot), tree_(snapshot.tree()) {}

  static bool AnyOf(absl::Span<const Qos> all) {
    return std::any_of(all.begin(), all.end(), [](const Qos& qos) { return Limits(qos); });
  }

  // Whether any limit applies to jobs of this association under this QOS (-1 = none).
  bool Concern(AssociationIndex association, int qos) {
    return QosLimits(qos) || ConcernsAssociation(association);
  }

  // Takes a place for one job under each limit. If a limit is full, takes none and returns false.
  bool Take(AssociationIndex association, int qos) {
    places_.clear();
    if (!FindPlaces(association, qos)) return false;
    for (uint32_t* taken : places_) ++*taken;
    return true;
  }

 private:
  // The jobs that a limit counts: by QOS, association and user.
  using Counter = std::tuple<int, AssociationIndex, absl::string_view>;

  static bool Limits(const Qos& qos) {
    return qos.grp_jobs_accrue.has_value() || qos.max_jobs_accrue_per_user.has_value() ||
           qos.max_jobs_accrue_per_account.has_value();
  }
  bool QosLimits(int qos) const { return qos >= 0 && Limits(snapshot_.qos()[qos]); }

  bool ConcernsAssociation(AssociationIndex association) {
    const auto known = concerned_.find(association);
    if (known != concerned_.end()) return known->second;
    const AssociationLimits& own = tree_.limits(association);
    const bool concerned = own.max_jobs_accrue.has_value() || own.grp_jobs_accrue.has_value() ||
                           (association != 0 && ConcernsAssociation(tree_.parent()[association]));
    concerned_.emplace(association, concerned);
    return concerned;
  }

  // Adds the counters of all limits to places_; false if one is full.
  bool FindPlaces(AssociationIndex association, int qos) {
    const Qos* rules = QosLimits(qos) ? &snapshot_.qos()[qos] : nullptr;
    if (rules != nullptr) {
      const AssociationIndex account =
          tree_.is_user(association) ? tree_.parent()[association] : association;
      if (!Fits(rules->grp_jobs_accrue, {qos, kNoAssociation, ""}) ||
          !Fits(rules->max_jobs_accrue_per_account, {qos, account, ""}) ||
          !Fits(rules->max_jobs_accrue_per_user, {qos, kNoAssociation, tree_.user(association)})) {
        return false;
      }
    }
    // A limit of the QOS replaces the association's limit of the same kind. The job still counts
    // against the association's.
    const bool group = rules == nullptr || !rules->grp_jobs_accrue.has_value();
    const bool user = rules == nullptr || !rules->max_jobs_accrue_per_user.has_value();
    bool inherited = false;
    for (AssociationIndex i = association;; i = tree_.parent()[i]) {
      const AssociationLimits& own = tree_.limits(i);
      if (!Fits(own.grp_jobs_accrue, {-1, i, ""}) && group) return false;
      if (!inherited && !Fits(own.max_jobs_accrue, {-2, association, ""}) && user) return false;
      inherited = inherited || own.max_jobs_accrue.has_value();
      if (i == 0) return true;
    }
  }

  // Adds the counter to places_.
  bool Fits(const std::optional<uint32_t>& most, const Counter& counter) {
    if (!most.has_value()) return true;
    uint32_t& jobs = jobs_[counter];
    places_.push_back(&jobs);
    return jobs < *most;
  }

  const Snapshot& snapshot_;
  const AssociationTree& tree_;
  absl::flat_hash_map<AssociationIndex, bool> concerned_;
  absl::node_hash_map<Counter, uint32_t> jobs_;
  std::vector<uint32_t*> places_;  // Counters of the current job.
};

// The jobs that would accrue and to which a limit applies.
class Candidates {
 public:
  Candidates(const Snapshot& snapshot, int64_t as_of_us) : as_of_us_(as_of_us), limits_(snapshot) {}

  void Add(absl::Span<const JobTable* const> tables) {
    tables_ = tables;
    for (uint32_t i = 0; i < tables.size(); ++i) {
      for (uint32_t job = 0; job < tables[i]->jobs(); ++job) AddJob(i, job);
    }
    std::sort(jobs_.begin(), jobs_.end(), [this](Place a, Place b) { return Before(a, b); });
  }

  AccrueLimited Find() && {
    for (const Place job : jobs_) {
      if (!limits_.Take(Table(job).association[job.job], QosOf(job))) found_.jobs.push_back(job);
    }
    return std::move(found_);
  }

 private:
  using Place = AccrueLimited::Place;

  const JobTable& Table(Place job) const { return *tables_[job.table]; }
  // The QOS of the job's first pair.
  int QosOf(Place job) const { return Table(job).qos[Table(job).first_row[job.job]]; }

  void AddJob(uint32_t index, uint32_t job) {
    const JobTable& table = *tables_[index];
    const uint32_t row = table.first_row[job];
    if (row == table.first_row[job + 1] || table.Running(row)) return;
    if (table.accrue_us[row] == JobTable::kNever) return;
    if (!limits_.Concern(table.association[job], table.qos[row])) return;
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

bool HasAccrueLimits(const Snapshot& snapshot) {
  if (snapshot.policy().accrue_always || !snapshot.policy().enforce.limits) return false;
  if (AccrueLimits::AnyOf(snapshot.qos())) return true;
  const AssociationTree& tree = snapshot.tree();
  for (AssociationIndex i = 0; tree.has_limits() && i < tree.size(); ++i) {
    const AssociationLimits& own = tree.limits(i);
    if (own.max_jobs_accrue.has_value() || own.grp_jobs_accrue.has_value()) return true;
  }
  return false;
}

AccrueLimited FindAccrueLimited(const Snapshot& snapshot, absl::Time as_of,
                                absl::Span<const JobTable* const> tables) {
  if (snapshot.policy().accrue_always || !snapshot.policy().enforce.limits) return {};
  if (!snapshot.tree().has_limits() && !AccrueLimits::AnyOf(snapshot.qos())) return {};
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
