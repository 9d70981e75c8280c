// A small site on a manual clock whose usage is changed behind its back and by
// AdminService.
#ifndef PRIORITYD_TESTS_SERVER_SERVICE_USAGE_SITE_H_
#define PRIORITYD_TESTS_SERVER_SERVICE_USAGE_SITE_H_

#include <cmath>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "storage/database/database.h"
#include "tests/server/service/naive_usage.h"
#include "tests/server/service/test_service.h"

namespace priorityd::rpc {

class UsageSite : public ::testing::Test {
 protected:
  // `policy`: more lines of slurm.conf.
  void Start(const std::string& policy) {
    Import(service_, SmallSite(absl::StrCat("Clock=manual\n", policy)));
  }

  v1::ApplyPolicyResponse Apply(const std::string& policy, bool retroactive = false) {
    v1::ApplyPolicyRequest request;
    request.set_text(absl::StrCat("Clock=manual\n", policy));
    request.set_retroactive(retroactive);
    return ApplyPolicy(service_, request);
  }

  void RecalculateAt(absl::Time time) {
    v1::RecalculateRequest request;
    *request.mutable_as_of() = ToTimestamp(time);
    Recalculate(service_, request);
  }

  // As a record of one CPU unit rate of a user, by default amy of account a.
  void Record(const Stretch& stretch, const std::string& user = "amy",
              const std::string& account = "a", const std::string& qos = "") {
    v1::RecordUsageRequest request;
    v1::UsageRecord& record = *request.add_records();
    record = Usage(absl::StrCat("r", ++records_), stretch.start, stretch.end - stretch.start,
                   stretch.rate);
    record.set_user(user);
    record.set_account(account);
    record.set_qos(qos);
    EXPECT_EQ(RecordUsage(service_, request).accepted(), 1);
  }

  double UsageOf(const std::string& account, const std::string& user) {
    return ShareOf(ListShares(service_), account, user).raw_usage();
  }

  v1::ResetUsageResponse Reset(const std::string& account, const std::string& user = "",
                               grpc::Status* status = nullptr) {
    v1::ResetUsageRequest request;
    request.set_account(account);
    request.set_user(user);
    return AnswerTo<v1::ResetUsageResponse>(service_, request, status);
  }

  // The last message of a rebuild.
  v1::RebuildUsageResponse Rebuild(bool validate_only) {
    v1::RebuildUsageRequest request;
    request.set_validate_only(validate_only);
    return RebuildUsage(service_, request);
  }

  void Execute(const char* statement) {
    const absl::Status status = service_.database().Write(
        [&](storage::Transaction& t) { return t.Execute(statement).status(); });
    EXPECT_TRUE(status.ok()) << status;
  }

  TestService service_;
  int records_ = 0;
};

inline void ExpectClose(double got, double want) {
  EXPECT_LE(std::abs(got - want), 1e-9 * std::abs(want)) << got << ", want " << want;
}

inline absl::Time Hour(double hours) { return TestEpoch() + absl::Hours(hours); }

}  // namespace priorityd::rpc

#endif  // PRIORITYD_TESTS_SERVER_SERVICE_USAGE_SITE_H_
