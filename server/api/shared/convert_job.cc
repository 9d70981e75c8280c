#include "server/api/shared/convert_job.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "engine/errors/bounds.h"
#include "engine/priority/site/tres.h"
#include "engine/slurm/words/array_task_ids.h"
#include "server/messages/convert_time.h"
#include "server/messages/view.h"
#include "server/usage/validation.h"

namespace priorityd::rpc {
namespace {

namespace v1 = ::priority::v1;

constexpr int64_t kMaxNice = 2147483645;

// The violation of a text; empty if there is none.
std::string Fault(absl::string_view field, absl::string_view text,
                  size_t most = errors::kMaxTextBytes) {
  if (text.size() > most) {
    return absl::StrCat(field, ": got ", text.size(), " bytes, want at most ", most);
  }
  if (text.empty() || std::memchr(text.data(), '\0', text.size()) == nullptr) return "";
  return absl::StrCat(field, ": got a NUL character, want text without");
}

std::string NamesViolation(absl::string_view field,
                           const google::protobuf::RepeatedPtrField<std::string>& names) {
  if (static_cast<size_t>(names.size()) > errors::kMaxPairNames) {
    return absl::StrCat(field, ": got ", names.size(), " names, want at most ",
                        errors::kMaxPairNames);
  }
  for (int i = 0; i < names.size(); ++i) {
    std::string fault = Fault("", View(names[i]));
    if (!fault.empty()) return absl::StrCat(field, "[", i, "]", fault);
  }
  return "";
}

std::string PairsViolation(const v1::Job& proto) {
  std::string fault = NamesViolation("partitions", proto.partitions());
  if (fault.empty()) fault = NamesViolation("qos", proto.qos());
  const size_t pairs = static_cast<size_t>(proto.partitions_size()) * proto.qos_size();
  if (!fault.empty() || pairs <= errors::kMaxPairsOfJob) return fault;
  return absl::StrCat("partitions: got ", pairs, " pairs with a QOS, want at most ",
                      errors::kMaxPairsOfJob);
}

std::string TextViolation(const v1::Job& proto) {
  std::string fault = Fault("job_id", View(proto.job_id()));
  if (fault.empty()) fault = Fault("user", View(proto.user()));
  if (fault.empty()) fault = Fault("account", View(proto.account()));
  if (fault.empty()) fault = Fault("reservation", View(proto.reservation()));
  if (fault.empty()) fault = Fault("name", View(proto.name()));
  if (fault.empty()) fault = Fault("array_job_id", View(proto.array_job_id()));
  if (fault.empty()) {
    fault = Fault("dependency", View(proto.dependency()), errors::kMaxExpressionBytes);
  }
  if (fault.empty()) {
    fault = Fault("array_task_ids", View(proto.array_task_ids()), errors::kMaxExpressionBytes);
  }
  if (fault.empty()) fault = PairsViolation(proto);
  if (!fault.empty()) return fault;
  if (proto.job_id().empty()) return "job_id: got none, want one unique in the cluster";
  if (proto.user().empty()) return "user: got none, want the job's user";
  return "";
}

std::optional<priority::JobState> StateOf(v1::JobState state) {
  switch (state) {
    case v1::JOB_STATE_UNSPECIFIED:
    case v1::JOB_STATE_PENDING:
      return priority::JobState::kPending;
    case v1::JOB_STATE_RUNNING:
      return priority::JobState::kRunning;
    case v1::JOB_STATE_SUSPENDED:
      return priority::JobState::kSuspended;
    default:
      return std::nullopt;
  }
}

std::optional<priority::Hold> HoldOf(v1::Hold hold) {
  switch (hold) {
    case v1::HOLD_UNSPECIFIED:
      return priority::Hold::kNone;
    case v1::HOLD_USER:
      return priority::Hold::kUser;
    case v1::HOLD_ADMIN:
      return priority::Hold::kAdmin;
    default:
      return std::nullopt;
  }
}

std::string ConvertEnums(const v1::Job& proto, bool ended_taken, priority::Job* job) {
  std::optional<priority::JobState> state = StateOf(proto.state());
  const bool ended = !state.has_value() && v1::JobState_IsValid(proto.state());
  if (ended && ended_taken) state = priority::JobState::kPending;
  if (!state.has_value()) {
    const std::string& name = v1::JobState_Name(proto.state());
    return absl::StrCat("state: got ", name.empty() ? absl::StrCat(proto.state()) : name,
                        ", want JOB_STATE_PENDING, _RUNNING or _SUSPENDED");
  }
  const std::optional<priority::Hold> hold = HoldOf(proto.hold());
  if (!hold.has_value()) {
    return absl::StrCat("hold: got ", proto.hold(), ", want HOLD_USER, HOLD_ADMIN or none");
  }
  job->state = *state;
  job->hold = *hold;
  return "";
}

std::string ConvertArray(const v1::Job& proto, priority::Job* job) {
  job->array_tasks = std::max(1u, proto.array_tasks());
  if (proto.array_task_ids().empty()) return "";
  const absl::StatusOr<uint32_t> tasks = slurm::CountArrayTasks(View(proto.array_task_ids()));
  if (!tasks.ok()) return absl::StrCat("array_task_ids: ", tasks.status().message());
  if (proto.array_tasks() != 0 && proto.array_tasks() != *tasks) {
    return absl::StrCat("array_task_ids: got ", *tasks, " of them with array_tasks ",
                        proto.array_tasks(), ", want the two to agree, or no array_tasks");
  }
  job->array_tasks = *tasks;
  return "";
}

std::string ConvertNumbers(const v1::Job& proto, priority::Job* job) {
  if (proto.nice() < -kMaxNice || proto.nice() > kMaxNice) {
    return absl::StrCat("nice: got ", proto.nice(), ", want -2147483645 to 2147483645");
  }
  if (!std::isfinite(proto.cpus()) || proto.cpus() < 0) {
    return absl::StrCat("cpus: got ", proto.cpus(), ", want a finite number of at least 0");
  }
  job->nice = static_cast<int32_t>(proto.nice());
  job->cpus = proto.cpus();
  job->nodes = proto.nodes();
  job->site_factor = proto.site_factor();
  if (proto.has_admin_priority()) job->admin_priority = proto.admin_priority();
  if (proto.has_previous_priority()) job->previous_priority = proto.previous_priority();
  if (proto.has_preemptor()) job->preemptor = proto.preemptor();
  return "";
}

// Sets `time` if `proto` is valid.
bool ConvertTime(const google::protobuf::Timestamp& proto, std::optional<absl::Time>* time) {
  if (!IsValid(proto)) return false;
  *time = ToTime(proto);
  return true;
}

}  // namespace

InlineQueue::InlineQueue(const google::protobuf::RepeatedPtrField<v1::Job>& jobs, Ended ended)
    : ended_(ended), jobs_(jobs.size()) {
  for (int i = 0; i < jobs.size(); ++i) Convert(jobs.Get(i), &jobs_[i]);
}

void InlineQueue::Convert(const v1::Job& proto, priority::Job* job) {
  job->job_id = View(proto.job_id());
  job->user = View(proto.user());
  job->account = View(proto.account());
  for (const std::string& partition : proto.partitions()) {
    job->partitions.push_back(View(partition));
  }
  for (const std::string& qos : proto.qos()) job->qos.push_back(View(qos));
  job->dependency_unmet = proto.dependency_unmet();
  job->has_reservation = !proto.reservation().empty();

  std::string violation = TextViolation(proto);
  if (violation.empty()) violation = ConvertEnums(proto, ended_ == Ended::kIsTaken, job);
  if (violation.empty()) violation = ConvertNumbers(proto, job);
  if (violation.empty()) violation = ConvertArray(proto, job);
  if (violation.empty()) violation = ConvertTimes(proto, job);
  if (violation.empty()) violation = ConvertTres(proto, job);
  if (!violation.empty()) job->violation = View(violations_.emplace_back(std::move(violation)));
}

std::string InlineQueue::ConvertTimes(const v1::Job& proto, priority::Job* job) {
  constexpr char kWant[] = ": got a time out of range, want the years 1 to 9999";
  if (proto.has_submit_time() && !ConvertTime(proto.submit_time(), &job->submit_time)) {
    return absl::StrCat("submit_time", kWant);
  }
  if (proto.has_eligible_time() && !ConvertTime(proto.eligible_time(), &job->eligible_time)) {
    return absl::StrCat("eligible_time", kWant);
  }
  if (proto.has_accrue_time() && !ConvertTime(proto.accrue_time(), &job->accrue_time)) {
    return absl::StrCat("accrue_time", kWant);
  }
  if (proto.has_start_time() && !ConvertTime(proto.start_time(), &job->start_time)) {
    return absl::StrCat("start_time", kWant);
  }
  if (!proto.has_time_limit()) return "";
  if (!IsValid(proto.time_limit()) || ToDuration(proto.time_limit()) < absl::ZeroDuration()) {
    return "time_limit: got a duration out of range, want at least 0";
  }
  job->time_limit = ToDuration(proto.time_limit());
  return "";
}

std::string InlineQueue::ConvertTres(const v1::Job& proto, priority::Job* job) {
  if (proto.tres().size() > errors::kMaxTresNames) {
    return absl::StrCat("tres: got ", proto.tres().size(), " names, want at most ",
                        errors::kMaxTresNames);
  }
  absl::InlinedVector<int, 8> seen;
  for (const auto& [name, count] : proto.tres()) {
    if (name.size() > errors::kMaxTextBytes) {
      return Fault(usage::TresField(name), View(name));
    }
    const int number = TresNumber(View(name));
    if (number < 0) {
      return absl::StrCat(usage::TresField(name), ": got an unknown type, want cpu, mem, node, ",
                          "gres/NAME, license/NAME, ...");
    }
    if (!std::isfinite(count) || count < 0) {
      return absl::StrCat(usage::TresField(name), ": got ", count,
                          ", want a finite number of at least 0");
    }
    for (int other : seen) {
      if (other == number) {
        return absl::StrCat(usage::TresField(name), ": got it twice, want it once");
      }
    }
    seen.push_back(number);
    job->tres.emplace_back(View(name), count);
  }
  return "";
}

int InlineQueue::TresNumber(absl::string_view name) {
  const auto [found, inserted] = tres_numbers_.try_emplace(name, -1);
  if (!inserted) return found->second;
  if (absl::StatusOr<std::string> canonical = priority::CanonicalTresName(name); canonical.ok()) {
    found->second =
        canonical_tres_.try_emplace(*std::move(canonical), canonical_tres_.size()).first->second;
  }
  return found->second;
}

}  // namespace priorityd::rpc
