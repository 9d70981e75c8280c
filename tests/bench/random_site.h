// A site and queues to be ranked without any transport.
#ifndef PRIORITYD_TESTS_BENCH_RANDOM_SITE_H_
#define PRIORITYD_TESTS_BENCH_RANDOM_SITE_H_

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "absl/types/span.h"
#include "engine/priority/fair_share/association_tree.h"
#include "engine/priority/jobs/job.h"
#include "engine/priority/snapshot/snapshot.h"

namespace priorityd::bench {

inline constexpr int kAccounts = 200;
inline constexpr int kUsersPerAccount = 100;
inline constexpr int kPartitions = 8;
inline constexpr int kQos = 6;
inline const absl::Time kNow = absl::FromUnixSeconds(1800000000);

std::string Account(int i);
std::string User(int i);

// Root, the accounts below it, and users below each; `limited`: with limits of every kind on root
// and all accounts, none of which is ever reached.
std::shared_ptr<const priority::AssociationTree> Tree(int accounts = kAccounts,
                                                      bool limited = false);

// All weights, partitions and QOS; `limited`: QOS have limits too. Lives as long as the process.
const priority::Snapshot& Site(bool limited = false);

// Jobs and the strings that they point into.
class RandomQueue {
 public:
  // `first` is the number of the first job.
  explicit RandomQueue(size_t size, size_t first = 0);

  absl::Span<const priority::Job> jobs() const { return jobs_; }

 private:
  struct Texts {
    std::string job_id, user, account, partition, qos;
  };

  void Fill(std::mt19937_64& random, size_t i);

  std::vector<Texts> texts_;
  std::vector<priority::Job> jobs_;
  const size_t first_;
};

}  // namespace priorityd::bench

#endif  // PRIORITYD_TESTS_BENCH_RANDOM_SITE_H_
