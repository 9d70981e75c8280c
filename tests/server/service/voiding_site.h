// Voids and restores by requests, for tests of them.
#ifndef PRIORITYD_TESTS_SERVER_SERVICE_VOIDING_SITE_H_
#define PRIORITYD_TESTS_SERVER_SERVICE_VOIDING_SITE_H_

#include <string>

#include "tests/server/service/usage_site.h"

namespace priorityd::rpc {

inline constexpr char kVoidingPolicy[] = "PriorityDecayHalfLife=4:0:0\nTimeZone=UTC\n";

inline v1::UsageRecordResult Send(TestService& service, const v1::UsageRecord& record) {
  v1::RecordUsageRequest request;
  *request.add_records() = record;
  return RecordUsage(service, request).results(0);
}

// A site whose records are voided.
class VoidingSite : public UsageSite {
 protected:
  VoidingSite() { Start(kVoidingPolicy); }

  v1::VoidUsageResponse Void(const v1::VoidUsageRequest& request, grpc::Status* status = nullptr) {
    return AnswerTo<v1::VoidUsageResponse>(service_, request, status);
  }
  v1::VoidUsageResponse Restore(int64_t void_id, grpc::Status* status = nullptr) {
    v1::RestoreUsageRequest request;
    request.set_void_id(void_id);
    request.set_comment("it was right");
    return AnswerTo<v1::VoidUsageResponse>(service_, request, status);
  }
  static v1::VoidUsageRequest OfSource(const std::string& source) {
    v1::VoidUsageRequest request;
    request.mutable_filter()->add_sources(source);
    request.set_comment("a broken collector");
    return request;
  }
};

}  // namespace priorityd::rpc

#endif  // PRIORITYD_TESTS_SERVER_SERVICE_VOIDING_SITE_H_
