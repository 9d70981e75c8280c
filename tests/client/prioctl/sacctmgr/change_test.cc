// What the verbs ask the service for, and what they say and ask before a change.
#include "client/prioctl/sacctmgr/change.h"

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "tests/client/prioctl/sacctmgr/recording_terminal.h"
#include "tests/client/run_prioctl.h"

namespace priorityd {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// NAME=VALUE, with the sign.
std::vector<std::string> Texts(const google::protobuf::RepeatedPtrField<v1::Setting>& settings) {
  std::vector<std::string> texts;
  for (const v1::Setting& setting : settings) {
    const char* sign = setting.operator_() == v1::SETTING_OPERATOR_ADD      ? "+="
                       : setting.operator_() == v1::SETTING_OPERATOR_REMOVE ? "-="
                                                                            : "=";
    texts.push_back(absl::StrCat(setting.name(), sign, setting.value()));
  }
  return texts;
}

class ChangeTest : public CommandTest {};

TEST_F(ChangeTest, AChangeIsCheckedReportedAskedAboutAndMadeWithTheEtagOfTheCheck) {
  ChangesOne(v1::CHANGE_KIND_UPDATED, "account chem", "Fairshare=1", "Fairshare=40");
  ASSERT_TRUE(Execute({"modify", "account", "chem", "set", "fairshare=40"}).ok());
  EXPECT_EQ(terminal_.out,
            " Modified account associations...\n  account chem: Fairshare=1 -> Fairshare=40\n"
            " Takes effect when recalculated: prioctl recalculate\n");
  EXPECT_THAT(terminal_.questions, ElementsAre(sacctmgr::kCommitQuestion));
  ASSERT_EQ(admin_.updated.size(), 2U);
  EXPECT_TRUE(admin_.updated[0].options().validate_only());
  EXPECT_EQ(admin_.updated[0].options().etag(), "");
  EXPECT_FALSE(admin_.updated[1].options().validate_only());
  EXPECT_EQ(admin_.updated[1].options().etag(), "e1");
  EXPECT_THAT(admin_.updated[1].where().accounts(), ElementsAre("chem"));
  EXPECT_THAT(admin_.updated[1].where().users(), ElementsAre(""));
  EXPECT_THAT(Texts(admin_.updated[1].settings()), ElementsAre("fairshare=40"));
}

TEST_F(ChangeTest, ItIsPrintedFromWhenAChangeIsInForceInThePolicysZone) {
  settings_.immediate = true;
  ChangesOne(v1::CHANGE_KIND_UPDATED, "account chem", "Fairshare=1", "Fairshare=40");
  admin_.policy.mutable_parameters()->set_time_zone("Asia/Tokyo");
  const absl::Time at = absl::FromCivil(absl::CivilSecond(2026, 1, 5, 1, 20, 29),
                                        absl::UTCTimeZone());  // 9 hours before Tokyo's time.
  admin_.change.mutable_takes_effect_at()->set_seconds(absl::ToUnixSeconds(at));
  admin_.change.mutable_takes_effect_at()->set_nanos(1);
  ASSERT_TRUE(Execute({"modify", "account", "chem", "set", "fairshare=40"}).ok());
  EXPECT_THAT(terminal_.out, testing::EndsWith(" Takes effect by 2026-01-05T10:20:30\n"));
}

TEST_F(ChangeTest, TheTermOfALeaseComesLastAndGoesWithTheUserAndTheAssociations) {
  settings_.immediate = true;
  ChangesOne(v1::CHANGE_KIND_CREATED, "lease 1 of account chem", "", "Fairshare=40");
  ASSERT_TRUE(Execute({"modify", "account", "chem", "set", "Until=now+1day", "fairshare=40"}).ok());
  EXPECT_THAT(Texts(admin_.updated[0].settings()), ElementsAre("fairshare=40", "Until=now+1day"));
  EXPECT_FALSE(Execute({"modify", "user", "ann", "set", "until=now+1day"}).ok());
}

TEST_F(ChangeTest, NothingChangesWhereTheAnswerIsNo) {
  ChangesOne(v1::CHANGE_KIND_DELETED, "account chem", "", "");
  terminal_.answer = false;
  ASSERT_TRUE(Execute({"delete", "account", "chem"}).ok());
  EXPECT_THAT(terminal_.out, testing::EndsWith(" Changes Discarded\n"));
  ASSERT_EQ(admin_.deleted.size(), 1U);
  EXPECT_TRUE(admin_.deleted[0].options().validate_only());
  EXPECT_EQ(terminal_.exit_code, 0);
}

TEST_F(ChangeTest, ImmediateIsOneCallWithoutAQuestion) {
  settings_.immediate = true;
  ChangesOne(v1::CHANGE_KIND_CREATED, "account chem", "", "Fairshare=40");
  ASSERT_TRUE(Execute({"add", "account", "chem,phys", "parent=root", "fairshare=40",
                       "organization=Faculty of Science"})
                  .ok());
  EXPECT_EQ(terminal_.out,
            " Adding Account(s)\n  account chem: Fairshare=40\n"
            " Takes effect when recalculated: prioctl recalculate\n");
  EXPECT_THAT(terminal_.questions, IsEmpty());
  ASSERT_EQ(admin_.created.size(), 1U);
  const v1::CreateAssociationsRequest& request = admin_.created[0];
  EXPECT_FALSE(request.options().validate_only());
  EXPECT_TRUE(request.allow_existing());
  ASSERT_EQ(request.associations_size(), 2);
  EXPECT_EQ(request.associations(1).account(), "phys");
  EXPECT_EQ(request.associations(1).parent_account(), "root");
  EXPECT_THAT(Texts(request.settings()),
              ElementsAre("fairshare=40", "organization=Faculty of Science"));
}

TEST_F(ChangeTest, AUserIsAddedToEachAccountForEachPartition) {
  settings_.immediate = true;
  ChangesOne(v1::CHANGE_KIND_CREATED, "user ann account a", "", "");
  ASSERT_TRUE(Execute({"add", "user", "ann,bob", "accounts=a,b", "partition=p,q", "cluster=lab",
                       "defaultaccount=a", "qos+=high"})
                  .ok());
  ASSERT_EQ(admin_.created.size(), 1U);
  EXPECT_EQ(admin_.created[0].cluster(), "lab");
  ASSERT_EQ(admin_.created[0].associations_size(), 8);
  EXPECT_EQ(admin_.created[0].associations(3).account(), "b");
  EXPECT_EQ(admin_.created[0].associations(3).partition(), "q");
  EXPECT_THAT(Texts(admin_.created[0].settings()), ElementsAre("defaultaccount=a", "qos+=high"));
  // Without an account, the user's default account is meant.
  ASSERT_TRUE(Execute({"add", "user", "cat", "DefaultAccount=c"}).ok());
  ASSERT_EQ(admin_.created[1].associations_size(), 1);
  EXPECT_EQ(admin_.created[1].associations(0).account(), "c");
}

TEST_F(ChangeTest, WhatIsThereAlreadyIsNotAddedAndTheExitCodeIsSacctmgrs) {
  settings_.immediate = true;
  admin_.change.set_unchanged(1);
  ASSERT_TRUE(Execute({"add", "account", "chem"}).ok());
  EXPECT_EQ(terminal_.out, " Nothing new added.\n");
  EXPECT_EQ(terminal_.exit_code, 1);
  TellLab(admin_);
  terminal_.exit_code = 0;
  ASSERT_TRUE(Execute({"add", "qos", "high,low"}).ok());
  EXPECT_EQ(terminal_.out, " Nothing new added.\n");
  EXPECT_EQ(terminal_.exit_code, 1);
  EXPECT_THAT(admin_.created_qos, IsEmpty());
  ASSERT_TRUE(Execute({"add", "cluster", "lab"}).ok());
  EXPECT_EQ(terminal_.out, " Nothing new added.\n");
}

TEST_F(ChangeTest, WhatIsNotThereIsNeitherModifiedNorDeletedAndTheExitCodeIsSacctmgrs) {
  admin_.refusal = grpc::Status(grpc::NOT_FOUND, "where: no association fits");
  ASSERT_TRUE(Execute({"modify", "user", "nobody", "set", "fairshare=1"}).ok());
  EXPECT_EQ(terminal_.out, " Nothing modified\n  where: no association fits\n");
  EXPECT_EQ(terminal_.exit_code, 1);
  terminal_.exit_code = 0;
  ASSERT_TRUE(Execute({"delete", "account", "nowhere"}).ok());
  EXPECT_EQ(terminal_.out, " Nothing deleted\n  where: no association fits\n");
  EXPECT_EQ(terminal_.exit_code, 1);
  EXPECT_THAT(terminal_.questions, IsEmpty());
  // What is to be added below something that is not there is an error.
  EXPECT_TRUE(absl::IsNotFound(Execute({"add", "account", "a", "parent=nowhere"})));
}

TEST_F(ChangeTest, WhatHoldsInAllAccountsIsSetOfUsersAndTheRestOfTheirAssociations) {
  ChangesOne(v1::CHANGE_KIND_UPDATED, "user ann", "AdminLevel=None", "AdminLevel=Operator");
  ASSERT_TRUE(Execute({"modify", "user", "ann", "where", "account=chem", "set", "admin=operator",
                       "fairshare=9", "qos-=low"})
                  .ok());
  // Both are checked before either is made, and the question is asked once.
  EXPECT_EQ(terminal_.questions.size(), 1U);
  ASSERT_EQ(admin_.updated_users.size(), 2U);
  EXPECT_THAT(Texts(admin_.updated_users[1].settings()), ElementsAre("admin=operator"));
  EXPECT_THAT(admin_.updated_users[1].where().names(), ElementsAre("ann"));
  ASSERT_EQ(admin_.updated.size(), 2U);
  EXPECT_THAT(Texts(admin_.updated[1].settings()), ElementsAre("fairshare=9", "qos-=low"));
  EXPECT_THAT(admin_.updated[1].where().users(), ElementsAre("ann"));
  EXPECT_THAT(admin_.updated[1].where().accounts(), ElementsAre("chem"));
}

TEST_F(ChangeTest, UsersOfAnAccountNeverMeanTheAccountItself) {
  TellLab(admin_);
  ChangesOne(v1::CHANGE_KIND_UPDATED, "user ann account chem", "", "Fairshare=7");
  settings_.immediate = true;
  ASSERT_TRUE(Execute({"modify", "user", "set", "fairshare=7", "where", "account=chem"}).ok());
  ASSERT_EQ(admin_.updated.size(), 1U);
  EXPECT_THAT(admin_.updated[0].where().users(),
              ElementsAre("ann", "bob", "cat", "dan", "eve", "fay", "root"));
}

TEST_F(ChangeTest, AllOfAKindAreAskedAboutFirst) {
  terminal_.answer = false;
  ASSERT_TRUE(Execute({"modify", "account", "set", "fairshare=1"}).ok());
  ASSERT_EQ(terminal_.questions.size(), 1U);
  EXPECT_THAT(terminal_.questions[0], HasSubstr("this changes all of them"));
  EXPECT_THAT(admin_.updated, IsEmpty());
  settings_.immediate = true;
  ASSERT_TRUE(Execute({"modify", "account", "set", "fairshare=1"}).ok());
  ASSERT_EQ(admin_.updated.size(), 1U);
  EXPECT_THAT(admin_.updated[0].where().accounts(), ElementsAre("root"));
  EXPECT_TRUE(admin_.updated[0].where().with_sub_accounts());
}

TEST_F(ChangeTest, AccountsAreFoundByDescriptionAndOrganization) {
  TellLab(admin_);
  settings_.immediate = true;
  ChangesOne(v1::CHANGE_KIND_UPDATED, "account stars", "", "Fairshare=7");
  ASSERT_TRUE(
      Execute({"modify", "account", "where", "org=observatory", "set", "fairshare=7"}).ok());
  ASSERT_EQ(admin_.updated.size(), 1U);
  EXPECT_THAT(admin_.updated[0].where().accounts(), ElementsAre("stars"));
  ASSERT_TRUE(Execute({"modify", "account", "where", "org=nowhere", "set", "fairshare=7"}).ok());
  EXPECT_EQ(terminal_.out, " Nothing modified\n");
}

TEST_F(ChangeTest, WhatAClusterHasIsSetOfItsRoot) {
  settings_.immediate = true;
  ChangesOne(v1::CHANGE_KIND_UPDATED, "account root", "", "GrpJobs=500");
  ASSERT_TRUE(Execute({"modify", "cluster", "lab", "set", "grpjobs=500"}).ok());
  ASSERT_EQ(admin_.updated.size(), 1U);
  EXPECT_EQ(admin_.updated[0].cluster(), "lab");
  EXPECT_THAT(admin_.updated[0].where().accounts(), ElementsAre("root"));
  ASSERT_TRUE(Execute({"add", "cluster", "new", "fairshare=3"}).ok());
  ASSERT_EQ(admin_.updated_clusters.size(), 1U);
  EXPECT_EQ(admin_.updated_clusters[0].cluster().name(), "new");
  EXPECT_TRUE(admin_.updated_clusters[0].allow_missing());
  EXPECT_EQ(admin_.updated[1].cluster(), "new");
  ASSERT_TRUE(Execute({"delete", "cluster", "new"}).ok());
  EXPECT_EQ(terminal_.out,
            " Deleting clusters...\n  cluster new, with 3 associations, 2 jobs and 7 usage "
            "records\n");
}

TEST_F(ChangeTest, QosAreChangedByName) {
  TellLab(admin_);
  settings_.immediate = true;
  ChangesOne(v1::CHANGE_KIND_UPDATED, "qos high", "Priority=1", "Priority=5");
  ASSERT_TRUE(Execute({"add", "qos", "new,high", "priority=5", "flags=NoDecay"}).ok());
  ASSERT_EQ(admin_.created_qos.size(), 1U);
  EXPECT_THAT(admin_.created_qos[0].names(), ElementsAre("new"));
  ASSERT_TRUE(Execute({"modify", "qos", "high,low", "set", "preempt+=debug"}).ok());
  EXPECT_THAT(admin_.updated_qos[0].names(), ElementsAre("high", "low"));
  EXPECT_THAT(Texts(admin_.updated_qos[0].settings()), ElementsAre("preempt+=debug"));
  ASSERT_TRUE(Execute({"delete", "qos", "low,nosuch"}).ok());
  EXPECT_THAT(admin_.deleted_qos[0].names(), ElementsAre("low"));
}

TEST_F(ChangeTest, CoordinatorsAreUsersThatCoordinateAccounts) {
  settings_.immediate = true;
  ChangesOne(v1::CHANGE_KIND_UPDATED, "user ann", "", "Coordinators=chem");
  ASSERT_TRUE(Execute({"add", "coordinator", "accounts=chem,phys", "names=ann"}).ok());
  EXPECT_THAT(admin_.updated_users[0].where().names(), ElementsAre("ann"));
  EXPECT_THAT(Texts(admin_.updated_users[0].settings()), ElementsAre("Coordinators+=chem,phys"));
  ASSERT_TRUE(Execute({"delete", "coordinator", "accounts=chem"}).ok());
  EXPECT_THAT(admin_.updated_users[1].where().names(), IsEmpty());
  EXPECT_THAT(admin_.updated_users[1].where().coordinated_accounts(), ElementsAre("chem"));
  EXPECT_THAT(Texts(admin_.updated_users[1].settings()), ElementsAre("Coordinators-=chem"));
}

TEST_F(ChangeTest, WhatIsMissingIsNamed) {
  const auto message = [&](const std::vector<std::string>& words) {
    return std::string(Execute(words).message());
  };
  EXPECT_THAT(message({"add", "account"}), HasSubstr("no name of account"));
  EXPECT_THAT(message({"add", "user", "dan"}), HasSubstr("account=NAME"));
  EXPECT_THAT(message({"add", "coordinator", "ann"}), HasSubstr("account=NAME"));
  EXPECT_THAT(message({"modify", "account", "chem"}), HasSubstr("nothing to set"));
  EXPECT_THAT(message({"modify", "account", "chem", "set", "fairshare"}),
              HasSubstr("\"fairshare\" after set"));
  EXPECT_THAT(message({"modify", "user", "fairshare=3"}),
              HasSubstr("settings follow the word set"));
  EXPECT_THAT(message({"delete", "user"}), HasSubstr("no condition"));
  EXPECT_THAT(message({"show", "user", "cluster=a,b"}), HasSubstr("one cluster"));
  settings_.read_only = true;
  EXPECT_THAT(message({"delete", "user", "ann"}), HasSubstr("-r: "));
}

// As of a shell variable that is not set: no user is not every account.
TEST_F(ChangeTest, AnEmptyNameIsAnErrorAndNobodyIsAsked) {
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"delete", "user", ""},
                                             {"delete", "user", "name="},
                                             {"delete", "account", "name="},
                                             {"delete", "user", "ann", "account="},
                                             {"modify", "user", "", "set", "fairshare=1"},
                                             {"add", "user", "", "account=chem"},
                                             {"add", "user", "ann", "account="}}) {
    EXPECT_THAT(std::string(Execute(words).message()), HasSubstr("got an empty name"));
  }
  EXPECT_THAT(admin_.deleted, IsEmpty());
  EXPECT_THAT(admin_.updated, IsEmpty());
  EXPECT_THAT(admin_.created, IsEmpty());
}

TEST_F(ChangeTest, WarningsAreReportedAndALostRaceIsAnError) {
  ChangesOne(v1::CHANGE_KIND_DELETED, "account chem", "", "");
  admin_.change.add_warnings("3 tracked jobs name it");
  ASSERT_TRUE(Execute({"delete", "account", "chem"}).ok());
  EXPECT_THAT(terminal_.out, HasSubstr(" Warning: 3 tracked jobs name it\n"));
  admin_.refusal = grpc::Status(grpc::ABORTED, "etag: the configuration changed");
  EXPECT_TRUE(absl::IsAborted(Execute({"delete", "account", "chem"})));
}

TEST_F(ChangeTest, RefusalsNameWhatWasTypedAndNotFieldsOfTheRequest) {
  settings_.immediate = true;
  admin_.refusal = grpc::Status(grpc::NOT_FOUND, "associations[3].parent_account: got \"nowhere\"");
  EXPECT_EQ(Execute({"add", "account", "a", "parent=nowhere"}).message(),
            "parent: got \"nowhere\"");
  admin_.refusal = grpc::Status(grpc::INVALID_ARGUMENT,
                                "associations[0].account: got 300 bytes; associations[1].user: x");
  EXPECT_EQ(Execute({"add", "user", "a", "account=b"}).message(),
            "account: got 300 bytes; user: x");
  admin_.refusal = grpc::Status(grpc::NOT_FOUND, "where.accounts[12]: got \"x\"");
  ASSERT_TRUE(Execute({"modify", "account", "x", "set", "fairshare=1"}).ok());
  EXPECT_EQ(terminal_.out, " Nothing modified\n  account: got \"x\"\n");
}

TEST_F(ChangeTest, WhereNobodyCanBeAskedNothingChanges) {
  ChangesOne(v1::CHANGE_KIND_DELETED, "account chem", "", "");
  const Finished refused =
      RunPrioctl({"--server", admin_.address(), "sacctmgr", "delete", "account", "chem"}, "y\n");
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.err, HasSubstr("-i changes without a question"));
  EXPECT_THAT(refused.out, HasSubstr(" Deleting accounts...\n  account chem\n"));
  ASSERT_EQ(admin_.deleted.size(), 1U);
  EXPECT_TRUE(admin_.deleted[0].options().validate_only());
  // An option may stand behind the words.
  const Finished done =
      RunPrioctl({"--server", admin_.address(), "sacctmgr", "delete", "account", "chem", "-i"});
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_FALSE(admin_.deleted.back().options().validate_only());
}

TEST_F(ChangeTest, ACommandThatNamesAnotherClusterThanTheOptionIsRefused) {
  ChangesOne(v1::CHANGE_KIND_UPDATED, "account chem", "Fairshare=1", "Fairshare=40");
  settings_.cluster = "lab";
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"modify", "account", "chem", "cluster=other", "set", "fairshare=40"},
           {"add", "user", "ann", "account=chem", "cluster=other"},
           {"delete", "cluster", "other"},
           {"show", "user", "cluster=other"},
           {"dump", "other", "file=-"}}) {
    EXPECT_EQ(Execute(words), absl::InvalidArgumentError("--cluster: got lab, want other, which "
                                                         "the command names, or none"))
        << words[0];
  }
  EXPECT_THAT(admin_.updated, IsEmpty());
  EXPECT_TRUE(Execute({"modify", "account", "chem", "cluster=LAB", "set", "fairshare=40"}).ok());
}

TEST_F(ChangeTest, AChangeIsPrintedWithoutControlCharactersOfOthers) {
  ChangesOne(v1::CHANGE_KIND_UPDATED, "account chem", "Description=a\nb", "Description=\x1b[2J");
  ASSERT_TRUE(Execute({"modify", "account", "chem", "set", "description=x"}).ok());
  EXPECT_THAT(terminal_.out, HasSubstr("\n  account chem: Description=a\\nb -> "
                                       "Description=\\u001b[2J\n"));
}

}  // namespace
}  // namespace priorityd
