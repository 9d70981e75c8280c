// Random aliases, removals, late records, corrections and resends: each user has the usage that a
// list kept by hand has.
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/server/service/aliased_site.h"

namespace priorityd::rpc {
namespace {

const std::vector<std::string> kSources = {"k8s", "slurm", "cloud"};
const std::vector<std::string> kNames = {"x", "y@EXAMPLE.ORG", "1000", "amy", "ben"};
const std::vector<std::string> kUsers = {"amy", "ben"};

// Resolves names by looking through a list.
class NaiveAliases {
 public:
  std::string UserOf(const std::string& source, const std::string& name) const {
    for (const std::string& of : {source, std::string()}) {
      for (const auto& [key, user] : entries_) {
        if (key.first == of && key.second == name) return user;
      }
    }
    return name;
  }

  std::map<std::pair<std::string, std::string>, std::string> entries_;
};

struct SentRecord {
  v1::UsageRecord record;
  std::string user;  // Who is charged.
  bool counts = true;
};

class AliasesPropertyTest : public AliasedSite, public ::testing::WithParamInterface<uint32_t> {
 protected:
  size_t Below(size_t bound) { return random_() % bound; }
  const std::string& One(const std::vector<std::string>& of) { return of[Below(of.size())]; }

  void ChangeAny() {
    const std::string source = Below(3) == 0 ? "" : One(kSources);
    const std::string name = kNames[Below(3)];
    const auto held = naive_.entries_.find({source, name});
    AliasList remove;
    AliasList add;
    if (held != naive_.entries_.end()) remove.push_back(AliasOf(source, name));
    if (held == naive_.entries_.end() || Below(2) == 0) {
      add.push_back(AliasOf(source, name, One(kUsers)));
    }
    Change(remove, add);
    naive_.entries_.erase({source, name});
    for (const v1::UserAlias& alias : add) naive_.entries_[{source, name}] = alias.user();
  }

  bool IsKnown(const std::string& user) { return user == "amy" || user == "ben"; }

  // A record of any name, which may be no user's.
  void SendAny() {
    const std::string source = One(kSources);
    const std::string name = One(kNames);
    v1::UsageRecord record = HourOf(source, absl::StrCat("r", sent_.size()), name);
    const std::string user = naive_.UserOf(source, name);
    const v1::UsageRecordResult result = Send(record);
    ASSERT_EQ(result.status() == v1::USAGE_RECORD_STATUS_ACCEPTED, IsKnown(user))
        << source << " " << name << ": " << result.message();
    if (IsKnown(user)) sent_.push_back({record, user});
  }

  void ResendAny() {
    if (sent_.empty()) return;
    const SentRecord& sent = sent_[Below(sent_.size())];
    EXPECT_EQ(Send(sent.record).status(), v1::USAGE_RECORD_STATUS_DUPLICATE);
  }

  // Corrects a record by one of the same name, which the aliases of today resolve.
  void CorrectAny() {
    if (sent_.empty()) return;
    SentRecord& sent = sent_[Below(sent_.size())];
    const std::string user = naive_.UserOf(sent.record.source(), sent.record.user());
    if (!sent.counts || !IsKnown(user)) return;
    v1::UsageRecord correction = sent.record;
    correction.set_record_id(absl::StrCat("r", sent_.size()));
    correction.set_replaces_record_id(sent.record.record_id());
    EXPECT_EQ(Send(correction).status(), v1::USAGE_RECORD_STATUS_ACCEPTED);
    sent.counts = false;
    sent_.push_back({correction, user});
  }

  void CheckUsage() {
    std::map<std::string, double> hours;
    for (const SentRecord& sent : sent_) {
      if (sent.counts) ++hours[sent.user];
    }
    for (const std::string& user : kUsers) ExpectClose(HoursOf(user), hours[user]);
  }

  std::mt19937 random_{GetParam()};
  NaiveAliases naive_;
  std::vector<SentRecord> sent_;
};

TEST_P(AliasesPropertyTest, EachUserHasTheUsageOfItsNamesWhenTheyWereSent) {
  for (int step = 0; step < 120 && !HasFatalFailure(); ++step) {
    switch (Below(5)) {
      case 0:
        ChangeAny();
        break;
      case 1:
        ResendAny();
        break;
      case 2:
        CorrectAny();
        break;
      default:
        SendAny();
    }
    if (step % 20 == 19) CheckUsage();
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, AliasesPropertyTest, ::testing::Range(1u, 5u));

}  // namespace
}  // namespace priorityd::rpc
