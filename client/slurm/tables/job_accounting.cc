#include "client/slurm/tables/job_accounting.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "client/slurm/tables/ledger_runs.h"
#include "client/timestamp.h"
#include "engine/numbers/whole_number.h"
#include "engine/slurm/words/numbers.h"
#include "engine/slurm/words/time_string.h"

namespace priorityd::tables {
namespace {

namespace v1 = ::priority::v1;

// The states of an ended job that the service accepts.
constexpr absl::string_view kEndStates[] = {"BOOT_FAIL", "CANCELLED", "COMPLETED",     "DEADLINE",
                                            "FAILED",    "NODE_FAIL", "OUT_OF_MEMORY", "PREEMPTED",
                                            "REQUEUED",  "RESIZING",  "REVOKED",       "TIMEOUT"};
constexpr size_t kMaxNodeListBytes = 32 << 10;

// The first word: `CANCELLED by 1000`.
void SetState(const SlurmRow& row, TableLosses* losses, v1::JobAccounting* job) {
  const std::string text = row.Text({"State", "state.current"});
  const std::string state = text.substr(0, text.find(' '));
  if (std::find(std::begin(kEndStates), std::end(kEndStates), state) != std::end(kEndStates)) {
    job->set_state(state);
  } else if (!state.empty()) {
    losses->Add(absl::StrCat("State ", state, ", which the service does not take"), row.place());
  }
}

// `0:9`
absl::Status SetExitCode(const SlurmRow& row, v1::JobAccounting* job) {
  const auto code = row.Number({"exit_code.return_code"});
  if (!code.ok()) return code.status();
  if (code->has_value()) job->set_exit_code(static_cast<int32_t>(std::clamp(**code, 0.0, 65535.0)));
  const auto signal = row.Number({"exit_code.signal.id", "exit_code.signal.signal_id"});
  if (!signal.ok()) return signal.status();
  if (signal->value_or(0) > 0) {
    job->set_exit_signal(static_cast<int32_t>(std::min(**signal, 65535.0)));
  }
  const std::string text = row.Text({"ExitCode"});
  if (text.empty()) return absl::OkStatus();
  const std::pair<std::string, std::string> parts = absl::StrSplit(text, absl::MaxSplits(':', 1));
  const auto read_code = slurm::ReadInteger(parts.first, 65535);
  const auto read_signal = slurm::ReadInteger(parts.second.empty() ? "0" : parts.second, 65535);
  if (!read_code.has_value() || !read_signal.has_value()) {
    return row.Violation("ExitCode", text, "CODE:SIGNAL such as 0:9");
  }
  job->set_exit_code(static_cast<int32_t>(*read_code));
  if (!parts.second.empty()) job->set_exit_signal(static_cast<int32_t>(*read_signal));
  return absl::OkStatus();
}

absl::Status SetTimes(const SlurmRow& row, const v1::UsageRecord& record, absl::TimeZone zone,
                      v1::JobAccounting* job) {
  const absl::Time start = client::FromTimestamp(record.start_time());
  const auto submit = row.Moment({"Submit", "time.submission"}, zone);
  if (!submit.ok()) return submit.status();
  const auto eligible = row.Moment({"Eligible", "time.eligible"}, zone);
  if (!eligible.ok()) return eligible.status();
  if (!submit->has_value()) return absl::OkStatus();
  const absl::Time submitted = std::min(**submit, start);
  *job->mutable_submit_time() = client::ToTimestamp(submitted);
  if (eligible->has_value()) {
    *job->mutable_eligible_time() = client::ToTimestamp(std::clamp(**eligible, submitted, start));
  }
  return absl::OkStatus();
}

absl::Status SetTimeLimit(const SlurmRow& row, v1::JobAccounting* job) {
  const std::string text = row.Text({"Timelimit"});
  if (absl::EqualsIgnoreCase(text, "Partition_Limit")) return absl::OkStatus();
  if (text.empty()) {
    if (row.Text({"time.limit"}) == kUnlimitedText) {
      job->mutable_time_limit()->set_seconds(kUnlimitedSeconds);
      return absl::OkStatus();
    }
    const auto minutes = row.Number({"TimelimitRaw", "time.limit"});
    if (!minutes.ok()) return minutes.status();
    if (minutes->has_value() && **minutes >= 0 && **minutes < 4294967294) {
      job->mutable_time_limit()->set_seconds(numbers::RoundedWhole(**minutes * 60));
    }
    return absl::OkStatus();
  }
  const absl::StatusOr<absl::Duration> limit = slurm::ParseTimeString(text);
  if (!limit.ok()) return row.Violation("Timelimit", text, "a time such as 1-00:00:00");
  job->mutable_time_limit()->set_seconds(
      *limit == absl::InfiniteDuration() ? kUnlimitedSeconds : absl::ToInt64Seconds(*limit));
  return absl::OkStatus();
}

// `1-02:03:04`, `03:04.567`
absl::Status SetTotalCpu(const SlurmRow& row, v1::JobAccounting* job) {
  const std::string text = row.Text({"TotalCPU"});
  if (text.empty()) {
    const auto seconds = row.Number({"time.total.seconds"});
    if (!seconds.ok()) return seconds.status();
    const auto micros = row.NumberOrZero({"time.total.microseconds"});
    if (!micros.ok()) return micros.status();
    if (seconds->value_or(-1) < 0) return absl::OkStatus();
    job->mutable_total_cpu()->set_seconds(numbers::RoundedWhole(**seconds));
    job->mutable_total_cpu()->set_nanos(static_cast<int32_t>(std::clamp(*micros, 0.0, 999'999.0)) *
                                        1000);
    return absl::OkStatus();
  }
  const std::pair<std::string, std::string> parts = absl::StrSplit(text, absl::MaxSplits('.', 1));
  const absl::StatusOr<absl::Duration> time = slurm::ParseTimeString(parts.first);
  double fraction = 0;
  if (!time.ok() || *time == absl::InfiniteDuration() ||
      (!parts.second.empty() && !absl::SimpleAtod(absl::StrCat("0.", parts.second), &fraction))) {
    return row.Violation("TotalCPU", text, "a time such as 01:02.345");
  }
  job->mutable_total_cpu()->set_seconds(absl::ToInt64Seconds(*time));
  job->mutable_total_cpu()->set_nanos(static_cast<int32_t>(numbers::RoundedWhole(fraction * 1e6)) %
                                      1'000'000 * 1000);
  return absl::OkStatus();
}

// The request, if it differs from the allocation.
absl::Status SetRequested(const SlurmRow& row, const v1::UsageRecord& record,
                          v1::JobAccounting* job) {
  const auto asked = row.Tres({"ReqTRES"});
  if (!asked.ok()) return asked.status();
  const auto differs = [&](const std::string& name) {
    const auto wanted = asked->find(name);
    const auto given = record.tres().find(name);
    return wanted != asked->end() &&
           (given == record.tres().end() || given->second != wanted->second);
  };
  if (differs("cpu")) job->set_req_cpus(asked->at("cpu"));
  if (differs("mem")) job->set_req_mem(asked->at("mem"));
  return absl::OkStatus();
}

}  // namespace

std::optional<double> ReadMaxRss(absl::string_view text) {
  constexpr absl::string_view kUnits = "KMGTP";
  double power = -2;
  if (!text.empty()) {
    const size_t unit = kUnits.find(absl::ascii_toupper(text.back()));
    if (unit != absl::string_view::npos) {
      power = static_cast<double>(unit) - 1;
      text.remove_suffix(1);
    }
  }
  double number = 0;
  if (!absl::SimpleAtod(text, &number) || !(number >= 0) || number > 1e15) return std::nullopt;
  return number * std::pow(1024, power);
}

absl::StatusOr<std::optional<double>> MaxRssOf(const SlurmRow& row) {
  const std::string text = row.Text({"MaxRSS"});
  if (text.empty()) return std::optional<double>();
  const std::optional<double> max_rss = ReadMaxRss(text);
  if (!max_rss.has_value()) return row.Violation("MaxRSS", text, "bytes, or such as 1234K");
  return max_rss;
}

absl::StatusOr<v1::JobAccounting> ReadJobAccounting(const SlurmRow& row,
                                                    const v1::UsageRecord& record,
                                                    absl::TimeZone zone, TableLosses* losses) {
  v1::JobAccounting job;
  SetState(row, losses, &job);
  absl::Status read = SetExitCode(row, &job);
  read.Update(SetTimes(row, record, zone, &job));
  read.Update(SetTimeLimit(row, &job));
  read.Update(SetTotalCpu(row, &job));
  read.Update(SetRequested(row, record, &job));
  if (!read.ok()) return read;
  const absl::StatusOr<std::optional<double>> max_rss = MaxRssOf(row);
  if (!max_rss.ok()) return max_rss.status();
  if (max_rss->has_value()) job.set_max_rss(**max_rss);
  const std::string nodes = row.Text({"NodeList", "nodes"});
  if (nodes.size() > kMaxNodeListBytes) {
    losses->Add(absl::StrCat("NodeList of more than ", kMaxNodeListBytes, " bytes"), row.place());
  } else {
    job.set_node_list(nodes);
  }
  return job;
}

}  // namespace priorityd::tables
