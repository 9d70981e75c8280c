#include "client/prioctl/jobs/squeue_fields.h"

#include <pwd.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "client/prioctl/jobs/format_text.h"
#include "client/prioctl/jobs/job_text.h"
#include "engine/numbers/number_text.h"
#include "engine/slurm/words/closest_word.h"

namespace priorityd::jobs {
namespace {

namespace v1 = ::priority::v1;

using Row = SqueueRow;

constexpr char kNull[] = "(null)";
constexpr char kNone[] = "N/A";

const v1::Job& JobOf(const Row& row) { return row.job.job(); }
bool Pending(const Row& row) { return JobOf(row).state() == v1::JOB_STATE_PENDING; }

std::string JobId(const Row& row) { return IdText(JobOf(row)); }
std::string PlainId(const Row& row) { return JobOf(row).job_id(); }
std::string ArrayId(const Row& row) { return ArrayIdText(JobOf(row)); }
std::string Task(const Row& row) { return TaskText(JobOf(row), kNone); }
std::string Partition(const Row& row) { return absl::StrJoin(JobOf(row).partitions(), ","); }
std::string Name(const Row& row) { return JobOf(row).name(); }
std::string User(const Row& row) { return JobOf(row).user(); }
std::string UserId(const Row& row) {
  const passwd* entry = getpwnam(JobOf(row).user().c_str());
  return entry == nullptr ? kNone : absl::StrCat(entry->pw_uid);
}
std::string Account(const Row& row) { return JobOf(row).account(); }
std::string Qos(const Row& row) { return absl::StrJoin(JobOf(row).qos(), ","); }
std::string State(const Row& row) { return StateText(JobOf(row).state()); }
std::string ShortState(const Row& row) { return ShortStateText(JobOf(row).state()); }
std::string Reason(const Row& row) {
  const bool is_planned = row.planned.has_value() && !row.planned->reason().empty();
  return is_planned ? row.planned->reason() : ReasonText(row.job);
}
std::string NodeList(const Row& row) { return JobOf(row).node_list(); }
std::string NodesOrReason(const Row& row) {
  const v1::JobState state = JobOf(row).state();
  const bool failed = state == v1::JOB_STATE_FAILED || state == v1::JOB_STATE_TIMEOUT;
  return Pending(row) || failed ? absl::StrCat("(", Reason(row), ")") : NodeList(row);
}
std::string PlannedNodes(const Row& row) {
  if (!row.planned.has_value() || row.planned->nodes().empty()) return kNull;
  return absl::StrJoin(row.planned->nodes(), ",");
}
std::string Priority(const Row& row) {
  return absl::StrFormat("%.14f", row.job.priority() / 4294967295.0);
}
std::string LongPriority(const Row& row) { return absl::StrCat(row.job.priority()); }
std::string Place(const Row& row) {
  return row.job.rank() == 0 ? kNone : absl::StrCat(row.job.rank());
}

absl::Duration TimeLimitOf(const Row& row) {
  return JobOf(row).has_time_limit() ? ToDuration(JobOf(row).time_limit())
                                     : absl::InfiniteDuration();
}
absl::Duration TimeLeftOf(const Row& row) {
  return TimeLimitOf(row) - RunTime(JobOf(row), row.now);
}
std::string LimitText(absl::Duration limit, const Row& row) {
  return JobOf(row).has_time_limit() ? ShortDurationText(limit) : kNone;
}
std::string TimeUsed(const Row& row) { return ShortDurationText(RunTime(JobOf(row), row.now)); }
std::string TimeLimit(const Row& row) { return LimitText(TimeLimitOf(row), row); }
std::string TimeLeft(const Row& row) { return LimitText(TimeLeftOf(row), row); }

// The start of a job, actual or by the plan; otherwise its earliest begin, if that is known.
std::string StartTime(const Row& row) {
  const v1::Job& job = JobOf(row);
  if (!Pending(row)) return TimeText(job.start_time(), job.has_start_time(), kNone);
  if (row.planned.has_value()) {
    return TimeText(row.planned->expected_start(), row.planned->has_expected_start(), kNone);
  }
  const bool later = job.has_eligible_time() && ToTime(job.eligible_time()) > row.now;
  return TimeText(job.eligible_time(), later, kNone);
}
std::string EndTime(const Row& row) {
  const std::optional<absl::Time> end = EndOf(JobOf(row));
  if (!end.has_value()) return kNone;
  return absl::FormatTime("%Y-%m-%dT%H:%M:%S", *end, absl::LocalTimeZone());
}
// `at` picks a time of the forecast.
using IntervalTime = const google::protobuf::Timestamp& (v1::StartInterval::*)() const;
template <IntervalTime at>
std::string ForecastTime(const Row& row) {
  return TimeText((row.job.start_interval().*at)(), row.job.has_start_interval(), kNone);
}

std::string SubmitTime(const Row& row) {
  return TimeText(JobOf(row).submit_time(), JobOf(row).has_submit_time(), kNone);
}
std::string EligibleTime(const Row& row) {
  const v1::Job& job = JobOf(row);
  return job.has_eligible_time() ? TimeText(job.eligible_time(), true, kNone) : SubmitTime(row);
}
std::string AccrueTime(const Row& row) {
  return TimeText(JobOf(row).accrue_time(), JobOf(row).has_accrue_time(), kNone);
}

std::string Nodes(const Row& row) { return absl::StrCat(NodesOf(JobOf(row))); }
std::string Cpus(const Row& row) { return numbers::NumberText(CpusOf(JobOf(row))); }
std::string Memory(const Row& row) {
  const auto found = JobOf(row).tres().find("mem");
  return found == JobOf(row).tres().end() ? "0" : MemoryText(found->second);
}
std::string Tres(const Row& row) { return TresText(JobOf(row)); }
// Of TRES of one kind such as gres/gpu=1: `gpu:1`.
std::string TresOfKind(const Row& row, absl::string_view kind) {
  std::vector<std::string> texts;
  const v1::Job& job = JobOf(row);
  for (const auto& [name, count] : job.tres()) {
    if (absl::StartsWith(name, kind)) {
      texts.push_back(absl::StrCat(name.substr(kind.size()), ":", numbers::NumberText(count)));
    }
  }
  std::sort(texts.begin(), texts.end());
  return absl::StrJoin(texts, ",");
}
std::string Gres(const Row& row) {
  const std::string gres = TresOfKind(row, "gres/");
  return gres.empty() ? kNone : absl::StrCat("gres:", gres);
}
std::string Licenses(const Row& row) {
  const std::string licenses = TresOfKind(row, "license/");
  return licenses.empty() ? kNull : licenses;
}
std::string Nice(const Row& row) { return absl::StrCat(JobOf(row).nice()); }
std::string Dependency(const Row& row) { return DependencyText(row.job); }
std::string Reservation(const Row& row) {
  return JobOf(row).reservation().empty() ? kNull : JobOf(row).reservation();
}
// Values that a frontend does not report.
std::string Null(const Row&) { return kNull; }
std::string None(const Row&) { return kNone; }
std::string Blank(const Row&) { return ""; }
std::string Any(const Row&) { return "*"; }

double IdNumber(const Row& row) {
  double number = 0;
  return absl::SimpleAtod(ArrayIdText(JobOf(row)), &number) ? number : 0;
}
double StateNumber(const Row& row) { return JobOf(row).state(); }
double PriorityNumber(const Row& row) { return row.job.priority(); }
double PlaceNumber(const Row& row) { return row.job.rank() == 0 ? 1e18 : row.job.rank(); }
double NodesNumber(const Row& row) { return NodesOf(JobOf(row)); }
double CpusNumber(const Row& row) { return CpusOf(JobOf(row)); }
double NiceNumber(const Row& row) { return static_cast<double>(JobOf(row).nice()); }
double LimitNumber(const Row& row) { return absl::ToDoubleSeconds(TimeLimitOf(row)); }
double LeftNumber(const Row& row) { return absl::ToDoubleSeconds(TimeLeftOf(row)); }
double UsedNumber(const Row& row) { return absl::ToDoubleSeconds(RunTime(JobOf(row), row.now)); }

constexpr const char* kForecastFields[] = {"forecastearliest", "forecastmedian", "forecastlatest"};

constexpr SqueueField kFields[] = {
    {'i', "jobarrayid", "JOBID", JobId, IdNumber},
    {'A', "jobid", "JOBID", PlainId, IdNumber},
    {'F', "arrayjobid", "ARRAY_JOB_ID", ArrayId, IdNumber},
    {'K', "arraytaskid", "ARRAY_TASK_ID", Task, nullptr},
    {'P', "partition", "PARTITION", Partition, nullptr},
    {'j', "name", "NAME", Name, nullptr},
    {'u', "username", "USER", User, nullptr},
    {'U', "userid", "UID", UserId, nullptr},
    {'a', "account", "ACCOUNT", Account, nullptr},
    {'q', "qos", "QOS", Qos, nullptr},
    {'t', "statecompact", "ST", ShortState, StateNumber},
    {'T', "state", "STATE", State, StateNumber},
    {'r', "reason", "REASON", Reason, nullptr},
    {'R', "reasonlist", "NODELIST(REASON)", NodesOrReason, nullptr},
    {'p', "priority", "PRIORITY", Priority, PriorityNumber},
    {'Q', "prioritylong", "PRIORITY", LongPriority, PriorityNumber},
    {0, "place", "PLACE", Place, PlaceNumber},
    {'M', "timeused", "TIME", TimeUsed, UsedNumber},
    {'l', "timelimit", "TIME_LIMIT", TimeLimit, LimitNumber},
    {'L', "timeleft", "TIME_LEFT", TimeLeft, LeftNumber},
    {'S', "starttime", "START_TIME", StartTime, nullptr},
    {'e', "endtime", "END_TIME", EndTime, nullptr},
    {0, kForecastFields[0], "EARLIEST", ForecastTime<&v1::StartInterval::q10_time>, nullptr},
    {0, kForecastFields[1], "HALF_BY", ForecastTime<&v1::StartInterval::q50_time>, nullptr},
    {0, kForecastFields[2], "LATEST", ForecastTime<&v1::StartInterval::q90_time>, nullptr},
    {'V', "submittime", "SUBMIT_TIME", SubmitTime, nullptr},
    {0, "eligibletime", "ELIGIBLE_TIME", EligibleTime, nullptr},
    {0, "accruetime", "ACCRUE_TIME", AccrueTime, nullptr},
    {'D', "numnodes", "NODES", Nodes, NodesNumber},
    {'C', "numcpus", "CPUS", Cpus, CpusNumber},
    {'m', "minmemory", "MIN_MEMORY", Memory, nullptr},
    {0, "tres-alloc", "TRES_ALLOC", Tres, nullptr},
    {'b', "tres-per-node", "TRES_PER_NODE", Gres, nullptr},
    {'W', "licenses", "LICENSES", Licenses, nullptr},
    {'y', "nice", "NICE", Nice, NiceNumber},
    {'E', "dependency", "DEPENDENCY", Dependency, nullptr},
    {'v', "reservation", "RESERVATION", Reservation, nullptr},
    {'N', "nodelist", "NODELIST", NodeList, nullptr},
    {'n', "reqnodes", "REQ_NODES", Blank, nullptr},
    {'x', "excnodes", "EXC_NODES", Blank, nullptr},
    {'Y', "schednodes", "SCHEDNODES", PlannedNodes, nullptr},
    {'k', "comment", "COMMENT", Null, nullptr},
    {'f', "feature", "FEATURES", Null, nullptr},
    {'o', "command", "COMMAND", Null, nullptr},
    {'w', "wckey", "WCKEY", Null, nullptr},
    {'B', "exec_host", "EXEC_HOST", None, nullptr},
    {'X', "corespec", "CORE_SPEC", None, nullptr},
    {'z', "sct", "S:C:T", Any, nullptr},
};

const char* Letters() { return "iAFKPjuUaqtTrRpQMlLSeVDCmbWyEvNnxYkfowBXz"; }

int Compare(const SqueueField& field, const Row& a, const Row& b) {
  if (field.number != nullptr) {
    const double x = field.number(a), y = field.number(b);
    return x < y ? -1 : x > y;
  }
  return field.text(a).compare(field.text(b));
}

bool IsDuration(const SqueueField& field) {
  return absl::string_view("MlL").find(field.letter) != absl::string_view::npos;
}

// squeue prints durations whole, however wide their column is.
std::string WholeCell(const SqueueColumn& column, const std::string& text) {
  return absl::StrFormat("%*s", column.right ? column.width : -column.width, text);
}

}  // namespace

bool NeedsForecast(const SqueueField& field) {
  return absl::c_any_of(kForecastFields, [&](const char* name) { return field.name == name; });
}

const SqueueField* FindField(char letter) {
  const auto* found = std::find_if(std::begin(kFields), std::end(kFields),
                                   [&](const SqueueField& f) { return f.letter == letter; });
  return letter == 0 || found == std::end(kFields) ? nullptr : found;
}

const SqueueField* FindField(absl::string_view name) {
  const auto* found = std::find_if(std::begin(kFields), std::end(kFields), [&](const auto& f) {
    return absl::EqualsIgnoreCase(f.name, name);
  });
  return found == std::end(kFields) ? nullptr : found;
}

absl::StatusOr<std::vector<SqueueColumn>> ParseFormat(absl::string_view format) {
  std::vector<SqueueColumn> columns;
  for (FormatPart& part : SplitFormat(format)) {
    columns.push_back({std::move(part.text), FindField(part.letter), part.width, part.right});
    if (columns.back().field != nullptr || part.letter == 0) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "--format: got field ", std::string(1, part.letter), ", want one of ", Letters()));
  }
  return columns;
}

absl::StatusOr<std::vector<SqueueColumn>> ParseLongFormat(absl::string_view format) {
  std::vector<SqueueColumn> columns;
  const std::vector<FormatPart> parts = SplitLongFormat(format);
  for (size_t i = 0; i < parts.size(); ++i) {
    const FormatPart& part = parts[i];
    const bool is_end = i + 1 == parts.size();
    columns.push_back({part.text, is_end ? nullptr : FindField(part.name), part.width, part.right});
    if (columns.back().field != nullptr || is_end) continue;
    std::vector<std::string> names;
    for (const SqueueField& field : kFields) names.emplace_back(field.name);
    return absl::InvalidArgumentError(absl::StrCat("--Format: got field \"", part.name, "\"",
                                                   slurm::WantOneOf(part.name, names)));
  }
  return columns;
}

std::string Line(const std::vector<SqueueColumn>& columns, const SqueueRow* row) {
  std::string line;
  for (const SqueueColumn& column : columns) {
    line += column.text;
    if (column.field == nullptr) continue;
    const std::string text =
        row == nullptr ? column.field->heading : Visible(column.field->text(*row));
    line += row != nullptr && IsDuration(*column.field) ? WholeCell(column, text)
                                                        : Cell(text, column.width, column.right);
  }
  return line;
}

absl::Status SortRows(absl::string_view keys, std::vector<SqueueRow>* rows) {
  std::vector<std::pair<const SqueueField*, int>> wanted;
  for (absl::string_view key : absl::StrSplit(keys, ',')) {
    const int sign = absl::ConsumePrefix(&key, "-") ? -1 : 1;
    absl::ConsumePrefix(&key, "+");
    const SqueueField* field = key.size() == 1 ? FindField(key.front()) : FindField(key);
    if (field == nullptr) {
      return absl::InvalidArgumentError(
          absl::StrCat("--sort: got \"", key, "\", want letters of ", Letters()));
    }
    wanted.emplace_back(field, sign);
  }
  std::stable_sort(rows->begin(), rows->end(), [&](const SqueueRow& a, const SqueueRow& b) {
    for (const auto& [field, sign] : wanted) {
      const int order = sign * Compare(*field, a, b);
      if (order != 0) return order < 0;
    }
    return false;
  });
  return absl::OkStatus();
}

}  // namespace priorityd::jobs
