// Forecasts of starts: jobs that waited, and a backtest of the ledger.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "client/prioctl/forecast/recorded_jobs.h"
#include "client/prioctl/replay/ledger_history.h"
#include "engine/forecast/backtest.h"
#include "engine/forecast/score.h"
#include "priority/v1/usage.pb.h"
#include "tests/scenarios/commands.h"
#include "tests/scenarios/proto_time.h"
#include "tests/scenarios/text_table.h"

namespace priorityd::scenarios {
namespace {

namespace v1 = ::priority::v1;

constexpr int64_t kMostRecords = 10'000;

// Jobs that are alike; the one after another waits longer by `more`.
void ReadAlike(const Call& call, Arguments& line, v1::RecordUsageRequest* request) {
  const std::pair<std::string, std::string> ends =
      absl::StrSplit(line.Word("FIRST..LAST"), absl::MaxSplits("..", 1));
  int64_t first = 0, last = -1;
  const bool is_range =
      absl::SimpleAtoi(ends.first, &first) && absl::SimpleAtoi(ends.second, &last);
  v1::UsageRecord alike;
  alike.set_source("collector");
  alike.set_user(line.Text("user"));
  alike.set_partition(line.Text("partition"));
  absl::Time submit = line.Time("submit", call.site.now());
  const absl::Duration every = line.Duration("every");
  absl::Duration wait = line.Duration("wait");
  const absl::Duration more = line.Duration("more");
  const absl::Duration run = line.Duration("run");
  if (line.Has("limit")) ToProto(line.Duration("limit"), alike.mutable_job()->mutable_time_limit());
  for (const auto& [name, count] : line.Tres()) (*alike.mutable_tres())[name] = count;
  for (int64_t job = first; is_range && job <= last; ++job, submit += every, wait += more) {
    v1::UsageRecord& record = *request->add_records() = alike;
    record.set_record_id(absl::StrCat(job));
    record.set_job_id(absl::StrCat(job));
    ToProto(submit, record.mutable_job()->mutable_submit_time());
    ToProto(submit, record.mutable_job()->mutable_eligible_time());
    ToProto(submit + wait, record.mutable_start_time());
    ToProto(submit + wait + run, record.mutable_end_time());
  }
}

absl::StatusOr<std::string> History(Call& call) {
  v1::RecordUsageRequest request;
  const absl::Status read =
      ForEachLine(call, [&](Arguments& line) { ReadAlike(call, line, &request); });
  if (!read.ok()) return read;
  const auto client = ClientOf(call);
  if (!client.ok()) return client.status();
  const auto response = (*client)->RecordUsage(request);
  if (!response.ok()) return ErrorText(response.status());
  const auto accepted = absl::c_count_if(response->results(), [](const auto& result) {
    return result.status() == v1::USAGE_RECORD_STATUS_ACCEPTED;
  });
  return absl::StrCat(accepted, " of ", request.records_size(), " ACCEPTED\n");
}

struct Row {
  const forecast::RecordedJob* job;
  const forecast::BacktestLine* line;
};

std::string SourceText(forecast::Source source) {
  switch (source) {
    case forecast::Source::kNothing:
      return "nothing";
    case forecast::Source::kTable:
      return "table";
    case forecast::Source::kForest:
      return "forest";
  }
  return "?";
}

// Seconds after the submission; a quantile is rounded to a tenth, as in the JSON of prioctl.
const std::vector<Column<Row>>& RowColumns() {
  static const auto* const kColumns = [] {
    auto* columns = new std::vector<Column<Row>>{
        {"job", [](const Row& r) { return r.job->job.id; }},
        {"source", [](const Row& r) { return SourceText(r.line->source); }},
        {"wait", [](const Row& r) {
           return ToText(static_cast<double>(*r.job->start - r.job->job.submit_time));
         }}};
    for (size_t i = 0; i < forecast::kLevels.size(); ++i) {
      columns->push_back({absl::StrCat("q", 100 * forecast::kLevels[i]),
                          [i](const Row& r) { return absl::StrFormat("%.1f", r.line->waits[i]); }});
    }
    return columns;
  }();
  return *kColumns;
}

// As `prioctl forecast backtest --ledger`.
absl::StatusOr<std::string> Backtest(Call& call) {
  const std::vector<std::string> columns = call.arguments.List("columns");
  const std::vector<std::string> jobs = call.arguments.List("jobs");
  const auto client = ClientOf(call);
  if (!client.ok()) return client.status();
  const auto records = (*client)->ListAllUsageRecords({}, kMostRecords);
  if (!records.ok()) return ErrorText(records.status());
  std::vector<std::string> notes;
  const prioctl::RecordedJobs recorded =
      prioctl::RecordedJobsOf(replay::LedgerHistory(*records, &notes));
  const auto lines = forecast::Backtest(recorded.jobs, {.capacity = recorded.cpus});
  std::vector<Row> rows;
  for (const forecast::BacktestLine& line : lines) {
    const forecast::RecordedJob& job = recorded.jobs[line.job];
    if (absl::c_linear_search(jobs, job.job.id)) rows.push_back({&job, &line});
  }
  return TableOf<Row>(rows, RowColumns(), columns);
}

}  // namespace

void AddForecastCommands(Commands* commands) {
  (*commands)["history"] = {History, Input::kLines};
  (*commands)["backtest"] = {Backtest, Input::kNone, true};
}

}  // namespace priorityd::scenarios
