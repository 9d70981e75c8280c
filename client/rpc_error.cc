#include "client/rpc_error.h"

#include "absl/strings/cord.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"

namespace priorityd::client {
namespace {

// A line with more violations is too long to read.
constexpr int kMostViolations = 4;

// The detail of this type, if the status has a readable one.
template <typename Detail>
std::optional<Detail> FindDetail(const absl::Status& status) {
  const auto payload =
      status.GetPayload(absl::StrCat("type.googleapis.com/", Detail::descriptor()->full_name()));
  if (!payload.has_value()) return std::nullopt;
  Detail detail;
  if (!detail.ParseFromString(std::string(*payload))) return std::nullopt;
  return detail;
}

}  // namespace

absl::Status FromGrpc(const grpc::Status& status) {
  if (status.ok()) return absl::OkStatus();
  if (status.error_code() == grpc::StatusCode::CANCELLED) {
    return absl::UnavailableError("the service ended the call: it stops");
  }
  absl::Status result(static_cast<absl::StatusCode>(status.error_code()), status.error_message());
  google::rpc::Status rich;
  if (!rich.ParseFromString(status.error_details())) return result;
  for (const google::protobuf::Any& detail : rich.details()) {
    result.SetPayload(detail.type_url(), absl::Cord(detail.value()));
  }
  return result;
}

std::vector<Violation> Violations(const absl::Status& status) {
  std::vector<Violation> violations;
  const auto bad_request = FindDetail<google::rpc::BadRequest>(status);
  if (!bad_request.has_value()) return violations;
  for (const auto& violation : bad_request->field_violations()) {
    violations.push_back({violation.field(), violation.description()});
  }
  return violations;
}

std::string Reason(const absl::Status& status) {
  const auto info = FindDetail<google::rpc::ErrorInfo>(status);
  return info.has_value() ? info->reason() : "";
}

absl::Status Retold(const absl::Status& status, absl::string_view text) {
  absl::Status retold(status.code(), text);
  status.ForEachPayload([&](absl::string_view type, const absl::Cord& payload) {
    if (!absl::EndsWith(type, google::rpc::BadRequest::descriptor()->full_name())) {
      retold.SetPayload(type, payload);
    }
  });
  return retold;
}

bool IsProofExpired(const absl::Status& status) {
  return absl::IsUnauthenticated(status) && Reason(status) == "TOKEN_EXPIRED";
}

std::optional<absl::Duration> RetryDelay(const absl::Status& status) {
  const auto retry = FindDetail<google::rpc::RetryInfo>(status);
  if (!retry.has_value()) return std::nullopt;
  return absl::Seconds(retry->retry_delay().seconds()) +
         absl::Nanoseconds(retry->retry_delay().nanos());
}

std::string Describe(const absl::Status& status) {
  std::string text(status.message());
  if (text.empty()) text = absl::StatusCodeToString(status.code());
  int shown = 0;
  for (const Violation& violation : Violations(status)) {
    if (shown++ == kMostViolations) {
      absl::StrAppend(&text, "; ...");
      break;
    }
    // The service truncates a long one.
    if (absl::StrContains(text, absl::StripSuffix(violation.description, "..."))) continue;
    absl::StrAppend(&text, text.empty() ? "" : "; ", violation.field,
                    violation.field.empty() ? "" : ": ", violation.description);
  }
  return absl::StrReplaceAll(text, {{"\r\n", " "}, {"\n", " "}});
}

}  // namespace priorityd::client
