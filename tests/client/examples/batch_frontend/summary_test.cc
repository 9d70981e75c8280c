#include "client/examples/batch_frontend/summary.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "client/examples/batch_frontend/draw.h"
#include "client/examples/batch_frontend/event_log.h"
#include "client/examples/batch_frontend/report.h"
#include "gmock/gmock.h"
#include "google/protobuf/struct.pb.h"
#include "google/protobuf/util/json_util.h"
#include "gtest/gtest.h"

namespace priorityd::batch_frontend {
namespace {

using ::testing::HasSubstr;

const absl::Time kStart = absl::FromUnixSeconds(1'000'000);  // 1970-01-12T13:46:40Z

ShareSample Sample() {
  const absl::Time long_ago = kStart - absl::Hours(10);
  return {
      .time = kStart,
      .users = {
          {"busy", {.usage = 50, .entitlement = 0.25, .waiting_since = long_ago}},
          {"busier", {.usage = 30, .entitlement = 0.25, .waiting_since = long_ago}},
          {"idle", {.usage = 20, .entitlement = 0.25}},
          {"new", {.usage = 0, .entitlement = 0.25, .waiting_since = kStart - absl::Minutes(1)}}}};
}

TEST(FairnessTest, WhatOthersLeaveIsDueToTheDemandingByTheirShares) {
  const auto users = DemandingUsers(Sample(), absl::Hours(1));
  ASSERT_EQ(users.size(), 2);
  EXPECT_DOUBLE_EQ(users.at("busy").usage_share, 0.5);
  EXPECT_DOUBLE_EQ(users.at("busy").due_share, 0.4);
  EXPECT_DOUBLE_EQ(users.at("busier").usage_share, 0.3);
  EXPECT_DOUBLE_EQ(users.at("busier").due_share, 0.4);
}

TEST(FairnessTest, EntitlementsAreTheProductOfSharesUpToRoot) {
  ::priority::v1::ListSharesResponse shares;
  const auto add = [&](const char* account, const char* parent, const char* user, int raw,
                       int level, double usage) {
    auto* share = shares.add_shares();
    share->set_account(account);
    share->set_parent_account(parent);
    share->set_user(user);
    share->set_raw_shares(raw);
    share->set_level_shares(level);
    share->set_raw_usage(usage);
  };
  add("root", "", "", 1, 1, 12);
  add("a", "root", "", 3, 4, 10);
  add("a", "a", "ann", 1, 2, 6);
  add("a", "a", "bob", 1, 2, 4);
  add("b", "root", "", 1, 4, 2);
  add("b", "b", "ann", 1, 1, 2);
  const ShareSample sample = ToSample(kStart, shares);
  EXPECT_DOUBLE_EQ(sample.users.at("ann").entitlement, 3.0 / 8 + 1.0 / 4);
  EXPECT_DOUBLE_EQ(sample.users.at("ann").usage, 8);
  EXPECT_DOUBLE_EQ(sample.users.at("bob").entitlement, 3.0 / 8);
}

// Four jobs of ann that wait 0, 1, 2 and 9 hours, one of bob that is never started.
struct Example {
  std::vector<Job> jobs;
  Played played;
};

Example Waits() {
  Example example;
  for (const int hours : {0, 1, 2, 9}) {
    const absl::Time start = kStart + absl::Hours(hours);
    example.jobs.push_back({.id = std::to_string(hours),
                            .user = "ann",
                            .submit_time = kStart,
                            .request = {.nodes = 2, .cpus_per_node = 1}});
    example.played.jobs.push_back({.start_time = start,
                                   .end_time = start + absl::Hours(1),
                                   .allocation = {.nodes = {0, 1}, .cpus_per_node = 1}});
  }
  example.jobs.push_back({.id = "b", .user = "bob", .submit_time = kStart + absl::Hours(10)});
  example.played.jobs.push_back({});
  example.played.last_submission = kStart + absl::Hours(10);
  example.played.samples = {Sample()};
  return example;
}

TEST(SummaryTest, WaitsAndUsageAreTheUsersOwn) {
  const Example example = Waits();
  const Summary summary = Summarize(example.jobs, example.played, 4, absl::Hours(1));
  ASSERT_EQ(summary.users.size(), 2);
  const UserSummary& ann = summary.users[0];
  EXPECT_EQ(ann.user, "ann");
  EXPECT_EQ(ann.jobs, 4);
  EXPECT_EQ(ann.mean_wait, absl::Hours(3));
  EXPECT_EQ(ann.median_wait, absl::Hours(1));
  EXPECT_EQ(ann.p95_wait, absl::Hours(9));
  EXPECT_DOUBLE_EQ(ann.cpu_seconds, 4 * 2 * 3600);
  EXPECT_EQ(summary.never_started, 1);
  EXPECT_DOUBLE_EQ(summary.utilization, 0.2);
  EXPECT_EQ(summary.end, kStart + absl::Hours(10));
}

TEST(SummaryTest, DistanceAndJainsIndexAreOfWhatIsDue) {
  const Example example = Waits();
  const Fairness fairness = Summarize(example.jobs, example.played, 4, absl::Hours(1)).fairness;
  EXPECT_DOUBLE_EQ(fairness.largest_distance, 0.25);
  // (1.25 + 0.75)^2 / (2 * (1.25^2 + 0.75^2))
  EXPECT_DOUBLE_EQ(fairness.jain_index, 4 / (2 * 2.125));
}

TEST(SummaryTest, JsonHasWhatTheTableHas) {
  const Example example = Waits();
  const Summary summary = Summarize(example.jobs, example.played, 4, absl::Hours(1));
  google::protobuf::Struct object;
  ASSERT_TRUE(google::protobuf::util::JsonStringToMessage(ToJson(summary), &object).ok());
  EXPECT_EQ(object.fields().at("jobs").number_value(), 5);
  const auto& fairness = object.fields().at("fairness").struct_value();
  EXPECT_EQ(fairness.fields().at("users").number_value(), 2);
  const auto& ann = object.fields().at("users").list_value().values(0).struct_value();
  EXPECT_EQ(ann.fields().at("user").string_value(), "ann");
  EXPECT_EQ(ann.fields().at("p95_wait_seconds").number_value(), 9 * 3600);
  EXPECT_THAT(ToTable(summary), HasSubstr("25.0 % of what their shares make due"));
}

TEST(SummaryTest, TheCsvHasALineForEachUserAndSample) {
  EXPECT_EQ(ToCsv({Sample()}, absl::Hours(1)),
            "time,user,usage_share,entitlement,due_share\n"
            "1970-01-12T13:46:40Z,busier,0.300000,0.250000,0.400000\n"
            "1970-01-12T13:46:40Z,busy,0.500000,0.250000,0.400000\n"
            "1970-01-12T13:46:40Z,idle,0.200000,0.250000,\n"
            "1970-01-12T13:46:40Z,new,0.000000,0.250000,\n");
}

// A gnuplot that writes what it is given into `$GOT`, and exits with `exit_code`.
std::string PutGnuplotIntoPath(int exit_code) {
  const std::string folder = ::testing::TempDir();
  const std::string program = folder + "/gnuplot", got = folder + "/got";
  std::ofstream(program) << "#!/bin/sh\ncat > " << got << "\nexit " << exit_code << "\n";
  std::filesystem::permissions(program, std::filesystem::perms(0755));
  setenv("PATH", absl::StrCat(folder, ":/usr/bin:/bin").c_str(), 1);
  return got;
}

TEST(DrawTest, GnuplotIsGivenTheSharesOfTheDemandingAndWhatIsDue) {
  const std::string got = PutGnuplotIntoPath(0);
  const Example example = Waits();
  const Summary summary = Summarize(example.jobs, example.played, 4, absl::Hours(1));
  const absl::Status drawn = Draw(example.played.samples, summary, "it's.svg");
  ASSERT_TRUE(drawn.ok()) << drawn;
  std::ifstream file(got);
  const std::string script{std::istreambuf_iterator<char>(file), {}};
  EXPECT_THAT(script, HasSubstr("set output 'it''s.svg'"));
  // Day 0: 40 % due to each, 30 % used by busier, 50 % by busy.
  EXPECT_THAT(script, HasSubstr("\n0.000 40.000 30.000 50.000\nEND\n"));
}

TEST(DrawTest, AGnuplotThatFailsIsReported) {
  PutGnuplotIntoPath(1);
  const Example example = Waits();
  const Summary summary = Summarize(example.jobs, example.played, 4, absl::Hours(1));
  EXPECT_THAT(Draw(example.played.samples, summary, "x.svg").message(), HasSubstr("gnuplot-nox"));
}

TEST(EventLogTest, EndsComeBeforeStartsAtTheSameTime) {
  const std::vector<Job> jobs = {{.id = "1", .user = "ann", .submit_time = kStart},
                                 {.id = "2", .user = "bob", .submit_time = kStart}};
  const absl::Time then = kStart + absl::Seconds(5);
  std::vector<PlayedJob> played(2);
  played[0] = {kStart, then, {.nodes = {0, 1, 2, 5}, .cpus_per_node = 1}};
  played[1] = {then, then + absl::Seconds(1), {.nodes = {0}, .cpus_per_node = 1}, true};
  EXPECT_EQ(EventLog(jobs, played),
            "1970-01-12T13:46:40Z submit 1 user ann\n"
            "1970-01-12T13:46:40Z submit 2 user bob\n"
            "1970-01-12T13:46:40Z start 1 nodes 0-2,5\n"
            "1970-01-12T13:46:45Z end 1\n"
            "1970-01-12T13:46:45Z start 2 nodes 0 backfilled\n"
            "1970-01-12T13:46:46Z end 2\n");
}

// The values that FNV's authors publish.
TEST(EventLogTest, TheDigestIsFnv1a) {
  EXPECT_EQ(Digest(""), 0xcbf29ce484222325);
  EXPECT_EQ(Digest("a"), 0xaf63dc4c8601ec8c);
  EXPECT_EQ(Digest("foobar"), 0x85944171f73967e8);
}

}  // namespace
}  // namespace priorityd::batch_frontend
