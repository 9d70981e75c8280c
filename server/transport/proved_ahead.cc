#include "server/transport/proved_ahead.h"

#include <algorithm>
#include <utility>

namespace priorityd::rpc {

void ProvedAhead::Keep(std::string credential, identity::Principal principal, absl::Time now) {
  absl::MutexLock lock(&mutex_);
  proved_.push_back({std::move(credential), std::move(principal), now + kKept});
  if (proved_.size() > kMost) proved_.pop_front();
}

std::optional<identity::Principal> ProvedAhead::Take(absl::string_view credential, absl::Time now) {
  absl::MutexLock lock(&mutex_);
  while (!proved_.empty() && proved_.front().until <= now) proved_.pop_front();
  const auto found = std::find_if(proved_.begin(), proved_.end(), [&](const Proved& proved) {
    return proved.credential == credential;
  });
  if (found == proved_.end()) return std::nullopt;
  std::optional<identity::Principal> principal = std::move(found->principal);
  proved_.erase(found);
  return principal;
}

}  // namespace priorityd::rpc
