#include "server/messages/page_token.h"

#include <algorithm>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "engine/errors/error_details.h"

namespace priorityd::rpc {

namespace {

// Consumes the decimal number before `end` from `text`.
template <typename Number>
bool TakeNumber(char end, absl::string_view* text, Number* number) {
  const size_t length = text->find(end);
  if (length == absl::string_view::npos) return false;
  const absl::string_view digits = text->substr(0, length);
  text->remove_prefix(length + 1);
  return absl::SimpleAtoi(digits, number);
}

}  // namespace

// 7 20 FINGERPRINT 3:ann2:p1
std::string EncodePageToken(const PagePlace& place, uint64_t fingerprint) {
  std::string plain = absl::StrCat(place.numbers[0], " ", place.numbers[1], " ", fingerprint, " ");
  for (const std::string& text : place.texts) absl::StrAppend(&plain, text.size(), ":", text);
  return absl::WebSafeBase64Escape(plain);
}

std::optional<PagePlace> DecodePageToken(absl::string_view text, uint64_t fingerprint) {
  std::string plain;
  if (!absl::WebSafeBase64Unescape(text, &plain)) return std::nullopt;
  absl::string_view rest = plain;
  PagePlace place;
  uint64_t of = 0;
  if (!TakeNumber(' ', &rest, &place.numbers[0]) || !TakeNumber(' ', &rest, &place.numbers[1]) ||
      !TakeNumber(' ', &rest, &of) || of != fingerprint) {
    return std::nullopt;
  }
  while (!rest.empty()) {
    size_t size = 0;
    if (!TakeNumber(':', &rest, &size) || size > rest.size()) return std::nullopt;
    place.texts.emplace_back(rest.substr(0, size));
    rest.remove_prefix(size);
  }
  return place;
}

absl::Status InvalidPageTokenError() {
  return errors::BadRequestError(
      "INVALID_PAGE_TOKEN",
      {{"page_token",
        "got one of another request, want the next_page_token of the answer before"}});
}

int PageSizeOf(int requested, int usual, int most) {
  return requested == 0 ? usual : std::min(requested, most);
}

// FNV-1a, since library hashes differ between versions. No security depends on it.
uint64_t Fingerprint(const google::protobuf::MessageLite& message) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char byte : message.SerializeAsString()) {
    hash = (hash ^ static_cast<uint8_t>(byte)) * 0x100000001b3;
  }
  return hash;
}

}  // namespace priorityd::rpc
