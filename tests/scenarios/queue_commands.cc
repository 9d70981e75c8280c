// The tracked queue: upsert, remove, sync, jobs, rank.
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "priority/v1/queue.pb.h"
#include "priority/v1/ranking.pb.h"
#include "tests/scenarios/commands.h"
#include "tests/scenarios/enum_word.h"
#include "tests/scenarios/job_line.h"
#include "tests/scenarios/proto_time.h"
#include "tests/scenarios/scenario_time.h"
#include "tests/scenarios/text_table.h"

namespace priorityd::scenarios {
namespace {

namespace v1 = ::priority::v1;

using Factors = v1::PriorityFactors;

std::string ToAnswer(const v1::JobUpdateResult& result) {
  return absl::StrCat(
      result.job_id(), " ", EnumWord(v1::UpdateOutcome_Name(result.outcome()), "UPDATE_OUTCOME_"),
      result.reason().empty() ? "" : absl::StrCat(" ", result.reason(), ": ", result.message()),
      "\n");
}

absl::StatusOr<std::string> Update(Call& call, const v1::UpdateJobsRequest& request) {
  const auto client = ClientOf(call);
  if (!client.ok()) return client.status();
  const auto response = (*client)->UpdateJobs(request);
  if (!response.ok()) return ErrorText(response.status());
  std::string answer;
  for (const auto& result : response->removals()) absl::StrAppend(&answer, ToAnswer(result));
  for (const auto& result : response->upserts()) absl::StrAppend(&answer, ToAnswer(result));
  if (request.full_sync()) {
    absl::StrAppend(&answer, "removed by sync ", response->removed_by_sync());
  }
  return answer;
}

absl::StatusOr<std::string> Upsert(Call& call) {
  v1::UpdateJobsRequest request;
  request.set_source(call.arguments.Text("source"));
  request.set_full_sync(call.step.command == "sync");
  const absl::Status read = ForEachLine(
      call, [&](Arguments& line) { ReadJob(line, call.site.now(), request.add_upserts()); });
  if (!read.ok()) return read;
  return Update(call, request);
}

absl::StatusOr<std::string> Remove(Call& call) {
  v1::UpdateJobsRequest request;
  request.add_removals(call.arguments.Word("a job_id"));
  for (std::string id = call.arguments.WordOrEmpty(); !id.empty();
       id = call.arguments.WordOrEmpty()) {
    request.add_removals(id);
  }
  return Update(call, request);
}

const std::vector<Column<v1::TrackedJob>>& JobColumns() {
  using Job = v1::TrackedJob;
  static const auto* const kColumns = new std::vector<Column<Job>>{
      {"job", [](const Job& j) { return j.job().job_id(); }},
      {"user", [](const Job& j) { return j.job().user(); }},
      {"source", [](const Job& j) { return j.source(); }},
      {"state",
       [](const Job& j) { return EnumWord(v1::JobState_Name(j.job().state()), "JOB_STATE_"); }},
      {"submit_time", [](const Job& j) { return ToText(FromProto(j.job().submit_time())); }},
      {"accrue_time",
       [](const Job& j) {
         return j.job().has_accrue_time() ? ToText(FromProto(j.job().accrue_time())) : "-";
       }},
      {"accrued",
       [](const Job& j) { return j.has_accrued() ? ToText(FromProto(j.accrued())) : "-"; }},
      {"previous_priority",
       [](const Job& j) {
         return j.job().has_previous_priority() ? absl::StrCat(j.job().previous_priority()) : "-";
       }},
      {"dependency_unmet", [](const Job& j) { return j.job().dependency_unmet() ? "yes" : "no"; }}};
  return *kColumns;
}

absl::StatusOr<std::string> Jobs(Call& call) {
  const std::vector<std::string> columns = call.arguments.List("columns");
  const auto client = ClientOf(call);
  if (!client.ok()) return client.status();
  const auto response = (*client)->ListAllJobs({});
  if (!response.ok()) return ErrorText(response.status());
  return TableOf<v1::TrackedJob>(response->jobs(), JobColumns(), columns);
}

// A row of a ranking, whether it is ranked, not eligible or running.
struct RankRow {
  uint32_t rank = 0;
  std::string job_id, partition, qos, user, account, reason, message;
  std::optional<uint32_t> priority;
  Factors factors, contributions;
};

template <typename Row>
RankRow ToRow(const Row& row) {
  RankRow result;
  result.job_id = row.job_id();
  result.partition = row.partition();
  result.qos = row.qos();
  result.user = row.user();
  result.account = row.account();
  if (row.has_priority()) result.priority = row.priority();
  result.factors = row.factors();
  result.contributions = row.contributions();
  return result;
}

// The ranked first, in start order; then those that are not eligible and the running
// ones, by job_id.
std::vector<RankRow> ToRows(const v1::RankJobsResponse& response) {
  std::vector<RankRow> rows;
  for (const auto& ranked : response.ranked()) {
    rows.push_back(ToRow(ranked));
    rows.back().rank = ranked.rank();
  }
  for (const auto& ineligible : response.ineligible()) {
    rows.push_back(ToRow(ineligible));
    rows.back().reason = ineligible.reason();
    rows.back().message = ineligible.message();
  }
  for (const auto& running : response.running()) {
    rows.push_back(ToRow(running));
    rows.back().reason = "running";
  }
  return rows;
}

// One of the nine, or tres/NAME.
std::string FactorText(const Factors& factors, absl::string_view name) {
  if (absl::ConsumePrefix(&name, "tres/")) {
    const auto tres = factors.tres().find(std::string(name));
    return tres == factors.tres().end() ? "-" : ToText(tres->second);
  }
  const auto* const field = Factors::descriptor()->FindFieldByName(std::string(name));
  return ToText(Factors::GetReflection()->GetDouble(factors, field));
}

const std::vector<Column<RankRow>>& RankColumns() {
  static const auto* const kColumns = new std::vector<Column<RankRow>>{
      {"rank", [](const RankRow& r) { return r.rank == 0 ? "-" : absl::StrCat(r.rank); }},
      {"job", [](const RankRow& r) { return r.job_id; }},
      {"partition", [](const RankRow& r) { return r.partition; }},
      {"qos", [](const RankRow& r) { return r.qos; }},
      {"user", [](const RankRow& r) { return r.user; }},
      {"account", [](const RankRow& r) { return r.account; }},
      {"priority",
       [](const RankRow& r) { return r.priority.has_value() ? absl::StrCat(*r.priority) : "-"; }},
      {"reason", [](const RankRow& r) { return r.reason; }},
      {"message", [](const RankRow& r) { return r.message; }}};
  return *kColumns;
}

// Those, and `factor.NAME` and `contribution.NAME` as far as `names` has them.
std::vector<Column<RankRow>> RankColumns(const std::vector<std::string>& names) {
  std::vector<Column<RankRow>> columns = RankColumns();
  for (const std::string& column : names) {
    absl::string_view name = column;
    const bool factor = absl::ConsumePrefix(&name, "factor.");
    if (!factor && !absl::ConsumePrefix(&name, "contribution.")) continue;
    const bool tres = absl::StartsWith(name, "tres/");
    if (!tres && Factors::descriptor()->FindFieldByName(std::string(name)) == nullptr) continue;
    columns.push_back({column, [factor, name = std::string(name)](const RankRow& row) {
                         return FactorText(factor ? row.factors : row.contributions, name);
                       }});
  }
  return columns;
}

absl::StatusOr<std::string> Rank(Call& call) {
  v1::RankJobsRequest request;
  request.mutable_tracked();
  request.set_view(v1::RANK_VIEW_FULL);
  request.set_best_only(call.arguments.Flag("best_only"));
  if (call.site.now().has_value()) ToProto(*call.site.now(), request.mutable_as_of());
  std::vector<std::string> columns = call.arguments.List("columns");
  if (columns.empty()) columns = {"rank", "job", "priority"};
  const absl::Status read = ForEachLine(call, [&](Arguments& line) {
    ReadJob(line, call.site.now(), request.mutable_jobs()->add_jobs());
  });
  if (!read.ok()) return read;
  const auto client = ClientOf(call);
  if (!client.ok()) return client.status();
  const auto response = (*client)->RankJobs(request);
  if (!response.ok()) return ErrorText(response.status());
  return TableOf<RankRow>(ToRows(*response), RankColumns(columns), columns);
}

}  // namespace

void AddQueueCommands(Commands* commands) {
  (*commands)["upsert"] = {Upsert, Input::kLines};
  (*commands)["sync"] = {Upsert, Input::kLines};
  (*commands)["remove"] = {Remove};
  (*commands)["jobs"] = {Jobs, Input::kNone, true};
  (*commands)["rank"] = {Rank, Input::kLines, true};
}

}  // namespace priorityd::scenarios
