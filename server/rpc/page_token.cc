#include "server/rpc/page_token.h"

#include <algorithm>
#include <functional>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "server/errors/error_details.h"

namespace priorityd::rpc {

std::string EncodePageToken(const std::array<int64_t, 2>& place, uint64_t fingerprint) {
  return absl::WebSafeBase64Escape(absl::StrCat(place[0], " ", place[1], " ", fingerprint));
}

std::optional<std::array<int64_t, 2>> DecodePageToken(absl::string_view text,
                                                      uint64_t fingerprint) {
  std::string plain;
  if (!absl::WebSafeBase64Unescape(text, &plain)) return std::nullopt;
  const std::vector<std::string> parts = absl::StrSplit(plain, ' ');
  std::array<int64_t, 2> place;
  uint64_t of;
  if (parts.size() != 3 || !absl::SimpleAtoi(parts[0], &place[0]) ||
      !absl::SimpleAtoi(parts[1], &place[1]) || !absl::SimpleAtoi(parts[2], &of) ||
      of != fingerprint) {
    return std::nullopt;
  }
  return place;
}

absl::Status InvalidPageTokenError() {
  return errors::BadRequestError(
      "INVALID_PAGE_TOKEN",
      {{"page_token",
        "got one of another request, want the next_page_token of the answer before"}});
}

absl::Status PageGoneError(absl::string_view what, absl::string_view reason) {
  return errors::WithReason(
      absl::AbortedError(absl::StrCat("page_token: its ", what,
                                      " is no longer kept, want the list from its beginning")),
      reason);
}

int PageSizeOf(int requested, int usual, int most) {
  return requested == 0 ? usual : std::min(requested, most);
}

uint64_t Fingerprint(const google::protobuf::MessageLite& message) {
  return std::hash<std::string>()(message.SerializeAsString());
}

}  // namespace priorityd::rpc
