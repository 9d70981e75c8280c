// A timer of a connection. For server.cc only, as session.h.
#ifndef PRIORITYD_SERVER_HTTP_ALARM_H_
#define PRIORITYD_SERVER_HTTP_ALARM_H_

#include <boost/asio.hpp>
#include <cstdint>
#include <memory>

#include "absl/time/time.h"
#include "server/http/beast_messages.h"

namespace priorityd::http {

// A member of its owner. Used by the thread of the io_context alone.
class Alarm {
 public:
  explicit Alarm(asio::io_context& io) : timer_(io) {}

  // Calls `then` of the owner after `time`, unless armed again or disarmed before, or the owner is
  // destroyed.
  template <typename Owner>
  void Arm(absl::Duration time, std::weak_ptr<Owner> owner, void (Owner::*then)()) {
    timer_.expires_after(absl::ToChronoNanoseconds(time));
    timer_.async_wait([this, owner, turn = ++turn_, then](error_code error) {
      const auto self = owner.lock();
      if (self != nullptr && !error && turn == turn_) (self.get()->*then)();
    });
  }
  void Disarm() {
    ++turn_;
    timer_.cancel();
  }

 private:
  asio::steady_timer timer_;
  uint64_t turn_ = 0;
};

}  // namespace priorityd::http

#endif  // PRIORITYD_SERVER_HTTP_ALARM_H_
