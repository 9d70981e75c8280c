// Clients of the service that go on whatever happens to it.
#ifndef PRIORITYD_TESTS_SOAK_LOAD_H_
#define PRIORITYD_TESTS_SOAK_LOAD_H_

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "tests/soak/replica.h"

namespace priorityd::soak {

using Replicas = std::vector<std::unique_ptr<Replica>>;
// One for each replica.
using Clients = std::vector<std::unique_ptr<const client::PriorityClient>>;

// By the proof of a user; the second on connections that no honest client has.
Clients ConnectAs(const std::string& user, const Replicas& replicas);
Clients ConnectHostile(const std::string& user, const Replicas& replicas);

struct LoadOptions {
  const Replicas* replicas;
  int clusters;
  uint64_t seed;
};

// One client on a thread of its own.
class Load {
 public:
  Load(const LoadOptions& options, Clients clients, absl::Duration pause)
      : replicas_(*options.replicas),
        clients_(std::move(clients)),
        clusters_(options.clusters),
        random_(options.seed),
        pause_(pause) {}
  virtual ~Load() = default;
  Load(const Load&) = delete;
  Load& operator=(const Load&) = delete;

  void Begin() {
    thread_ = std::thread([this] { Run(); });
  }
  // Waits until it has come to its end, Finish included.
  void End() {
    ends_ = true;
    thread_.join();
  }

  // For the summary line.
  virtual std::string Summary() const = 0;

 protected:
  virtual void Step() = 0;
  // After the last step, when nothing is broken any more.
  virtual void Finish() {}

  size_t Below(size_t bound) { return random_() % bound; }
  int AnyCluster() { return static_cast<int>(Below(clusters_)); }
  size_t AnyReplica() { return Below(replicas_.size()); }
  const client::PriorityClient& client(size_t replica) const { return *clients_[replica]; }
  const client::PriorityClient& AnyClient() { return client(AnyReplica()); }
  const Replicas& replicas() const { return replicas_; }
  int clusters() const { return clusters_; }
  bool ends() const { return ends_; }

  // Calls any of the replicas until one answers; fails the test, and gives up, after an error
  // that does not pass, or when none answers for long.
  template <typename Answer>
  absl::StatusOr<Answer> UntilAnswered(
      const char* what,
      absl::FunctionRef<absl::StatusOr<Answer>(const client::PriorityClient&)> call) {
    const absl::Time until = absl::Now() + kPatience;
    for (;;) {
      absl::StatusOr<Answer> answer = call(AnyClient());
      if (answer.ok()) return answer;
      if (!MayPass(answer.status()) || absl::Now() > until) {
        ADD_FAILURE() << what << ": " << answer.status();
        return answer;
      }
      ++errors_;
      absl::SleepFor(kBeforeNextTry);
    }
  }
  int64_t errors() const { return errors_; }
  void CountError() { ++errors_; }

 private:
  static constexpr absl::Duration kPatience = absl::Minutes(3);
  static constexpr absl::Duration kBeforeNextTry = absl::Milliseconds(100);

  void Run();

  const Replicas& replicas_;
  const Clients clients_;
  const int clusters_;
  std::mt19937_64 random_;
  const absl::Duration pause_;
  int64_t errors_ = 0;
  std::atomic<bool> ends_{false};
  std::thread thread_;
};

}  // namespace priorityd::soak

#endif  // PRIORITYD_TESTS_SOAK_LOAD_H_
