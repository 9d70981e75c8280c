#include "server/authorization/visibility.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"

namespace priorityd::authorization {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr PrivateData kAll = {.accounts = true,
                              .events = true,
                              .jobs = true,
                              .reservations = true,
                              .usage = true,
                              .users = true};

// root has the accounts physics and lab; below physics are qcd and sky. amy has an association in
// qcd, coo coordinates qcd.
Viewer Amy() { return {"amy", {"root", "physics", "qcd"}, {}}; }
Viewer Coo() { return {"coo", {"root", "physics", "qcd"}, {"qcd", "qcd2"}}; }
Viewer Nobody() { return {"", {}, {}}; }

// What is asked about, and who sees it while one word, or all, are private.
struct Case {
  std::string user;
  std::string account;
  // In the order: nothing, accounts, events, jobs, usage, users, all. `x` = the caller sees it.
  std::string amy;
  std::string coo;
  std::string nobody;
};

const std::vector<PrivateData>& Words() {
  static const std::vector<PrivateData> words = {
      {},  {.accounts = true}, {.events = true}, {.jobs = true}, {.usage = true}, {.users = true},
      kAll};
  return words;
}

template <typename Sees>
std::string Seen(const Viewer& viewer, Sees sees) {
  std::string seen;
  for (const PrivateData& words : Words()) {
    seen += sees(Visibility(words, viewer)) ? 'x' : '-';
  }
  return seen;
}

void ExpectSeen(const std::vector<Case>& cases,
                bool (Visibility::*sees_row)(absl::string_view, absl::string_view) const) {
  for (const Case& c : cases) {
    const auto sees = [&](const Visibility& v) { return (v.*sees_row)(c.user, c.account); };
    EXPECT_EQ(Seen(Amy(), sees), c.amy) << c.user << " in " << c.account;
    EXPECT_EQ(Seen(Coo(), sees), c.coo) << c.user << " in " << c.account;
    EXPECT_EQ(Seen(Nobody(), sees), c.nobody) << c.user << " in " << c.account;
  }
}

TEST(VisibilityTest, SharesAndUsageAreThoseOfTheUsersAssociationsPathsAndAccounts) {
  const std::vector<Case> cases = {
      // amy's own, also in an account that amy has left.
      {"amy", "qcd", "xxxxxxx", "xxxxxxx", "x-xx---"},
      {"amy", "lab", "xxxxxxx", "x-xx---", "x-xx---"},
      // Another user, in amy's account, above it, beside it and elsewhere.
      {"ben", "qcd", "xxxx---", "xxxxxxx", "x-xx---"},
      {"ben", "qcd2", "x-xx---", "xxxxxxx", "x-xx---"},
      {"ben", "physics", "xxxx---", "xxxx---", "x-xx---"},
      {"ben", "sky", "x-xx---", "x-xx---", "x-xx---"},
      // Accounts themselves.
      {"", "root", "xxxxxxx", "xxxxxxx", "x-xx---"},
      {"", "physics", "xxxxxxx", "xxxxxxx", "x-xx---"},
      {"", "qcd", "xxxxxxx", "xxxxxxx", "x-xx---"},
      {"", "qcd2", "x-xx---", "xxxxxxx", "x-xx---"},
      {"", "sky", "x-xx---", "x-xx---", "x-xx---"},
      {"", "lab", "x-xx---", "x-xx---", "x-xx---"},
      {"", "", "x-xx---", "x-xx---", "x-xx---"},
  };
  ExpectSeen(cases, &Visibility::SeesShares);
}

TEST(VisibilityTest, JobsAreTheUsersAndThoseOfCoordinatedAccounts) {
  const std::vector<Case> cases = {
      {"amy", "qcd", "xxxxxxx", "xxxxxxx", "xxx-xx-"},
      {"amy", "lab", "xxxxxxx", "xxx-xx-", "xxx-xx-"},
      {"ben", "qcd", "xxx-xx-", "xxxxxxx", "xxx-xx-"},
      {"ben", "physics", "xxx-xx-", "xxx-xx-", "xxx-xx-"},
      {"", "", "xxx-xx-", "xxx-xx-", "xxx-xx-"},
  };
  ExpectSeen(cases, &Visibility::SeesJob);
}

TEST(VisibilityTest, EventsAreOneWord) {
  const auto sees = [](const Visibility& v) { return v.sees_events(); };
  EXPECT_EQ(Seen(Amy(), sees), "xx-xxx-");
  EXPECT_EQ(Seen(Amy(), [](const Visibility& v) { return v.sees_all(); }), "x------");
  EXPECT_EQ(Seen(Amy(), [](const Visibility& v) { return v.sees_all_jobs(); }), "xxx-xx-");
  EXPECT_EQ(Seen(Amy(), [](const Visibility& v) { return v.sees_all_shares(); }), "x-xx---");
}

// Code that does not ask row by row gets a list that says the same.
TEST(VisibilityTest, AccountsOfAllRecordsAreThoseWhereSheSeesAStranger) {
  EXPECT_THAT(Visibility({.usage = true}, Coo()).AccountsOfAllRecords(),
              ElementsAre("qcd", "qcd2"));
  EXPECT_THAT(Visibility({.users = true}, Amy()).AccountsOfAllRecords(), IsEmpty());
  EXPECT_THAT(Visibility({.accounts = true}, Coo()).AccountsOfAllRecords(),
              ElementsAre("physics", "qcd", "qcd2", "root"));
  for (const PrivateData& words : Words()) {
    for (const Viewer& viewer : {Amy(), Coo(), Nobody()}) {
      const Visibility visibility(words, viewer);
      if (visibility.sees_all_shares()) continue;
      for (const std::string& account : visibility.AccountsOfAllRecords()) {
        EXPECT_TRUE(visibility.SeesShares("stranger", account)) << account;
      }
    }
  }
}

TEST(VisibilityTest, CallersWhoAreShownTheSameAreEqual) {
  EXPECT_EQ(Visibility(), Visibility({}, Amy()));
  EXPECT_EQ(Visibility({}, Coo()), Visibility({}, Amy()));
  EXPECT_EQ(Visibility(kAll, Amy()), Visibility(kAll, Amy()));
  EXPECT_FALSE(Visibility(kAll, Amy()) == Visibility(kAll, Coo()));
  EXPECT_FALSE(Visibility(kAll, Amy()) == Visibility({.jobs = true}, Amy()));
}

}  // namespace
}  // namespace priorityd::authorization
