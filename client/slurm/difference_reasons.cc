#include "client/slurm/difference_reasons.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "client/slurm/tables/report_time.h"
#include "client/timestamp.h"

namespace priorityd::slurm_frontend {
namespace {

namespace v1 = ::priority::v1;

using TrackedJobs = std::map<std::string, v1::TrackedJob>;

// The reasons of one comparison.
class Reasons {
 public:
  Reasons(const ComparisonInput& input, const SprioRows& rows, TrackedJobs tracked,
          std::optional<absl::Time> pass)
      : input_(input),
        rows_(rows),
        tracked_(std::move(tracked)),
        accrue_times_(AccrueTimes(input.queue)),
        pass_(pass) {}

  void AddTo(JobDifference* difference) const {
    if (!difference->theirs.has_value()) {
      difference->reasons.push_back("sprio has no row for it: slurmctld does not consider it yet");
      return;
    }
    const auto row = rows_.find({difference->job_id, difference->partition});
    if (row == rows_.end() || !difference->ours.has_value()) return;
    if (AddStale(*row->second, difference)) return;
    for (const FactorDifference& factor : difference->factors) AddOf(factor, difference);
    AddRounding(difference);
  }

 private:
  // A row that slurmctld computed at another time than the others.
  bool AddStale(const tables::SprioRow& row, JobDifference* difference) const {
    const std::optional<absl::Time> at = ComputedAt(row, input_.rules, accrue_times_);
    if (!at.has_value() || !pass_.has_value() || *at == *pass_) return false;
    difference->reasons.push_back(absl::StrCat("sprio shows this job as of ", Text(*at),
                                               ", the others as of the last pass, ", Text(*pass_)));
    return true;
  }

  void AddOf(const FactorDifference& factor, JobDifference* difference) const {
    if (factor.name == "age") AddAge(difference);
    if (factor.name == "fair_share" && input_.usage_of_records) {
      difference->reasons.push_back(
          "slurmctld decays usage by 1 - 0.693/PriorityDecayHalfLife a second from pass to pass "
          "and counts what running jobs use; priorityd decays exactly and counts the records of "
          "sacct");
    }
    if (factor.name == "fair_share" && !input_.usage_clusters.empty()) {
      difference->reasons.push_back(
          absl::StrCat("slurmctld counts usage of its own cluster only; priorityd that of ",
                       input_.usage_clusters, " as well"));
    }
    if (input_.site_changed && IsOfSite(factor.name)) {
      difference->reasons.push_back(absl::StrCat("the site was changed; slurmctld counts ",
                                                 factor.name, " by it from its next pass on"));
    }
    if (factor.name == "job_size" || factor.name == "tres") {
      difference->reasons.push_back(
          "slurmctld may count other CPUs than squeue shows (--exclusive, a range of nodes)");
    }
  }

  void AddAge(JobDifference* difference) const {
    const auto slurm = accrue_times_.find(difference->job_id);
    const auto tracked = tracked_.find(difference->job_id);
    if (slurm == accrue_times_.end()) {
      difference->reasons.push_back("slurmctld counts no age for it: it has no AccrueTime");
    } else if (tracked != tracked_.end() && tracked->second.job().has_accrue_time()) {
      const absl::Time ours = client::FromTimestamp(tracked->second.job().accrue_time());
      if (ours == slurm->second) return;
      difference->reasons.push_back(
          absl::StrCat("its age: slurmctld counts from ", Text(slurm->second),
                       ", again after a hold or a dependency; priorityd from ", Text(ours)));
    } else if (tracked != tracked_.end() && tracked->second.has_accrued()) {
      difference->reasons.push_back(absl::StrCat("its age: slurmctld counts from ",
                                                 Text(slurm->second),
                                                 "; for priorityd it does not age now"));
    }
  }

  // The sum is so close to a whole number that rounding decides.
  void AddRounding(JobDifference* difference) const {
    if (!difference->factors.empty()) return;
    if (std::abs(*difference->ours - *difference->theirs) > 1) return;
    difference->reasons.push_back("all factors are equal; the sum lies on a whole number");
  }

  static bool IsOfSite(const std::string& factor) {
    return factor == "fair_share" || factor == "assoc" || factor == "qos" || factor == "partition";
  }

  std::string Text(absl::Time time) const { return tables::ReportTimeText(time, input_.zone); }

  const ComparisonInput& input_;
  const SprioRows& rows_;
  const TrackedJobs tracked_;
  const std::map<std::string, absl::Time> accrue_times_;
  const std::optional<absl::Time> pass_;
};

bool DiffersInAge(const JobDifference& difference) {
  return std::any_of(difference.factors.begin(), difference.factors.end(),
                     [](const FactorDifference& factor) { return factor.name == "age"; });
}

}  // namespace

std::string NoPriorityReason(const std::string& reason) {
  return absl::StrCat("priorityd computes no priority: ", reason);
}

void AddReasons(const ComparisonInput& input, const LookUpJobs& look_up, const SprioRows& rows,
                Comparison* comparison) {
  std::vector<std::string> aged;
  for (const JobDifference& difference : comparison->differences) {
    if (DiffersInAge(difference)) aged.push_back(difference.job_id);
  }
  const Reasons reasons(input, rows, aged.empty() ? TrackedJobs() : look_up(aged),
                        comparison->pass);
  for (JobDifference& difference : comparison->differences) reasons.AddTo(&difference);
}

}  // namespace priorityd::slurm_frontend
