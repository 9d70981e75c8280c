// Random records, corrections, voids and restores: what counts is what a ledger that never had the
// rest makes of it.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/server/service/voiding_site.h"

namespace priorityd::rpc {
namespace {

// A ledger kept by hand: which records count.
struct Entry {
  v1::UsageRecord record;
  bool counts = true;
  bool was_voided = false;
  int64_t voided_by = 0;
};

class VoidUsagePropertyTest : public VoidingSite, public ::testing::WithParamInterface<uint32_t> {
 protected:
  int Below(int bound) { return static_cast<int>(random_() % static_cast<uint32_t>(bound)); }
  template <typename T>
  const T& Any(const std::vector<T>& of) {
    return of[Below(static_cast<int>(of.size()))];
  }

  v1::UsageRecord RandomRecord() {
    const absl::Time start = Hour(0) + absl::Seconds(Below(100'000));
    v1::UsageRecord record = Usage(absl::StrCat("p", entries_.size()), start,
                                   absl::Seconds(1 + Below(20'000)), 1 + Below(90));
    record.set_source(Any(sources_));
    record.set_job_id(absl::StrCat(Below(9)));
    record.set_user(Any(users_));
    record.set_account(record.user() == "cat" ? "b" : "a");
    record.set_qos(Below(2) == 0 ? "double" : "normal");
    return record;
  }

  void RecordAny() {
    v1::UsageRecord record = RandomRecord();
    Entry* target = nullptr;
    if (Below(4) == 0 && !entries_.empty()) {
      target = &entries_[Below(static_cast<int>(entries_.size()))];
      record.set_source(target->record.source());
      record.set_replaces_record_id(target->record.record_id());
    }
    const bool is_possible = target == nullptr || (target->counts && !target->was_voided);
    EXPECT_EQ(Send(service_, record).status(),
              is_possible ? v1::USAGE_RECORD_STATUS_ACCEPTED : v1::USAGE_RECORD_STATUS_REJECTED);
    if (!is_possible) return;
    if (target != nullptr) target->counts = false;
    entries_.push_back({record});
  }

  void VoidAny() {
    v1::VoidUsageRequest request;
    v1::UsageVoidFilter* filter = request.mutable_filter();
    if (Below(2) == 0) filter->add_sources(Any(sources_));
    if (Below(2) == 0) filter->add_users(Any(users_));
    if (Below(3) == 0) filter->add_accounts(Below(2) == 0 ? "a" : "b");
    for (int i = Below(4); i > 0; --i) filter->add_job_ids(absl::StrCat(Below(9)));
    *filter->mutable_ended_before() = ToTimestamp(Hour(Below(40)));
    const v1::VoidUsageResponse done = Void(request);
    int64_t records = 0;
    for (Entry& entry : entries_) {
      if (!entry.counts || !Fits(entry.record, *filter)) continue;
      entry.counts = false;
      entry.was_voided = true;
      entry.voided_by = done.void_id();
      ++records;
    }
    EXPECT_EQ(done.records(), records);
    if (done.void_id() > 0) voids_.push_back(done.void_id());
  }

  static bool Fits(const v1::UsageRecord& record, const v1::UsageVoidFilter& filter) {
    const auto in = [](const auto& list, const std::string& value) {
      return list.empty() || std::find(list.begin(), list.end(), value) != list.end();
    };
    return in(filter.sources(), record.source()) && in(filter.users(), record.user()) &&
           in(filter.accounts(), record.account()) && in(filter.job_ids(), record.job_id()) &&
           record.end_time().seconds() < filter.ended_before().seconds();
  }

  void RestoreAny() {
    if (voids_.empty()) return;
    const int64_t id = Any(voids_);
    Restore(id);
    for (Entry& entry : entries_) {
      if (entry.counts || entry.voided_by != id) continue;
      entry.counts = true;
      entry.voided_by = 0;
    }
  }

  static double Cpus(const v1::AssociationShare& share) {
    const auto found = share.tres_usage().find("cpu");
    return found == share.tres_usage().end() ? 0 : found->second;
  }

  // Of a service that only ever had what counts.
  void ExpectTheSharesOfACleanLedger() {
    TestService clean;
    Import(clean, SmallSite(absl::StrCat("Clock=manual\n", kVoidingPolicy)));
    for (const Entry& entry : entries_) {
      if (!entry.counts) continue;
      v1::UsageRecord record = entry.record;
      record.clear_replaces_record_id();
      EXPECT_EQ(Send(clean, record).status(), v1::USAGE_RECORD_STATUS_ACCEPTED);
    }
    v1::RecalculateRequest request;
    *request.mutable_as_of() = ToTimestamp(Hour(40));
    Recalculate(clean, request);
    RecalculateAt(Hour(40));
    const v1::ListSharesResponse want = ListShares(clean);
    for (const v1::AssociationShare& share : want.shares()) {
      const v1::AssociationShare got = ShareOf(ListShares(service_), share.account(), share.user());
      ExpectClose(got.raw_usage(), share.raw_usage());
      ExpectClose(Cpus(got), Cpus(share));
    }
    EXPECT_EQ(Rebuild(true).different_rows(), 0);
  }

  std::mt19937 random_{GetParam()};
  const std::vector<std::string> sources_ = {"s1", "s2", "s3"};
  const std::vector<std::string> users_ = {"amy", "ben", "cat"};
  std::vector<Entry> entries_;
  std::vector<int64_t> voids_;
};

TEST_P(VoidUsagePropertyTest, WhatCountsIsWhatACleanLedgerHas) {
  for (int step = 0; step < 150; ++step) {
    const int kind = Below(10);
    if (kind < 8) {
      RecordAny();
    } else if (kind == 8) {
      VoidAny();
    } else {
      RestoreAny();
    }
  }
  ExpectTheSharesOfACleanLedger();
}

INSTANTIATE_TEST_SUITE_P(Seeds, VoidUsagePropertyTest, ::testing::Range(1u, 7u));

}  // namespace
}  // namespace priorityd::rpc
