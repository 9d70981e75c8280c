// A small site in which sources call users by other names.
#ifndef PRIORITYD_TESTS_SERVER_SERVICE_ALIASED_SITE_H_
#define PRIORITYD_TESTS_SERVER_SERVICE_ALIASED_SITE_H_

#include <string>
#include <vector>

#include "priority/v1/alias.pb.h"
#include "tests/server/service/administered_site.h"

namespace priorityd::rpc {

inline v1::UserAlias AliasOf(const std::string& source, const std::string& alias,
                             const std::string& user = "") {
  v1::UserAlias message;
  message.set_source(source);
  message.set_alias(alias);
  message.set_user(user);
  return message;
}

// Calls must succeed unless `status` is given.
class AliasedSite : public AdministeredSite {
 protected:
  using AliasList = std::vector<v1::UserAlias>;

  // Without decay: an hour of a CPU stays one.
  AliasedSite() {
    Apply("PriorityDecayHalfLife=0\nPriorityUsageResetPeriod=NONE\n", /*retroactive=*/true);
    RecalculateAt(TestEpoch());
  }

  v1::ChangeResponse Change(const AliasList& remove, const AliasList& add,
                            grpc::Status* status = nullptr, const v1::ChangeOptions& options = {}) {
    v1::UpdateAliasesRequest request;
    for (const v1::UserAlias& alias : remove) *request.add_remove() = alias;
    for (const v1::UserAlias& alias : add) *request.add_add() = alias;
    *request.mutable_options() = options;
    return Changed(request, status);
  }
  v1::ListAliasesResponse Aliases(const v1::ListAliasesRequest& request = {}) {
    return Called<v1::ListAliasesResponse>(request, nullptr);
  }

  // An hour of one CPU in account a that ended at TestEpoch.
  static v1::UsageRecord HourOf(const std::string& source, const std::string& id,
                                const std::string& user) {
    v1::UsageRecord record = Usage(id, Hour(-1), absl::Hours(1), 1);
    record.set_source(source);
    record.set_user(user);
    return record;
  }
  static v1::UsageRecordResult SendTo(TestService& service, const v1::UsageRecord& record) {
    v1::RecordUsageRequest request;
    *request.add_records() = record;
    return RecordUsage(service, request).results(0);
  }
  v1::UsageRecordResult Send(const v1::UsageRecord& record) { return SendTo(service_, record); }

  // In hours of a CPU, at TestEpoch.
  double HoursOf(const std::string& user) {
    RecalculateAt(TestEpoch());
    return UsageOf("a", user) / 3600;
  }
};

}  // namespace priorityd::rpc

#endif  // PRIORITYD_TESTS_SERVER_SERVICE_ALIASED_SITE_H_
