// Records of usage, and what became of each.
#ifndef PRIORITYD_TESTS_SOAK_USAGE_LOAD_H_
#define PRIORITYD_TESTS_SOAK_USAGE_LOAD_H_

#include <cstdint>
#include <string>
#include <vector>

#include "priority/v1/usage.pb.h"
#include "tests/soak/load.h"

namespace priorityd::soak {

// The batches of one sender. What is in a batch follows from its number, so that it can be sent
// again, and counted again, at any time.
class UsageSender : public Load {
 public:
  enum class Fate : char {
    kUnknown,    // Sent, no answer that decides.
    kAbandoned,  // The same, and not sent again.
    kAcknowledged,
  };

  UsageSender(int number, const LoadOptions& options);

  void Step() override;
  void Finish() override;
  std::string Summary() const override;

  std::string source() const;
  int cluster_of(int64_t batch) const;
  const std::vector<Fate>& batches() const { return batches_; }
  ::priority::v1::RecordUsageRequest Batch(int64_t batch) const;

 private:
  // Whether the batch was answered.
  bool Send(int64_t batch);
  int64_t Choose();
  void Check(int64_t batch, Fate before, const ::priority::v1::RecordUsageResponse& response);

  const int number_;
  std::vector<Fate> batches_;
  std::vector<int64_t> unknown_;
  int64_t records_ = 0;  // Acknowledged.
  int64_t again_ = 0;    // Batches sent again after an acknowledgement.
};

// Wall seconds times CPUs.
double UsageOf(const ::priority::v1::UsageRecord& record);

}  // namespace priorityd::soak

#endif  // PRIORITYD_TESTS_SOAK_USAGE_LOAD_H_
