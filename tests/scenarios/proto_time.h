// Times between absl and protobuf.
#ifndef PRIORITYD_TESTS_SCENARIOS_PROTO_TIME_H_
#define PRIORITYD_TESTS_SCENARIOS_PROTO_TIME_H_

#include "absl/time/time.h"
#include "google/protobuf/duration.pb.h"
#include "google/protobuf/timestamp.pb.h"

namespace priorityd::scenarios {

inline absl::Time FromProto(const google::protobuf::Timestamp& time) {
  return absl::FromUnixSeconds(time.seconds()) + absl::Nanoseconds(time.nanos());
}

inline absl::Duration FromProto(const google::protobuf::Duration& duration) {
  return absl::Seconds(duration.seconds()) + absl::Nanoseconds(duration.nanos());
}

inline void ToProto(absl::Time time, google::protobuf::Timestamp* proto) {
  const timespec spec = absl::ToTimespec(time);
  proto->set_seconds(spec.tv_sec);
  proto->set_nanos(static_cast<int32_t>(spec.tv_nsec));
}

inline void ToProto(absl::Duration duration, google::protobuf::Duration* proto) {
  const timespec spec = absl::ToTimespec(duration);
  proto->set_seconds(spec.tv_sec);
  proto->set_nanos(static_cast<int32_t>(spec.tv_nsec));
}

}  // namespace priorityd::scenarios

#endif  // PRIORITYD_TESTS_SCENARIOS_PROTO_TIME_H_
