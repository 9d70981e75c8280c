#include "server/priority/ranking.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "server/priority/eligibility.h"
#include "server/priority/factor_scale.h"
#include "server/priority/job_table.h"
#include "server/priority/scored_queue.h"
#include "server/priority/scoring.h"
#include "server/priority/start_order.h"

namespace priorityd {
namespace {

using NameSet = absl::flat_hash_set<absl::string_view>;

// Which jobs and rows an answer is about.
class Filter {
 public:
  Filter(const Snapshot& snapshot, const RankOptions& options)
      : snapshot_(snapshot),
        partitions_(options.partitions.begin(), options.partitions.end()),
        accounts_(options.accounts.begin(), options.accounts.end()),
        users_(options.users.begin(), options.users.end()) {}

  bool PassesAll() const { return partitions_.empty() && accounts_.empty() && users_.empty(); }

  // By the account charged; by that named where none could be found.
  bool PassesJob(const Job& job, AssociationIndex association) const {
    const absl::string_view account =
        association == kNoAssociation ? job.account : snapshot_.tree().account(association);
    return Passes(accounts_, account) && Passes(users_, job.user);
  }

  bool PassesPartition(int partition) const {
    return Passes(partitions_, partition < 0
                                   ? absl::string_view()
                                   : absl::string_view(snapshot_.partitions()[partition].name));
  }

  // Of a job without any pair.
  bool PassesNamedPartitions(const Job& job) const {
    if (job.partitions.empty()) return PassesPartition(snapshot_.default_partition());
    return absl::c_any_of(job.partitions,
                          [this](absl::string_view name) { return Passes(partitions_, name); });
  }

 private:
  static bool Passes(const NameSet& wanted, absl::string_view name) {
    return wanted.empty() || wanted.contains(name);
  }

  const Snapshot& snapshot_;
  NameSet partitions_;
  NameSet accounts_;
  NameSet users_;
};

class RankingBuilder {
 public:
  RankingBuilder(const Snapshot& snapshot, absl::Span<const Job> jobs, const RankOptions& options)
      : jobs_(jobs),
        options_(options),
        queue_(snapshot, jobs, options.as_of),
        filter_(snapshot, options),
        wanted_(Wanted()),
        order_(snapshot, queue_.table(), queue_.priorities(), options.as_of, wanted_) {}

  Ranking Build() && {
    AddRanked();
    for (uint32_t job = 0; job < jobs_.size(); ++job) AddUnranked(job);
    return std::move(ranking_);
  }

 private:
  // By row; empty = all.
  std::vector<uint8_t> Wanted() const {
    std::vector<uint8_t> wanted;
    if (filter_.PassesAll()) return wanted;
    const JobTable& table = queue_.table();
    for (size_t row = 0; row < table.rows(); ++row) {
      const uint32_t job = table.job[row];
      wanted.push_back(filter_.PassesJob(jobs_[job], table.association[job]) &&
                       filter_.PassesPartition(table.partition[row]));
    }
    return wanted;
  }

  void AddRanked() {
    const auto rows = order_.Top(options_.limit, options_.best_only, &ranking_.ranked_total);
    ranking_.ranked.reserve(rows.size());
    for (const uint32_t row : rows) {
      RankedRow& ranked = ranking_.ranked.emplace_back();
      queue_.FillRow(row, options_.with_factors, ranked);
      ranked.rank = static_cast<uint32_t>(ranking_.ranked.size());
      ranked.best_of_job = order_.BestOfJob(row);
    }
  }

  // Running and ineligible jobs.
  void AddUnranked(uint32_t job) {
    const bool running = queue_.Started(job);
    if (!running && queue_.Startable(job)) return;
    const int row = ShownRow(job, running);
    if (row == kHidden) return;
    running ? AddRunning(job, row) : AddIneligible(job, row);
  }

  // The row that a job is answered by: the first wanted one of a running job,
  // the furthest of an ineligible one; kNoRow if it has none, kHidden if the
  // filter leaves it out.
  int ShownRow(uint32_t job, bool running) const {
    const JobTable& table = queue_.table();
    if (table.unresolved[job] != Reason::kNone) {
      return filter_.PassesJob(jobs_[job], table.association[job]) &&
                     filter_.PassesNamedPartitions(jobs_[job])
                 ? kNoRow
                 : kHidden;
    }
    int shown = kHidden;
    for (uint32_t row = table.first_row[job]; row < table.first_row[job + 1]; ++row) {
      if (!wanted_.empty() && wanted_[row] == 0) continue;
      if (shown == kHidden || (!running && queue_.ReasonOf(row) > queue_.ReasonOf(shown))) {
        shown = row;
      }
    }
    return shown;
  }

  void AddRunning(uint32_t job, int row) {
    JobRow& running = ranking_.running.emplace_back();
    const bool calculate = queue_.policy().calculate_running;
    if (row == kNoRow) {
      queue_.FillUnresolved(job, running);
    } else {
      queue_.FillRow(row, calculate && options_.with_factors, running);
      if (!calculate) running.priority.reset();
    }
  }

  void AddIneligible(uint32_t job, int row) {
    if (++ranking_.ineligible_total > options_.ineligible_limit) return;
    IneligibleRow& ineligible = ranking_.ineligible.emplace_back();
    if (row == kNoRow) {
      queue_.FillUnresolved(job, ineligible);
    } else {
      queue_.FillRow(row, options_.with_factors, ineligible);
    }
    Refusal refusal = row == kNoRow ? queue_.RefusalOfUnresolved(job) : queue_.RefusalOf(row);
    ineligible.reason = refusal.reason;
    ineligible.message = std::move(refusal.message);
  }

  static constexpr int kNoRow = -1;
  static constexpr int kHidden = -2;

  absl::Span<const Job> jobs_;
  const RankOptions& options_;
  ScoredQueue queue_;
  Filter filter_;
  std::vector<uint8_t> wanted_;
  StartOrder order_;
  Ranking ranking_;
};

}  // namespace

Ranking Rank(const Snapshot& snapshot, absl::Span<const Job> jobs, const RankOptions& options) {
  return RankingBuilder(snapshot, jobs, options).Build();
}

}  // namespace priorityd
