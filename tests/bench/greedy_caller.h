// One principal that sends as much as it can: large rankings, upserts, watches and event streams,
// over several connections.
#ifndef PRIORITYD_TESTS_BENCH_GREEDY_CALLER_H_
#define PRIORITYD_TESTS_BENCH_GREEDY_CALLER_H_

#include <grpcpp/grpcpp.h>

#include <atomic>
#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "priority/v1/priority_service.grpc.pb.h"
#include "tests/raw_http2.h"

namespace priorityd::bench {

struct GreedyOptions {
  std::string address;
  int http_port;
  std::string user;   // A user of account a0.
  std::string proof;  // Of that user, as `authorization` has it.
};

// Calls on threads of its own from construction to destruction.
class GreedyCaller {
 public:
  explicit GreedyCaller(const GreedyOptions& options);
  ~GreedyCaller();
  GreedyCaller(const GreedyCaller&) = delete;
  GreedyCaller& operator=(const GreedyCaller&) = delete;

  int64_t served() const { return served_; }
  int64_t refused() const { return refused_; }  // RESOURCE_EXHAUSTED

 private:
  using Stub = ::priority::v1::PriorityService::Stub;
  struct Watch;

  void Start(void (GreedyCaller::*call)(Stub&));
  void RankOwnJobs(Stub& stub);
  void RankTrackedJobs(Stub& stub);
  void UpsertJobs(Stub& stub);
  void OpenWatch(Stub& stub);
  void OpenEventStream(Stub& stub);
  void Authorize(grpc::ClientContext* context) const;
  // Ends the program if the call ended otherwise than a greedy one may.
  void Count(const grpc::Status& status);

  const GreedyOptions options_;
  const ::priority::v1::RankJobsRequest own_jobs_;
  std::list<Watch> watches_;          // By the thread that opens them.
  std::list<RawConnection> streams_;  // By the thread that opens them.
  std::atomic<int64_t> upserts_{0};
  std::atomic<int64_t> served_{0}, refused_{0};
  std::atomic<bool> ends_{false};
  std::vector<std::thread> threads_;
};

}  // namespace priorityd::bench

#endif  // PRIORITYD_TESTS_BENCH_GREEDY_CALLER_H_
