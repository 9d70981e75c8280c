// Random records, corrections, voids, joins, leaves, changes of the leader, of the domain's tree
// and of the programs that run: the domain has the usage of a list of what counts, and its members
// have its fair-share.
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/server/service/domain_site.h"

namespace priorityd::rpc {
namespace {

// A record of a member's ledger, kept by hand.
struct Entry {
  std::string id;
  std::string user;
  Stretch stretch;
  bool counts = true;     // In the member.
  bool is_final = false;  // Neither corrected nor voided any more.
  int replaces = -1;      // The place of the record that it corrects.
  // In the domain, as of the last settlement.
  bool counts_in_domain = false;
  double price = 0;  // That of its first settlement; 0 = not settled yet.
};

struct Member {
  bool joined = false;
  double price = 1;
  size_t read = 0;  // The entries up to here were settled or refused.
  std::vector<Entry> entries;
};

class DomainsPropertyTest : public DomainSite, public ::testing::WithParamInterface<uint32_t> {
 protected:
  static constexpr int64_t kHour = 3600;

  DomainsPropertyTest() {
    members_ = {{"alpha", {}}, {"beta", {}}};
    for (const char* member : {"alpha", "beta"}) AddLab(member);
  }

  // The account `lab` with the user dan.
  void AddLab(const std::string& cluster) {
    v1::CreateAssociationsRequest request;
    request.set_cluster(cluster);
    request.add_associations()->set_account("lab");
    v1::NewAssociation* user = request.add_associations();
    user->set_account("lab");
    user->set_user("dan");
    Asked<v1::ChangeResponse>(request, nullptr);
  }
  void AddLabToDomain() {
    if (!has_lab_) AddLab("site");
    has_lab_ = true;
  }

  int64_t Below(int64_t bound) { return static_cast<int64_t>(random_() % bound); }
  std::string AnyMember() { return Below(2) == 0 ? "alpha" : "beta"; }
  static std::string AccountOf(const std::string& user) {
    return user == "cat" ? "b" : user == "dan" ? "lab" : "a";
  }
  static absl::Time At(int64_t second) { return TestEpoch() + absl::Seconds(second); }

  // Of any time, also before the last recalculation or after it.
  void RecordAny() {
    const std::string cluster = AnyMember();
    std::vector<Entry>& entries = members_[cluster].entries;
    const std::vector<std::string> users = {"amy", "ben", "cat", "dan"};
    Entry entry;
    entry.id = absl::StrCat("p", entries.size());
    entry.user = users[Below(4)];
    const int64_t start = Below(12 * kHour);
    entry.stretch = {At(start), At(start + 1 + Below(3 * kHour)),
                     static_cast<double>(1 + Below(50))};
    v1::UsageRecord record = Usage(entry.id, entry.stretch.start,
                                   entry.stretch.end - entry.stretch.start, entry.stretch.rate);
    record.set_user(entry.user);
    record.set_account(AccountOf(entry.user));
    if (Below(3) == 0) {
      record.set_qos("double");
      entry.stretch.rate *= 2;
    }
    if (Below(3) == 0 && !entries.empty()) {
      const auto place = static_cast<int>(Below(static_cast<int64_t>(entries.size())));
      Entry& before = entries[place];
      if (before.counts && !before.is_final) {
        record.set_replaces_record_id(before.id);
        before.counts = false;
        entry.replaces = place;
      }
    }
    Record(cluster, record);
    entries.push_back(entry);
  }

  void VoidAny() {
    const std::string cluster = AnyMember();
    const std::string user = Below(2) == 0 ? "amy" : "dan";
    const absl::Time before = At(Below(15 * kHour));
    v1::VoidUsageRequest request;
    request.set_cluster(cluster);
    request.mutable_filter()->add_users(user);
    *request.mutable_filter()->mutable_ended_before() = ToTimestamp(before);
    request.set_comment("wrong");
    Asked<v1::VoidUsageResponse>(request, nullptr);
    for (Entry& entry : members_[cluster].entries) {
      if (!entry.counts || entry.user != user || entry.stretch.end >= before) continue;
      entry.counts = false;
      entry.is_final = true;
    }
  }

  // Or another one, or the same one with another price.
  void JoinAny() {
    const std::string cluster = AnyMember();
    Member& member = members_[cluster];
    member.joined = true;
    member.read = 0;
    member.price = static_cast<double>(1 + Below(4)) / 2;
    Join({cluster}, {{"billing", member.price}});
  }

  void LeaveAny() {
    const std::string cluster = AnyMember();
    if (!members_[cluster].joined) return;
    members_[cluster].joined = false;
    Leave(cluster);
  }

  // As the domain's recalculation does. A record that corrects a refused one is refused too.
  void Settle() {
    for (auto& [name, member] : members_) {
      if (!member.joined) continue;
      std::vector<Entry>& entries = member.entries;
      for (; member.read < entries.size(); ++member.read) {
        Entry& entry = entries[member.read];
        const bool has_target = entry.replaces < 0 || entries[entry.replaces].price > 0;
        const bool has_account = entry.user != "dan" || has_lab_;
        if (entry.price > 0 || !has_target || !has_account) continue;
        entry.price = member.price;
        entry.counts_in_domain = true;
        if (entry.replaces >= 0) entries[entry.replaces].counts_in_domain = false;
      }
      for (Entry& entry : entries) entry.counts_in_domain &= !entry.is_final;
    }
  }

  double UsageOf(const std::string& user, absl::Time at) const {
    std::vector<Stretch> stretches;
    for (const auto& [name, member] : members_) {
      for (const Entry& entry : member.entries) {
        if (!entry.counts_in_domain || entry.user != user) continue;
        Stretch stretch = entry.stretch;
        stretch.rate *= entry.price;
        stretches.push_back(stretch);
      }
    }
    return Naive(stretches, at);
  }

  void RecalculateAndCompare(absl::Time now) {
    RecalculateAllAt(now);
    Settle();
    for (const char* user : {"amy", "ben", "cat", "dan"}) {
      if (user == std::string("dan") && !has_lab_) continue;
      const double want = UsageOf(user, now);
      const double got = UsageIn("site", AccountOf(user), user);
      EXPECT_LE(std::abs(got - want), 1e-9 * want + 1e-6) << user << ": " << got << ", " << want;
      for (const auto& [name, member] : members_) {
        if (!member.joined) continue;
        EXPECT_EQ(FairShareIn(name, AccountOf(user), user),
                  FairShareIn("site", AccountOf(user), user))
            << name;
      }
    }
  }

  // The leader forgets what it keeps, as another one would not have it.
  void ChangeLeader() {
    Execute(
        "UPDATE priorityd.leader_lease SET epoch = epoch + 1, holder = 'another', "
        "expires_at = '-infinity'");
  }

  // A program that reads shares with their names starts, or ends.
  void ChangeReplicas() {
    Execute("DELETE FROM priorityd.replica WHERE name = 'old'");
    if (Below(2) == 0) return;
    Execute(
        "INSERT INTO priorityd.replica (name, address, version, started_at, leads, host_ahead, "
        "seen_at, known_migration) VALUES ('old', '', '', now(), false, 0, now(), 52)");
  }

  // A user without usage.
  void AddUserToDomain() { AddUser("site", "b", absl::StrCat("u", ++users_added_)); }

  std::mt19937 random_{GetParam()};
  std::map<std::string, Member> members_;
  bool has_lab_ = false;  // In the domain.
  int users_added_ = 0;
};

TEST_P(DomainsPropertyTest, TheDomainHasWhatCountsAndItsMembersItsFairShare) {
  int64_t now = 0;
  for (int step = 0; step < 120; ++step) {
    const int64_t kind = Below(22);
    if (kind == 20) {
      ChangeReplicas();
    } else if (kind == 21) {
      AddUserToDomain();
    } else if (kind < 10) {
      RecordAny();
    } else if (kind == 10) {
      VoidAny();
    } else if (kind < 14) {
      JoinAny();
    } else if (kind == 14) {
      LeaveAny();
    } else if (kind == 15) {
      Below(4) == 0 ? AddLabToDomain() : ChangeLeader();
    } else {
      now += Below(kHour);
      RecalculateAndCompare(At(now));
    }
  }
  RecalculateAndCompare(At(now));
}

INSTANTIATE_TEST_SUITE_P(Seeds, DomainsPropertyTest, ::testing::Range(1u, 9u));

}  // namespace
}  // namespace priorityd::rpc
