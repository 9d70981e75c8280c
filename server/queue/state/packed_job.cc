#include "server/queue/state/packed_job.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "server/queue/state/job_members.h"

namespace priorityd::queue {
namespace {

class Writer {
 public:
  explicit Writer(std::string* out) : out_(out) {}

  template <typename Small>
  requires(std::is_integral_v<Small> || std::is_enum_v<Small>) void Put(Small value) {
    if constexpr (std::is_signed_v<Small>) {
      const int64_t whole = value;
      PutNumber(static_cast<uint64_t>(whole) << 1 ^ static_cast<uint64_t>(whole >> 63));
    } else {
      PutNumber(static_cast<uint64_t>(value));
    }
  }
  void Put(double number) {
    char bytes[sizeof(number)];
    std::memcpy(bytes, &number, sizeof(number));
    out_->append(bytes, sizeof(bytes));
  }
  void Put(absl::string_view text) {
    PutNumber(text.size());
    out_->append(text.data(), text.size());
  }
  void Put(absl::Time time) { Put(absl::ToUnixMicros(time)); }
  void Put(absl::Duration length) {
    // One more than any finite count encodes infinity.
    Put(length == absl::InfiniteDuration() ? INT64_MAX : absl::ToInt64Microseconds(length));
  }
  template <typename T>
  void Put(const std::optional<T>& value) {
    Put(*value);
  }
  void Put(const JobNames& names) { PutList(names); }
  void Put(JobTres tres) {
    std::sort(tres.begin(), tres.end());
    PutList(tres);
  }
  void Put(const JobTres::value_type& amount) {
    Put(amount.first);
    Put(amount.second);
  }
  void Put(const JobPairs& pairs) { PutList(pairs); }
  void Put(const priority::PairPriority& pair) {
    Put(pair.partition);
    Put(pair.qos);
    Put(pair.priority);
  }

 private:
  void PutNumber(uint64_t value) {
    for (; value >= 0x80; value >>= 7) out_->push_back(static_cast<char>(value | 0x80));
    out_->push_back(static_cast<char>(value));
  }
  template <typename List>
  void PutList(const List& list) {
    PutNumber(list.size());
    for (const auto& element : list) Put(element);
  }

  std::string* const out_;
};

class Reader {
 public:
  explicit Reader(absl::string_view in) : in_(in) {}

  uint64_t Number() {
    uint64_t value = 0;
    for (int shift = 0;; shift += 7) {
      const uint8_t byte = static_cast<uint8_t>(in_.front());
      in_.remove_prefix(1);
      value |= uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80) return value;
    }
  }
  template <typename Small>
  requires(std::is_integral_v<Small> || std::is_enum_v<Small>) void Get(Small* value) {
    uint64_t number = Number();
    if constexpr (std::is_signed_v<Small>) number = number >> 1 ^ (0 - (number & 1));
    *value = static_cast<Small>(number);
  }
  void Get(double* value) {
    std::memcpy(value, in_.data(), sizeof(*value));
    in_.remove_prefix(sizeof(*value));
  }
  void Get(absl::string_view* text) {
    const uint64_t size = Number();
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
  template <typename T>
  void Get(std::optional<T>* value) {
    Get(&value->emplace());
  }
  void Get(JobNames* names) { GetList(names); }
  void Get(JobTres* tres) { GetList(tres); }
  void Get(JobTres::value_type* amount) {
    Get(&amount->first);
    Get(&amount->second);
  }
  void Get(JobPairs* pairs) { GetList(pairs); }
  void Get(priority::PairPriority* pair) {
    Get(&pair->partition);
    Get(&pair->qos);
    Get(&pair->priority);
  }

 private:
  template <typename List>
  void GetList(List* list) {
    for (uint64_t count = Number(); count > 0; --count) Get(&list->emplace_back());
  }

  absl::string_view in_;
};

// The members that the encoding begins with a bit for, set where the job differs from an empty job;
// the values of these follow. A bool has no value: its bit says it.
template <typename Visit>
void ForEachPacked(const Visit& visit) {
  uint64_t bit = 1;
  ForEachJobMember([&](const auto& member, size_t) {
    if (member.column == nullptr) return;
    visit(member, bit);
    bit <<= 1;
  });
}

const TrackedJob& EmptyJob() {
  static const auto* const empty = new TrackedJob;
  return *empty;
}

}  // namespace

void PackJob(const TrackedJob& tracked, std::string* packed) {
  uint64_t present = 0;
  const TrackedJob& empty = EmptyJob();
  ForEachPacked([&](const auto& member, uint64_t bit) {
    if (member.Of(tracked) != member.Of(empty)) present |= bit;
  });
  Writer writer(packed);
  writer.Put(present);
  ForEachPacked([&](const auto& member, uint64_t bit) {
    const auto& value = member.Of(tracked);
    if constexpr (!std::is_same_v<decltype(value), const bool&>) {
      if ((present & bit) != 0) writer.Put(value);
    }
  });
}

std::string PackJob(const TrackedJob& job) {
  std::string packed;
  PackJob(job, &packed);
  return packed;
}

TrackedJob UnpackJob(absl::string_view packed) {
  TrackedJob tracked;
  Reader reader(packed);
  const uint64_t present = reader.Number();
  ForEachPacked([&](const auto& member, uint64_t bit) {
    auto& value = member.Of(tracked);
    if constexpr (std::is_same_v<decltype(value), bool&>) {
      value = (present & bit) != 0;
    } else {
      if ((present & bit) != 0) reader.Get(&value);
    }
  });
  return tracked;
}

}  // namespace priorityd::queue
