#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/client/prioctl/prioctl_fixture.h"

namespace priorityd {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST_F(PrioctlTest, UserListPrintsWhoCountsAsWhom) {
  fake_.list_user_merges.Answer([](const auto&, v1::ListUserMergesResponse* response) {
    v1::UserMerge* merge = response->add_merges();
    merge->set_from_user("a.smith");
    merge->set_into_user("amy");
    merge->set_merged_by("olga (munge)");
    merge->set_comment("one person");
    return grpc::Status::OK;
  });
  const std::string out = Output({"user", "list"});
  EXPECT_THAT(out, HasSubstr("COUNTS AS"));
  EXPECT_THAT(out, HasSubstr("a.smith"));
  EXPECT_THAT(out, HasSubstr("one person"));
  EXPECT_THAT(out, Not(HasSubstr("munge")));
  fake_.list_user_merges.Answer([](const auto&, auto*) { return grpc::Status::OK; });
  EXPECT_EQ(Run({"user", "list"}).out, "no merged users\n");
}

TEST_F(PrioctlTest, UserMergeAndUnmergeSendWhatIsTyped) {
  fake_.merge_users.Answer([](const auto&, v1::ChangeResponse* response) {
    response->set_created(1);
    response->add_warnings("grant \"g\" of user \"a.smith\" holds for nobody");
    return grpc::Status::OK;
  });
  fake_.unmerge_users.Answer([](const auto&, v1::ChangeResponse* response) {
    response->set_deleted(1);
    return grpc::Status::OK;
  });
  const Finished merged = Run({"user", "merge", "a.smith", "amy", "--comment", "one person"});
  EXPECT_THAT(merged.err, HasSubstr("holds for nobody"));
  EXPECT_THAT(merged.out, HasSubstr("changed"));
  EXPECT_THAT(Run({"user", "unmerge", "a.smith", "--validate-only"}).out, HasSubstr("would"));
  const auto requests = fake_.merge_users.requests();
  ASSERT_EQ(requests.size(), 1);
  EXPECT_EQ(requests[0].from_user(), "a.smith");
  EXPECT_EQ(requests[0].into_user(), "amy");
  EXPECT_EQ(requests[0].options().comment(), "one person");
  EXPECT_FALSE(requests[0].options().validate_only());
  EXPECT_EQ(fake_.unmerge_users.requests()[0].from_user(), "a.smith");
  EXPECT_TRUE(fake_.unmerge_users.requests()[0].options().validate_only());
  EXPECT_EQ(Run({"user", "merge", "a.smith"}).exit_code, 2);
}

}  // namespace
}  // namespace priorityd
