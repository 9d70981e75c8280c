#include "server/gateway/call_tags.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "server/gateway/answers.h"

namespace priorityd::gateway {
namespace {

constexpr size_t kMaxTagBytes = 128;

// The digest of the client's request, the suffix of its tags.
std::string CallDigest(const http::Request& request) {
  return DigestOf(absl::StrCat(request.path, "?", request.query));
}

// Whether it can be one of the service's tags and a metadata value: gRPC aborts the process for
// other bytes.
bool IsTag(absl::string_view text) {
  return text.size() <= kMaxTagBytes && std::all_of(text.begin(), text.end(), absl::ascii_isgraph);
}

}  // namespace

std::string FullTag(const http::Request& request, absl::string_view tag) {
  return absl::StrCat(tag, ".", CallDigest(request));
}

// The header is `W/"TAG.DIGEST"`.
std::string KnownTag(const http::Request& request) {
  const std::string known = request.Header("if-none-match");
  const size_t end = known.find(absl::StrCat(".", CallDigest(request), "\""));
  const size_t begin = end == std::string::npos ? end : known.rfind('"', end);
  if (begin == std::string::npos) return "";
  const std::string tag = known.substr(begin + 1, end - begin - 1);
  return IsTag(tag) ? tag : "";
}

std::string InitialMetadataOf(const grpc::ClientContext& context, const char* name) {
  const auto& metadata = context.GetServerInitialMetadata();
  const auto found = metadata.find(name);
  return found == metadata.end() ? "" : std::string(found->second.data(), found->second.size());
}

}  // namespace priorityd::gateway
