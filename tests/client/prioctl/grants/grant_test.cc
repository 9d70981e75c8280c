// prioctl grant list, show, statement, create, update, transfer and revoke.
#include <cstdint>
#include <map>
#include <string>

#include "client/prioctl/grants/grant_text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/client/prioctl/prioctl_fixture.h"

namespace priorityd {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

constexpr int64_t kOctober = 1790812800;  // 2026-10-01T00:00:00Z
constexpr int64_t kJanuary = 1798761600;  // 2027-01-01T00:00:00Z

// A window with carry-over: 120,000 + 12,000 - 600.5 are available, 131,400 are used.
v1::GrantBalance OneWindow() {
  v1::GrantBalance window;
  window.mutable_begin_time()->set_seconds(kOctober);
  window.mutable_end_time()->set_seconds(kJanuary);
  window.set_granted_minutes(120000);
  window.set_carried_minutes(12000);
  window.set_transferred_minutes(-600.5);
  window.set_available_minutes(131399.5);
  window.set_used_minutes(131400);
  window.set_left_minutes(-0.5);
  return window;
}

v1::Grant GrantOfChem() {
  v1::Grant grant;
  grant.set_name("chem-2026");
  for (const auto& [name, value] :
       std::map<std::string, std::string>{{"Accounts", "chem"},
                                          {"TRES", "billing"},
                                          {"Amount", "120000"},
                                          {"Begin", "2026-10-01T00:00:00Z"},
                                          {"Window", "quarter"},
                                          {"CarryOver", "10%"},
                                          {"Consequence", "demote:low"}}) {
    (*grant.mutable_attributes())[name] = value;
  }
  grant.set_state(v1::GRANT_STATE_EXHAUSTED);
  *grant.mutable_balance() = OneWindow();
  grant.set_running_minutes(90);
  return grant;
}

class GrantCommandsTest : public PrioctlTest {
 protected:
  GrantCommandsTest() {
    fake_.list_grants.Answer([](const v1::ListGrantsRequest& request, auto* response) {
      *response->add_grants() = GrantOfChem();
      if (!request.names().empty()) return grpc::Status::OK;
      v1::Grant* next = response->add_grants();
      next->set_name("ann");
      (*next->mutable_attributes())["Accounts"] = "phys";
      (*next->mutable_attributes())["User"] = "ann";
      next->set_state(v1::GRANT_STATE_NOT_BEGUN);
      return grpc::Status::OK;
    });
    fake_.get_grant_statement.Answer([](const auto&, v1::GetGrantStatementResponse* response) {
      *response->mutable_grant() = GrantOfChem();
      v1::GrantVersion* version = response->mutable_grant()->add_versions();
      version->set_amount_minutes(120000);
      version->mutable_effective_time()->set_seconds(kOctober);
      version->set_changed_by("root");
      version->set_comment("call of 2026");
      v1::GrantBalance* window = response->add_windows();
      window->mutable_begin_time()->set_seconds(kOctober - 92 * 86400);
      window->mutable_end_time()->set_seconds(kOctober);
      window->set_granted_minutes(120000);
      window->set_available_minutes(120000);
      window->set_used_minutes(30);
      window->set_left_minutes(119970);
      *response->add_windows() = OneWindow();
      return grpc::Status::OK;
    });
    fake_.update_grants.Answer([](const v1::UpdateGrantsRequest& request, auto* response) {
      v1::ConfigurationChange* change = response->add_changes();
      change->set_object("grant " + request.names(0));
      change->set_kind(request.allow_missing() ? v1::CHANGE_KIND_CREATED : v1::CHANGE_KIND_UPDATED);
      if (!request.allow_missing()) change->set_before("Amount=1");
      change->set_after("Amount=2");
      request.allow_missing() ? response->set_created(1) : response->set_updated(1);
      response->set_etag("e7");
      response->mutable_takes_effect_at()->set_seconds(kOctober);
      return grpc::Status::OK;
    });
  }

  void HaveNoGrants() {
    fake_.list_grants.Answer([](const v1::ListGrantsRequest& request, auto*) {
      if (request.names().empty()) return grpc::Status::OK;
      return grpc::Status(grpc::NOT_FOUND, "names[0]: got \"" + request.names(0) + "\"");
    });
  }
};

TEST_F(GrantCommandsTest, ListShowsOneRowForEachGrant) {
  EXPECT_THAT(Output({"grant", "list", "-A", "chem,phys", "-u", "ann", "--past"}),
              AllOf(ContainsRegex("NAME +OWNER +TRES +WINDOW +GRANTED +AVAILABLE +USED +LEFT "
                                  "+RUNNING +STATE"),
                    ContainsRegex("chem-2026 +chem +billing +quarter until 2027-01-01T00:00:00 "
                                  "+120,000 +131,399.5 +131,400 +-0.5 +90 +exhausted"),
                    ContainsRegex("ann +ann in phys +not begun"), HasSubstr("in TRES-minutes; ")));
  const v1::ListGrantsRequest asked = fake_.list_grants.requests().back();
  EXPECT_THAT(asked.accounts(), ElementsAre("chem", "phys"));
  EXPECT_THAT(asked.users(), ElementsAre("ann"));
  EXPECT_TRUE(asked.include_past());
}

TEST_F(GrantCommandsTest, ScriptsGetPlainNumbersInTheUnitTheyAskFor) {
  EXPECT_EQ(Output({"grant", "list", "-P", "--hours", "-M", "big"}),
            "NAME|OWNER|TRES|WINDOW|GRANTED|AVAILABLE|USED|LEFT|RUNNING|STATE\n"
            "chem-2026|chem|billing|quarter until 2027-01-01T00:00:00|2000|2189.991667|2190|"
            "-0.008333|1.5|exhausted\n"
            "ann|ann in phys||||||||not begun\n");
  EXPECT_EQ(fake_.list_grants.requests().back().cluster(), "big");
}

TEST_F(GrantCommandsTest, TimesAreOfTheZoneOfThePolicyInWhichSettingsAreRead) {
  fake_.get_policy.Answer([](const auto&, v1::Policy* policy) {
    policy->mutable_parameters()->set_time_zone("Asia/Tokyo");
    return grpc::Status::OK;
  });
  EXPECT_THAT(Run({"grant", "list"}).out, HasSubstr("quarter until 2027-01-01T09:00:00"));
  EXPECT_THAT(Run({"grant", "show", "chem-2026"}).out,
              AllOf(HasSubstr("Begin=2026-10-01T09:00:00"),
                    HasSubstr("Window from 2026-10-01T09:00:00 to 2027-01-01T09:00:00:")));
  EXPECT_THAT(Run({"grant", "statement", "chem-2026"}).out,
              ContainsRegex("2026-10-01T09:00:00 +2027-01-01T09:00:00"));
  EXPECT_THAT(Run({"grant", "update", "chem-2026", "Amount=2"}).out,
              HasSubstr("takes effect at 2026-10-01T09:00:00"));
  EXPECT_EQ(fake_.get_policy.requests().size(), 4u);
}

TEST_F(GrantCommandsTest, AnEmptyListNamesTheOptionThatShowsMore) {
  HaveNoGrants();
  EXPECT_THAT(Run({"grant", "list"}).out, StartsWith("no grants; --past lists those"));
  EXPECT_THAT(Run({"grant", "list", "--past"}).out, StartsWith("no grants\n"));
}

TEST_F(GrantCommandsTest, ShowHasSettingsWindowVersionsAndTheConsequence) {
  const std::string out = Output({"grant", "show", "chem-2026"});
  EXPECT_THAT(out,
              StartsWith("Grant chem-2026: exhausted\n"
                         "  Accounts=chem\n"
                         "  TRES=billing\n"
                         "  Amount=120000\n"
                         "  Begin=2026-10-01T00:00:00\n"
                         "  Window=quarter\n"
                         "  CarryOver=10%\n"
                         "  Consequence=demote:low\n"
                         "Used up. Where no other grant of chem has anything left, its jobs have "
                         "the QOS factor of low until 2027-01-01T00:00:00. Of several grants of "
                         "chem the consequence of the last one used counts.\n\n"
                         "Window from 2026-10-01T00:00:00 to 2027-01-01T00:00:00:\n"));
  EXPECT_THAT(out, AllOf(ContainsRegex("carried +12,000"), ContainsRegex("left +-0.5"),
                         ContainsRegex("2026-10-01T00:00:00 +120,000 +root +call of 2026")));
}

// 2026-10-01T00:00:00Z is 02:00 in Berlin's summer, 2026-12-18T17:00:00.5Z 18:00 in its winter.
TEST_F(GrantCommandsTest, SettingsHaveTheTimesOfTheUsersTimeZone) {
  fake_.get_grant_statement.Answer([](const auto&, v1::GetGrantStatementResponse* response) {
    *response->mutable_grant() = GrantOfChem();
    (*response->mutable_grant()->mutable_attributes())["End"] = "2026-12-18T17:00:00.5Z";
    return grpc::Status::OK;
  });
  setenv("TZ", "Europe/Berlin", 1);
  const Finished run = Run({"grant", "show", "chem-2026"});
  unsetenv("TZ");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, AllOf(HasSubstr("  Begin=2026-10-01T02:00:00\n"),
                             HasSubstr("  End=2026-12-18T18:00:00\n"),
                             HasSubstr("Window from 2026-10-01T02:00:00 to 2027-01-01T01:00:00:")));
}

TEST_F(GrantCommandsTest, AGrantWithoutAConsequenceHasNoEndOfOne) {
  fake_.get_grant_statement.Answer([](const auto&, v1::GetGrantStatementResponse* response) {
    *response->mutable_grant() = GrantOfChem();
    response->mutable_grant()->mutable_attributes()->erase("Consequence");
    return grpc::Status::OK;
  });
  EXPECT_THAT(Run({"grant", "show", "chem-2026"}).out,
              HasSubstr("Used up, without a consequence of its own. Of several grants of chem the "
                        "consequence of the last one used counts.\n\n"));
}

TEST_F(GrantCommandsTest, AStatementAddsUpWhatHasASum) {
  EXPECT_EQ(Output({"grant", "statement", "chem-2026", "-P"}),
            "BEGIN|END|GRANTED|CARRIED|REPAID|TRANSFERRED|AVAILABLE|USED|LEFT\n"
            "2026-07-01T00:00:00|2026-10-01T00:00:00|120000|0|0|0|120000|30|119970\n"
            "2026-10-01T00:00:00|2027-01-01T00:00:00|120000|12000|0|-600.5|131399.5|131400|-0.5\n")
      << "no sum for scripts, which would add it up";
  EXPECT_THAT(Run({"grant", "statement", "chem-2026", "--hours"}).out,
              AllOf(StartsWith("Grant chem-2026 of chem, billing, in TRES-hours: exhausted\n"),
                    ContainsRegex("sum +4,000 +200 +0 +-10.01 +2,190.5")));
}

TEST_F(GrantCommandsTest, JsonIsTheAnswer) {
  EXPECT_THAT(Run({"grant", "list", "--json"}).out, HasSubstr("\"usedMinutes\":131400"));
  EXPECT_THAT(Run({"grant", "show", "chem-2026", "--json"}).out, HasSubstr("\"versions\""));
  EXPECT_THAT(Run({"grant", "statement", "chem-2026", "--json"}).out, HasSubstr("\"windows\""));
}

TEST_F(GrantCommandsTest, CreateMakesANewGrantAndNothingElse) {
  HaveNoGrants();
  EXPECT_EQ(
      Output({"grant", "create", "q4", "Accounts=chem,phys", "Amount=2000h", "--comment", "call"}),
      "created grant q4\n  grant q4: Amount=2\ntakes effect at 2026-10-01T00:00:00\n");
  const auto asked = fake_.update_grants.requests();
  ASSERT_EQ(asked.size(), 2);
  EXPECT_TRUE(asked[0].options().validate_only());
  EXPECT_FALSE(asked[1].options().validate_only());
  // Of the check: a grant that another operator creates meanwhile is not changed.
  EXPECT_EQ(asked[1].options().etag(), "e7");
  EXPECT_EQ(asked[1].options().comment(), "call");
  EXPECT_TRUE(asked[1].allow_missing());
  EXPECT_THAT(asked[1].names(), ElementsAre("q4"));
  ASSERT_EQ(asked[1].settings_size(), 2);
  EXPECT_EQ(asked[1].settings(0).name(), "Accounts");
  EXPECT_EQ(asked[1].settings(0).value(), "chem,phys");
  EXPECT_EQ(asked[1].settings(1).value(), "2000h");
}

TEST_F(GrantCommandsTest, CreateRefusesANameThatWasEverUsed) {
  EXPECT_THAT(Failure(1, {"grant", "create", "chem-2026", "Accounts=chem", "Amount=1"}),
              AllOf(HasSubstr("NAME: got \"chem-2026\", which exists (exhausted), want a "
                              "new name; `grant update chem-2026` changes it"),
                    IsOneLine()));
  fake_.list_grants.Answer([](const auto& request, v1::ListGrantsResponse* response) {
    EXPECT_TRUE(request.include_past());
    response->add_grants()->set_state(v1::GRANT_STATE_REVOKED);
    return grpc::Status::OK;
  });
  EXPECT_THAT(Run({"grant", "create", "old", "Accounts=chem", "Amount=1"}).err,
              HasSubstr("NAME: got \"old\", which was revoked, want a name never used before"));
  for (const v1::UpdateGrantsRequest& asked : fake_.update_grants.requests()) {
    EXPECT_TRUE(asked.options().validate_only());
  }
}

TEST_F(GrantCommandsTest, UpdateChangesOnlyWhatIsNamed) {
  EXPECT_THAT(Output({"grant", "update", "chem-2026", "Amount=180000", "Accounts+=phys"}),
              StartsWith("changed grant chem-2026\n  grant chem-2026: Amount=1 -> Amount=2\n"));
  const v1::UpdateGrantsRequest asked = fake_.update_grants.requests().back();
  EXPECT_FALSE(asked.allow_missing());
  ASSERT_EQ(asked.settings_size(), 2);
  EXPECT_EQ(asked.settings(0).operator_(), v1::SETTING_OPERATOR_SET);
  EXPECT_EQ(asked.settings(1).operator_(), v1::SETTING_OPERATOR_ADD);
  EXPECT_EQ(asked.settings(1).name(), "Accounts");
}

TEST_F(GrantCommandsTest, ValidateOnlySaysWhatWouldChange) {
  const Finished run = Run({"grant", "update", "chem-2026", "Amount=1", "--validate-only"});
  EXPECT_THAT(run.out, StartsWith("valid: would change grant chem-2026\n"));
  EXPECT_THAT(run.out, Not(HasSubstr("takes effect")));
  EXPECT_TRUE(fake_.update_grants.requests().back().options().validate_only());
  HaveNoGrants();
  EXPECT_THAT(Run({"grant", "create", "q4", "Amount=1", "--validate-only"}).out,
              StartsWith("valid: would create grant q4\n"));
  EXPECT_TRUE(fake_.update_grants.requests().back().options().validate_only());
}

TEST_F(GrantCommandsTest, WhatIsAlreadyAsWantedIsSaid) {
  fake_.update_grants.Answer([](const auto&, v1::ChangeResponse* response) {
    response->set_unchanged(1);
    response->add_warnings("account chem has no users");
    return grpc::Status::OK;
  });
  const Finished run = Run({"grant", "update", "chem-2026", "Amount=1"});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_EQ(run.out, "grant chem-2026: already as wanted, nothing changed\n");
  EXPECT_EQ(run.err, "warning: account chem has no users\n");
}

TEST_F(GrantCommandsTest, ErrorsNameTheSettingAsItWasTyped) {
  fake_.update_grants.Answer([](const auto&, auto*) {
    return grpc::Status(grpc::INVALID_ARGUMENT,
                        "settings[1].value: Amount: got \"lots\", want 120000 or 2000h");
  });
  EXPECT_EQ(Failure(1, {"grant", "update", "chem-2026", "Order=1", "amount=lots"}),
            "prioctl: Amount: got \"lots\", want 120000 or 2000h\n");
}

TEST_F(GrantCommandsTest, AWordWithoutAValueIsRefusedBeforeTheCall) {
  EXPECT_THAT(
      Failure(2, {"grant", "update", "chem-2026", "120000"}),
      AllOf(HasSubstr("got \"120000\", want NAME=VALUE, such as Amount=2000h"), IsOneLine()));
  EXPECT_EQ(Run({"grant", "update", "chem-2026"}).exit_code, 2);
  EXPECT_THAT(fake_.update_grants.requests(), IsEmpty());
}

TEST_F(GrantCommandsTest, TransferMovesMinutesOrHours) {
  fake_.transfer_grant.Answer([](const auto&, v1::ChangeResponse* response) {
    response->set_updated(2);
    return grpc::Status::OK;
  });
  EXPECT_THAT(Output({"grant", "transfer", "chem-2026", "phys-q4", "--amount", "200h"}),
              StartsWith("moved 12,000 TRES-minutes from grant chem-2026 to grant phys-q4\n"));
  const v1::TransferGrantRequest asked = fake_.transfer_grant.requests().back();
  EXPECT_EQ(asked.from(), "chem-2026");
  EXPECT_EQ(asked.to(), "phys-q4");
  EXPECT_EQ(asked.amount_minutes(), 12000);
}

TEST_F(GrantCommandsTest, AnAmountToTransferIsWhatTheSettingAmountTakes) {
  fake_.transfer_grant.Answer([](const auto&, v1::ChangeResponse* response) {
    response->set_updated(2);
    return grpc::Status::OK;
  });
  for (const auto& [text, minutes] :
       std::map<std::string, double>{{"200H", 12000}, {"0.5h", 30}, {"12.25", 12.25}}) {
    Output({"grant", "transfer", "a", "b", "--amount", text});
    EXPECT_EQ(fake_.transfer_grant.requests().back().amount_minutes(), minutes) << text;
  }
  for (const char* amount :
       {"0", "-5", "lots", "nan", "inf", "1d", "h", "1e3", "0x10", "5 h", "1e16"}) {
    const Finished run = Run({"grant", "transfer", "a", "b", "--amount", amount});
    EXPECT_EQ(run.exit_code, 2) << amount;
    EXPECT_THAT(run.err, HasSubstr(std::string("--amount: got \"") + amount + "\", want"));
  }
}

TEST_F(GrantCommandsTest, AnErrorOfATransferNamesTheOption) {
  fake_.transfer_grant.Answer([](const auto&, auto*) {
    return grpc::Status(grpc::FAILED_PRECONDITION,
                        "amount_minutes: got 12000, want at most 1800, which grant a has left");
  });
  EXPECT_EQ(Run({"grant", "transfer", "a", "b", "--amount", "200h"}).err,
            "prioctl: --amount: got 12000, want at most 1800, which grant a has left\n");
}

TEST_F(GrantCommandsTest, RevokeAsksWithWhatIsLeft) {
  fake_.revoke_grants.Answer([](const auto&, v1::ChangeResponse* response) {
    response->set_deleted(1);
    return grpc::Status::OK;
  });
  EXPECT_THAT(Failure(1, {"grant", "revoke", "chem-2026"}),
              HasSubstr("Revoke grant chem-2026? It ends now with -0.5 of 131,399.5 "
                        "billing-minutes left. It cannot be undone. Nothing was done"));
  EXPECT_THAT(fake_.revoke_grants.requests(), IsEmpty());
  EXPECT_THAT(Output({"grant", "revoke", "chem-2026", "--yes"}),
              StartsWith("revoked grant chem-2026\n"));
  EXPECT_THAT(fake_.revoke_grants.requests().back().names(), ElementsAre("chem-2026"));
}

TEST_F(GrantCommandsTest, AGrantThatDoesNotExistIsNamedOnce) {
  HaveNoGrants();
  EXPECT_EQ(Failure(1, {"grant", "revoke", "chme"}), "prioctl: NAME: got \"chme\"\n");
}

// Whole hundredths for people, whatever the size; a rounded -0 has no sign.
TEST(GrantAmountTextTest, RoundsToHundredths) {
  const auto text = [](double minutes) { return prioctl::GrantAmountText(minutes, {}); };
  EXPECT_EQ(text(0), "0");
  EXPECT_EQ(text(-0.001), "0");
  EXPECT_EQ(text(0.05), "0.05");
  EXPECT_EQ(text(999.999), "1,000");
  EXPECT_EQ(text(-1234567.25), "-1,234,567.25");
  EXPECT_EQ(text(100), "100");
  EXPECT_EQ(text(2e15), "2,000,000,000,000,000");
}

}  // namespace
}  // namespace priorityd
