#include "tests/oracle/limit_scenario.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "google/protobuf/struct.pb.h"
#include "google/protobuf/util/json_util.h"

namespace priorityd {
namespace {

constexpr char kFolder[] = "tests/oracle/limits";

template <typename Message>
Message FromJson(const std::string& json) {
  Message message;
  EXPECT_TRUE(google::protobuf::util::JsonStringToMessage(json, &message).ok()) << json;
  return message;
}

// As `priorityd-slurm observe` sends a task: `1_2` is task 2 of array 1.
void SetArray(::priority::v1::Job* job) {
  const std::pair<std::string, std::string> parts =
      absl::StrSplit(job->job_id(), absl::MaxSplits('_', 1));
  uint32_t task = 0;
  if (!absl::SimpleAtoi(parts.second, &task)) return;
  job->set_array_job_id(parts.first);
  job->set_array_task_id(task);
}

LimitScenario::Job JobOf(const std::string& line) {
  const std::pair<std::string, std::string> parts =
      absl::StrSplit(line, absl::MaxSplits(" => ", 1));
  LimitScenario::Job job{FromJson<::priority::v1::Job>(parts.first), parts.second};
  SetArray(&job.job);
  return job;
}

// A user association of the dump, as account and user.
std::pair<std::string, std::string> AnyUser(const std::string& dump) {
  std::string account;
  for (const absl::string_view line : absl::StrSplit(dump, '\n')) {
    const std::vector<std::string> words = absl::StrSplit(line, '\'');
    if (absl::StartsWith(line, "Parent - ")) account = words[1];
    if (absl::StartsWith(line, "User - ") && account != "root") return {account, words[1]};
  }
  ADD_FAILURE() << "no user in the dump";
  return {};
}

// `{"assoc":"ACCOUNT|USER","tres":{"cpu":CPU-SECONDS},"wall":SECONDS}`, or with `qos`: used before
// the jobs were submitted, in one record that ends when the scenario was taken.
::priority::v1::UsageRecord UsedBefore(const std::string& line, const LimitScenario& scenario) {
  const auto fields = FromJson<google::protobuf::Struct>(line).fields();
  const auto number = [](const auto& from, const std::string& name) {
    return from.contains(name) ? from.at(name).number_value() : 0.0;
  };
  ::priority::v1::UsageRecord record;
  record.set_source("seed");
  record.set_record_id(line);
  if (fields.contains("assoc")) {
    const std::pair<std::string, std::string> who =
        absl::StrSplit(fields.at("assoc").string_value(), '|');
    record.set_account(who.first);
    record.set_user(who.second);
  } else {
    const auto [account, user] = AnyUser(scenario.dump);
    record.set_account(account);
    record.set_user(user);
    record.set_qos(fields.at("qos").string_value());
  }
  const double seconds = std::max(1.0, number(fields, "wall"));
  if (fields.contains("tres")) {
    for (const auto& [tres, value] : fields.at("tres").struct_value().fields()) {
      if (tres != "billing") (*record.mutable_tres())[tres] = value.number_value() / seconds;
    }
  }
  record.set_billing(number(fields, "raw") / seconds);
  const int64_t end = absl::ToUnixSeconds(scenario.taken) - 1;
  record.mutable_end_time()->set_seconds(end);
  record.mutable_start_time()->set_seconds(end - static_cast<int64_t>(seconds));
  return record;
}

LimitScenario Read(const std::filesystem::path& path) {
  LimitScenario scenario;
  scenario.name = path.stem();
  std::map<std::string, std::vector<std::string>> sections;
  std::ifstream file(path);
  std::string section = "title";
  for (std::string line; std::getline(file, line);) {
    absl::string_view rest = line;
    if (!absl::ConsumePrefix(&rest, "== ")) {
      sections[section].push_back(line);
    } else if (!sections.empty() || section != "title") {
      section = std::string(rest);
    }
  }
  for (const std::string& line : sections["title"]) {
    double taken = 0;
    if (absl::SimpleAtod(absl::StripPrefix(line, "taken "), &taken)) {
      scenario.taken = absl::UnixEpoch() + absl::Seconds(taken);
    }
  }
  // Tests record the usage of years in seconds, more than any cluster has.
  scenario.slurm_conf = absl::StrJoin(sections["slurm.conf"], "\n") + "\nUsageHeadroom=UNLIMITED\n";
  scenario.dump = absl::StrJoin(sections["dump"], "\n") + "\n";
  scenario.qos = absl::StrJoin(sections["qos"], "\n") + "\n";
  for (const std::string& line : sections["used"]) {
    scenario.used.push_back(UsedBefore(line, scenario));
  }
  for (const std::string& line : sections["jobs"]) scenario.jobs.push_back(JobOf(line));
  for (const std::string& line : sections["refused"]) scenario.refused.push_back(JobOf(line));
  return scenario;
}

}  // namespace

std::vector<LimitScenario> ReadLimitScenarios() {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder)) {
    if (entry.path().extension() == ".txt") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  std::vector<LimitScenario> scenarios;
  for (const auto& path : paths) scenarios.push_back(Read(path));
  return scenarios;
}

}  // namespace priorityd
