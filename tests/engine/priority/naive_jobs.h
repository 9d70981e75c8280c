// The first half of the naive ranking: what a queue resolves to, and why jobs
// cannot start (docs/semantics.md, section 2 and "Not eligible" of section 6).
#ifndef PRIORITYD_TESTS_ENGINE_PRIORITY_NAIVE_JOBS_H_
#define PRIORITYD_TESTS_ENGINE_PRIORITY_NAIVE_JOBS_H_

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "absl/types/span.h"
#include "engine/priority/jobs/job.h"
#include "engine/priority/snapshot/snapshot.h"

namespace priorityd::priority {

// A job in one partition under one QOS.
struct NaivePair {
  size_t job = 0;
  size_t place = 0;  // Among the pairs that the job names.
  const Partition* partition = nullptr;
  const Qos* qos = nullptr;
  std::string reason;
  std::optional<uint32_t> priority;
};

// Place of a reason in the order of reporting; the empty one is last.
size_t NaiveSeverity(const std::string& reason);

// Nodes asked for; 0 counts 1.
double NaiveNodes(const Job& job);
bool NaiveTooManyNodes(const Job& job, const Partition& partition);
bool NaiveTooLong(const Job& job, const Partition& partition);

struct NaiveJobs {
  NaiveJobs(const Snapshot& snapshot, absl::Span<const Job> jobs, absl::Time as_of);

  const Partition* DefaultPartition() const;
  // From the association up to root.
  std::vector<int> Path(int association) const;
  double FairShareOf(size_t job) const {
    return snapshot.fair_share().fair_share[association[job]];
  }

  const Snapshot& snapshot;
  absl::Span<const Job> jobs;
  absl::Time as_of;
  std::vector<Association> associations;
  // By job.
  std::vector<int> association;    // -1 = none.
  std::vector<std::string> whole;  // Why there is no pair.
  std::vector<std::vector<NaivePair>> pairs;

 private:
  int FindAssociation(const Job& job) const;
  std::vector<std::string> AllowedQos(int association) const;
  std::vector<std::string> QosNames(const Job& job, int association) const;
  std::vector<std::string> PartitionNames(const Job& job) const;
  void Resolve(size_t index);
  // Adds the pair if it exists; otherwise returns the reason.
  std::string AddPair(size_t index, const std::string& partition, const std::string& qos);
  // Whether the job names no reservation, or one that it may use now.
  bool ReservationLets(size_t number) const;
  bool AccountOrAncestorListed(const std::vector<std::string>& names, size_t job) const;
  std::string ReasonOf(const NaivePair& pair) const;

  std::set<std::string> ids_;
};

}  // namespace priorityd::priority

#endif  // PRIORITYD_TESTS_ENGINE_PRIORITY_NAIVE_JOBS_H_
