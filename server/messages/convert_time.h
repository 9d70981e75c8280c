// Converts google.protobuf.Timestamp and Duration to and from Abseil's types.
#ifndef PRIORITYD_SERVER_MESSAGES_CONVERT_TIME_H_
#define PRIORITYD_SERVER_MESSAGES_CONVERT_TIME_H_

#include <google/protobuf/duration.pb.h>
#include <google/protobuf/timestamp.pb.h>

#include <cstdint>
#include <string>

#include "absl/time/time.h"

namespace priorityd::rpc {

// Of duration.proto: 10,000 years.
inline constexpr int64_t kMaxDurationSeconds = 315576000000;

// Whether the fields are within the ranges of timestamp.proto (years 1 to 9999)
// and duration.proto (+/-10,000 years, seconds and nanos of one sign).
bool IsValid(const google::protobuf::Timestamp& timestamp);
bool IsValid(const google::protobuf::Duration& duration);

// REQUIRES: IsValid.
absl::Time ToTime(const google::protobuf::Timestamp& timestamp);
absl::Duration ToDuration(const google::protobuf::Duration& duration);

// Times outside the years 1 to 9999 become the nearest one inside.
void ToProto(absl::Time time, google::protobuf::Timestamp* timestamp);
// Infinite durations become the longest finite one.
void ToProto(absl::Duration duration, google::protobuf::Duration* proto);

// The IANA name of a time zone. For the machine's own, which Abseil knows only as a file, the name
// comes from the target of the link `local_file`, if it is a link.
std::string ZoneName(absl::TimeZone zone, const std::string& local_file = "/etc/localtime");

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_MESSAGES_CONVERT_TIME_H_
