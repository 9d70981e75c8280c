#include "server/quotas/quota.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "engine/errors/error_details.h"
#include "server/quotas/parts.h"

namespace priorityd::quotas {
namespace {

using ::testing::HasSubstr;

Rule TestRule() {
  return {.name = "watched_rows",
          .capacity = 100,
          .reserve = 10,
          .of_holder = 30,
          .of_group = 70,
          .flag = "--most",
          .advice = "close others"};
}

std::string MessageOf(const absl::Status& status) { return std::string(status.message()); }

TEST(QuotaTest, AHolderBeyondItsPartIsRefusedByNameAndValueAndOthersAreServed) {
  Quota quota(TestRule());
  const auto fay = quota.Take({"user:fay"}, 30);
  ASSERT_TRUE(fay.ok());
  const absl::Status refused = quota.Take({"user:fay"}).status();
  EXPECT_EQ(refused.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(errors::ReasonOf(refused), "QUOTA_EXCEEDED");
  EXPECT_EQ(MessageOf(refused),
            "watched_rows: got 31 of user:fay, want at most 30 of one caller "
            "(--quota=watched_rows=N); close others");
  EXPECT_TRUE(quota.Take({"user:bob"}).ok());
  EXPECT_EQ(quota.usage().refused, 1u);
}

TEST(QuotaTest, AServiceHasNoPartAndTheReserveIsForItAlone) {
  Quota quota(TestRule());
  const Holder service = {"tls:frontend", "", true};
  const auto most = quota.Take(service, 90);
  ASSERT_TRUE(most.ok());
  EXPECT_EQ(MessageOf(quota.Take({"user:bob"}).status()),
            "watched_rows: got 91 of all callers, want at most 90 beside 10 for services "
            "(--most); close others");
  const auto rest = quota.Take(service, 10);
  EXPECT_TRUE(rest.ok());
  EXPECT_EQ(MessageOf(quota.Take(service).status()),
            "watched_rows: got 101 of all callers, want at most 100 (--most); close others");
}

TEST(QuotaTest, AGroupHasAPartWithItsServices) {
  Quota quota(TestRule());
  const auto held = quota.Take({"tls:frontend", "orc", true}, 70);
  ASSERT_TRUE(held.ok());
  EXPECT_THAT(MessageOf(quota.Take({"tls:frontend", "orc", true}).status()),
              HasSubstr("got 71 of cluster orc, want at most 70 of one cluster"));
  EXPECT_TRUE(quota.Take({"tls:frontend", "elf", true}).ok());
}

TEST(QuotaTest, AShareThatIsRefusedIsWhatItWas) {
  Quota quota(TestRule());
  Share share(&quota, {"user:fay"});
  ASSERT_TRUE(share.GrowTo(20).ok());
  EXPECT_FALSE(share.GrowTo(31).ok());
  EXPECT_EQ(share.size(), 20u);
  EXPECT_EQ(quota.usage().used, 20u);
  EXPECT_TRUE(share.GrowTo(30).ok());
}

TEST(QuotaTest, WhatIsPassedToAnotherCountsForThatOneEvenBeyondItsPart) {
  Quota quota(TestRule());
  auto fay = quota.Take({"user:fay"}, 30);
  auto bob = quota.Take({"user:bob"}, 20);
  fay->PassTo({"user:bob"});
  EXPECT_EQ(quota.HeldBy({"user:bob"}).of_holder, 50u);
  EXPECT_EQ(quota.HeldBy({"user:fay"}).of_holder, 0u);
  EXPECT_FALSE(quota.Take({"user:bob"}).ok());
  EXPECT_TRUE(quota.Take({"user:fay"}).ok());
}

TEST(QuotaTest, NumbersThatOverflowAreRefused) {
  Quota quota(TestRule());
  const auto some = quota.Take({"user:fay"}, 5);
  EXPECT_FALSE(quota.Take({"user:fay"}, kUnbounded).ok());
  EXPECT_FALSE(quota.Take({"service", "", true}, kUnbounded).ok());
  EXPECT_EQ(quota.usage().used, 5u);
}

TEST(QuotaTest, WhoHoldsNothingIsForgotten) {
  Quota quota(TestRule());
  for (int i = 0; i < 1000; ++i) {
    EXPECT_TRUE(quota.Take({absl::StrCat("user:", i), absl::StrCat("group ", i)}).ok());
  }
  EXPECT_EQ(quota.size(), 0u);
  EXPECT_EQ(quota.usage().used, 0u);
}

// What everybody holds, kept in the plainest way.
class NaivePool {
 public:
  bool Take(const Holder& holder, size_t some) {
    const Rule rule = TestRule();
    size_t all = some, of_holder = some, of_group = some;
    for (const auto& [who, held] : taken_) {
      all += held;
      if (who.first == holder.name) of_holder += held;
      if (who.second == holder.group) of_group += held;
    }
    const size_t most = holder.is_service ? rule.capacity : rule.capacity - rule.reserve;
    if (all > most || (!holder.is_service && of_holder > rule.of_holder)) return false;
    if (!holder.group.empty() && of_group > rule.of_group) return false;
    taken_[{holder.name, holder.group}] += some;
    return true;
  }
  void GiveBack(const Holder& holder, size_t some) { taken_[{holder.name, holder.group}] -= some; }

 private:
  std::map<std::pair<std::string, std::string>, size_t> taken_;
};

TEST(QuotaPropertyTest, RandomTakesAndReturnsAreThoseOfANaiveModel) {
  for (int seed = 0; seed < 20; ++seed) {
    std::mt19937 random(seed);
    const auto draw = [&](int most) { return static_cast<int>(random() % most); };
    Quota quota(TestRule());
    NaivePool naive;
    std::vector<Share> shares;
    for (int step = 0; step < 2000; ++step) {
      if (draw(2) == 0 && !shares.empty()) {
        std::swap(shares[draw(static_cast<int>(shares.size()))], shares.back());
        naive.GiveBack(shares.back().holder(), shares.back().size());
        shares.pop_back();
        continue;
      }
      const int who = draw(6);
      const Holder holder = {absl::StrCat("user:", who), draw(3) == 0 ? "" : absl::StrCat(draw(2)),
                             who == 0};
      const size_t some = draw(25);
      auto share = quota.Take(holder, some);
      ASSERT_EQ(share.ok(), naive.Take(holder, some)) << seed << " " << step;
      if (share.ok()) shares.push_back(*std::move(share));
    }
    shares.clear();
    EXPECT_EQ(quota.size(), 0u);
  }
}

TEST(QuotaPropertyTest, ThreadsThatTakeAtOnceNeverHoldMoreThanTheirParts) {
  Quota quota(TestRule());
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&quota, i] {
      std::mt19937 random(i);
      const Holder holder = {absl::StrCat("user:", i % 2), "g"};
      std::vector<Share> shares;
      for (int step = 0; step < 20'000; ++step) {
        auto share = quota.Take(holder, random() % 9);
        if (share.ok()) shares.push_back(*std::move(share));
        const Held held = quota.HeldBy(holder);
        ASSERT_LE(held.of_holder, 30u);
        ASSERT_LE(held.of_group, 60u);
        ASSERT_LE(held.all, 90u);
        if (random() % 3 == 0) shares.clear();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(quota.usage().used, 0u);
  EXPECT_GT(quota.usage().refused, 0u);
}

}  // namespace
}  // namespace priorityd::quotas
