// What a memo keeps, and what it computes again.
#include "server/gateway/memo.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"

namespace priorityd::gateway {
namespace {

// A memo of "argument!" that counts how often that was computed.
struct Exclaimed {
  Memo memo;
  int computed = 0;

  std::string Of(const std::string& argument) {
    return memo.Of(argument, [&] { return ++computed, argument + "!"; });
  }
};

TEST(MemoTest, AResultIsComputedOnce) {
  Exclaimed exclaimed{Memo(100)};
  EXPECT_EQ(exclaimed.Of("a"), "a!");
  EXPECT_EQ(exclaimed.Of("a"), "a!");
  EXPECT_EQ(exclaimed.Of(""), "!");
  EXPECT_EQ(exclaimed.Of(""), "!");
  EXPECT_EQ(exclaimed.computed, 2);
}

TEST(MemoTest, WhoWasAskedForLongestAgoGoesFirst) {
  Exclaimed exclaimed{Memo(6)};  // Two of three bytes.
  exclaimed.Of("a");
  exclaimed.Of("b");
  exclaimed.Of("a");
  exclaimed.Of("c");
  EXPECT_EQ(exclaimed.memo.size(), 2);
  EXPECT_EQ(exclaimed.computed, 3);
  exclaimed.Of("a");
  EXPECT_EQ(exclaimed.computed, 3);
  exclaimed.Of("b");
  EXPECT_EQ(exclaimed.computed, 4);
}

TEST(MemoTest, WhatAloneIsTooLargePushesNothingOut) {
  Exclaimed exclaimed{Memo(10)};
  exclaimed.Of("a");
  EXPECT_EQ(exclaimed.Of("12345"), "12345!");
  EXPECT_EQ(exclaimed.memo.size(), 1);
  exclaimed.Of("a");
  EXPECT_EQ(exclaimed.computed, 2);
}

TEST(MemoTest, ThreadsGetTheResultsOfTheirOwnArguments) {
  Memo memo(200);
  std::vector<std::thread> threads;
  for (unsigned seed = 0; seed < 4; ++seed) {
    threads.emplace_back([&memo, seed] {
      std::mt19937 random(seed);
      for (int i = 0; i < 20'000; ++i) {
        const std::string argument = absl::StrCat(random() % 50);
        ASSERT_EQ(memo.Of(argument, [&] { return argument + "!"; }), argument + "!");
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_LE(memo.size(), 200 / 3);
}

}  // namespace
}  // namespace priorityd::gateway
