#include "engine/explanation/advice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_replace.h"
#include "tests/engine/explanation/golden.h"
#include "tests/engine/priority/ranking_fixture.h"

namespace priorityd::explanation {
namespace {

using priority::Job;
using priority::SmallSite;

// A fault of the site or the job, and the sentence of sentences/advice.txt.
struct Case {
  const char* name;
  void (*change)(SmallSite&, Job&);
};

priority::Reservation Tomorrow(const std::string& name, const std::string& user) {
  return {.name = name,
          .start = priority::kNow + absl::Hours(24),
          .end = priority::kNow + absl::Hours(48),
          .nodes = "ALL",
          .users = {{user}}};
}

class Advice : public priority::RankingTest, public testing::WithParamInterface<Case> {
 protected:
  Advice() { site_.source.policy.enforce.safe = true; }
};

TEST_P(Advice, SaysWhatHelpsAJobThatCannotStart) {
  GetParam().change(site_, Add("1"));
  RankJobs();
  ASSERT_EQ(ranking_.ineligible.size(), 1u);
  const priority::IneligibleRow& row = ranking_.ineligible[0];
  EXPECT_EQ(AdviceText(*snapshot_, jobs_[row.job], row, row.why),
            Golden("advice", GetParam().name));
}

const Case kCases[] = {
    {"account", [](SmallSite&, Job& job) { job.account = "no"; }},
    {"qos",
     [](SmallSite& site, Job& job) {
       site.association("physics").qos = {{"normal"}};
       job.qos = {"high"};
     }},
    {"partition", [](SmallSite&, Job& job) { job.partitions = {"nowhere"}; }},
    {"invalid", [](SmallSite&, Job& job) { job.violation = "cpus: got -1, want at least 0"; }},
    {"user-hold", [](SmallSite&, Job& job) { job.hold = priority::Hold::kUser; }},
    {"admin-hold", [](SmallSite&, Job& job) { job.hold = priority::Hold::kAdmin; }},
    {"dependency", [](SmallSite&, Job& job) { job.dependency_unmet = true; }},
    {"begin-time",
     [](SmallSite&, Job& job) { job.eligible_time = priority::kNow + absl::Seconds(1); }},
    {"down", [](SmallSite& site, Job&) { site.partition("main").up = false; }},
    {"cpus",
     [](SmallSite& site, Job& job) {
       site.partition("main").tres["cpu"] = 128;
       job.cpus = 129;
     }},
    {"memory",
     [](SmallSite& site, Job& job) {
       site.partition("main").max_mem_per_node = 1000;
       job.nodes = 2;
       job.tres.emplace_back("mem", 2001);
     }},
    {"nodes",
     [](SmallSite& site, Job& job) {
       site.partition("fast").max_nodes = 2;
       job.partitions = {"fast"};
       job.nodes = 3;
     }},
    {"time-limit",
     [](SmallSite& site, Job& job) {
       site.partition("main").max_time = absl::Hours(2);
       job.time_limit = absl::Hours(48);
     }},
    {"account-not-allowed",
     [](SmallSite& site, Job&) { site.partition("main").allow_accounts = {"chemistry"}; }},
    {"qos-not-allowed",
     [](SmallSite& site, Job& job) {
       site.partition("main").allow_qos = {"high"};
       job.qos = {"normal"};
     }},
    {"reservation-later",
     [](SmallSite& site, Job& job) {
       site.source.reservations = {Tomorrow("r", "ann")};
       job.reservation = "r";
     }},
    {"reservation-of-others",
     [](SmallSite& site, Job& job) {
       site.source.reservations = {Tomorrow("r", "bob"), Tomorrow("own", "ann")};
       job.reservation = "r";
     }},
    {"no-reservation",
     [](SmallSite& site, Job& job) {
       site.source.reservations = {Tomorrow("s", "bob")};
       job.reservation = "r";
     }},
    {"threshold",
     [](SmallSite& site, Job& job) {
       site.usage = {{"physics/ann", 100}};
       site.qos("high").usage_threshold = 0.5;
       site.qos("high").enforce_usage_threshold = true;
       job.qos = {"high"};
     }},
    {"usage-limit",
     [](SmallSite& site, Job& job) {
       site.association("physics").limits.grp_tres_mins = {{"billing", 100}};
       site.usage = {{"physics/ann", 80 * 60}};
       job.cpus = 5;
       job.time_limit = absl::Minutes(5);
     }},
    {"too-large-for-a-usage-limit",
     [](SmallSite& site, Job& job) {
       site.association("physics").limits.grp_tres_mins = {{"billing", 100}};
       job.cpus = 5;
       job.time_limit = absl::Minutes(21);
     }},
};
INSTANTIATE_TEST_SUITE_P(EveryReason, Advice, testing::ValuesIn(kCases),
                         [](const testing::TestParamInfo<Case>& info) {
                           return absl::StrReplaceAll(info.param.name, {{"-", "_"}});
                         });

}  // namespace
}  // namespace priorityd::explanation
