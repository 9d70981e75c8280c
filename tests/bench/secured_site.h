// RankJobs of 100 tracked jobs on a server that asks who is calling, and proofs for it.
#ifndef PRIORITYD_TESTS_BENCH_SECURED_SITE_H_
#define PRIORITYD_TESTS_BENCH_SECURED_SITE_H_

#include <memory>
#include <string>
#include <vector>

#include "priority/v1/priority_service.grpc.pb.h"
#include "tests/temporary_folder.h"

namespace priorityd::bench {

inline constexpr int kRankedJobs = 100;

// Credentials of callers.
class Proofs {
 public:
  Proofs();
  std::string Path(const std::string& name) const;
  std::string TokenOf(const std::string& user) const;
  void Write(const std::string& name, const std::string& content) const;

 private:
  const TemporaryFolder folder_{"/tmp"};
  const std::string secret_ = std::string(32, 'k');
};

// A server with kRankedJobs tracked jobs, as one caller sees it.
class Ranked {
 public:
  // `administrator`: whose proof imports the site; `user`: whose proof calls.
  Ranked(const std::string& address, const std::string& administrator, std::string user);
  // The site is there.
  Ranked(const std::string& address, std::string user);

  double MillisecondsOfACall();

 private:
  const std::string user_;
  std::unique_ptr<::priority::v1::PriorityService::Stub> stub_;
};

// Milliseconds of calls.
struct InTurns {
  std::vector<double> values, references;
};
InTurns CallInTurns(Ranked& value, Ranked& reference, int warm_up, int calls);

}  // namespace priorityd::bench

#endif  // PRIORITYD_TESTS_BENCH_SECURED_SITE_H_
