// One of the replicas: a real priorityd, always at the same address, that can be killed,
// frozen, and shown another time than the present.
#ifndef PRIORITYD_TESTS_SOAK_REPLICA_H_
#define PRIORITYD_TESTS_SOAK_REPLICA_H_

#include <signal.h>
#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "client/priority_client.h"
#include "tests/end_to_end/real_priorityd.h"
#include "tests/soak/access.h"

namespace priorityd::soak {

inline constexpr int kMemoryBudgetMib = 128;
inline constexpr int kMaxMessageMib = 8;
// Of a cluster; the honest ones have far less.
inline constexpr int kMaxTrackedJobs = 20'000;

// Faults are done to it by one thread; clients may be used by all.
class Replica {
 public:
  Replica(std::string database_url, const Access* access);

  void Start();
  void Kill();
  void Stop() { process_->Signal(SIGSTOP); }
  void Continue() { process_->Signal(SIGCONT); }
  // Sets the host's clock ahead of the real one, or back.
  void SetClock(absl::Duration ahead);

  int port() const { return port_; }
  pid_t pid() const { return process_->pid(); }
  const std::string& address() const { return address_; }
  // Serves hostile clients, so that no connection of an honest client suffers from them.
  const std::string& hostile_address() const { return hostile_address_; }
  int hostile_port() const { return port_ + 1; }
  int http_port() const { return port_ + 2; }

  // By root's proof.
  const client::PriorityClient& client() const { return *client_; }
  // By a user's; the second calls the hostile_address().
  std::unique_ptr<const client::PriorityClient> ConnectAs(const std::string& user) const;
  std::unique_ptr<const client::PriorityClient> ConnectHostile(const std::string& user) const;
  std::string ProofOf(const std::string& user) const { return access_->ProofOf(user); }

  // What all its processes logged, one after another.
  std::string Log() const { return earlier_log_ + process_->Err(); }

  // Resident memory in MiB: now, and the most that the process has had.
  double ResidentMib() const;
  double PeakResidentMib() const;

  // Whether nothing was done to it for a while, so that it must answer.
  bool MustAnswer() const {
    return !disturbed_ && absl::Now() > absl::FromUnixNanos(healed_at_) + kRecovery;
  }
  void Disturb() { disturbed_ = true; }
  void Heal();

 private:
  std::unique_ptr<const client::PriorityClient> Connect(const std::string& address,
                                                        const std::string& user) const;

  // From the end of a fault until clients are connected again.
  static constexpr absl::Duration kRecovery = absl::Seconds(15);

  const std::string folder_;
  const std::string database_url_;
  const Access* const access_;
  const int port_;  // The first of three.
  const std::string address_;
  const std::string hostile_address_;
  const std::unique_ptr<const client::PriorityClient> client_;
  std::unique_ptr<RealPriorityd> process_;
  std::string earlier_log_;
  std::atomic<bool> disturbed_{false};
  std::atomic<int64_t> healed_at_{0};  // In nanoseconds since the epoch.
};

// An error after which the same may be sent again and succeed. No refusal for want of room is one:
// whatever others do, there is room for honest clients.
bool MayPass(const absl::Status& status);

}  // namespace priorityd::soak

#endif  // PRIORITYD_TESTS_SOAK_REPLICA_H_
