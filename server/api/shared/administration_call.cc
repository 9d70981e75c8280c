#include "server/api/shared/administration_call.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "engine/errors/error_details.h"
#include "engine/priority/site/microseconds.h"
#include "server/api/shared/convert_change.h"
#include "server/messages/convert_time.h"

namespace priorityd::rpc {
namespace {

namespace v1 = ::priority::v1;

constexpr int kMaxLeaseYears = 10;

absl::Status BadTerm(const char* field, absl::Time got, const std::string& want,
                     absl::TimeZone zone) {
  return errors::BadRequestError(
      "INVALID_FIELD",
      {{field, absl::StrCat("got ", absl::FormatTime(absl::RFC3339_sec, got, zone), ", want ",
                            want)}});
}

absl::Time YearsAfter(absl::Time time, int years, absl::TimeZone zone) {
  const absl::CivilSecond civil = zone.At(time).cs;
  return absl::FromCivil(absl::CivilSecond(civil.year() + years, civil.month(), civil.day(),
                                           civil.hour(), civil.minute(), civil.second()),
                         zone);
}

absl::Status CheckTerm(absl::Time begin, absl::Time until, const administration::ChangeFrame& frame) {
  if (until <= frame.time) {
    return BadTerm("options.until", until,
                   absl::StrCat("a time after ",
                                absl::FormatTime(absl::RFC3339_sec, frame.time, frame.zone)),
                   frame.zone);
  }
  if (until > YearsAfter(frame.time, kMaxLeaseYears, frame.zone)) {
    return BadTerm("options.until", until, absl::StrCat("at most ", kMaxLeaseYears, " years ahead"),
                   frame.zone);
  }
  if (begin >= until) return BadTerm("options.from", begin, "a time before options.until", frame.zone);
  return absl::OkStatus();
}

}  // namespace

absl::Time ClockOf(const AdministrationCall& call) {
  const auto snapshot = call.registry.Find(call.cluster);
  const bool is_manual =
      snapshot.ok() && (*snapshot)->policy().clock == priority::ClockMode::kManual;
  return is_manual ? (*snapshot)->computed_at() : priority::CutToMicroseconds(call.now);
}

administration::ChangeFrame FrameOf(const AdministrationCall& call,
                                    const v1::ChangeOptions& options) {
  administration::ChangeFrame frame;
  frame.cluster = call.cluster;
  frame.action = std::string(authorization::NameOf(call.rpc));
  frame.etag = options.etag();
  frame.comment = options.comment();
  frame.context = {call.caller.ToString(), call.now, options.validate_only()};
  frame.time = ClockOf(call);
  const auto snapshot = call.registry.Find(call.cluster);
  if (snapshot.ok()) frame.zone = (*snapshot)->policy().time_zone;
  return frame;
}

absl::StatusOr<administration::ChangeFrame> FrameOf(
    const AdministrationCall& call, const v1::ChangeOptions& options, const char* kind,
    const google::protobuf::RepeatedPtrField<v1::Setting>& settings) {
  administration::ChangeFrame frame = FrameOf(call, options);
  if (!options.has_until()) return frame;
  // Without a snapshot, a manual clock has no time.
  const auto snapshot = call.registry.Find(call.cluster);
  if (!snapshot.ok()) return snapshot.status();
  const absl::Time from = options.has_from() ? ToTime(options.from()) : frame.time;
  const absl::Time begin = std::max(frame.time, priority::CutToMicroseconds(from));
  const absl::Time until = priority::CutToMicroseconds(ToTime(options.until()));
  if (absl::Status s = CheckTerm(begin, until, frame); !s.ok()) return s;
  frame.lease = administration::LeaseTerm{
      .kind = kind, .settings = ToSettings(settings), .begin = begin, .end = until};
  return frame;
}

absl::Status Answer(const AdministrationCall& call, const v1::ChangeOptions& options,
                    const absl::StatusOr<administration::ChangeResult>& result,
                    v1::ChangeResponse* response) {
  if (!result.ok()) return result.status();
  ToProto(*result, response);
  if (!result->list.counts().changed() || options.validate_only()) return absl::OkStatus();
  PutInForce(call.loop, call.cluster, recalculation::RecalculationLoop::Pace::kSoon, response);
  return absl::OkStatus();
}

}  // namespace priorityd::rpc
