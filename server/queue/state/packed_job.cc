#include "server/queue/state/packed_job.h"

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <utility>

#include "absl/container/inlined_vector.h"

namespace priorityd::queue {
namespace {

class Writer {
 public:
  explicit Writer(std::string* out) : out_(out) {}

  void Put(uint64_t value) {
    for (; value >= 0x80; value >>= 7) out_->push_back(static_cast<char>(value | 0x80));
    out_->push_back(static_cast<char>(value));
  }
  void Put(int64_t value) {
    Put(static_cast<uint64_t>(value) << 1 ^ static_cast<uint64_t>(value >> 63));
  }
  void Put(double number) {
    char bytes[sizeof(number)];
    std::memcpy(bytes, &number, sizeof(number));
    out_->append(bytes, sizeof(bytes));
  }
  void Put(absl::string_view text) {
    Put(uint64_t{text.size()});
    out_->append(text.data(), text.size());
  }
  void Put(absl::Time time) { Put(absl::ToUnixMicros(time)); }
  void Put(absl::Duration length) {
    // One more than any finite count encodes infinity.
    Put(length == absl::InfiniteDuration() ? INT64_MAX : absl::ToInt64Microseconds(length));
  }

 private:
  std::string* const out_;
};

class Reader {
 public:
  explicit Reader(absl::string_view in) : in_(in) {}

  void Get(uint64_t* value) {
    *value = 0;
    for (int shift = 0;; shift += 7) {
      const uint8_t byte = static_cast<uint8_t>(in_.front());
      in_.remove_prefix(1);
      *value |= uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80) return;
    }
  }
  void Get(int64_t* value) {
    uint64_t folded = 0;
    Get(&folded);
    *value = static_cast<int64_t>(folded >> 1 ^ (0 - (folded & 1)));
  }
  void Get(double* value) {
    std::memcpy(value, in_.data(), sizeof(*value));
    in_.remove_prefix(sizeof(*value));
  }
  void Get(absl::string_view* text) {
    uint64_t size = 0;
    Get(&size);
    *text = in_.substr(0, size);
    in_.remove_prefix(size);
  }
  void Get(absl::Time* time) {
    int64_t us = 0;
    Get(&us);
    *time = absl::FromUnixMicros(us);
  }
  void Get(absl::Duration* length) {
    int64_t us = 0;
    Get(&us);
    *length = us == INT64_MAX ? absl::InfiniteDuration() : absl::Microseconds(us);
  }
  template <typename Integer>
  Integer Number() {
    std::conditional_t<std::is_signed_v<Integer>, int64_t, uint64_t> value = 0;
    Get(&value);
    return static_cast<Integer>(value);
  }

 private:
  absl::string_view in_;
};

// One bit for each field that most jobs omit.
enum Present : uint32_t {
  kDependencyUnmet = 1 << 0,
  kToldUnmet = 1 << 1,
  kReservation = 1 << 2,
  kSubmit = 1 << 3,
  kEligible = 1 << 4,
  kAccrue = 1 << 5,
  kStart = 1 << 6,
  kStopped = 1 << 7,
  kEndTime = 1 << 8,
  kTimeLimit = 1 << 9,
  kAdminPriority = 1 << 10,
  kPreviousPriority = 1 << 11,
  kPreemptorSet = 1 << 12,
  kPreemptor = 1 << 13,
  kName = 1 << 14,
  kDependency = 1 << 15,
  kNumbers = 1 << 16,  // nice, site_factor, array_tasks.
  kSiteFactorAnswered = 1 << 17,
  kArrayTaskIds = 1 << 18,
  kPairPriorities = 1 << 19,
  kArrayJobId = 1 << 20,
  kArrayTaskId = 1 << 21,
  kArrayLimited = 1 << 22,
  kDependencyNever = 1 << 23,
  kDependencyUntil = 1 << 24,
};

uint64_t PresenceOf(const TrackedJob& tracked) {
  const priority::Job& job = tracked.job;
  uint64_t present = 0;
  const auto set = [&present](bool is, Present bit) {
    if (is) present |= bit;
  };
  set(job.dependency_unmet, kDependencyUnmet);
  set(tracked.told_dependency_unmet, kToldUnmet);
  set(!tracked.reservation.empty(), kReservation);
  set(job.submit_time.has_value(), kSubmit);
  set(job.eligible_time.has_value(), kEligible);
  set(job.accrue_time.has_value(), kAccrue);
  set(job.start_time.has_value(), kStart);
  set(job.accrual_stopped.has_value(), kStopped);
  set(tracked.end_time.has_value(), kEndTime);
  set(job.time_limit.has_value(), kTimeLimit);
  set(job.admin_priority.has_value(), kAdminPriority);
  set(job.previous_priority.has_value(), kPreviousPriority);
  set(job.preemptor.has_value(), kPreemptorSet);
  set(job.preemptor.value_or(false), kPreemptor);
  set(!tracked.name.empty(), kName);
  set(!tracked.dependency.empty(), kDependency);
  set(job.nice != 0 || job.site_factor != 0 || job.array_tasks != 1, kNumbers);
  set(tracked.site_factor_answered, kSiteFactorAnswered);
  set(!tracked.array_task_ids.empty(), kArrayTaskIds);
  set(!job.pair_priorities.empty(), kPairPriorities);
  set(!tracked.array_job_id.empty(), kArrayJobId);
  set(tracked.array_task_id.has_value(), kArrayTaskId);
  set(job.array_limited, kArrayLimited);
  set(job.dependency_never, kDependencyNever);
  set(job.dependency_until.has_value(), kDependencyUntil);
  return present;
}

template <typename Names>
void PutNames(Writer& writer, const Names& names) {
  writer.Put(uint64_t{names.size()});
  for (const absl::string_view name : names) writer.Put(name);
}

template <typename Names>
void GetNames(Reader& reader, Names* names) {
  uint64_t count = 0;
  for (reader.Get(&count); count > 0; --count) reader.Get(&names->emplace_back());
}

void PutTres(Writer& writer, const priority::Job& job) {
  auto tres = job.tres;
  std::sort(tres.begin(), tres.end());
  writer.Put(uint64_t{tres.size()});
  for (const auto& [name, count] : tres) {
    writer.Put(name);
    writer.Put(count);
  }
}

void GetTres(Reader& reader, priority::Job* job) {
  uint64_t count = 0;
  for (reader.Get(&count); count > 0; --count) {
    auto& tres = job->tres.emplace_back();
    reader.Get(&tres.first);
    reader.Get(&tres.second);
  }
}

void PutPairs(Writer& writer, const priority::Job& job) {
  writer.Put(uint64_t{job.pair_priorities.size()});
  for (const priority::PairPriority& pair : job.pair_priorities) {
    writer.Put(pair.partition);
    writer.Put(pair.qos);
    writer.Put(uint64_t{pair.priority});
  }
}

void GetPairs(Reader& reader, priority::Job* job) {
  uint64_t count = 0;
  for (reader.Get(&count); count > 0; --count) {
    priority::PairPriority& pair = job->pair_priorities.emplace_back();
    reader.Get(&pair.partition);
    reader.Get(&pair.qos);
    pair.priority = reader.Number<uint32_t>();
  }
}

// One field list for packing and unpacking. `visit(field, bit)` handles optional fields.
template <typename Tracked, typename Visit>
void VisitOptional(Tracked& tracked, Visit visit) {
  visit(tracked.job.submit_time, kSubmit);
  visit(tracked.job.eligible_time, kEligible);
  visit(tracked.job.accrue_time, kAccrue);
  visit(tracked.job.start_time, kStart);
  visit(tracked.job.accrual_stopped, kStopped);
  visit(tracked.end_time, kEndTime);
  visit(tracked.job.time_limit, kTimeLimit);
  visit(tracked.job.dependency_until, kDependencyUntil);
}

void PutNumbers(Writer& writer, const priority::Job& job, uint64_t present) {
  if (present & kAdminPriority) writer.Put(uint64_t{*job.admin_priority});
  if (present & kPreviousPriority) writer.Put(uint64_t{*job.previous_priority});
  if ((present & kNumbers) == 0) return;
  writer.Put(int64_t{job.nice});
  writer.Put(job.site_factor);
  writer.Put(uint64_t{job.array_tasks});
}

void GetNumbers(Reader& reader, priority::Job* job, uint64_t present) {
  if (present & kAdminPriority) job->admin_priority = reader.Number<uint32_t>();
  if (present & kPreviousPriority) job->previous_priority = reader.Number<uint32_t>();
  if ((present & kNumbers) == 0) return;
  job->nice = reader.Number<int32_t>();
  job->site_factor = reader.Number<int64_t>();
  job->array_tasks = reader.Number<uint32_t>();
}

}  // namespace

void PackJob(const TrackedJob& tracked, std::string* packed) {
  const priority::Job& job = tracked.job;
  const uint64_t present = PresenceOf(tracked);
  Writer writer(packed);
  writer.Put(present);
  for (const absl::string_view text : {job.job_id, job.user, job.account, tracked.source}) {
    writer.Put(text);
  }
  PutNames(writer, job.partitions);
  PutNames(writer, job.qos);
  writer.Put(static_cast<uint64_t>(job.state));
  writer.Put(static_cast<uint64_t>(job.hold));
  writer.Put(static_cast<uint64_t>(tracked.end));
  writer.Put(uint64_t{job.nodes});
  writer.Put(job.cpus);
  PutTres(writer, job);
  VisitOptional(tracked, [&](const auto& field, Present) {
    if (field.has_value()) writer.Put(*field);
  });
  PutNumbers(writer, job, present);
  if (present & kReservation) writer.Put(tracked.reservation);
  if (present & kName) writer.Put(tracked.name);
  if (present & kDependency) writer.Put(tracked.dependency);
  if (present & kArrayTaskIds) writer.Put(tracked.array_task_ids);
  if (present & kArrayJobId) writer.Put(tracked.array_job_id);
  if (present & kArrayTaskId) writer.Put(uint64_t{*tracked.array_task_id});
  if (present & kPairPriorities) PutPairs(writer, job);
}

std::string PackJob(const TrackedJob& job) {
  std::string packed;
  PackJob(job, &packed);
  return packed;
}

TrackedJob UnpackJob(absl::string_view packed) {
  TrackedJob tracked;
  priority::Job& job = tracked.job;
  Reader reader(packed);
  const uint64_t present = reader.Number<uint64_t>();
  for (absl::string_view* text : {&job.job_id, &job.user, &job.account, &tracked.source}) {
    reader.Get(text);
  }
  GetNames(reader, &job.partitions);
  GetNames(reader, &job.qos);
  job.state = static_cast<priority::JobState>(reader.Number<uint64_t>());
  job.hold = static_cast<priority::Hold>(reader.Number<uint64_t>());
  tracked.end = static_cast<JobEnd>(reader.Number<uint64_t>());
  job.nodes = reader.Number<uint32_t>();
  reader.Get(&job.cpus);
  GetTres(reader, &job);
  VisitOptional(tracked, [&](auto& field, Present bit) {
    if (present & bit) reader.Get(&field.emplace());
  });
  GetNumbers(reader, &job, present);
  if (present & kReservation) reader.Get(&tracked.reservation);
  if (present & kName) reader.Get(&tracked.name);
  if (present & kDependency) reader.Get(&tracked.dependency);
  if (present & kArrayTaskIds) reader.Get(&tracked.array_task_ids);
  if (present & kArrayJobId) reader.Get(&tracked.array_job_id);
  if (present & kArrayTaskId) tracked.array_task_id = reader.Number<uint32_t>();
  if (present & kPairPriorities) GetPairs(reader, &job);
  job.has_reservation = !tracked.reservation.empty();
  job.array_limited = (present & kArrayLimited) != 0;
  job.dependency_never = (present & kDependencyNever) != 0;
  job.dependency_unmet = (present & kDependencyUnmet) != 0;
  tracked.told_dependency_unmet = (present & kToldUnmet) != 0;
  tracked.site_factor_answered = (present & kSiteFactorAnswered) != 0;
  if (present & kPreemptorSet) job.preemptor = (present & kPreemptor) != 0;
  return tracked;
}

}  // namespace priorityd::queue
