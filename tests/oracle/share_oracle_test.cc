// GrpTRESRaw and TRESRunMins against those of a real sshare: tests/oracle/limits/sshare.tsv.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "tests/oracle/limit_scenario.h"
#include "tests/server/service/test_service.h"

namespace priorityd::rpc {
namespace {

// Of `account|user|partition`: TRES in whole minutes, those that are 0 left out.
struct Minutes {
  std::map<std::string, double> raw;
  std::map<std::string, double> run;
};
using Rows = std::map<std::string, Minutes>;

// What sshare printed, and the priority pass it printed it after.
struct Printed {
  absl::Time pass;
  Rows rows;
};

std::map<std::string, double> ParseTres(const std::string& text) {
  std::map<std::string, double> counts;
  for (const absl::string_view part : absl::StrSplit(text, ',', absl::SkipEmpty())) {
    const std::pair<std::string, std::string> sides = absl::StrSplit(part, '=');
    EXPECT_TRUE(absl::SimpleAtod(sides.second, &counts[sides.first])) << text;
  }
  return counts;
}

std::map<std::string, Printed> ReadPrinted() {
  std::map<std::string, Printed> all;
  std::ifstream file("tests/oracle/limits/sshare.tsv");
  Printed* scenario = nullptr;
  for (std::string line; std::getline(file, line);) {
    if (absl::StartsWith(line, "== ")) {
      const std::vector<std::string> words = absl::StrSplit(line, ' ');
      scenario = &all[words[1]];
      int64_t pass = 0;
      EXPECT_TRUE(absl::SimpleAtoi(words[2], &pass));
      scenario->pass = absl::FromUnixSeconds(pass);
      continue;
    }
    const std::vector<std::string> cells = absl::StrSplit(line, '|');
    scenario->rows[absl::StrCat(cells[0], "|", cells[1], "|", cells[2])] = {ParseTres(cells[3]),
                                                                            ParseTres(cells[4])};
  }
  return all;
}

absl::Time TimeOf(const google::protobuf::Timestamp& time) {
  return absl::FromUnixSeconds(time.seconds());
}

// What had been used, all of it in the second before the first job started; and what running jobs
// used from their start to the priority pass.
v1::RecordUsageRequest UsedUntil(const LimitScenario& scenario, absl::Time pass) {
  v1::RecordUsageRequest request;
  absl::Time first = pass;
  for (const LimitScenario::Job& job : scenario.jobs) {
    if (job.job.has_start_time()) first = std::min(first, TimeOf(job.job.start_time()));
  }
  for (v1::UsageRecord record : scenario.used) {
    const auto seconds =
        static_cast<double>(record.end_time().seconds() - record.start_time().seconds());
    for (auto& [tres, count] : *record.mutable_tres()) count *= seconds;
    record.set_billing(record.billing() * seconds);
    *record.mutable_end_time() = ToTimestamp(first - absl::Seconds(1));
    *record.mutable_start_time() = ToTimestamp(first - absl::Seconds(2));
    *request.add_records() = record;
  }
  for (const LimitScenario::Job& of : scenario.jobs) {
    const v1::Job& job = of.job;
    if (job.state() != v1::JOB_STATE_RUNNING || TimeOf(job.start_time()) >= pass) continue;
    v1::UsageRecord& record = *request.add_records();
    record.set_source("running");
    record.set_record_id(job.job_id());
    record.set_job_id(job.job_id());
    record.set_user(job.user());
    record.set_account(job.account());
    if (job.partitions_size() > 0) record.set_partition(job.partitions(0));
    if (job.qos_size() > 0) record.set_qos(job.qos(0));
    *record.mutable_start_time() = job.start_time();
    *record.mutable_end_time() = ToTimestamp(pass);
    for (const auto& [tres, count] : job.tres()) {
      if (tres != "billing") (*record.mutable_tres())[tres] = count;
    }
  }
  return request;
}

std::map<std::string, double> WholeMinutes(
    const google::protobuf::Map<std::string, double>& amounts, double per) {
  std::map<std::string, double> minutes;
  for (const auto& [tres, amount] : amounts) {
    const double whole = std::floor(amount / per * (1 + 1e-12));
    if (whole > 0) minutes[tres] = whole;
  }
  return minutes;
}

Rows OurRows(const LimitScenario& scenario, absl::Time pass) {
  TestService service;
  service.SetNow(pass);
  v1::ImportRequest request;
  AddFile(v1::FILE_KIND_SLURM_CONF, "slurm.conf", scenario.slurm_conf, &request);
  AddFile(v1::FILE_KIND_QOS, "qos", scenario.qos, &request);
  AddFile(v1::FILE_KIND_SACCTMGR_DUMP, "dump", scenario.dump, &request);
  Import(service, request);
  const v1::RecordUsageRequest used = UsedUntil(scenario, pass);
  if (used.records_size() > 0) {
    EXPECT_EQ(RecordUsage(service, used).accepted(), used.records_size()) << scenario.name;
  }
  Recalculate(service);
  v1::UpdateJobsRequest jobs;
  for (const LimitScenario::Job& job : scenario.jobs) {
    if (job.job.state() == v1::JOB_STATE_RUNNING) *jobs.add_upserts() = job.job;
  }
  if (jobs.upserts_size() > 0) UpdateJobs(service, jobs);
  Rows rows;
  const v1::ListSharesResponse shares = ListShares(service);
  for (const v1::AssociationShare& share : shares.shares()) {
    Minutes& row = rows[absl::StrCat(share.account(), "|", share.user(), "|", share.partition())];
    row.raw = WholeMinutes(share.tres_usage(), 60);
    const double billing = std::floor(share.raw_usage() / 60 * (1 + 1e-12));
    if (billing > 0) row.raw["billing"] = billing;
    row.run = WholeMinutes(share.tres_run_mins(), 1);
  }
  return rows;
}

// What had been used before was written into slurmctld's state without billing TRES, whose
// billing-seconds are in RawUsage alone.
std::map<std::string, double> Comparable(const LimitScenario& scenario,
                                         std::map<std::string, double> raw) {
  if (!scenario.used.empty()) raw.erase("billing");
  return raw;
}

// What had been written into slurmctld's state as used by a QOS alone has to be somebody's here.
bool HasUsageOfQos(const LimitScenario& scenario, const std::string& name) {
  return std::any_of(
      scenario.used.begin(), scenario.used.end(), [&](const v1::UsageRecord& record) {
        return !record.qos().empty() &&
               (absl::StartsWith(name, record.account() + "|") || absl::StartsWith(name, "root|"));
      });
}

TEST(ShareOracleTest, UsageAndRunMinutesAreThoseOfSshare) {
  const std::map<std::string, Printed> all = ReadPrinted();
  int agree = 0;
  for (const LimitScenario& scenario : ReadLimitScenarios()) {
    const auto printed = all.find(scenario.name);
    ASSERT_NE(printed, all.end()) << scenario.name;
    // slurmctld keeps no run minutes where it enforces no limits; we do.
    const bool limits = !absl::StartsWith(scenario.name, "enforce_none") &&
                        scenario.name != "enforce_associations" && scenario.name != "enforce_qos";
    Rows ours = OurRows(scenario, printed->second.pass);
    for (const auto& [name, minutes] : printed->second.rows) {
      // Two of its jobs had ended, of which nothing is kept.
      const bool has_more = scenario.name == "admins" || HasUsageOfQos(scenario, name);
      if (!has_more) {
        EXPECT_EQ(Comparable(scenario, ours[name].raw), Comparable(scenario, minutes.raw))
            << scenario.name << " " << name;
      }
      if (limits) {
        EXPECT_EQ(ours[name].run, minutes.run) << scenario.name << " " << name;
      }
      ++agree;
    }
  }
  std::printf("%d rows compared\n", agree);
}

}  // namespace
}  // namespace priorityd::rpc
