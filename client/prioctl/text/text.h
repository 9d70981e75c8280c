// Times, durations and numbers as text for people.
#ifndef PRIORITYD_CLIENT_PRIOCTL_TEXT_TEXT_H_
#define PRIORITYD_CLIENT_PRIOCTL_TEXT_TEXT_H_

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "client/timestamp.h"
#include "engine/numbers/number_text.h"
#include "google/protobuf/duration.pb.h"
#include "google/protobuf/repeated_field.h"
#include "google/protobuf/timestamp.pb.h"
#include "priority/v1/share.pb.h"
#include "priority/v1/snapshot.pb.h"

namespace priorityd::prioctl {

// `2026-11-20T13:07:11` in this machine's time zone, as Slurm's tools print it; `never` for a field
// that is not set: pass has_... of its message. --json has all of it.
std::string TimeText(const google::protobuf::Timestamp& time, bool is_set = true);
// The same in `zone`.
std::string TimeText(const google::protobuf::Timestamp& time, absl::TimeZone zone,
                     bool is_set = true);

// A sentence of the service with its times as TimeText writes them: the service writes RFC 3339.
std::string SentenceText(absl::string_view sentence);

// As in slurm.conf: `7-00:00:00`, `00:05:00`.
std::string DurationText(const google::protobuf::Duration& duration);

// With commas between thousands: 1,109,000.
std::string CountText(int64_t count);
// The same of the whole part of an amount, which may have more digits than 64 bits hold.
std::string AmountText(double amount);
// `1,234.5`: rounded to hundredths.
std::string HundredthsText(double amount);

// `1 job`, `1,109 jobs`.
std::string CountedText(int64_t count, const std::string& one);

using numbers::NumberText;

// Of an association in the Fair Tree: `inf` where nothing was used, `-` where there is none.
std::string LevelFsText(const ::priority::v1::AssociationShare& share);

// `cluster orc, generation 3, computed at ..., policy version 1`; and since when the service has
// not reached its database, if it does not.
std::string SnapshotText(const ::priority::v1::Snapshot& snapshot,
                         absl::TimeZone zone = absl::LocalTimeZone());

// `; STALE: the service has not reached its database for 00:01:15`; empty where it does.
std::string StaleText(const ::priority::v1::Snapshot& snapshot);

// Each on a line of its own: `warning: ...`.
std::string WarningLines(const google::protobuf::RepeatedPtrField<std::string>& warnings);
// The first so many of them as `lost: ...`.
std::string LossAndWarningLines(const google::protobuf::RepeatedPtrField<std::string>& warnings,
                                int64_t losses);

// Prints each as `lost: ...`. INVALID_ARGUMENT with the first where there are any and `strict`.
absl::Status ReportLosses(const std::vector<std::string>& losses, bool strict, std::ostream& err);

using client::ToTimestamp;

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_TEXT_TEXT_H_
