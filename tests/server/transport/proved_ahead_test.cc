#include "server/transport/proved_ahead.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "server/identity/munge_credential.h"
#include "server/replica.h"
#include "tests/await.h"
#include "tests/server/service/secured_replica.h"
#include "tests/server/service/test_service.h"

namespace priorityd::rpc {
namespace {

class ProvedAheadTest : public ::testing::Test {
 protected:
  void Keep(const std::string& credential, absl::Time now) {
    proved_.Keep(credential, {identity::kUserKind, "amy", "MUNGE, uid 1000"}, now);
  }

  const absl::Time now_ = absl::UnixEpoch() + absl::Hours(1);
  ProvedAhead proved_;
};

TEST_F(ProvedAheadTest, ACredentialIsTakenOnceAndOnlyTheSame) {
  Keep("MUNGE:1:", now_);
  EXPECT_FALSE(proved_.Take("MUNGE:2:", now_).has_value());
  const auto principal = proved_.Take("MUNGE:1:", now_);
  ASSERT_TRUE(principal.has_value());
  EXPECT_EQ(principal->name, "amy");
  EXPECT_FALSE(proved_.Take("MUNGE:1:", now_).has_value());
}

TEST_F(ProvedAheadTest, ACredentialWhoseCallWasGivenUpIsForgottenAfterAMinute) {
  Keep("MUNGE:1:", now_);
  Keep("MUNGE:2:", now_ + absl::Seconds(30));
  const absl::Time later = now_ + ProvedAhead::kKept;
  EXPECT_FALSE(proved_.Take("MUNGE:1:", later).has_value());
  EXPECT_TRUE(proved_.Take("MUNGE:2:", later).has_value());
}

TEST_F(ProvedAheadTest, TheOldestMakesRoom) {
  for (size_t i = 0; i <= ProvedAhead::kMost; ++i) Keep(absl::StrCat(i), now_);
  EXPECT_FALSE(proved_.Take("0", now_).has_value());
  EXPECT_TRUE(proved_.Take("1", now_).has_value());
}

// A user who has many checked and sends no message keeps no right by them.
TEST(ProvedAheadRolesTest, ACredentialThatWasCheckedAheadHasTheRolesOfItsCall) {
  const std::string line =
      absl::StrCat("Principal=user:", identity::UserNameOf(getuid()).value(), " Role=dashboard\n");
  SecuredReplica::Options options;
  options.more_settings = line;
  SecuredReplica service(options);
  const auto roles_of = [&](const std::string& authorization) {
    const v1::GetCallerRequest request;
    v1::Caller response;
    service.Call("priority.v1.PriorityService/GetCaller", authorization, &request, &response);
    return std::vector<std::string>(response.roles().begin(), response.roles().end());
  };
  const std::vector<std::string> proofs = {service.Munge(), service.Munge()};
  for (const std::string& proof : proofs) {
    const absl::Status checked = service.replica().boundary().CheckProof(
        PresentedBy(proof, "", std::nullopt, {}), "ipv4:127.0.0.1:1");
    ASSERT_TRUE(checked.ok()) << checked;
  }
  EXPECT_THAT(roles_of(proofs[0]), ::testing::Contains("dashboard"));
  EXPECT_THAT(roles_of(proofs[0]), ::testing::IsEmpty()) << "it was used before";
  std::ifstream file(service.auth_file(), std::ios::binary);
  const std::string settings(std::istreambuf_iterator<char>(file), {});
  std::ofstream(service.auth_file(), std::ios::binary)
      << absl::StrReplaceAll(settings, {{line, ""}});
  const auto is_revoked = [&] {
    const std::vector<std::string> roles = roles_of(service.Munge());
    return !roles.empty() && !absl::c_linear_search(roles, "dashboard");
  };
  ASSERT_TRUE(Await(is_revoked));
  EXPECT_THAT(roles_of(proofs[1]), ::testing::Not(::testing::Contains("dashboard")));
}

}  // namespace
}  // namespace priorityd::rpc
