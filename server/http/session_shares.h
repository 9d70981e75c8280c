// One connection's shares of its listener's quotas.
#ifndef PRIORITYD_SERVER_HTTP_SESSION_SHARES_H_
#define PRIORITYD_SERVER_HTTP_SESSION_SHARES_H_

#include <cstddef>
#include <functional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "server/http/connections.h"
#include "server/http/exchange.h"
#include "server/quotas/quota.h"

namespace priorityd::http {

inline constexpr size_t kSmallPageBytes = 64 << 10;

// A piece of a stream, with its room until it is written.
struct Piece {
  std::string text;
  std::function<void()> sent = nullptr;  // See Exchange::Send.
  quotas::Share room = {};
};

// Thread-compatible.
struct SessionShares {
  SessionShares(Connections& all, const quotas::Holder& peer)
      : all_answers(all.answer_bytes()),
        request(&all.requests(), peer),
        stream(&all.streams(), peer),
        body(&all.body_bytes(), peer),
        answer(&all.answer_bytes(), peer),
        page(&all.page_bytes(), peer) {}

  // A small page, as probes read it, is always written.
  absl::Status TakeRoomFor(const Response& response, bool is_page) {
    const size_t bytes = response.body.size();
    if (is_page && bytes <= kSmallPageBytes) return absl::OkStatus();
    return (is_page ? page : answer).GrowTo(bytes);
  }

  // Thread-safe.
  absl::StatusOr<Piece> PieceOf(std::string text, std::function<void()> sent) const {
    quotas::Share room;
    if (text.size() > kSmallPieceBytes) {
      auto taken = all_answers.Take(answer.holder(), text.size());
      if (!taken.ok()) return taken.status();
      room = *std::move(taken);
    }
    return Piece{std::move(text), std::move(sent), std::move(room)};
  }

  // The request has been answered.
  void Clear() {
    for (quotas::Share* share : {&request, &body, &answer, &page}) share->Clear();
  }

  quotas::Quota& all_answers;
  quotas::Share request;
  quotas::Share stream;
  quotas::Share body;
  quotas::Share answer;
  quotas::Share page;
};

// The refusal by a quota, a temporary error.
inline Response Busy(const absl::Status& status) {
  return {503,
          "text/plain; charset=utf-8",
          absl::StrCat(status.message(), "\n"),
          {{"Retry-After", "1"}}};
}

inline Response BodyTooLarge(const ServerOptions& options) {
  return {413, "text/plain; charset=utf-8",
          absl::StrCat("the body: want at most ", options.max_body_bytes, " bytes\n")};
}

inline absl::Duration TimeToWrite(const ServerOptions& options, size_t bytes) {
  return options.write_time +
         absl::Seconds(1) * static_cast<int64_t>(bytes / options.least_bytes_per_second);
}

}  // namespace priorityd::http

#endif  // PRIORITYD_SERVER_HTTP_SESSION_SHARES_H_
