// A site of one account whose usage a test records in bulk, for servers that are killed meanwhile.
#ifndef PRIORITYD_TESTS_END_TO_END_RECORDED_SITE_H_
#define PRIORITYD_TESTS_END_TO_END_RECORDED_SITE_H_

#include <cstdint>
#include <memory>
#include <string>

#include "priority/v1/admin_service.grpc.pb.h"
#include "priority/v1/priority_service.grpc.pb.h"
#include "tests/end_to_end/real_priorityd.h"

namespace priorityd {

// When the first record of each source begins.
inline constexpr int64_t kRecordedFrom = 1'700'000'000;

class RecordedSite {
 public:
  explicit RecordedSite(const RealPriorityd& priorityd);

  // Imports cluster c with account a.
  void Import(const std::string& policy);

  // One unit a second: each record is the second after the one before. The test fails unless all
  // are accepted.
  void Record(const std::string& source, int count);

  // The rows of usage that a sum of all records finds different; -1 if that fails.
  int64_t DifferentRows();

 protected:
  const std::unique_ptr<::priority::v1::AdminService::Stub> admin_;
  const std::unique_ptr<::priority::v1::PriorityService::Stub> priority_;
};

}  // namespace priorityd

#endif  // PRIORITYD_TESTS_END_TO_END_RECORDED_SITE_H_
