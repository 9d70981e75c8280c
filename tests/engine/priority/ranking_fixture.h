// Ranks the jobs that a test adds, on the small site.
#ifndef PRIORITYD_TESTS_ENGINE_PRIORITY_RANKING_FIXTURE_H_
#define PRIORITYD_TESTS_ENGINE_PRIORITY_RANKING_FIXTURE_H_

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "engine/priority/ranking/ranking.h"
#include "tests/engine/priority/small_site.h"

namespace priorityd::priority {

class RankingTest : public testing::Test {
 protected:
  Job& Add(absl::string_view job_id) { return jobs_.emplace_back(JobOf(job_id)); }

  void RankJobs() {
    snapshot_ = site_.Build();
    ranking_ = Rank(*snapshot_, jobs_, options_);
  }
  std::vector<std::string> Order() {
    RankJobs();
    return JobIds(ranking_, jobs_);
  }
  std::vector<std::string> Pairs() {
    RankJobs();
    return NamesOfPairs(*snapshot_, ranking_, jobs_);
  }
  // `job: reason` of the ineligible jobs; where a limit is the reason also its arithmetic, of times
  // in minutes, `job: reason: used + running + wanted > limit`.
  std::vector<std::string> Ineligible() {
    RankJobs();
    std::vector<std::string> lines;
    for (const IneligibleRow& row : ranking_.ineligible) {
      lines.push_back(absl::StrCat(jobs_[row.job].job_id, ": ", ReasonOf(row)));
      if (row.why.exceeded.has_value()) lines.back() += ArithmeticText(*row.why.exceeded);
    }
    return lines;
  }
  // Slurm's word.
  absl::string_view ReasonOf(const IneligibleRow& row) const {
    return ReasonName(snapshot_->limits(), row.why);
  }
  static std::string ArithmeticText(const ExceededLimit& sum) {
    const LimitMeasure measure = sum.limit->rule().measure;
    const bool timed = measure == LimitMeasure::kWall || measure == LimitMeasure::kTresSeconds;
    const double unit = timed ? 60 : 1;
    return absl::StrFormat(": %.9g + %.9g + %.9g > %.9g", sum.used / unit, sum.running / unit,
                           sum.wanted / unit, sum.bound / unit);
  }

  SmallSite site_;
  std::vector<Job> jobs_;
  RankOptions options_ = Now();
  std::unique_ptr<const Snapshot> snapshot_;
  Ranking ranking_;
};

}  // namespace priorityd::priority

#endif  // PRIORITYD_TESTS_ENGINE_PRIORITY_RANKING_FIXTURE_H_
