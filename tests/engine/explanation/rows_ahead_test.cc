// What stands before a row, compared with a naive count on random queues.
#include "engine/explanation/rows_ahead.h"

#include <map>
#include <string>
#include <vector>

#include "engine/explanation/explanation.h"
#include "gtest/gtest.h"
#include "tests/engine/priority/draw.h"
#include "tests/engine/priority/naive_ranking.h"
#include "tests/engine/priority/small_site.h"

namespace priorityd::explanation {
namespace {

using Counts = std::map<std::string, uint32_t>;

std::string NameOfRule(priority::OrderRule rule) {
  static const std::map<priority::OrderRule, std::string> names = {
      {priority::OrderRule::kPreemptor, "preemptor"},
      {priority::OrderRule::kReservation, "reservation"},
      {priority::OrderRule::kPriorityTier, "priority_tier"},
      {priority::OrderRule::kSubmitTime, "submit_time"},
      {priority::OrderRule::kJobId, "job_id"}};
  const auto found = names.find(rule);
  return found == names.end() ? "" : found->second;
}

Counts CountsOf(const std::vector<RowsAhead>& ahead) {
  Counts counts;
  for (const RowsAhead& part : ahead) {
    const bool by_factor = part.rule == priority::OrderRule::kPriority;
    counts[by_factor ? std::string(part.factor) : NameOfRule(part.rule)] += part.rows;
  }
  return counts;
}

// Whatever the factors are.
Counts ByRule(const Counts& counts) {
  Counts rules;
  for (const auto& [name, rows] : counts) {
    const bool rule = name == "preemptor" || name == "reservation" || name == "priority_tier" ||
                      name == "submit_time" || name == "job_id";
    rules[rule ? name : "priority"] += rows;
  }
  return rules;
}

TEST(RowsAheadTest, AgreesWithANaiveCountOnRandomQueues) {
  Counts seen;
  for (int seed = 0; seed < 300; ++seed) {
    priority::Draw draw(31000 + seed);
    priority::SmallSite site = draw.Site();
    const auto snapshot = site.Build();
    std::vector<priority::Job> jobs;
    for (int n = 5 + draw.Below(60); n > 0; --n) {
      jobs.push_back(draw.NextJob());
      if (draw.OneIn(15)) jobs.back().admin_priority = 1000 * (1 + draw.Below(50));
    }
    priority::RankOptions options;
    options.as_of = priority::kNow;
    const priority::NaiveRanking ranking = priority::NaiveRank(*snapshot, jobs, options);
    for (int n = 0; n < 4 && !ranking.ranked.empty(); ++n) {
      const size_t place = draw.Below(static_cast<int>(ranking.ranked.size()));
      const priority::NaiveRow& row = ranking.ranked[place];
      ExplainOptions explain;
      explain.as_of = priority::kNow;
      explain.job_id = row.job_id;
      explain.partition = row.partition;
      explain.qos = row.qos;
      const auto explained = Explain(*snapshot, jobs, explain);
      // Of two pairs one of which names no partition or QOS the better one is picked.
      if (!explained.ok() || explained->rank != place + 1) continue;
      const priority::NaiveAhead want =
          priority::NaiveRowsAhead(*snapshot, jobs, priority::kNow, place);
      const Counts got = CountsOf(explained->ahead);
      EXPECT_EQ(ByRule(got), ByRule(want.rows)) << "seed " << seed;
      if (!want.close) {
        EXPECT_EQ(got, want.rows) << "seed " << seed;
      }
      for (const auto& [name, rows] : got) seen[name] += rows;
      for (const RowsAhead& part : explained->ahead) EXPECT_LE(part.rows, explained->ahead[0].rows);
    }
  }
  for (const char* name : {"preemptor", "reservation", "priority_tier", "submit_time", "job_id",
                           "age", "assoc", "fair_share", "job_size", "partition", "qos", "tres",
                           "site", "nice", "admin_priority", "previous_priority"}) {
    EXPECT_GT(seen[name], 0) << name << " was never decisive";
  }
}

TEST(RowsAheadTest, IsReportedInASentence) {
  AheadCount count(priority::RowTerms{});
  priority::RowTerms fair_share{};
  fair_share[static_cast<size_t>(priority::Term::kFairShare)] = 5;
  fair_share[static_cast<size_t>(priority::Term::kNice)] = -3;
  count.Add(priority::OrderRule::kPriorityTier);
  count.AddByPriority(fair_share);
  count.AddByPriority(fair_share);
  EXPECT_EQ(count.total(), 3);
  EXPECT_EQ(AheadText(count.Take()), "2 by fair-share, 1 by partition tier");
}

}  // namespace
}  // namespace priorityd::explanation
