// Tables column by column as the real sacctmgr printed them on the same site.
#include "client/prioctl/sacctmgr/show.h"

#include <map>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/client/prioctl/sacctmgr/scripted_admin.h"
#include "tests/client/run_prioctl.h"
#include "tests/slurm/transcript.h"

namespace priorityd {
namespace {

using ::testing::HasSubstr;

class ShowTest : public ::testing::Test {
 protected:
  ShowTest() { TellLab(admin_); }

  Finished Sacctmgr(std::vector<std::string> words, const std::string& in = "") {
    words.insert(words.begin(), {"--server", admin_.address()});
    return RunPrioctl(words, in, "sacctmgr");
  }

  ScriptedAdmin admin_;
};

// Commands of captured/sacctmgr_show.txt that show what priorityd has.
constexpr const char* kSame[] = {
    "sacctmgr show assoc",
    "sacctmgr show assoc -P",
    "sacctmgr -p show assoc",
    "sacctmgr -n show assoc",
    "sacctmgr list associations tree",
    "sacctmgr -P show assoc tree",
    "sacctmgr show assoc format=account,user,fairshare",
    "sacctmgr show assoc format=account%-20,user%5,share%6,qos%30,defaultqos",
    "sacctmgr show assoc where account=chem",
    "sacctmgr show assoc user=ann",
    "sacctmgr show assoc where user=ann account=stars,chem "
    "format=account,user,partition,qos,defaultqos,maxjobs",
    "sacctmgr show assoc user=ann partition=gpu",
    "sacctmgr show assoc where parent=physics format=account,user",
    "sacctmgr show user",
    "sacctmgr show users -P",
    "sacctmgr show user ann",
    "sacctmgr show user where name=ann,bob",
    "sacctmgr show user withassoc",
    "sacctmgr -P show user withassoc",
    "sacctmgr show user ann withassoc "
    "format=user,defaultaccount,account,partition,share,qos,adminlevel",
    "sacctmgr show user withcoord",
    "sacctmgr -nP show user withcoord format=user,coordinators,admin",
    "sacctmgr show user adminlevel=operator",
    "sacctmgr show user where defaultaccount=stars",
    "sacctmgr show account",
    "sacctmgr show account -P",
    "sacctmgr -n -p show account",
    "sacctmgr show account chem",
    "sacctmgr show account withassoc",
    "sacctmgr -P show account chem withassoc",
    "sacctmgr show account where organization=observatory",
    "sacctmgr show account where description=\"whatever\"",
    "sacctmgr show account format=account,descr%40,org",
    "sacctmgr show qos",
    "sacctmgr -P show qos",
    "sacctmgr -n show qos",
    "sacctmgr show qos high",
    "sacctmgr show qos where name=high,low format=name,priority,flags,preempt,usagefactor",
    "sacctmgr show qos format=name%10,grptres%40,maxwall,maxjobspu",
    "sacctmgr show problem",
};

TEST_F(ShowTest, TablesAreThoseOfTheRealSacctmgr) {
  std::map<std::string, std::string> printed;
  for (const TranscriptEntry& entry : ReadTranscript("sacctmgr_show.txt")) {
    printed[entry.command] = entry.out;
  }
  for (const char* command : kSame) {
    ASSERT_EQ(printed.count(command), 1U) << command;
    std::vector<std::string> words = CommandWords(command);
    words.erase(words.begin());
    const Finished shown = Sacctmgr(words);
    EXPECT_EQ(shown.out, printed[command]) << command << "\n" << shown.err;
    EXPECT_EQ(shown.exit_code, 0) << command;
  }
}

// Every name of format= that sacctmgr takes, with its heading and its width.
TEST_F(ShowTest, AFieldHasItsNameItsHeadingAndItsWidth) {
  for (const TranscriptEntry& entry : ReadTranscript("sacctmgr_show.txt")) {
    const size_t format = entry.command.find("format=");
    const bool is_ours = absl::StrContains(entry.command, "show assoc") ||
                         absl::StrContains(entry.command, "show qos");
    if (!is_ours || format == std::string::npos || entry.status != 0) continue;
    if (absl::StrContains(entry.command, " -n")) continue;
    std::vector<std::string> words = CommandWords(entry.command);
    words.erase(words.begin());
    const Finished shown = Sacctmgr(words);
    EXPECT_EQ(shown.out.substr(0, shown.out.find('\n')), entry.out.substr(0, entry.out.find('\n')))
        << entry.command << shown.err;
  }
}

TEST_F(ShowTest, AListOfManyPagesIsReadWhole) {
  const std::string whole = Sacctmgr({"show", "assoc"}).out;
  admin_.page_size = 3;
  EXPECT_EQ(Sacctmgr({"show", "assoc"}).out, whole);
}

TEST_F(ShowTest, AnUnknownFieldIsAnErrorThatListsTheKnownOnes) {
  const Finished shown = Sacctmgr({"show", "assoc", "format=account,nonsense"});
  EXPECT_EQ(shown.exit_code, 1);
  EXPECT_EQ(shown.out, "");
  EXPECT_THAT(shown.err, HasSubstr("\"nonsense\", want one of Account, "));
  EXPECT_THAT(Sacctmgr({"show", "assoc", "format=user,acount"}).err,
              HasSubstr("\"acount\"; did you mean Account? Want one of Account, "));
  EXPECT_THAT(Sacctmgr({"show", "assoc", "format=user%wide"}).err, HasSubstr("got width \"wide\""));
}

TEST_F(ShowTest, AnUnknownConditionIsAnErrorThatListsTheKnownOnes) {
  const Finished shown = Sacctmgr({"show", "qos", "where", "nonsense=1"});
  EXPECT_EQ(shown.exit_code, 1);
  EXPECT_THAT(shown.err, HasSubstr("\"nonsense=1\", want one of Clusters, Format, "));
  EXPECT_THAT(Sacctmgr({"show", "qos", "where", "fromat=1"}).err,
              HasSubstr("\"fromat=1\"; did you mean Format? Want one of Clusters, "));
}

TEST_F(ShowTest, JsonIsTheAnswerItself) {
  EXPECT_THAT(Sacctmgr({"--json", "show", "qos", "low"}).out,
              testing::AllOf(HasSubstr("\"name\":\"low\""), HasSubstr("\"UsageFactor\":\"0.25")));
  EXPECT_THAT(Sacctmgr({"show", "assoc", "user=fay", "--json"}).out,
              HasSubstr("\"account\":\"guests\""));
}

TEST_F(ShowTest, TransactionsAreTheAuditLogTheOldestFirst) {
  v1::AuditEvent& newer = *admin_.events.add_events();
  newer.mutable_time()->set_seconds(1795363300);
  newer.set_principal("root");
  newer.set_action("UpdateAssociations");
  newer.set_object("user ann account chem");
  newer.set_before("Fairshare=1");
  newer.set_after("Fairshare=5");
  v1::AuditEvent& older = *admin_.events.add_events();
  older.mutable_time()->set_seconds(1795363200);
  older.set_principal("eve");
  older.set_action("CreateAssociations");
  older.set_object("account chemistry");
  older.set_after("Fairshare=3");
  setenv("TZ", "UTC", 1);
  EXPECT_EQ(Sacctmgr({"-P", "list", "transactions", "start=2026-11-22", "actor=root,eve"}).out,
            "Time|Action|Actor|Where|Info\n"
            "2026-11-22T16:00:00|CreateAssociations|eve|account chemistry|Fairshare=3\n"
            "2026-11-22T16:01:40|UpdateAssociations|root|user ann account chem|"
            "Fairshare=1 -> Fairshare=5\n");
  ASSERT_EQ(admin_.asked_events.size(), 1U);
  EXPECT_EQ(admin_.asked_events[0].start_time().seconds(), 1795305600);
  EXPECT_THAT(admin_.asked_events[0].principals(), testing::ElementsAre("root", "eve"));
  // `chem` is not part of a name.
  EXPECT_THAT(Sacctmgr({"-nP", "list", "txn", "account=chem", "format=where"}).out,
              "user ann account chem\n");
}

TEST_F(ShowTest, TransactionsAreAskedForByTimesAsEveryCommandTakesThem) {
  setenv("TZ", "UTC", 1);
  const int64_t before = time(nullptr);
  ASSERT_EQ(Sacctmgr({"show", "transactions", "start=now-1hour", "end=11/22/26"}).exit_code, 0);
  const int64_t hour_ago = admin_.asked_events[0].start_time().seconds();
  EXPECT_GE(hour_ago, before - 3600);
  EXPECT_LE(hour_ago, time(nullptr) - 3600);
  EXPECT_EQ(admin_.asked_events[0].end_time().seconds(), 1795305600);
  const Finished bad = Sacctmgr({"show", "transactions", "end=soon"});
  EXPECT_EQ(bad.exit_code, 1);
  EXPECT_THAT(bad.err, HasSubstr("End: got the time \"soon\", want YYYY-MM-DD"));
}

TEST_F(ShowTest, CoordinatorsAreListed) {
  EXPECT_EQ(Sacctmgr({"-P", "show", "coordinator"}).out,
            "User|Coord Accounts\ncat|physics\ndan|organic\neve|chem,organic\n");
}

TEST_F(ShowTest, WithoutACommandLinesAreReadUntilQuit) {
  const Finished talk =
      Sacctmgr({"-nP"},
               "show user ann format=user\n\nnonsense\nshow user \"bob\" format=user\nquit\n"
               "show user cat\n");
  EXPECT_EQ(talk.out, "sacctmgr: ann\nsacctmgr: sacctmgr: sacctmgr: bob\nsacctmgr: ");
  EXPECT_THAT(talk.err, HasSubstr("got the command \"nonsense\""));
  EXPECT_EQ(talk.exit_code, 1);
}

TEST_F(ShowTest, ItIsASubcommandOfPrioctlToo) {
  // `cluster` is a command of prioctl's own.
  const Finished shown = RunPrioctl(
      {"--server", admin_.address(), "sacctmgr", "-n", "show", "cluster", "format=cluster", "-P"});
  EXPECT_EQ(shown.out, "lab\n") << shown.err;
}

TEST_F(ShowTest, HelpListsEveryVerb) {
  const Finished help = Sacctmgr({"--help"});
  EXPECT_EQ(help.exit_code, 0);
  for (const char* word : {"add|create", "modify|update", "delete|remove", "show|list", "dump",
                           "load", "rawusage=0", "--immediate"}) {
    EXPECT_THAT(help.out, HasSubstr(word));
  }
}

TEST_F(ShowTest, ALeasedLimitWithoutAStoredValueIsUnsetAfterwards) {
  v1::LeasedSetting& leased = *admin_.associations.mutable_associations(0)->add_leased();
  leased.set_name("MaxJobs");
  leased.set_value("3");
  leased.mutable_until()->set_seconds(1'795'363'200);
  EXPECT_THAT(Sacctmgr({"-nP", "show", "assoc", "format=leases"}).out,
              testing::ContainsRegex("MaxJobs=3 until 2026-11-2[0-9T:]+, then unset\n"));
  leased.clear_value();
  leased.set_then("3");
  EXPECT_THAT(Sacctmgr({"-nP", "show", "assoc", "format=leases"}).out,
              testing::ContainsRegex("MaxJobs=unset until 2026-11-2[0-9T:]+, then 3\n"));
}

}  // namespace
}  // namespace priorityd
