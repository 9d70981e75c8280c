#include "storage/database/probe.h"

#include <poll.h>
#include <postgresql/libpq-fe.h>

#include <chrono>
#include <memory>

namespace priorityd::storage {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr int kBetweenLooksMs = 100;

// Waits for what a connection needs.
class SocketWait {
 public:
  SocketWait(absl::Duration patience, absl::FunctionRef<bool()> goes_on)
      : until_(SteadyClock::now() + absl::ToChronoNanoseconds(patience)), goes_on_(goes_on) {}

  // False if it did not come in time.
  bool For(const PGconn* connection, short events) const {
    for (;;) {
      pollfd socket = {.fd = PQsocket(connection), .events = events, .revents = 0};
      if (poll(&socket, 1, kBetweenLooksMs) > 0) return true;
      if (!goes_on_() || SteadyClock::now() > until_) return false;
    }
  }

 private:
  const SteadyClock::time_point until_;
  const absl::FunctionRef<bool()> goes_on_;
};

}  // namespace

bool Answers(const std::string& connection_string, absl::Duration patience,
             absl::FunctionRef<bool()> goes_on) {
  const SocketWait wait(patience, goes_on);
  const std::unique_ptr<PGconn, decltype(&PQfinish)> owner(
      PQconnectStart(connection_string.c_str()), &PQfinish);
  PGconn* const connection = owner.get();
  if (PQstatus(connection) == CONNECTION_BAD) return true;
  for (auto next = PGRES_POLLING_WRITING; next != PGRES_POLLING_OK;
       next = PQconnectPoll(connection)) {
    if (next == PGRES_POLLING_FAILED) return true;
    if (!wait.For(connection, next == PGRES_POLLING_READING ? POLLIN : POLLOUT)) return false;
  }
  if (PQsendQuery(connection, "SELECT 1") == 0) return true;
  while (PQisBusy(connection) != 0) {
    if (!wait.For(connection, POLLIN)) return false;
    if (PQconsumeInput(connection) == 0) return true;
  }
  return true;
}

}  // namespace priorityd::storage
