// Page tokens: where a list continues, and that it is the same list.
#ifndef PRIORITYD_SERVER_RPC_PAGE_TOKEN_H_
#define PRIORITYD_SERVER_RPC_PAGE_TOKEN_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "google/protobuf/message_lite.h"

namespace priorityd::rpc {

// The two numbers of a place, as text that also names the request.
std::string EncodePageToken(const std::array<int64_t, 2>& place, uint64_t fingerprint);
// nullopt for what EncodePageToken did not make, or made of another request.
std::optional<std::array<int64_t, 2>> DecodePageToken(absl::string_view text, uint64_t fingerprint);

// INVALID_ARGUMENT (INVALID_PAGE_TOKEN).
absl::Status InvalidPageTokenError();
// ABORTED with the reason: `what`, which the token continues, is no longer kept.
absl::Status PageGoneError(absl::string_view what, absl::string_view reason);

// How many rows a page has where the request says `requested`, 0 = it does not.
int PageSizeOf(int requested, int usual = 10'000, int most = 100'000);

uint64_t Fingerprint(const google::protobuf::MessageLite& message);

// The tokens of one request. `Place` is a struct of two int64_t that says where a page
// begins; IsValid() says whether the two numbers can be one.
template <typename Place>
class PageTokens {
 public:
  // The tokens hold for the same request, whatever its page, on the same cluster.
  template <typename Request>
  PageTokens(const std::string& cluster, Request request) : given_(request.page_token()) {
    request.set_cluster(cluster);
    request.clear_page_size();
    request.clear_page_token();
    fingerprint_ = Fingerprint(request);
  }

  // Where the page begins that the request asks for; nullopt = at the beginning.
  // InvalidPageTokenError for a token of another request.
  absl::StatusOr<std::optional<Place>> Given() const {
    if (given_.empty()) return std::nullopt;
    const auto numbers = DecodePageToken({given_.data(), given_.size()}, fingerprint_);
    if (!numbers.has_value()) return InvalidPageTokenError();
    const Place place{(*numbers)[0], (*numbers)[1]};
    if (!place.IsValid()) return InvalidPageTokenError();
    return std::optional<Place>(place);
  }

  // The token of the page that begins at `place`.
  std::string Next(const Place& place) const {
    const auto& [first, second] = place;
    return EncodePageToken({first, second}, fingerprint_);
  }

 private:
  std::string given_;
  uint64_t fingerprint_ = 0;
};

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_RPC_PAGE_TOKEN_H_
