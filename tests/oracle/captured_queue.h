// The queue of a real slurmctld under many priority configurations, and what it
// computed for it.
#ifndef PRIORITYD_TESTS_ORACLE_CAPTURED_QUEUE_H_
#define PRIORITYD_TESTS_ORACLE_CAPTURED_QUEUE_H_

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "engine/priority/jobs/job.h"
#include "engine/priority/snapshot/snapshot.h"
#include "priority/v1/job.pb.h"

namespace priorityd {

// What sprio said of one job in one partition, in whole doubles.
struct CapturedFactors {
  std::map<std::string, double> factors;        // age, assoc, fs, js, part, qos, TRES by name.
  std::map<std::string, double> contributions;  // The same, weighted.
  double site = 0;
  double nice = 0;
  uint32_t priority = 0;
};

// A line of squeue.
struct CapturedPlace {
  std::string job_id;
  std::string partitions;
  std::string state;
  std::string reason;
  uint32_t priority = 0;
};

class CapturedQueue {
 public:
  // All names there are.
  static std::vector<std::string> Configs();

  explicit CapturedQueue(const std::string& config);

  const priority::Snapshot& snapshot() const { return *snapshot_; }
  const std::vector<priority::Job>& jobs() const { return jobs_; }
  // When Slurm computed the factors.
  absl::Time as_of() const { return as_of_; }
  // By (job id, partition).
  const std::map<std::pair<std::string, std::string>, CapturedFactors>& sprio() const {
    return sprio_;
  }
  // In squeue's order: by partition, then by priority.
  const std::vector<CapturedPlace>& squeue() const { return squeue_; }

 private:
  void ReadJobs(const std::string& path);
  void AddSprio(const std::map<std::string, std::string>& row);

  std::unique_ptr<const priority::Snapshot> snapshot_;
  std::map<std::string, ::priority::v1::Job> messages_;  // By job id.
  std::vector<priority::Job> jobs_;                      // Views into messages_.
  absl::Time as_of_;
  std::map<std::pair<std::string, std::string>, CapturedFactors> sprio_;
  std::vector<CapturedPlace> squeue_;
};

}  // namespace priorityd

#endif  // PRIORITYD_TESTS_ORACLE_CAPTURED_QUEUE_H_
