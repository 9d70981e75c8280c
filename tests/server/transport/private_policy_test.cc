// What users see of the settings that hide rows from them.
#include <gtest/gtest.h>

#include <string>

#include "priority/v1/admin_service.pb.h"
#include "tests/server/service/private_site.h"

namespace priorityd::rpc {
namespace {

namespace v1 = ::priority::v1;

TEST(PrivatePolicyTest, GetPolicyShowsWhatIsPrivate) {
  PrivateSite site;
  site.SetPrivateData("Jobs,USERS");
  const auto policy =
      site.Call<v1::Policy>("amy", "AdminService/GetPolicy", v1::GetPolicyRequest());
  std::string shown;
  for (const v1::PolicyParameter& parameter : policy.parameters().all()) {
    if (parameter.name() == "PrivateData") shown = parameter.value();
  }
  EXPECT_EQ(shown, "jobs,users");
}

}  // namespace
}  // namespace priorityd::rpc
