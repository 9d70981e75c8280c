#include "server/transport/status.h"

#include <grpcpp/server_context.h>

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "engine/errors/error_details.h"
#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"
#include "server/configuration/moved_cluster.h"
#include "server/messages/convert_time.h"
#include "storage/database/status.h"

namespace priorityd::rpc {
namespace {

constexpr absl::Duration kDefaultRetryDelay = absl::Seconds(1);

// At most `bytes` of `text`, truncated between UTF-8 sequences.
std::string Clip(const std::string& text, size_t bytes) {
  if (text.size() <= bytes) return text;
  size_t end = bytes - 3;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return absl::StrCat(text.substr(0, end), "...");
}

std::optional<absl::Duration> RetryDelay(const absl::Status& status) {
  if (std::optional<absl::Duration> delay = errors::RetryDelayOf(status)) return delay;
  const bool transient = status.code() == absl::StatusCode::kUnavailable ||
                         status.code() == absl::StatusCode::kResourceExhausted;
  return transient ? std::optional(kDefaultRetryDelay) : std::nullopt;
}

// Adds the violations that fit; returns the number of the others.
size_t AddViolations(const std::vector<errors::FieldViolation>& violations,
                     google::rpc::Status* details) {
  constexpr size_t kEnvelopeBytes = 128;
  size_t room = kMaxDetailsBytes - details->ByteSizeLong() - kEnvelopeBytes;
  google::rpc::BadRequest fitting;
  for (const errors::FieldViolation& violation : violations) {
    google::rpc::BadRequest::FieldViolation clipped;
    clipped.set_field(Clip(violation.field, 200));
    clipped.set_description(Clip(violation.description, 300));
    const size_t size = clipped.ByteSizeLong() + 4;
    if (size > room || fitting.field_violations_size() == kMaxViolations) break;
    room -= size;
    *fitting.add_field_violations() = clipped;
  }
  details->add_details()->PackFrom(fitting);
  return violations.size() - fitting.field_violations_size();
}

std::string ReasonOf(const absl::Status& status) {
  if (storage::IsDiskFull(status)) return "DATABASE_DISK_FULL";
  if (storage::IsLockTimeout(status)) return "DATABASE_LOCKED";
  if (storage::IsClusterFrozen(status)) return "CLUSTER_MOVING";
  return errors::ReasonOf(status);
}

google::rpc::Status Details(const absl::Status& status, const std::string& message) {
  google::rpc::Status details;
  details.set_code(static_cast<int>(status.code()));
  details.set_message(message);
  google::rpc::ErrorInfo info;
  info.set_reason(ReasonOf(status));
  info.set_domain("priorityd");
  details.add_details()->PackFrom(info);
  if (const std::optional<absl::Duration> delay = RetryDelay(status)) {
    google::rpc::RetryInfo retry;
    ToProto(*delay, retry.mutable_retry_delay());
    details.add_details()->PackFrom(retry);
  }
  const std::vector<errors::FieldViolation> violations = errors::ViolationsOf(status);
  if (violations.empty()) return details;
  if (const size_t left_out = AddViolations(violations, &details); left_out > 0) {
    details.set_message(
        absl::StrCat(message, " [the details list ", violations.size() - left_out, " of them]"));
  }
  return details;
}

std::string PercentEncoded(absl::string_view text) {
  std::string encoded;
  for (const char c : text) {
    if (absl::ascii_isalnum(static_cast<unsigned char>(c)) || absl::StrContains("-._~", c)) {
      encoded.push_back(c);
    } else {
      absl::StrAppendFormat(&encoded, "%%%02X", static_cast<unsigned char>(c));
    }
  }
  return encoded;
}

}  // namespace

grpc::Status ToGrpcStatus(const absl::Status& status) {
  if (status.ok()) return grpc::Status::OK;
  std::string message = Clip(std::string(status.message()), kMaxMessageBytes);
  if (status.code() == absl::StatusCode::kInternal || status.code() == absl::StatusCode::kUnknown) {
    message = "internal error; the server's log has the details";
  }
  const google::rpc::Status details = Details(status, message);
  return grpc::Status(static_cast<grpc::StatusCode>(status.code()), details.message(),
                      details.SerializeAsString());
}

void AnnounceCell(const absl::Status& status, grpc::CallbackServerContext* context) {
  const std::string cell = configuration::CellOf(status);
  if (cell.empty()) return;
  context->AddInitialMetadata(kMovedToKey, cell);
  context->AddInitialMetadata(kMovedClusterKey,
                              PercentEncoded(configuration::MovedClusterOf(status)));
}

}  // namespace priorityd::rpc
