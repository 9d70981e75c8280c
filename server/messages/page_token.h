// Page tokens: where a list continues, and the identity of the list. A token names the last row, so
// that every replica accepts it, even without the original list.
#ifndef PRIORITYD_SERVER_MESSAGES_PAGE_TOKEN_H_
#define PRIORITYD_SERVER_MESSAGES_PAGE_TOKEN_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "google/protobuf/message_lite.h"

namespace priorityd::rpc {

// A place in a list, as stored in a token.
struct PagePlace {
  std::array<int64_t, 2> numbers = {};
  std::vector<std::string> texts;  // Any bytes.
  bool operator==(const PagePlace&) const = default;
};

// Encodes the place and the request's fingerprint.
std::string EncodePageToken(const PagePlace& place, uint64_t fingerprint);
// nullopt for a token that EncodePageToken did not make, or made for another request.
std::optional<PagePlace> DecodePageToken(absl::string_view text, uint64_t fingerprint);

// INVALID_ARGUMENT (INVALID_PAGE_TOKEN).
absl::Status InvalidPageTokenError();

// The number of rows of a page for a requested size, 0 = not given.
int PageSizeOf(int requested, int usual = 10'000, int most = 100'000);

// The same in every process.
uint64_t Fingerprint(const google::protobuf::MessageLite& message);

// The tokens of one request. `Place` is where a page starts: a struct of two int64_t and optionally
// the vector `texts`; IsValid() checks their values.
template <typename Place>
class PageTokens {
 public:
  // Tokens are valid for the same request, regardless of its page, on the same cluster.
  template <typename Request>
  PageTokens(const std::string& cluster, Request request) : given_(request.page_token()) {
    request.set_cluster(cluster);
    request.clear_page_size();
    request.clear_page_token();
    fingerprint_ = Fingerprint(request);
  }

  // The same for every page of these requests.
  uint64_t fingerprint() const { return fingerprint_; }

  // The start of the requested page; nullopt = the first page. InvalidPageTokenError for a token of
  // another request.
  absl::StatusOr<std::optional<Place>> Given() const {
    if (given_.empty()) return std::nullopt;
    auto decoded = DecodePageToken({given_.data(), given_.size()}, fingerprint_);
    if (!decoded.has_value() || (!kHasTexts && !decoded->texts.empty())) {
      return InvalidPageTokenError();
    }
    Place place{decoded->numbers[0], decoded->numbers[1]};
    if constexpr (kHasTexts) place.texts = std::move(decoded->texts);
    if (!place.IsValid()) return InvalidPageTokenError();
    return std::optional<Place>(std::move(place));
  }

  // The token of the page that starts at `place`.
  std::string Next(const Place& place) const {
    if constexpr (kHasTexts) {
      const auto& [first, second, texts] = place;
      return EncodePageToken({{first, second}, texts}, fingerprint_);
    } else {
      const auto& [first, second] = place;
      return EncodePageToken({{first, second}, {}}, fingerprint_);
    }
  }

 private:
  static constexpr bool kHasTexts = requires(Place place) { place.texts; };

  std::string given_;
  uint64_t fingerprint_ = 0;
};

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_MESSAGES_PAGE_TOKEN_H_
