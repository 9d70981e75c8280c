#include "server/usage/usage_void.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "server/usage/ledger_commit.h"
#include "server/usage/usage_rebuild.h"
#include "storage/configuration/association_store.h"
#include "storage/configuration/audit_store.h"
#include "storage/ledger/usage_store.h"
#include "tests/storage/store_test.h"

namespace priorityd::usage {
namespace {

using storage::StatusOf;

const absl::Time kVoidStart = absl::FromUnixSeconds(1'700'000'000);
constexpr absl::Duration kVoidHalfLife = absl::Hours(7 * 24);  // Slurm's default.

// A record as a collector sends it: of CPUs from second `start` to `end`.
struct Sent {
  std::string id;
  std::string source = "s";
  std::string account = "a";
  std::string job = "1";
  int start = 0;
  int end = 10;
  double cpus = 1;
  std::string replaces;
};

// A cluster with the accounts a and b.
class UsageVoidTest : public storage::StoreTest {
 protected:
  void SetUp() override {
    StoreTest::SetUp();
    ASSERT_OK(Write([&](storage::Transaction& transaction) {
      storage::AssociationStore store(transaction);
      const std::vector<int64_t> ids = store.ReserveIds(3).value();
      std::vector<storage::Association> rows;
      for (const char* account : {"root", "a", "b"}) {
        ids_[account] = ids[rows.size()];
        rows.push_back({.id = ids[rows.size()], .cluster_id = cluster_.id, .account = account});
        if (rows.size() > 1) rows.back().parent_id = ids[0];
      }
      return store.Insert(rows);
    }));
  }

  static UsageSubmission SubmissionOf(const Sent& sent) {
    UsageSubmission submission;
    submission.source = sent.source;
    submission.record_id = sent.id;
    submission.job_id = sent.job;
    submission.account = sent.account;
    submission.replaces_record_id = sent.replaces;
    submission.start_time = kVoidStart + absl::Seconds(sent.start);
    submission.end_time = kVoidStart + absl::Seconds(sent.end);
    submission.tres = {{"cpu", sent.cpus}};
    return submission;
  }

  RecordResults SendAll(const std::vector<Sent>& batch) {
    std::vector<std::unique_ptr<QueuedBatch>> group;
    QueuedBatch& queued = *group.emplace_back(std::make_unique<QueuedBatch>());
    queued.submitted.cluster = cluster_.name;
    for (const Sent& sent : batch) queued.submitted.submissions.push_back(SubmissionOf(sent));
    queued.priced = PriceBatch(*books_.Latest(cluster_.name), queued.submitted.submissions,
                               kVoidStart + absl::Hours(1000), &books_)
                        .value();
    auto results = Write(
        [&](storage::Transaction& transaction) { return WriteGroup(transaction, group, &books_); });
    EXPECT_OK(results);
    return results->at(0);
  }
  RecordStatus Send(const Sent& sent) { return SendAll({sent})[0].status; }

  VoidRequest RequestOf(storage::VoidFilter filter) {
    return {.cluster = cluster_.name,
            .principal = "root",
            .comment = "broken",
            .filter = std::move(filter)};
  }
  storage::UsageVoid Void(storage::VoidFilter filter) {
    const auto row = VoidUsage(database_, RequestOf(std::move(filter)));
    EXPECT_OK(row);
    return row.value_or(storage::UsageVoid());
  }
  storage::UsageVoid GoOn(int64_t id) {
    const auto row = VoidUsage(database_, {.cluster = cluster_.name, .void_id = id});
    EXPECT_OK(row);
    return row.value_or(storage::UsageVoid());
  }
  storage::UsageVoid Restore(int64_t id) {
    const auto row = RestoreUsage(database_, {.cluster = cluster_.name, .void_id = id});
    EXPECT_OK(row);
    return row.value_or(storage::UsageVoid());
  }

  // Of an account's own row, at `second`.
  double UsageAt(const std::string& account, int second) {
    auto rows = Read([&](storage::Transaction& t) {
      return storage::UsageStore(t).List(storage::UsageOf::kAssociation, cluster_.id);
    });
    for (const storage::UsageRow& row : *rows) {
      if (row.id != ids_[account] || row.as_of == absl::InfinitePast()) continue;
      return row.value * Left(kVoidStart + absl::Seconds(second) - row.as_of);
    }
    return 0;
  }
  static double Left(absl::Duration age) {
    return std::exp2(-absl::FDivDuration(age, kVoidHalfLife));
  }
  // The integral of what a record leaves at `second`.
  static double Leaves(const Sent& sent, int second) {
    const double per_second = absl::ToDoubleSeconds(kVoidHalfLife) / std::log(2.0);
    return sent.cpus * per_second *
           (Left(absl::Seconds(second - sent.end)) - Left(absl::Seconds(second - sent.start)));
  }

  size_t WrongRows() {
    const auto rebuilt = RebuildUsage(database_, {.cluster = cluster_.name, .validate_only = true},
                                      [](const Progress&) { return absl::OkStatus(); });
    EXPECT_OK(rebuilt);
    return rebuilt->wrong.size();
  }
  std::vector<std::string> AuditOf(const std::string& action) {
    auto events = Read([&](storage::Transaction& t) {
      return storage::AuditStore(t).List(cluster_.id, 0, 100, {.actions = {action}});
    });
    std::vector<std::string> after;
    for (const storage::AuditEvent& event : *events) after.push_back(event.after);
    return after;
  }

  std::map<std::string, int64_t> ids_;
  PriceBooks books_{&database_};
};

TEST_F(UsageVoidTest, UsageIsWhatTheOthersUsedAndAResendIsADuplicate) {
  SendAll({{.id = "1"}, {.id = "2", .source = "broken", .cpus = 1000}});
  const storage::UsageVoid done = Void({.sources = {"broken"}});
  EXPECT_EQ(done.id, 1);
  EXPECT_EQ(done.state, "voided");
  EXPECT_EQ(done.voided_records, 1);
  EXPECT_EQ(done.voided_usage, 10000);
  EXPECT_NEAR(UsageAt("a", 10), Leaves({.id = "1"}, 10), 1e-9);
  EXPECT_EQ(Send({.id = "2", .source = "broken", .cpus = 1000}), RecordStatus::kDuplicate);
  EXPECT_EQ(Send({.id = "3", .source = "broken", .replaces = "2"}), RecordStatus::kRejected);
  EXPECT_EQ(Void({.sources = {"broken"}}).voided_records, 0);
  EXPECT_EQ(WrongRows(), 0u);
}

TEST_F(UsageVoidTest, WhatRoundingLeavesOfAnEnormousAmountIsSummedUpAgain) {
  SendAll({{.id = "1"}, {.id = "2", .source = "broken", .cpus = 1e17}, {.id = "3"}});
  EXPECT_NEAR(UsageAt("a", 10), 1e18, 1e14);
  Void({.sources = {"broken"}});
  EXPECT_NEAR(UsageAt("a", 10), 2 * Leaves({.id = "1"}, 10), 1e-9);
}

TEST_F(UsageVoidTest, ARestoredRecordCountsAsBeforeAndCanBeVoidedOnceMore) {
  SendAll({{.id = "1", .cpus = 7}, {.id = "2", .source = "t", .start = 5, .end = 90}});
  const double before = UsageAt("a", 90);
  const int64_t id = Void({.sources = {"s", "t"}}).id;
  EXPECT_EQ(UsageAt("a", 90), 0);
  const storage::UsageVoid restored = Restore(id);
  EXPECT_EQ(restored.state, "restored");
  EXPECT_EQ(restored.restored_records, 2);
  EXPECT_NEAR(UsageAt("a", 90), before, 1e-9);
  EXPECT_EQ(Restore(id).restored_records, 2);
  EXPECT_EQ(Send({.id = "1", .cpus = 7}), RecordStatus::kDuplicate);
  EXPECT_EQ(Void({.sources = {"s", "t"}}).voided_records, 2);
  EXPECT_EQ(UsageAt("a", 90), 0);
  EXPECT_EQ(WrongRows(), 0u);
  const auto again = VoidUsage(database_, {.cluster = cluster_.name, .void_id = id});
  EXPECT_TRUE(absl::IsFailedPrecondition(again.status()));
}

TEST_F(UsageVoidTest, TheAuditHasTheFilterTheCountAndTheSum) {
  SendAll({{.id = "1", .cpus = 4}});
  const absl::Time end = kVoidStart + absl::Minutes(1);
  Restore(Void({.sources = {"s"}, .job_ids = {"1", "2"}, .ended_before = end}).id);
  EXPECT_THAT(
      AuditOf("VoidUsage"),
      testing::ElementsAre("voided: 1 records voided, 0 restored, 40 billing seconds voided",
                           "voiding: source=s job=1,2 ended_before=2023-11-14T22:14:20+00:00"));
  EXPECT_EQ(AuditOf("RestoreUsage").size(), 2u);
}

TEST_F(UsageVoidTest, AFilterThatMatchesNothingMakesNoVoid) {
  SendAll({{.id = "1"}});
  const storage::UsageVoid nothing = Void({.sources = {"other"}});
  EXPECT_EQ(nothing.id, 0);
  EXPECT_EQ(nothing.state, "voided");
  EXPECT_EQ(nothing.voided_records, 0);
  EXPECT_TRUE(AuditOf("VoidUsage").empty());
  EXPECT_EQ(Void({.sources = {"s"}}).id, 1) << "the first one";
  EXPECT_EQ(Void({.sources = {"s"}}).id, 0) << "what is void no longer counts";
  const auto unknown = VoidUsage(database_, {.cluster = "nowhere", .filter = {.users = {"amy"}}});
  EXPECT_TRUE(absl::IsNotFound(unknown.status())) << unknown.status();
}

TEST_F(UsageVoidTest, APreviewReportsTheEffectByAccount) {
  SendAll({{.id = "1", .cpus = 4}, {.id = "2", .account = "b"}, {.id = "3", .account = "b"}});
  const auto preview = PreviewVoid(database_, RequestOf({.accounts = {"b"}}));
  ASSERT_OK(preview);
  EXPECT_EQ(preview->records, 2);
  ASSERT_EQ(preview->accounts.size(), 1u);
  EXPECT_EQ(preview->accounts.at("b").usage, 20);
  EXPECT_NEAR(preview->accounts.at("b").decayed_usage, UsageAt("b", 10), 1e-9);
  EXPECT_NEAR(UsageAt("b", 10), 2 * Leaves({.id = "2"}, 10), 1e-9);
}

// A round answers before the end, as a server that is killed leaves it.
TEST_F(UsageVoidTest, ALargeVoidContinuesWhereItStoppedAndVoidsNothingTwice) {
  constexpr int kCount = kVoidRound + kVoidBatch + 7;
  std::vector<Sent> batch;
  for (int i = 0; i < kCount; ++i) batch.push_back({.id = absl::StrCat(i), .job = "9"});
  SendAll(batch);
  const storage::UsageVoid part = Void({.job_ids = {"9"}});
  EXPECT_EQ(part.state, "voiding");
  EXPECT_EQ(part.voided_records, kVoidRound);
  EXPECT_NEAR(UsageAt("a", 10), (kCount - kVoidRound) * Leaves({.id = "1"}, 10), 1e-3);
  // Records that arrive after the void began are no part of it.
  SendAll({{.id = "late", .job = "9"}});
  const storage::UsageVoid all = GoOn(part.id);
  EXPECT_EQ(all.state, "voided");
  EXPECT_EQ(all.voided_records, kCount);
  EXPECT_EQ(GoOn(part.id).voided_records, kCount);
  EXPECT_NEAR(UsageAt("a", 10), Leaves({.id = "late"}, 10), 1e-9);
  // And back, from the middle of it too.
  EXPECT_EQ(Restore(part.id).state, "restoring");
  EXPECT_TRUE(absl::IsFailedPrecondition(
      VoidUsage(database_, {.cluster = cluster_.name, .void_id = part.id}).status()));
  EXPECT_EQ(Restore(part.id).restored_records, kCount);
  EXPECT_NEAR(UsageAt("a", 10), (kCount + 1) * Leaves({.id = "1"}, 10), 1e-3);
  EXPECT_EQ(WrongRows(), 0u);
}

// A ledger kept by hand.
struct Kept {
  Sent sent;
  bool counts = true;
  bool was_voided = false;
  int64_t voided_by = 0;
};

class UsageVoidPropertyTest : public UsageVoidTest, public testing::WithParamInterface<uint32_t> {
 protected:
  int Below(int bound) { return static_cast<int>(random_() % static_cast<uint32_t>(bound)); }
  template <typename T>
  T Any(const std::vector<T>& of) {
    return of[Below(static_cast<int>(of.size()))];
  }

  void SendAny() {
    Sent sent{.id = absl::StrCat("r", kept_.size()),
              .source = Any(sources_),
              .account = Any(accounts_),
              .job = absl::StrCat(Below(6)),
              .start = Below(500'000),
              .cpus = 1.0 + Below(99)};
    sent.end = sent.start + Below(100'000);
    Kept* target =
        Below(4) == 0 && !kept_.empty() ? &kept_[Below(static_cast<int>(kept_.size()))] : nullptr;
    if (target != nullptr) {
      sent.source = target->sent.source;
      sent.replaces = target->sent.id;
    }
    const bool fits = target == nullptr || (target->counts && !target->was_voided);
    EXPECT_EQ(Send(sent), fits ? RecordStatus::kAccepted : RecordStatus::kRejected);
    if (!fits) return;
    if (target != nullptr) target->counts = false;
    kept_.push_back({sent});
  }

  void VoidAny() {
    storage::VoidFilter filter;
    if (Below(2) == 0) filter.sources = {Any(sources_)};
    if (Below(2) == 0) filter.accounts = {Any(accounts_)};
    for (int i = Below(3); i > 0; --i) filter.job_ids.push_back(absl::StrCat(Below(6)));
    filter.ended_before = kVoidStart + absl::Seconds(Below(600'000));
    const storage::UsageVoid done = Void(filter);
    int64_t records = 0;
    for (Kept& kept : kept_) {
      if (!kept.counts || !Fits(kept.sent, filter)) continue;
      kept.counts = false;
      kept.was_voided = true;
      kept.voided_by = done.id;
      ++records;
    }
    EXPECT_EQ(done.voided_records, records);
    EXPECT_EQ(done.id > 0, records > 0);
    if (done.id > 0) voids_.push_back(done.id);
  }
  static bool Fits(const Sent& sent, const storage::VoidFilter& filter) {
    const auto in = [](const std::vector<std::string>& list, const std::string& value) {
      return list.empty() || std::find(list.begin(), list.end(), value) != list.end();
    };
    return in(filter.sources, sent.source) && in(filter.accounts, sent.account) &&
           in(filter.job_ids, sent.job) &&
           kVoidStart + absl::Seconds(sent.end) < filter.ended_before;
  }

  void RestoreAny() {
    if (voids_.empty()) return;
    const int64_t id = Any(voids_);
    Restore(id);
    for (Kept& kept : kept_) {
      if (kept.counts || kept.voided_by != id) continue;
      kept.counts = true;
      kept.voided_by = 0;
    }
  }

  void ExpectWhatIsKept() {
    for (const std::string& account : accounts_) {
      double sum = 0;
      for (const Kept& kept : kept_) {
        if (kept.counts && kept.sent.account == account) sum += Leaves(kept.sent, 600'000);
      }
      EXPECT_NEAR(UsageAt(account, 600'000), sum, 1e-9 * sum) << account;
    }
    EXPECT_EQ(WrongRows(), 0u);
  }

  std::mt19937 random_{GetParam()};
  const std::vector<std::string> sources_ = {"s", "t", "u"};
  const std::vector<std::string> accounts_ = {"a", "b"};
  std::vector<Kept> kept_;
  std::vector<int64_t> voids_;
};

TEST_P(UsageVoidPropertyTest, WhatCountsIsWhatALedgerWithoutTheVoidedRecordsHas) {
  for (int step = 0; step < 120; ++step) {
    const int kind = Below(12);
    if (kind < 10) {
      SendAny();
    } else if (kind == 10) {
      VoidAny();
    } else {
      RestoreAny();
    }
    if (step % 30 == 29) ExpectWhatIsKept();
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, UsageVoidPropertyTest, testing::Range(1u, 7u));

}  // namespace
}  // namespace priorityd::usage
