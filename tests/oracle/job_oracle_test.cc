// What a real slurmctld 22.05 computed for 110 jobs under 13 configurations:
// every factor to 1e-9, every priority to the integer.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "engine/priority/ranking/ranking.h"
#include "tests/oracle/captured_queue.h"

namespace priorityd {
namespace {

using Pair = std::pair<std::string, std::string>;  // (job id, partition).

// What we do not copy, on purpose; everything else must be equal.

// The size of these jobs counts the scheduler's own number of CPUs, which no
// tool shows: the whole node's for --exclusive, 4 for -N2-4. Priorities follow.
bool SizeIsTheSchedulers(const std::string& job_id) { return job_id == "34" || job_id == "37"; }

// An administrator's priority in several partitions: sprio shows the partition
// factor alone and the smallest integer as site and nice.
bool SprioIsNonsense(const std::string& job_id) { return job_id == "97"; }

// Slurm does not compute factors that have no weight and shows 0 for them.
constexpr char kUnweighed[] = "weights_zero";

void ExpectNear(double ours, double slurms, const std::string& what) {
  EXPECT_LE(std::abs(ours - slurms), 1e-9 * std::max(1.0, std::abs(slurms)))
      << what << ": " << ours << ", want " << slurms;
}

// Whether a pending job waits for something else than its turn.
bool HeldBack(const CapturedPlace& place) {
  const std::set<std::string> turn = {"Priority", "Resources", "Nodes", "None"};
  return place.state == "PENDING" && turn.count(place.reason) == 0;
}

class JobOracle : public testing::TestWithParam<std::string> {
 protected:
  JobOracle() : queue_(GetParam()) {
    priority::RankOptions options;
    options.as_of = queue_.as_of();
    options.with_factors = true;
    ranking_ = priority::Rank(queue_.snapshot(), queue_.jobs(), options);
    for (const priority::RankedRow& row : ranking_.ranked) rows_[PairOf(row)] = &row;
    for (const priority::IneligibleRow& row : ranking_.ineligible) rows_[PairOf(row)] = &row;
  }

  std::string IdOf(const priority::JobRow& row) const {
    return std::string(queue_.jobs()[row.job].job_id);
  }

  Pair PairOf(const priority::JobRow& row) const {
    return {IdOf(row), queue_.snapshot().partitions()[row.partition].name};
  }

  // By sprio's names.
  std::map<std::string, double> Named(const priority::PriorityFactors& f) const {
    std::map<std::string, double> named = {{"age", f.age},        {"assoc", f.assoc},
                                           {"fs", f.fair_share},  {"js", f.job_size},
                                           {"part", f.partition}, {"qos", f.qos}};
    size_t i = 0;
    for (const auto& [tres, weight] : queue_.snapshot().policy().weight_tres) {
      named[tres] = f.tres[i++];
    }
    return named;
  }

  void ExpectAll(const std::map<std::string, double>& ours,
                 const std::map<std::string, double>& slurms, const Pair& pair) {
    for (const auto& [name, value] : slurms) {
      if (name == "js" && SizeIsTheSchedulers(pair.first)) continue;
      const auto found = ours.find(name);
      // Without weights sprio shows zeros for TRES that we do not compute.
      ExpectNear(found == ours.end() ? 0 : found->second, value,
                 absl::StrCat("job ", pair.first, " in ", pair.second, " ", name));
    }
  }

  CapturedQueue queue_;
  priority::Ranking ranking_;
  std::map<Pair, const priority::JobRow*> rows_;
};

TEST_P(JobOracle, EveryFactorIsSlurms) {
  ASSERT_GE(queue_.sprio().size(), 105u);
  for (const auto& [pair, captured] : queue_.sprio()) {
    if (SprioIsNonsense(pair.first)) continue;
    ASSERT_TRUE(rows_.count(pair)) << "job " << pair.first << " in " << pair.second;
    const priority::JobRow& row = *rows_[pair];
    if (GetParam() != kUnweighed) ExpectAll(Named(*row.factors), captured.factors, pair);
    ExpectAll(Named(*row.contributions), captured.contributions, pair);
    EXPECT_EQ(row.factors->site, captured.site) << pair.first;
    EXPECT_EQ(row.factors->nice, captured.nice) << pair.first;
  }
}

TEST_P(JobOracle, EveryPairsPriorityIsSlurmsToTheInteger) {
  for (const auto& [pair, captured] : queue_.sprio()) {
    if (SprioIsNonsense(pair.first) || SizeIsTheSchedulers(pair.first)) continue;
    EXPECT_EQ(rows_[pair]->priority, captured.priority) << pair.first << " in " << pair.second;
  }
}

TEST_P(JobOracle, ThePriorityThatSqueueShowsIsOurs) {
  size_t compared = 0;
  for (const CapturedPlace& place : queue_.squeue()) {
    // Of several partitions squeue shows one priority only.
    const std::vector<std::string> partitions = absl::StrSplit(place.partitions, ',');
    if (place.state != "PENDING" || (partitions.size() > 1 && !SprioIsNonsense(place.job_id)) ||
        SizeIsTheSchedulers(place.job_id)) {
      continue;
    }
    ++compared;
    const Pair pair(place.job_id, partitions.front());
    ASSERT_TRUE(rows_.count(pair)) << place.job_id;
    EXPECT_EQ(rows_[pair]->priority, place.priority) << "job " << place.job_id;
  }
  EXPECT_GT(compared, 90u);
}

TEST_P(JobOracle, WhatSlurmHeldBackIsIneligibleForTheSameReason) {
  std::map<std::string, std::string> ours;
  for (const priority::IneligibleRow& row : ranking_.ineligible)
    ours[IdOf(row)] = std::string(priority::ReasonName(queue_.snapshot().limits(), row.why));
  std::map<std::string, std::string> slurms;
  for (const CapturedPlace& place : queue_.squeue()) {
    if (HeldBack(place)) slurms[place.job_id] = place.reason;
  }
  EXPECT_EQ(ours, slurms);
}

TEST_P(JobOracle, WithinAPartitionJobsStandInSqueuesOrder) {
  // squeue sorts by partition, then by priority, then by job id.
  std::map<std::string, std::vector<std::string>> slurms;
  std::set<std::string> compared;
  for (const CapturedPlace& place : queue_.squeue()) {
    const bool one_partition = place.partitions.find(',') == std::string::npos;
    if (place.state != "PENDING" || !one_partition || HeldBack(place) ||
        SizeIsTheSchedulers(place.job_id)) {
      continue;
    }
    slurms[place.partitions].push_back(place.job_id);
    compared.insert(place.job_id);
  }
  std::map<std::string, std::vector<std::string>> ours;
  for (const priority::RankedRow& row : ranking_.ranked) {
    const auto [job_id, partition] = PairOf(row);
    if (compared.count(job_id) != 0) ours[partition].push_back(job_id);
  }
  EXPECT_GT(compared.size(), 85u);
  EXPECT_EQ(ours, slurms);
}

TEST_P(JobOracle, RunningJobsAreAnsweredApart) {
  std::set<std::string> running;
  for (const CapturedPlace& place : queue_.squeue()) {
    if (place.state == "RUNNING") running.insert(place.job_id);
  }
  std::set<std::string> ours;
  for (const priority::JobRow& row : ranking_.running) ours.insert(IdOf(row));
  EXPECT_EQ(ours, running);
}

INSTANTIATE_TEST_SUITE_P(Configs, JobOracle, testing::ValuesIn(CapturedQueue::Configs()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace priorityd
