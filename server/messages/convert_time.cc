#include "server/messages/convert_time.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <system_error>

namespace priorityd::rpc {
namespace {

constexpr int64_t kMinTimestampSeconds = -62135596800;  // 0001-01-01T00:00:00Z
constexpr int64_t kMaxTimestampSeconds = 253402300799;  // 9999-12-31T23:59:59Z
constexpr int32_t kNanosPerSecond = 1000000000;

}  // namespace

bool IsValid(const google::protobuf::Timestamp& timestamp) {
  return timestamp.seconds() >= kMinTimestampSeconds &&
         timestamp.seconds() <= kMaxTimestampSeconds && timestamp.nanos() >= 0 &&
         timestamp.nanos() < kNanosPerSecond;
}

bool IsValid(const google::protobuf::Duration& duration) {
  const int64_t seconds = duration.seconds();
  const int32_t nanos = duration.nanos();
  return seconds >= -kMaxDurationSeconds && seconds <= kMaxDurationSeconds &&
         nanos > -kNanosPerSecond && nanos < kNanosPerSecond && (seconds <= 0 || nanos >= 0) &&
         (seconds >= 0 || nanos <= 0);
}

absl::Time ToTime(const google::protobuf::Timestamp& timestamp) {
  return absl::FromUnixSeconds(timestamp.seconds()) + absl::Nanoseconds(timestamp.nanos());
}

absl::Duration ToDuration(const google::protobuf::Duration& duration) {
  return absl::Seconds(duration.seconds()) + absl::Nanoseconds(duration.nanos());
}

void ToProto(absl::Time time, google::protobuf::Timestamp* timestamp) {
  time = std::clamp(
      time, absl::FromUnixSeconds(kMinTimestampSeconds),
      absl::FromUnixSeconds(kMaxTimestampSeconds) + absl::Nanoseconds(kNanosPerSecond - 1));
  const int64_t seconds = absl::ToUnixSeconds(time);
  timestamp->set_seconds(seconds);
  timestamp->set_nanos(
      static_cast<int32_t>(absl::ToInt64Nanoseconds(time - absl::FromUnixSeconds(seconds))));
}

void ToProto(absl::Duration duration, google::protobuf::Duration* proto) {
  duration =
      std::clamp(duration, -absl::Seconds(kMaxDurationSeconds), absl::Seconds(kMaxDurationSeconds));
  absl::Duration rest = duration;
  proto->set_seconds(absl::IDivDuration(duration, absl::Seconds(1), &rest));
  proto->set_nanos(static_cast<int32_t>(absl::ToInt64Nanoseconds(rest)));
}

std::string ZoneName(absl::TimeZone zone, const std::string& local_file) {
  std::string name = zone.name();
  if (name != local_file) return name;
  std::error_code not_a_link;
  const std::string target = std::filesystem::read_symlink(local_file, not_a_link).string();
  constexpr char kFolder[] = "/zoneinfo/";
  const size_t folder = target.find(kFolder);
  return folder == std::string::npos ? name : target.substr(folder + sizeof(kFolder) - 1);
}

}  // namespace priorityd::rpc
