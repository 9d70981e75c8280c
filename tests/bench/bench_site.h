// What the benchmarks of the whole service share: the real priorityd with a site
// in it, a queue to rank, and calls.
#ifndef PRIORITYD_TESTS_BENCH_BENCH_SITE_H_
#define PRIORITYD_TESTS_BENCH_BENCH_SITE_H_

#include <grpcpp/grpcpp.h>
#include <sys/resource.h>
#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "priority/v1/priority_service.grpc.pb.h"
#include "tests/bench/figures.h"
#include "tests/temporary_folder.h"

namespace priorityd::bench {

inline constexpr int kAccounts = 100;
inline constexpr int kUsersPerAccount = 50;

void Check(const grpc::Status& status);

// A priorityd of its own on an empty data_dir, stopped and removed at the end.
class Priorityd {
 public:
  explicit Priorityd(const char* binary) : Priorityd(binary, address(), {}, "/dev/null") {}
  // With these flags beside, on HOST:PORT; its log goes to a file.
  Priorityd(const char* binary, const std::string& listen, const std::vector<std::string>& flags,
            const std::string& log);
  ~Priorityd();
  Priorityd(const Priorityd&) = delete;
  Priorityd& operator=(const Priorityd&) = delete;

  pid_t pid() const { return pid_; }
  static const char* address();
  const std::string& data_dir() const { return data_dir_.path(); }

 private:
  const TemporaryFolder data_dir_;
  pid_t pid_;
};

// A new connection, with large messages allowed.
std::shared_ptr<grpc::Channel> Connect(const std::string& address);
// The same, and no other channel shares its TCP connection.
std::shared_ptr<grpc::Channel> ConnectAlone(const std::string& address);

// Waits until the server, which binds its address first, accepts calls. `authorization`: the proof
// that the caller is an administrator; empty = none.
void AwaitOpen(const std::shared_ptr<grpc::Channel>& channel,
               const std::string& authorization = "");

// Waits for the server and gives it a site of 100 accounts (`a7`) with 50 users
// each (`u7_13`), four partitions (`p1`) and weights for every factor.
void ImportSite(const std::shared_ptr<grpc::Channel>& channel,
                const std::string& authorization = "");

// Pending jobs of that site.
::priority::v1::RankJobsRequest Queue(int size);

// Ends the program unless every job is upserted. Waits up to a minute for a server that does
// not listen yet. `authorization`: the caller's proof; empty = none.
void Update(::priority::v1::PriorityService::Stub& stub,
            const ::priority::v1::UpdateJobsRequest& request,
            const std::string& authorization = "");
// Upserts Queue(jobs).
void FillQueue(::priority::v1::PriorityService::Stub& stub, int jobs,
               const std::string& authorization = "");

// Ranks the first 100 of the tracked queue again and again. Returns the milliseconds of each call.
std::vector<double> RankTop(::priority::v1::PriorityService::Stub& stub, int times,
                            absl::Duration pause, const std::string& authorization = "");

// Repeats `turn` with 0, 1, ... on a thread of its own until it is destroyed.
class Repeated {
 public:
  explicit Repeated(std::function<void(int64_t)> turn)
      : thread_([this, turn = std::move(turn)] {
          for (int64_t i = 0; !ends_; ++i) turn(i);
        }) {}
  ~Repeated() {
    ends_ = true;
    thread_.join();
  }

 private:
  std::atomic<bool> ends_{false};
  std::thread thread_;
};

// To the most that is permitted; ends the program if that is less than `files`.
void RaiseFileLimit(rlim_t files);

}  // namespace priorityd::bench

#endif  // PRIORITYD_TESTS_BENCH_BENCH_SITE_H_
