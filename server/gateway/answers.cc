#include "server/gateway/answers.h"

#include <google/protobuf/io/gzip_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"
#include "server/gateway/call_tags.h"
#include "server/gateway/transcoding.h"
#include "server/transport/status.h"

namespace priorityd::gateway {
namespace {

int HttpStatus(grpc::StatusCode code) {
  switch (code) {
    case grpc::OK:
      return 200;
    case grpc::CANCELLED:
      return 499;
    case grpc::INVALID_ARGUMENT:
    case grpc::FAILED_PRECONDITION:
    case grpc::OUT_OF_RANGE:
      return 400;
    case grpc::DEADLINE_EXCEEDED:
      return 504;
    case grpc::NOT_FOUND:
      return 404;
    case grpc::ALREADY_EXISTS:
    case grpc::ABORTED:
      return 409;
    case grpc::PERMISSION_DENIED:
      return 403;
    case grpc::UNAUTHENTICATED:
      return 401;
    case grpc::RESOURCE_EXHAUSTED:
      return 429;
    case grpc::UNIMPLEMENTED:
      return 501;
    case grpc::UNAVAILABLE:
      return 503;
    default:
      return 500;
  }
}

google::rpc::Status ToProto(const grpc::Status& status) {
  google::rpc::Status proto;
  if (status.error_details().empty() || !proto.ParseFromString(status.error_details())) {
    proto.Clear();
    proto.set_code(status.error_code());
    proto.set_message(status.error_message());
  }
  return proto;
}

// In whole seconds, as in HTTP; 0 = not given.
int64_t RetryAfter(const google::rpc::Status& status) {
  for (const auto& detail : status.details()) {
    google::rpc::RetryInfo retry;
    if (!detail.UnpackTo(&retry)) continue;
    const auto& delay = retry.retry_delay();
    return std::max<int64_t>(1, delay.seconds() + (delay.nanos() > 0 ? 1 : 0));
  }
  return 0;
}

// Calls that never began have no such reason, and no metadata to read.
bool HasMoved(const google::rpc::Status& status) {
  for (const auto& detail : status.details()) {
    google::rpc::ErrorInfo info;
    if (detail.UnpackTo(&info)) return info.reason() == "CLUSTER_MOVED";
  }
  return false;
}

bool Has(absl::string_view list, absl::string_view tag) {
  return list == "*" || absl::StrContains(list, absl::StrCat("\"", tag, "\""));
}

// The weight after a coding, as `q=0.5`; an invalid number counts as missing.
bool HasWeight(absl::string_view parameters) {
  absl::string_view text = absl::StripAsciiWhitespace(parameters);
  double weight = 1;
  return !absl::ConsumePrefix(&text, "q=") || !absl::SimpleAtod(text, &weight) || weight > 0;
}

}  // namespace

std::string StatusJson(const grpc::Status& status) { return ToJson(ToProto(status)); }

http::Response JsonResponse(std::string json) {
  http::Response response;
  response.content_type = kJson;
  response.body = std::move(json);
  response.body += '\n';
  response.headers = {{"Cache-Control", "private, no-cache"},
                      {"Vary", "Authorization, X-Slurm-User-Token, Accept-Encoding, Origin"}};
  return response;
}

http::Response ErrorResponse(const grpc::Status& status) {
  const google::rpc::Status proto = ToProto(status);
  http::Response response = JsonResponse(ToJson(proto));
  response.status = HttpStatus(status.error_code());
  if (const int64_t seconds = RetryAfter(proto); seconds > 0) {
    response.headers.emplace_back("Retry-After", absl::StrCat(seconds));
  }
  if (response.status == 401) response.headers.emplace_back("WWW-Authenticate", "Bearer");
  return response;
}

http::Response FailureResponse(const grpc::ClientContext& context, const grpc::Status& status) {
  http::Response response = ErrorResponse(status);
  if (!HasMoved(ToProto(status))) return response;
  for (const char* key : {rpc::kMovedToKey, rpc::kMovedClusterKey}) {
    const std::string value = InitialMetadataOf(context, key);
    if (!value.empty()) response.headers.emplace_back(key, value);
  }
  return response;
}

std::string Gzip(absl::string_view text) {
  std::string packed;
  google::protobuf::io::StringOutputStream target(&packed);
  google::protobuf::io::GzipOutputStream::Options options;
  options.compression_level = 5;
  google::protobuf::io::GzipOutputStream stream(&target, options);
  void* room = nullptr;
  int size = 0;
  while (!text.empty() && stream.Next(&room, &size)) {
    const size_t taken = std::min(text.size(), static_cast<size_t>(size));
    text.copy(static_cast<char*>(room), taken);
    text.remove_prefix(taken);
    stream.BackUp(size - static_cast<int>(taken));
  }
  stream.Close();
  return packed;
}

bool AcceptsGzip(const http::Request& request) {
  bool any = false;
  const std::string given = absl::AsciiStrToLower(request.Header("accept-encoding"));
  for (const absl::string_view coding : absl::StrSplit(given, ',')) {
    const std::pair<absl::string_view, absl::string_view> parts =
        absl::StrSplit(coding, absl::MaxSplits(';', 1));
    const absl::string_view name = absl::StripAsciiWhitespace(parts.first);
    if (name == "gzip") return HasWeight(parts.second);
    if (name == "*") any = HasWeight(parts.second);
  }
  return any;
}

http::Response Encoded(const http::Request& request, http::Response response, Memo* packed) {
  if (response.body.size() < kLeastToCompress || !AcceptsGzip(request)) return response;
  const auto pack = [&] { return Gzip(response.body); };
  response.body = packed == nullptr ? pack() : packed->Of(response.body, pack);
  response.headers.emplace_back("Content-Encoding", "gzip");
  return response;
}

http::Response NotModified(absl::string_view tag) {
  http::Response response = JsonResponse("");
  response.status = 304;
  response.body.clear();
  response.headers.emplace_back("ETag", absl::StrCat("W/\"", tag, "\""));
  return response;
}

http::Response Tagged(const http::Request& request, absl::string_view tag,
                      http::Response response) {
  if (Has(request.Header("if-none-match"), tag)) return NotModified(tag);
  response.headers.emplace_back("ETag", absl::StrCat("W/\"", tag, "\""));
  return response;
}

std::string DigestOf(absl::string_view text) {
  uint64_t digest = 14695981039346656037u;
  for (const char byte : text) {
    digest = (digest ^ static_cast<unsigned char>(byte)) * 1099511628211u;
  }
  return absl::StrCat(absl::Hex(digest, absl::kZeroPad16));
}

}  // namespace priorityd::gateway
