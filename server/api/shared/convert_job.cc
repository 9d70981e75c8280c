#include "server/api/shared/convert_job.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "engine/errors/bounds.h"
#include "engine/priority/site/tres.h"
#include "engine/slurm/words/array_task_ids.h"
#include "engine/slurm/words/file_violations.h"
#include "engine/slurm/words/hostlist.h"
#include "server/api/shared/job_amounts.h"
#include "server/messages/convert_time.h"
#include "server/messages/view.h"
#include "server/queue/state/job_members.h"
#include "server/usage/validation.h"

namespace priorityd::rpc {
namespace {

namespace v1 = ::priority::v1;

using priority::Hold;
using priority::JobState;
using queue::JobEnd;
using queue::JobNames;
using queue::JobTres;

constexpr int64_t kMaxNice = 2147483645;

constexpr std::pair<JobState, v1::JobState> kStates[] = {
    {JobState::kPending, v1::JOB_STATE_PENDING},
    {JobState::kRunning, v1::JOB_STATE_RUNNING},
    {JobState::kSuspended, v1::JOB_STATE_SUSPENDED},
    {JobState::kPending, v1::JOB_STATE_UNSPECIFIED},
};
constexpr std::pair<JobEnd, v1::JobState> kEnds[] = {
    {JobEnd::kCompleted, v1::JOB_STATE_COMPLETED}, {JobEnd::kFailed, v1::JOB_STATE_FAILED},
    {JobEnd::kTimeout, v1::JOB_STATE_TIMEOUT},     {JobEnd::kCancelled, v1::JOB_STATE_CANCELLED},
    {JobEnd::kPreempted, v1::JOB_STATE_PREEMPTED}, {JobEnd::kNodeFail, v1::JOB_STATE_NODE_FAIL},
};
constexpr std::pair<Hold, v1::Hold> kHolds[] = {
    {Hold::kNone, v1::HOLD_UNSPECIFIED},
    {Hold::kUser, v1::HOLD_USER},
    {Hold::kAdmin, v1::HOLD_ADMIN},
};

template <typename Ours, typename Theirs, size_t size>
std::optional<Ours> OursOf(const std::pair<Ours, Theirs> (&values)[size], Theirs proto) {
  for (const auto& [ours, theirs] : values) {
    if (theirs == proto) return ours;
  }
  return std::nullopt;
}

template <typename Ours, typename Theirs, size_t size>
Theirs TheirsOf(const std::pair<Ours, Theirs> (&values)[size], Ours value) {
  for (const auto& [ours, theirs] : values) {
    if (ours == value) return theirs;
  }
  return Theirs();
}

// The violation of a text; empty if there is none.
std::string TextFault(absl::string_view field, absl::string_view text,
                      size_t most = errors::kMaxTextBytes) {
  if (text.size() > most) {
    return absl::StrCat(field, ": got ", text.size(), " bytes, want at most ", most);
  }
  if (text.empty() || std::memchr(text.data(), '\0', text.size()) == nullptr) return "";
  return absl::StrCat(field, ": got a NUL character, want text without");
}

size_t MostBytes(absl::string_view field) {
  if (field == "node_list") return errors::kMaxNodeListBytes;
  const bool is_expression = field == "dependency" || field == "array_task_ids";
  return is_expression ? errors::kMaxExpressionBytes : errors::kMaxTextBytes;
}

uint32_t MostNumber(absl::string_view field) {
  const bool is_exit = field == "exit_code" || field == "exit_signal";
  return is_exit ? 65535 : std::numeric_limits<uint32_t>::max();
}

}  // namespace

// --- Reading -----------------------------------------------------------------------

// Reads the message's field of a member, if there is one.
#define PRIORITYD_READ(member, field, ...)                                      \
  if constexpr (requires { proto.has_##field(); }) {                            \
    if (proto.has_##field()) Read(#field, proto.field(), to->member.emplace()); \
  } else if constexpr (requires { proto.field(); }) {                           \
    Read(#field, proto.field(), to->member);                                    \
  }

// Reads one message.
class JobReader::Reading {
 public:
  Reading(JobReader& reader, bool takes_ended) : reader_(reader), takes_ended_(takes_ended) {}

  template <typename Proto, typename To>
  void ReadJob(const Proto& proto, To* to) {
    PRIORITYD_JOB_MEMBERS(PRIORITYD_READ, PRIORITYD_READ)
    if (to->job_id.empty()) Fault("job_id: got none, want one unique in the cluster");
    if (to->user.empty()) Fault("user: got none, want the job's user");
    CheckPairs(*to);
    CheckArray(proto, to);
  }

  template <typename Proto, typename To>
  void ReadTracked(const Proto& proto, To* to){PRIORITYD_TRACKED_MEMBERS(PRIORITYD_READ)}

  // The first one; empty = the job is valid.
  std::string violation() && {
    return std::move(violation_);
  }

 private:
  void Fault(std::string violation) {
    if (violation_.empty()) violation_ = std::move(violation);
  }

  void Read(absl::string_view field, const std::string& text, absl::string_view& member) {
    member = View(text);
    Fault(TextFault(field, member, MostBytes(field)));
    if (field == "node_list" && violation_.empty()) CheckNodes(member);
  }

  // At most slurm::kMaxHosts, counted without expanding them; Slurm prints (null) or N/A for none.
  void CheckNodes(absl::string_view node_list) {
    if (node_list.find_first_of("()/") != absl::string_view::npos) {
      return Fault(absl::StrCat("node_list: got ", slurm::Quoted(node_list),
                                ", want a hostlist: no parentheses and no slashes"));
    }
    const absl::StatusOr<int64_t> nodes = slurm::CountHosts(node_list);
    if (!nodes.ok()) Fault(absl::StrCat("node_list: ", nodes.status().message()));
  }

  void Read(absl::string_view field, const google::protobuf::RepeatedPtrField<std::string>& names,
            JobNames& member) {
    if (static_cast<size_t>(names.size()) > errors::kMaxPairNames) {
      return Fault(absl::StrCat(field, ": got ", names.size(), " names, want at most ",
                                errors::kMaxPairNames));
    }
    for (int i = 0; i < names.size(); ++i) {
      const std::string fault = TextFault("", member.emplace_back(View(names[i])));
      if (!fault.empty()) Fault(absl::StrCat(field, "[", i, "]", fault));
    }
  }

  template <typename Number>
  requires std::is_arithmetic_v<Number>
  void Read(absl::string_view, Number number, Number& member) { member = number; }

  void Read(absl::string_view field, uint32_t number, uint32_t& member) {
    member = number;
    if (number <= MostNumber(field)) return;
    Fault(absl::StrCat(field, ": got ", number, ", want 0 to ", MostNumber(field)));
  }

  void Read(absl::string_view field, double number, double& member) {
    member = number;
    const std::string fault = AmountFault("cpu", number);
    if (!fault.empty()) Fault(absl::StrCat(field, fault));
  }

  void Read(absl::string_view field, int64_t number, int32_t& member) {
    if (number < -kMaxNice || number > kMaxNice) {
      return Fault(absl::StrCat(field, ": got ", number, ", want -2147483645 to 2147483645"));
    }
    member = static_cast<int32_t>(number);
  }

  void Read(absl::string_view field, const google::protobuf::Timestamp& time, absl::Time& member) {
    if (IsValid(time)) {
      member = ToTime(time);
    } else {
      Fault(absl::StrCat(field, ": got a time out of range, want the years 1 to 9999"));
    }
  }

  void Read(absl::string_view field, const google::protobuf::Duration& length,
            absl::Duration& member) {
    if (IsValid(length) && ToDuration(length) >= absl::ZeroDuration()) {
      member = ToDuration(length);
    } else {
      Fault(absl::StrCat(field, ": got ", length.seconds(), " s and ", length.nanos(),
                         " ns, want 0 to ", kMaxDurationSeconds, " s"));
    }
  }

  void Read(absl::string_view field, v1::JobState proto, JobState& state) {
    const std::optional<JobState> known = OursOf(kStates, proto);
    state = known.value_or(JobState::kPending);
    if (known.has_value() || (takes_ended_ && OursOf(kEnds, proto).has_value())) return;
    const std::string& name = v1::JobState_Name(proto);
    Fault(absl::StrCat(field, ": got ", name.empty() ? absl::StrCat(proto) : name,
                       ", want JOB_STATE_PENDING, _RUNNING or _SUSPENDED"));
  }

  void Read(absl::string_view, v1::JobState proto, JobEnd& end) {
    end = OursOf(kEnds, proto).value_or(JobEnd::kNone);
  }

  void Read(absl::string_view field, v1::Hold proto, Hold& hold) {
    const std::optional<Hold> known = OursOf(kHolds, proto);
    hold = known.value_or(Hold::kNone);
    if (!known.has_value()) {
      Fault(absl::StrCat(field, ": got ", proto, ", want HOLD_USER, HOLD_ADMIN or none"));
    }
  }

  void Read(absl::string_view field, const google::protobuf::Map<std::string, double>& tres,
            JobTres& member) {
    if (tres.size() > errors::kMaxTresNames) {
      return Fault(absl::StrCat(field, ": got ", tres.size(), " names, want at most ",
                                errors::kMaxTresNames));
    }
    absl::InlinedVector<int, 8> seen;
    for (const auto& [name, count] : tres) {
      Fault(TresFault(name, count, seen));
      member.emplace_back(View(name), count);
    }
  }

  // `seen`: the numbers of the TRES before it; this one is added.
  std::string TresFault(const std::string& name, double count, absl::InlinedVector<int, 8>& seen) {
    if (name.size() > errors::kMaxTextBytes) return TextFault(usage::TresField(name), View(name));
    const int number = reader_.TresNumber(View(name));
    if (number < 0) {
      return absl::StrCat(usage::TresField(name), ": got an unknown type, want cpu, mem, node, ",
                          "gres/NAME, license/NAME, ...");
    }
    if (!priority::FitsTresList(View(name))) {
      return absl::StrCat(usage::TresField(name), ": ", priority::kUnfitTresName);
    }
    const std::string fault = AmountFault(View(name), count);
    if (!fault.empty()) return absl::StrCat(usage::TresField(name), fault);
    if (std::find(seen.begin(), seen.end(), number) != seen.end()) {
      return absl::StrCat(usage::TresField(name), ": got it twice, want it once");
    }
    seen.push_back(number);
    return "";
  }

  void CheckPairs(const priority::Job& job) {
    const size_t pairs = job.partitions.size() * job.qos.size();
    if (pairs <= errors::kMaxPairsOfJob) return;
    Fault(absl::StrCat("partitions: got ", pairs, " pairs with a QOS, want at most ",
                       errors::kMaxPairsOfJob));
  }

  void CheckArray(const v1::Job& proto, priority::Job* job) {
    job->array_tasks = std::max(1u, proto.array_tasks());
    if (proto.array_task_ids().empty()) return;
    const absl::string_view ids = View(proto.array_task_ids());
    const std::string fault = TextFault("array_task_ids", ids, MostBytes("array_task_ids"));
    if (!fault.empty()) return Fault(fault);
    const absl::StatusOr<uint32_t> tasks = slurm::CountArrayTasks(ids);
    if (!tasks.ok()) return Fault(absl::StrCat("array_task_ids: ", tasks.status().message()));
    if (proto.array_tasks() != 0 && proto.array_tasks() != *tasks) {
      return Fault(absl::StrCat("array_task_ids: got ", *tasks, " of them with array_tasks ",
                                proto.array_tasks(), ", want the two to agree, or no array_tasks"));
    }
    job->array_tasks = *tasks;
  }

  JobReader& reader_;
  const bool takes_ended_;
  std::string violation_;
};
#undef PRIORITYD_READ

void JobReader::Read(const v1::Job& proto, priority::Job* job) {
  Read(proto, /*takes_ended=*/false, job, &ignored_);
}

void JobReader::Read(const v1::Job& proto, queue::TrackedJob* job) {
  Read(proto, /*takes_ended=*/true, &job->job, job);
}

void JobReader::Read(const v1::Job& proto, bool takes_ended, priority::Job* job,
                     queue::TrackedJob* tracked) {
  Reading reading(*this, takes_ended);
  reading.ReadJob(proto, job);
  reading.ReadTracked(proto, tracked);
  std::string violation = std::move(reading).violation();
  if (!violation.empty()) job->violation = View(violations_.emplace_back(std::move(violation)));
}

int JobReader::TresNumber(absl::string_view name) {
  const auto [found, inserted] = tres_numbers_.try_emplace(name, -1);
  if (!inserted) return found->second;
  if (absl::StatusOr<std::string> canonical = priority::CanonicalTresName(name); canonical.ok()) {
    found->second =
        canonical_tres_.try_emplace(*std::move(canonical), canonical_tres_.size()).first->second;
  }
  return found->second;
}

InlineQueue::InlineQueue(const google::protobuf::RepeatedPtrField<v1::Job>& jobs)
    : jobs_(jobs.size()) {
  for (int i = 0; i < jobs.size(); ++i) reader_.Read(jobs.Get(i), &jobs_[i]);
}

// --- Writing -----------------------------------------------------------------------

namespace {

// The value of a member; null = the message has none.
template <typename Value>
const Value* IfSet(const Value& value) {
  return &value;
}
const absl::string_view* IfSet(const absl::string_view& text) {
  return text.empty() ? nullptr : &text;
}
template <typename Value>
const Value* IfSet(const std::optional<Value>& value) {
  return value.has_value() ? &*value : nullptr;
}

template <typename Value>
Value Simple(Value value) {
  return value;
}
v1::JobState Simple(JobState state) { return TheirsOf(kStates, state); }
v1::JobState Simple(JobEnd end) { return TheirsOf(kEnds, end); }
v1::Hold Simple(Hold hold) { return TheirsOf(kHolds, hold); }

void Fill(absl::Time time, google::protobuf::Timestamp* proto) { ToProto(time, proto); }
void Fill(absl::Duration length, google::protobuf::Duration* proto) { ToProto(length, proto); }
void Fill(absl::string_view text, std::string* proto) { proto->assign(text.data(), text.size()); }
void Fill(const JobNames& names, google::protobuf::RepeatedPtrField<std::string>* proto) {
  for (const absl::string_view name : names) Fill(name, proto->Add());
}
void Fill(const JobTres& tres, google::protobuf::Map<std::string, double>* proto) {
  for (const auto& [name, count] : tres) (*proto)[std::string(name)] = count;
}

// Sets the message's field of a member, if there is one.
#define PRIORITYD_WRITE(member, field, ...)                                             \
  if constexpr (requires { proto->mutable_##field(); }) {                               \
    if (const auto* value = IfSet(from.member)) Fill(*value, proto->mutable_##field()); \
  } else if constexpr (requires { proto->clear_##field(); }) {                          \
    if (const auto* value = IfSet(from.member)) proto->set_##field(Simple(*value));     \
  }

template <typename From, typename Proto>
void WriteJobMembers(const From& from, Proto* proto) {
  PRIORITYD_JOB_MEMBERS(PRIORITYD_WRITE, PRIORITYD_WRITE)
}

template <typename From, typename Proto>
void WriteTrackedMembers(const From& from, Proto* proto) {
  PRIORITYD_TRACKED_MEMBERS(PRIORITYD_WRITE)
}
#undef PRIORITYD_WRITE

void FillPairs(const priority::Job& job, v1::TrackedJob* proto) {
  for (const priority::PairPriority& pair : job.pair_priorities) {
    v1::PairPriority* added = proto->add_pair_priorities();
    Fill(pair.partition, added->mutable_partition());
    Fill(pair.qos, added->mutable_qos());
    added->set_priority(pair.priority);
  }
}

}  // namespace

v1::JobState StateOf(const queue::TrackedJob& job) {
  return job.ended() ? Simple(job.end) : Simple(job.job.state);
}

void ToProto(const queue::TrackedJob& tracked, v1::TrackedJob* proto) {
  const priority::Job& job = tracked.job;
  v1::Job* out = proto->mutable_job();
  // The job's dependency_unmet replaces that of the last request.
  WriteTrackedMembers(tracked, out);
  WriteJobMembers(job, out);
  if (job.array_tasks == 1) out->clear_array_tasks();
  out->set_state(StateOf(tracked));
  if (tracked.ended_at.has_value() && !out->has_end_time()) {
    ToProto(*tracked.ended_at, out->mutable_end_time());
  }
  if (job.accrue_time.has_value() && job.accrual_stopped.has_value()) {
    out->clear_accrue_time();
    ToProto(*job.accrual_stopped - *job.accrue_time, proto->mutable_accrued());
  }
  FillPairs(job, proto);
  Fill(tracked.source, proto->mutable_source());
}

}  // namespace priorityd::rpc
