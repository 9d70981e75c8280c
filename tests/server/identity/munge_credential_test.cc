#include "server/identity/munge_credential.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "absl/time/clock.h"
#include "engine/errors/error_details.h"
#include "tests/server/identity/private_munged.h"

namespace priorityd::identity {
namespace {

std::string ReasonOf(const absl::StatusOr<uid_t>& uid) { return errors::ReasonOf(uid.status()); }

TEST(MungeCredentialTest, ARealMungedDecodesTheMakerOfACredentialOnce) {
  const PrivateMunged munged;
  const std::string credential = munged.Credential();
  const auto uid = DecodeMunge(credential, munged.socket());
  ASSERT_TRUE(uid.ok()) << uid.status();
  EXPECT_EQ(*uid, getuid());
  const auto again = DecodeMunge(credential, munged.socket());
  EXPECT_EQ(again.status().code(), absl::StatusCode::kUnauthenticated);
  EXPECT_EQ(ReasonOf(again), "MUNGE_REPLAYED");
}

TEST(MungeCredentialTest, ACredentialForSomethingElseProvesNothing) {
  const PrivateMunged munged;
  for (const char* payload : {"", "slurm", "priorityd ", "priority"}) {
    const auto uid = DecodeMunge(munged.Credential(payload), munged.socket());
    EXPECT_EQ(ReasonOf(uid), "MUNGE_INVALID") << payload;
  }
}

TEST(MungeCredentialTest, AnotherSitesKeyAndGarbageAreInvalid) {
  const PrivateMunged ours;
  const PrivateMunged theirs;
  const std::string long_text(kMaxMungeBytes + 1, 'a');
  for (const std::string& credential :
       {theirs.Credential(), std::string(), std::string("MUNGE:"), std::string("MUNGE:AwQF:"),
        std::string("amy"), long_text}) {
    const auto uid = DecodeMunge(credential, ours.socket());
    EXPECT_EQ(uid.status().code(), absl::StatusCode::kUnauthenticated) << credential;
    EXPECT_EQ(ReasonOf(uid), "MUNGE_INVALID") << credential;
  }
}

// munged counts whole seconds: one of a second is expired after two.
TEST(MungeCredentialTest, AnExpiredCredentialIsSaidToBeExpired) {
  const PrivateMunged munged;
  const absl::Time deadline = absl::Now() + absl::Seconds(30);
  const std::string credential = munged.Credential("priorityd", 1);
  const absl::Time made = absl::Now();
  // Its age is what is tested, so this is no waiting for something to be done.
  while (absl::Now() < made + absl::Milliseconds(2100)) absl::SleepFor(absl::Milliseconds(50));
  ASSERT_LT(absl::Now(), deadline);
  EXPECT_EQ(ReasonOf(DecodeMunge(credential, munged.socket())), "MUNGE_EXPIRED");
}

TEST(MungeCredentialTest, WithoutMungedTheServiceIsUnavailableAndNobodyIsRefused) {
  PrivateMunged munged;
  const std::string credential = munged.Credential();
  munged.Stop();
  const auto uid = DecodeMunge(credential, munged.socket());
  EXPECT_EQ(uid.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(ReasonOf(uid), "MUNGE_UNREACHABLE");
}

TEST(MungeCredentialTest, AUidHasItsNameOnThisHost) {
  EXPECT_EQ(UserNameOf(0).value(), "root");
  EXPECT_EQ(errors::ReasonOf(UserNameOf(3999999999).status()), "UID_UNKNOWN");
}

}  // namespace
}  // namespace priorityd::identity
