// Merges of users that are refused, and how changes of merges are made.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/server/service/merging_site.h"

namespace priorityd::rpc {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class MergeConflictsTest : public MergingSite {
 protected:
  // Of the refusal of a merge.
  std::string RefusalOf(const std::string& from, const std::string& into,
                        std::string* message = nullptr) {
    grpc::Status status;
    Merge(from, into, &status);
    if (message != nullptr) *message = status.error_message();
    return status.ok() ? "" : DetailsOf(status).reason;
  }
  std::string ReasonOf(const grpc::Status& status) {
    return status.ok() ? "" : DetailsOf(status).reason;
  }

  std::vector<std::string> Listed() {
    std::vector<std::string> lines;
    const v1::ListUserMergesResponse list = Merges();
    for (const v1::UserMerge& merge : list.merges()) {
      lines.push_back(absl::StrCat(merge.from_user(), " ", merge.into_user()));
    }
    return lines;
  }
};

TEST_F(MergeConflictsTest, ConflictsAreRefusedAndNothingIsChanged) {
  AddUser("zoe", {"a"});
  Change({}, {AliasOf("", "z", "zoe")});
  Merge("a.smith", "amy");
  std::string message;
  EXPECT_EQ(RefusalOf("a.smith", "ben", &message), "ALREADY_MERGED");
  EXPECT_THAT(message, HasSubstr("from_user: got \"a.smith\", which is merged into \"amy\""));
  EXPECT_EQ(RefusalOf("ben", "a.smith", &message), "MERGE_CHAIN");
  EXPECT_THAT(message, HasSubstr("into_user: got \"a.smith\", which is merged into \"amy\""));
  EXPECT_EQ(RefusalOf("amy", "ben", &message), "MERGE_CHAIN");
  EXPECT_THAT(message, HasSubstr("from_user: got \"amy\", into which \"a.smith\" is merged"));
  EXPECT_EQ(RefusalOf("nobody", "ben", &message), "UNKNOWN_USER");
  EXPECT_THAT(message, HasSubstr("from_user: got \"nobody\""));
  EXPECT_EQ(RefusalOf("ben", "z"), "UNKNOWN_USER") << "an alias is no user";
  EXPECT_EQ(RefusalOf("amy", "amy"), "INVALID_FIELD");
  grpc::Status status;
  Unmerge("amy", &status);
  EXPECT_EQ(ReasonOf(status), "UNKNOWN_MERGE");
  EXPECT_THAT(Listed(), ElementsAre("a.smith amy"));
}

TEST_F(MergeConflictsTest, AUserOfTheNameOfAnAliasIsNotMerged) {
  Change({}, {AliasOf("", "zoe", "ben")});
  AddUser("zoe", {"a"});
  EXPECT_EQ(RefusalOf("zoe", "amy"), "USER_IS_ALIAS");
  EXPECT_EQ(RefusalOf("amy", "zoe"), "USER_IS_ALIAS");
}

TEST_F(MergeConflictsTest, TheOtherUserNeedsAnAssociationInEachAccount) {
  AddUser("a.smith", {"b"});
  std::string message;
  EXPECT_EQ(RefusalOf("a.smith", "amy", &message), "MERGE_LACKS_ASSOCIATION");
  EXPECT_THAT(message, HasSubstr("into_user: got \"amy\", which has no association"));
  EXPECT_THAT(message, HasSubstr("sacctmgr add user \"amy\" account=\"b\""));
  EXPECT_THAT(Listed(), IsEmpty());
  AddUser("amy", {"b"});
  Merge("a.smith", "amy");
  AddAccount("c", "root");
  grpc::Status status;
  AddUser("a.smith", {"c"}, {}, &status);
  EXPECT_EQ(ReasonOf(status), "MERGE_LACKS_ASSOCIATION");
  EXPECT_THAT(status.error_message(), HasSubstr("user \"amy\" of account \"c\": got no"));
  Remove(Where({"b"}, {"amy"}), &status);
  EXPECT_EQ(ReasonOf(status), "MERGE_LACKS_ASSOCIATION");
  EXPECT_THAT(status.error_message(), HasSubstr("user \"amy\" of account \"b\": got no"));
  EXPECT_THAT(status.error_message(), HasSubstr("or \"a.smith\" unmerged first"));
}

TEST_F(MergeConflictsTest, AChangeOrALeaseOfAMergedUserIsWarnedOf) {
  const auto change = [this](const std::string& user, const v1::ChangeOptions& options = {}) {
    const v1::ChangeResponse changed =
        Modify(Where({"a"}, {user}), {"Fairshare=5"}, nullptr, options);
    return std::vector<std::string>(changed.warnings().begin(), changed.warnings().end());
  };
  EXPECT_THAT(change("a.smith"), IsEmpty());
  Merge("a.smith", "amy");
  EXPECT_THAT(change("a.smith"),
              ElementsAre("user \"a.smith\" is merged into \"amy\", whose shares, "
                          "limits, QOS and priority hold meanwhile"));
  EXPECT_THAT(change("amy"), IsEmpty());
  v1::ChangeOptions until;
  *until.mutable_until() = ToTimestamp(Hour(9));
  EXPECT_THAT(change("a.smith", until), testing::Contains(HasSubstr("is merged into \"amy\"")));
}

TEST_F(MergeConflictsTest, AMergedUserIsNotDeleted) {
  Merge("a.smith", "amy");
  grpc::Status status;
  Remove(Where({}, {"a.smith"}), &status);
  EXPECT_EQ(ReasonOf(status), "USER_IS_MERGED");
  EXPECT_THAT(status.error_message(), HasSubstr("user \"a.smith\" of account \"a\""));
  v1::ImportRequest without = SmallSite("Clock=manual\n");
  without.set_clean(true);
  Import(service_, without, &status);
  EXPECT_EQ(ReasonOf(status), "USER_IS_MERGED");
  Unmerge("a.smith");
  Remove(Where({}, {"a.smith"}));
}

TEST_F(MergeConflictsTest, AClusterHasAtMostAThousand) {
  Execute(
      "INSERT INTO priorityd.user_merge SELECT id, 'n' || i, 'nobody', now(), '', '' "
      "FROM priorityd.cluster, generate_series(1, 999) AS i");
  Merge("a.smith", "amy");
  std::string message;
  EXPECT_EQ(RefusalOf("ben", "amy", &message), "TOO_MANY_MERGES");
  EXPECT_THAT(message, HasSubstr("got 1001 merges of the cluster, want at most 1000"));
}

TEST_F(MergeConflictsTest, NoneIsMadeBesideAReplicaThatKnowsNone) {
  // As a program of before merges reports itself.
  Execute(
      "INSERT INTO priorityd.replica (name, address, version, started_at, leads, host_ahead, "
      "seen_at) VALUES ('old', '10.0.0.9:7411', '0.2.0', now(), false, 0, clock_timestamp())");
  std::string message;
  EXPECT_EQ(RefusalOf("a.smith", "amy", &message), "OLD_REPLICA");
  EXPECT_THAT(message, HasSubstr("beside the replica \"10.0.0.9:7411\" of version \"0.2.0\""));
  EXPECT_THAT(Listed(), IsEmpty());
  Execute(
      "UPDATE priorityd.replica SET seen_at = seen_at - interval '2 minutes' "
      "WHERE name = 'old'");
  EXPECT_EQ(RefusalOf("a.smith", "amy"), "") << "it has ended";
}

TEST_F(MergeConflictsTest, WrongFieldsAreNamed) {
  grpc::Status status;
  Merge("", std::string(256, 'a'), &status);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(DetailsOf(status).Fields(), "from_user,into_user");
  Unmerge("", &status);
  EXPECT_EQ(DetailsOf(status).Fields(), "from_user");
}

TEST_F(MergeConflictsTest, ChangesHaveEtagsAndAuditEventsAndMayBeRepeated) {
  const std::string etag = Merges().etag();
  v1::ChangeOptions options;
  options.set_validate_only(true);
  EXPECT_EQ(Merge("a.smith", "amy", nullptr, options).created(), 1);
  EXPECT_THAT(Listed(), IsEmpty());
  options.set_validate_only(false);
  options.set_etag(etag);
  options.set_comment("one person");
  Merge("a.smith", "amy", nullptr, options);
  EXPECT_EQ(Merge("a.smith", "amy").unchanged(), 1);
  ASSERT_EQ(Merges().merges_size(), 1);
  EXPECT_EQ(Merges().merges(0).comment(), "one person");
  grpc::Status status;
  Unmerge("a.smith", &status, options);
  EXPECT_EQ(ReasonOf(status), "ETAG_MISMATCH");
  EXPECT_EQ(Unmerge("a.smith").deleted(), 1);
  v1::ListAuditEventsRequest audit;
  audit.add_actions("MergeUsers");
  audit.add_actions("UnmergeUsers");
  const auto events = Called<v1::ListAuditEventsResponse>(audit, nullptr);
  ASSERT_EQ(events.events_size(), 2);
  EXPECT_EQ(events.events(0).object(), "merge of user \"a.smith\"");
  EXPECT_EQ(events.events(0).before(), "Into=amy");
  EXPECT_EQ(events.events(1).after(), "Into=amy");
  EXPECT_EQ(events.events(1).comment(), "one person");
}

}  // namespace
}  // namespace priorityd::rpc
