#include "engine/grants/settings.h"

#include <map>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "engine/errors/error_details.h"
#include "gtest/gtest.h"
#include "tests/times.h"

namespace priorityd::grants {
namespace {

using priority::GrantConsequence;
using Texts = std::map<std::string, std::string>;

absl::Time Utc(int year, int month, int day, int hour = 0) {
  return absl::FromCivil(absl::CivilHour(year, month, day, hour), absl::UTCTimeZone());
}

const absl::Time kNow = Utc(2026, 11, 27, 6) + absl::Milliseconds(1500);

// The least that Read accepts, with more.
Texts With(const Texts& more) {
  Texts texts = {{"Accounts", "chem"}, {"Amount", "120000"}};
  for (const auto& [name, text] : more) texts[name] = text;
  return texts;
}

Settings Good(const Texts& more) {
  const absl::StatusOr<Settings> settings = Read(With(more), NamedZone("Europe/Berlin"), kNow);
  EXPECT_TRUE(settings.ok()) << settings.status();
  return settings.value_or(Settings());
}

// The violations, joined by `; `.
std::string Fault(const Texts& texts) {
  const absl::StatusOr<Settings> settings = Read(texts, NamedZone("Europe/Berlin"), kNow);
  EXPECT_EQ(settings.status().code(), absl::StatusCode::kInvalidArgument);
  return absl::StrJoin(errors::ViolationsOf(settings.status()), "; ",
                       [](std::string* text, const errors::FieldViolation& violation) {
                         absl::StrAppend(text, violation.description);
                       });
}
std::string FaultOf(const char* name, const std::string& text) {
  return Fault(With({{name, text}}));
}

TEST(GrantSettingsTest, TheDefaultsAreThoseOfTheHeader) {
  const Settings settings = Good({});
  EXPECT_EQ(settings.accounts, std::vector<std::string>{"chem"});
  EXPECT_EQ(settings.tres, "billing");
  EXPECT_EQ(settings.grant.begin, Utc(2026, 11, 27, 6) + absl::Seconds(1));
  EXPECT_EQ(settings.grant.end, absl::InfiniteFuture());
  EXPECT_EQ(settings.grant.window, WindowKind::kFixed);
  EXPECT_EQ(settings.consequence, GrantConsequence::kNone);
  const std::vector<Version> versions = {{settings.grant.begin, Amount::FromMinutes(120'000)}};
  EXPECT_EQ(settings.grant.versions, versions);
  EXPECT_EQ(Good({{"User", ""}, {"End", " "}, {"Order", ""}}), settings);
}

TEST(GrantSettingsTest, ReadsAllOfThem) {
  const Settings s = Good({{"Accounts", "phys, chem,,chem"},
                           {"TRES", "GRES/gpu"},
                           {"Amount", "2000.5h"},
                           {"Begin", "2026-10-01"},
                           {"End", "2027-10-01T12:00:00+00:00"},
                           {"Window", "Quarter"},
                           {"CarryOver", "12.5%"},
                           {"CarryOverCap", "50%"},
                           {"CarryOverWindows", "2"},
                           {"CarryOverHalfLife", "15-00:00:00"},
                           {"Borrow", "10%"},
                           {"Grace", "20%"},
                           {"Order", "-3"},
                           {"Consequence", "Demote: low"}});
  EXPECT_EQ(s.accounts, (std::vector<std::string>{"chem", "phys"}));
  EXPECT_EQ(s.tres, "gres/gpu");
  EXPECT_EQ(s.grant.versions[0].amount, Amount::FromMinutes(120'030));
  EXPECT_EQ(s.grant.begin, Utc(2026, 9, 30, 22)) << "midnight in Berlin";
  EXPECT_EQ(s.grant.versions[0].effective, s.grant.begin);
  EXPECT_EQ(s.grant.end, Utc(2027, 10, 1, 12));
  EXPECT_EQ(s.grant.window, WindowKind::kQuarter);
  EXPECT_EQ(s.grant.carry_over, 125'000);
  EXPECT_EQ(s.grant.carry_cap, 500'000);
  EXPECT_EQ(s.grant.carry_windows, 2);
  EXPECT_EQ(s.grant.carry_half_life, absl::Hours(15 * 24));
  EXPECT_EQ(s.grant.borrow, 100'000);
  EXPECT_EQ(s.grant.grace, 200'000);
  EXPECT_EQ(s.grant.order, -3);
  EXPECT_EQ(s.consequence, GrantConsequence::kDemote);
  EXPECT_EQ(s.demoted_qos, "low");
  const Settings rolling =
      Good({{"Window", "rolling:30"}, {"User", "ann"}, {"Consequence", "block"}});
  EXPECT_EQ(rolling.grant.window, WindowKind::kRolling);
  EXPECT_EQ(rolling.grant.rolling_days, 30);
  EXPECT_EQ(rolling.user, "ann");
  EXPECT_EQ(rolling.consequence, GrantConsequence::kBlock);
}

TEST(GrantSettingsTest, NamesHaveAnyCaseAndNoAbbreviation) {
  EXPECT_EQ(FindSetting("carryoverhalflife").value_or(""), "CarryOverHalfLife");
  EXPECT_EQ(FindSetting("TRES").value_or(""), "TRES");
  EXPECT_EQ(
      FindSetting("Carry").status().message(),
      "got \"Carry\", want one of Accounts, User, TRES, Amount, Begin, End, Window, CarryOver, "
      "CarryOverCap, CarryOverWindows, CarryOverHalfLife, Borrow, Grace, Order, Consequence");
  EXPECT_EQ(FaultOf("amount", "1"), "Settings: got \"amount\", want Amount");
  EXPECT_EQ(FaultOf("Weight", "1").substr(0, 40), "Settings: got \"Weight\", want one of Acco");
}

TEST(GrantSettingsTest, AllFaultsOfTextsAreReported) {
  EXPECT_EQ(
      Fault({{"Amount", "x"}, {"Order", "1.5"}}),
      "Accounts: got 0 accounts, want 1 to 1000; "
      "Amount: got \"x\", want TRES-minutes such as 120000, or TRES-hours such as 2000h, above 0 "
      "and at most 1e15 minutes, without an exponent; "
      "Order: got \"1.5\", want a whole number from -1000 to 1000");
}

TEST(GrantSettingsTest, ASumOfTresIsTheSameInAnyOrderAndUnit) {
  EXPECT_EQ(Good({{"TRES", "GRES/gpu=20, CPU=1.0"}}).tres, "cpu=1,gres/gpu=20");
  EXPECT_EQ(Good({{"TRES", "mem=0.25G"}}).tres, "mem=0.000244140625");
  EXPECT_EQ(Good({{"TRES", "mem=0.000244140625"}}), Good({{"TRES", "mem=0.25G"}}));
  EXPECT_EQ(Good({{"TRES", "cpu=1"}}).tres, "cpu") << "one owner with grants of cpu";
}

TEST(GrantSettingsTest, ASumHasAtMostTwentyTres) {
  std::string sum = "cpu=1";
  for (int i = 1; i < 20; ++i) absl::StrAppend(&sum, ",gres/g", i, "=1");
  EXPECT_NE(Good({{"TRES", sum}}).tres, "billing");
  EXPECT_NE(FaultOf("TRES", sum + ",mem=1").find("want 1 to 20 TRES other than billing"),
            std::string::npos);
}

TEST(GrantSettingsTest, AGrantOfAPriceBookIsInTheCurrency) {
  const Settings settings = Good({{"TRES", "price/academic"}, {"Amount", "5000.01"}});
  EXPECT_EQ(settings.tres, "price/academic");
  EXPECT_EQ(settings.grant.versions[0].amount, *Amount::FromDecimal("18000036"));
  EXPECT_EQ(Cells(settings)["Amount"], "5000.01");
  EXPECT_NE(Fault(With({{"TRES", "price/academic"}, {"Amount", "5h"}}))
                .find("Amount: got \"5h\", want an amount of the currency"),
            std::string::npos);
  for (const char* tres : {"price/", "price/a b", "price/a|b"}) {
    EXPECT_NE(FaultOf("TRES", tres).find("want the name of a price book"), std::string::npos);
  }
}

TEST(GrantSettingsTest, ATextOutsideItsBoundsIsRejected) {
  const std::map<const char*, std::vector<std::string>> faults = {
      {"Amount",
       {"", "0", "-1", "1e3", "1000000000000001", "16666666666666.7h", "5 h", "h", "12m"}},
      {"Begin",
       {"yesterday", "2016-11-27T06:59", "1969-12-31", "2026-13-01", "2077-01-01",
        "infinite-future"}},
      {"End", {"2026-11-27T06:00:00Z", "now", "2077-01-01", "never", "infinite-future"}},
      {"Window",
       {"week", "rolling", "rolling:", "rolling:0", "rolling:367", "rolling:1.5", "monthly"}},
      {"Grace",
       {"10", "0.1", "-1%", "1000.0001%", "1001%", "1.23456%", "%", ".%", "12.%", "1e1%", "10 %"}},
      {"Order", {"1001", "-1001", "--1", "+1", "9223372036854775808", "one"}},
      {"Consequence", {"demote", "demote:", "demote: ", "stop", "block:low"}},
      {"TRES",
       {"gpu", "gres/", "cpu,mem", "gres/gpu,cpu", "cpu=0", "cpu=-1", "cpu=1,cpu=2", "cpu=",
        "cpu=x", "gpu=1", "billing=1,cpu=1", ",", "cpu=1000000001", "mem=0.0000000009", "cpu=inf"}},
      {"User", {"a\tb"}},
      {"Accounts", {"", ",", "a\nb"}}};
  for (const auto& [name, texts] : faults) {
    for (const std::string& text : texts) {
      EXPECT_EQ(FaultOf(name, text).find(absl::StrCat(name, ": got ")), 0) << name << "=" << text;
    }
  }
}

TEST(GrantSettingsTest, ATextAtItsBoundIsAccepted) {
  Good({{"Amount", "1000000000000000"}});
  Good({{"Amount", "0.000000000000000001"}});
  Good({{"Begin", "2016-11-27T07:00:01.5+01:00"}});
  Good({{"Begin", "2026-01-01"}, {"End", "2076-01-01"}});
  Good({{"Begin", "2076-11-01"}});
  Good({{"TRES", "cpu=1000000000,mem=0.000000001"}});
  Good({{"Window", "rolling:366"}, {"Grace", "1000%"}, {"Order", "1000"}});
  Good({{"Window", "year"}, {"CarryOver", "0.0001%"}, {"CarryOverWindows", "100"}});
}

TEST(GrantSettingsTest, HasAtMostAThousandAccounts) {
  std::string accounts = "a0";
  for (int i = 1; i < 1000; ++i) absl::StrAppend(&accounts, ",a", i);
  EXPECT_EQ(Good({{"Accounts", accounts}}).accounts.size(), 1000);
  EXPECT_EQ(FaultOf("Accounts", accounts + ",b"), "Accounts: got 1001 accounts, want 1 to 1000");
}

TEST(GrantSettingsTest, SettingsThatContradictAreRejected) {
  EXPECT_EQ(Fault(With({{"Accounts", "chem,phys"}, {"User", "ann"}})),
            "User: got \"ann\" with 2 accounts, want it with one account");
  EXPECT_EQ(Fault(With({{"CarryOver", "10%"}, {"Borrow", "5%"}})),
            "CarryOver: got \"10%\" with Window=fixed, want Window=month, quarter or year with it; "
            "Borrow: got \"5%\" with Window=fixed, want Window=month, quarter or year with it");
  EXPECT_EQ(Fault(With({{"Borrow", "5%"}, {"Window", "rolling:7"}})),
            "Borrow: got \"5%\" with Window=rolling:7, want Window=month, quarter or year with it");
  for (const auto& [name, text] :
       Texts{{"CarryOverCap", "50%"}, {"CarryOverWindows", "1"}, {"CarryOverHalfLife", "1-0"}}) {
    EXPECT_EQ(Fault(With({{name, text}, {"Window", "month"}, {"CarryOver", "0%"}})),
              absl::StrCat(name, ": got \"", text,
                           "\" without CarryOver, want CarryOver above 0% with it"));
  }
  Good({{"CarryOver", "0%"}, {"Borrow", "0.0%"}});
}

TEST(GrantSettingsTest, AHalfLifeIsALengthOfTime) {
  for (const char* text : {"0", "INFINITE", "36501-0", "soon"}) {
    EXPECT_EQ(Fault(With({{"Window", "month"}, {"CarryOver", "1%"}, {"CarryOverHalfLife", text}}))
                  .find("CarryOverHalfLife: got "),
              0)
        << text;
  }
}

TEST(GrantSettingsTest, WritesCanonicalTexts) {
  EXPECT_EQ(Cells(Good({{"Amount", "2h"},
                        {"Begin", "2026-10-01"},
                        {"End", "2026-12-01T00:00:00.25Z"},
                        {"Window", "MONTH"},
                        {"CarryOver", "10.50%"},
                        {"CarryOverCap", "0%"},
                        {"CarryOverHalfLife", "90"},
                        {"Grace", "0%"},
                        {"Consequence", "NONE"}})),
            (Texts{{"Accounts", "chem"},
                   {"TRES", "billing"},
                   {"Amount", "120"},
                   {"Begin", "2026-09-30T22:00:00Z"},
                   {"End", "2026-12-01T00:00:00.25Z"},
                   {"Window", "month"},
                   {"CarryOver", "10.5%"},
                   {"CarryOverCap", "0%"},
                   {"CarryOverHalfLife", "01:30:00"}}));
}

TEST(GrantSettingsTest, WritesTheAmountOfTheLastVersion) {
  Settings settings = Good({});
  settings.grant.versions.push_back({kNow, Amount::FromMinutes(0.1)});
  EXPECT_EQ(Cells(settings)["Amount"], "0.1");
}

class DrawSettings {
 public:
  explicit DrawSettings(uint64_t seed) : random_(seed) {}

  Settings Draw() {
    Settings s;
    const int accounts = static_cast<int>(1 + Below(4));
    for (int i = 0; i < accounts; ++i) s.accounts.push_back(absl::StrCat("a", i * 3));
    if (accounts == 1 && Below(2) == 0) s.user = "ann";
    const char* tres[] = {"billing", "cpu", "gres/gpu:a100", "license/x"};
    s.tres = tres[Below(4)];
    DrawGrant(&s.grant);
    s.consequence = static_cast<GrantConsequence>(Below(8));
    if (s.consequence == GrantConsequence::kDemote) s.demoted_qos = "low";
    if (s.consequence == GrantConsequence::kReduce) {
      s.measure.factor = static_cast<priority::ReducedFactor>(Below(9));
      s.measure.most = static_cast<double>(Below(1'000'001)) / 1e6;
    }
    if (s.consequence == GrantConsequence::kBand) {
      s.measure.most = static_cast<double>(1 + Below(4'294'967'295));
    }
    if (s.consequence == GrantConsequence::kCap) {
      s.measure.most = static_cast<double>(Below(1'000'000'000'001));
      s.measure.tres = tres[Below(4)];
    }
    return s;
  }

 private:
  int64_t Below(int64_t n) { return static_cast<int64_t>(random_() % static_cast<uint64_t>(n)); }
  int64_t Part() { return Below(2) == 0 ? 0 : Below(10'000'001); }

  void DrawGrant(Grant* grant) {
    grant->begin = Utc(2017, 1, 1) + absl::Microseconds(Below(9) * 31'556'952'123'456);
    if (Below(2) == 0)
      grant->end = grant->begin + absl::Microseconds(1 + Below(1'500'000'000'000'000));
    const Amount amount = Amount::FromMinutes(static_cast<double>(1 + Below(1'000'000)) / 7);
    grant->versions = {{grant->begin, Below(2) == 0 ? amount : amount * 1'000'000}};
    grant->window = static_cast<WindowKind>(Below(5));
    grant->grace = Part();
    grant->order = Below(2001) - 1000;
    if (grant->window == WindowKind::kFixed) return;
    if (grant->window == WindowKind::kRolling) {
      grant->rolling_days = static_cast<int>(1 + Below(366));
      return;
    }
    grant->borrow = Part();
    grant->carry_over = Part();
    if (grant->carry_over == 0) return;
    grant->carry_windows = static_cast<int>(1 + Below(100));
    if (Below(2) == 0) grant->carry_cap = Below(10'000'001);
    if (Below(2) == 0) grant->carry_half_life = absl::Seconds(1 + Below(3'000'000'000));
  }

  std::mt19937_64 random_;
};

TEST(GrantSettingsTest, WhatIsWrittenIsReadAgain) {
  for (uint64_t seed = 0; seed < 3000; ++seed) {
    const Settings settings = DrawSettings(seed).Draw();
    const Texts cells = Cells(settings);
    const absl::StatusOr<Settings> read = Read(cells, NamedZone("Europe/Berlin"), kNow);
    ASSERT_TRUE(read.ok()) << read.status() << " seed " << seed;
    EXPECT_EQ(*read, settings) << "seed " << seed;
    EXPECT_EQ(Cells(*read), cells);
  }
}

// Whatever the text, it is a value or a fault of its setting.
TEST(GrantSettingsTest, RandomTextsAreReadOrRejected) {
  std::mt19937_64 random(37);
  const std::string characters = "0123456789-:.%hHTZdemotequarterrolling, \t\xff";
  const std::vector<std::string> names = SettingNames();
  for (int i = 0; i < 50'000; ++i) {
    std::string text;
    for (int n = static_cast<int>(random() % 12); n > 0; --n) {
      text += characters[random() % characters.size()];
    }
    const std::string& name = names[random() % names.size()];
    const absl::StatusOr<Settings> read =
        Read(With({{name, text}}), NamedZone("Europe/Berlin"), kNow);
    if (read.ok()) {
      EXPECT_EQ(*Read(Cells(*read), NamedZone("Europe/Berlin"), kNow), *read)
          << name << "=" << text;
    } else {
      EXPECT_NE(read.status().message().find(absl::StrCat(name, ": got ")), std::string::npos)
          << read.status();
    }
  }
}

}  // namespace
}  // namespace priorityd::grants
