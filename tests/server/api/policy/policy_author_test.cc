// Who applied a policy, as its readers see it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "priority/v1/admin_service.pb.h"
#include "tests/server/service/private_site.h"

namespace priorityd::rpc {
namespace {

namespace v1 = ::priority::v1;
using ::testing::HasSubstr;

TEST(PolicyAuthorTest, OnlyOperatorsSeeTheProofAndTheAddressOfItsAuthor) {
  PrivateSite site;
  v1::ApplyPolicyRequest policy;
  policy.set_text("Clock=manual\nPriorityWeightAge=7\n");
  site.Call<v1::ApplyPolicyResponse>("root", "AdminService/ApplyPolicy", policy);
  const auto authors = [&](const std::string& who) {
    const auto list = site.Call<v1::ListPolicyVersionsResponse>(
        who, "AdminService/ListPolicyVersions", v1::ListPolicyVersionsRequest());
    const auto newest =
        site.Call<v1::Policy>(who, "AdminService/GetPolicy", v1::GetPolicyRequest());
    EXPECT_GE(list.versions_size(), 1) << who;
    if (list.versions().empty()) return newest.applied_by();
    EXPECT_EQ(list.versions(0).applied_by(), newest.applied_by()) << who;
    return newest.applied_by();
  };
  EXPECT_THAT(authors("root"), HasSubstr("root ("));
  for (const char* who : {"amy", "coo", "dashboard"}) EXPECT_EQ(authors(who), "root") << who;
}

}  // namespace
}  // namespace priorityd::rpc
