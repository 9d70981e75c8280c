// Random grants, records, corrections, voids, moves and changes of the leader: each window of each
// grant has what a list of what counts has, to the last digit.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "tests/server/service/granted_site.h"

namespace priorityd::rpc {
namespace {

// A ledger kept by hand, in whole numbers.
struct Stretched {
  std::string id;
  std::string user;
  int64_t start = 0;  // Seconds after TestEpoch.
  int64_t end = 0;
  int64_t cpus = 0;
  int64_t gpus = 0;
  int64_t factor = 1;  // UsageFactor.
  bool counts = true;
  bool is_final = false;  // Neither corrected nor voided any more.
};

struct Granted {
  std::string name;
  std::string account;
  std::string user;  // Empty = all.
  int64_t begin = 0;
  int64_t minutes = 0;
};

constexpr int64_t kDay = 86400;
constexpr char kSum[] = "cpu=3,gres/gpu=20";

class GrantsPropertyTest : public GrantedSite, public ::testing::WithParamInterface<uint32_t> {
 protected:
  GrantsPropertyTest() {
    Apply("PriorityDecayHalfLife=2:0:0\nTimeZone=UTC\n");
    AddAccount("sub", "a");
    AddUser("dan", {"sub"});
    RecalculateAt(TestEpoch());
  }

  int64_t Below(int64_t bound) { return static_cast<int64_t>(random_() % bound); }

  void RecordAny() {
    const std::vector<std::string> users = {"amy", "ben", "cat", "dan"};
    Stretched wanted;
    wanted.id = absl::StrCat("p", entries_.size());
    wanted.user = users[Below(4)];
    wanted.start = Below(70 * kDay);
    wanted.end = wanted.start + 1 + Below(9 * kDay);
    wanted.cpus = 1 + Below(50);
    wanted.gpus = Below(3);
    const bool is_double = Below(3) == 0;
    wanted.factor = is_double ? 2 : 1;
    v1::RecordUsageRequest request;
    v1::UsageRecord& record = *request.add_records();
    record = Usage(wanted.id, At(wanted.start), absl::Seconds(wanted.end - wanted.start),
                   static_cast<double>(wanted.cpus));
    if (wanted.gpus > 0) (*record.mutable_tres())["gres/gpu"] = static_cast<double>(wanted.gpus);
    record.set_user(wanted.user);
    record.set_account(AccountOf(wanted.user));
    record.set_qos(is_double ? "double" : "normal");
    if (Below(4) == 0 && !entries_.empty()) {
      Stretched& before = entries_[Below(static_cast<int64_t>(entries_.size()))];
      if (before.counts && !before.is_final) {
        record.set_replaces_record_id(before.id);
        before.counts = false;
      }
    }
    EXPECT_EQ(RecordUsage(service_, request).accepted(), 1);
    entries_.push_back(wanted);
  }

  void VoidAny() {
    const std::vector<std::string> users = {"amy", "ben", "cat", "dan"};
    const std::string user = users[Below(4)];
    const int64_t before = Below(70 * kDay);
    v1::VoidUsageRequest request;
    request.mutable_filter()->add_users(user);
    *request.mutable_filter()->mutable_ended_before() = ToTimestamp(At(before));
    request.set_comment("wrong");
    Called<v1::VoidUsageResponse>(request, nullptr);
    for (Stretched& entry : entries_) {
      if (!entry.counts || entry.user != user || entry.end >= before) continue;
      entry.counts = false;
      entry.is_final = true;
    }
  }

  void GrantAny() {
    const std::vector<std::string> accounts = {"a", "b", "sub", "root"};
    Granted granted;
    granted.name = absl::StrCat("g", grants_.size());
    granted.account = accounts[Below(4)];
    if (granted.account == "a" && Below(2) == 0) granted.user = Below(2) == 0 ? "amy" : "ben";
    if (granted.account == "sub" && Below(2) == 0) granted.user = "dan";
    granted.begin = Below(60 * kDay);
    granted.minutes = 1000 + Below(1000000);
    Names settings = {absl::StrCat("Accounts=", granted.account),
                      absl::StrCat("Amount=", granted.minutes),
                      // Of an owner and TRES of its own, as stacks divide usage.
                      absl::StrCat("TRES=", TresOf(granted))};
    if (!granted.user.empty()) settings.push_back(absl::StrCat("User=", granted.user));
    settings.push_back(absl::StrCat(
        "Begin=", absl::FormatTime(absl::RFC3339_sec, At(granted.begin), absl::UTCTimeZone())));
    settings.push_back("Window=month");
    if (++owners_[granted.account + "/" + granted.user + TresOf(granted)] > 1) return;
    Grant(granted.name, settings);
    grants_.push_back(granted);
  }
  std::string TresOf(const Granted& granted) {
    return granted.minutes % 3 == 0 ? "cpu" : granted.minutes % 3 == 1 ? "billing" : kSum;
  }

  void MoveSub() {
    sub_is_below_ = sub_is_below_ == "a" ? "b" : "a";
    Modify(Where({"sub"}, {""}), {"Parent=" + sub_is_below_});
  }

  std::string AccountOf(const std::string& user) {
    return user == "cat" ? "b" : user == "dan" ? "sub" : "a";
  }
  bool IsBelow(const std::string& account, const std::string& of) {
    return of == "root" || account == of || (account == "sub" && sub_is_below_ == of);
  }

  // Billing is CPUs here; the sum has GPUs too.
  int64_t RateOf(const Granted& granted, const Stretched& entry) {
    return TresOf(granted) == kSum ? 3 * entry.cpus + 20 * entry.gpus : entry.cpus;
  }

  // What the records use that count in [from, until).
  int64_t UsedIn(const Granted& granted, int64_t from, int64_t until) {
    int64_t used = 0;
    for (const Stretched& entry : entries_) {
      if (!entry.counts || !IsBelow(AccountOf(entry.user), granted.account)) continue;
      if (!granted.user.empty() && entry.user != granted.user) continue;
      const int64_t seconds = std::min(entry.end, until) - std::max(entry.start, from);
      if (seconds > 0) used += seconds * RateOf(granted, entry) * entry.factor;
    }
    return used;
  }

  void ExpectTheStatements(int64_t now) {
    for (const Granted& granted : grants_) {
      const v1::GetGrantStatementResponse statement = Statement(granted.name);
      int64_t from = granted.begin;
      int windows = 0;
      for (const v1::GrantBalance& window : statement.windows()) {
        const int64_t until = window.end_time().seconds() - absl::ToUnixSeconds(TestEpoch());
        EXPECT_EQ(window.begin_time().seconds() - absl::ToUnixSeconds(TestEpoch()), from);
        EXPECT_EQ(window.left_tres_seconds(),
                  absl::StrCat(granted.minutes * 60 - UsedIn(granted, from, until)))
            << granted.name << " of " << granted.account << "/" << granted.user << " window "
            << windows;
        from = until;
        ++windows;
      }
      EXPECT_EQ(windows > 0, granted.begin <= now) << granted.name;
    }
  }

  // The leader forgets what it keeps, as another one would not have it.
  void ChangeLeader() {
    Execute(
        "UPDATE priorityd.leader_lease SET epoch = epoch + 1, holder = 'another', "
        "expires_at = '-infinity'");
  }

  static absl::Time At(int64_t second) { return TestEpoch() + absl::Seconds(second); }

  std::mt19937 random_{GetParam()};
  std::vector<Stretched> entries_;
  std::vector<Granted> grants_;
  std::map<std::string, int> owners_;
  std::string sub_is_below_ = "a";
};

TEST_P(GrantsPropertyTest, EachWindowHasWhatCountsInItToTheLastDigit) {
  int64_t now = 0;
  for (int step = 0; step < 120; ++step) {
    const int64_t kind = Below(20);
    if (kind < 11) {
      RecordAny();
    } else if (kind < 14) {
      GrantAny();
    } else if (kind == 14) {
      VoidAny();
    } else if (kind == 15) {
      MoveSub();
    } else if (kind == 16) {
      ChangeLeader();
    } else {
      now += Below(3 * kDay);
      RecalculateAt(At(now));
      ExpectTheStatements(now);
    }
  }
  RecalculateAt(At(now));
  ExpectTheStatements(now);
}

INSTANTIATE_TEST_SUITE_P(Seeds, GrantsPropertyTest, ::testing::Range(1u, 9u));

}  // namespace
}  // namespace priorityd::rpc
