#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/client/prioctl/prioctl_fixture.h"

namespace priorityd {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

TEST_F(PrioctlTest, UserListPrintsMergedUsersAndTheirTargets) {
  fake_.list_user_merges.Answer([](const auto&, v1::ListUserMergesResponse* response) {
    v1::UserMerge* merge = response->add_merges();
    merge->set_from_user("a.smith");
    merge->set_into_user("amy");
    merge->set_merged_by("olga (munge)");
    merge->set_comment("one person");
    *response->add_merges() = *merge;
    response->mutable_merges(1)->set_of_domain(true);
    return grpc::Status::OK;
  });
  const std::string out = Output({"user", "list"});
  EXPECT_THAT(out, HasSubstr("COUNTS AS"));
  EXPECT_THAT(out, ContainsRegex("a.smith +amy +cluster"));
  EXPECT_THAT(out, ContainsRegex("a.smith +amy +domain"));
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
  EXPECT_FALSE(requests[0].with_members());
  EXPECT_EQ(Run({"user", "merge", "a.smith"}).exit_code, 2);
}

TEST_F(PrioctlTest, UserMergeWithMembersNamesWhatChangedInEach) {
  fake_.merge_users.Answer([](const auto&, v1::ChangeResponse* response) {
    response->set_created(2);
    response->set_with_members(true);
    v1::ConfigurationChange* change = response->add_changes();
    change->set_kind(v1::CHANGE_KIND_CREATED);
    change->set_object("merge of user \"a.smith\"");
    change->set_after("Into=amy Members=all");
    *response->add_changes() = *change;
    response->mutable_changes(1)->set_after("Domain=site Into=amy");
    response->mutable_changes(1)->set_cluster("alpha");
    return grpc::Status::OK;
  });
  const Finished merged = Run({"--cluster=site", "user", "merge", "a.smith", "amy", "--members"});
  EXPECT_TRUE(fake_.merge_users.requests().back().with_members());
  EXPECT_EQ(merged.out,
            "changed\n"
            "  merge of user \"a.smith\": Into=amy Members=all\n"
            "  alpha: merge of user \"a.smith\": Domain=site Into=amy\n");
}

TEST_F(PrioctlTest, UserMergeWithMembersFailsIfTheAnswerDoesNotConfirmThem) {
  fake_.merge_users.Answer([](const auto&, v1::ChangeResponse* response) {
    response->set_created(1);
    return grpc::Status::OK;
  });
  const Finished merged = Run({"user", "merge", "a.smith", "amy", "--members"});
  EXPECT_EQ(merged.exit_code, 1);
  EXPECT_THAT(merged.out, HasSubstr("changed"));
  EXPECT_THAT(merged.err, HasSubstr("a.smith is merged into amy in the domain alone; upgrade the "
                                    "service, then repeat the command"));
  EXPECT_THAT(Run({"user", "merge", "a.smith", "amy", "--members", "--validate-only"}).err,
              HasSubstr("a.smith would be merged"));
  EXPECT_EQ(Run({"user", "merge", "a.smith", "amy"}).exit_code, 0);
}

}  // namespace
}  // namespace priorityd
