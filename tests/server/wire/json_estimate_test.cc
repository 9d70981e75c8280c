#include "server/wire/json_estimate.h"

#include <google/protobuf/util/json_util.h>
#include <google/protobuf/util/type_resolver_util.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstdio>
#include <fstream>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "priority/v1/ranking.pb.h"
#include "tests/sanitizer.h"

namespace priorityd::wire {
namespace {

// The most that this process ever had in memory, from now on.
void ForgetMost() { std::ofstream("/proc/self/clear_refs") << "5"; }
size_t ValueOf(const std::string& name) {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    if (word != name) continue;
    size_t kib = 0;
    status >> kib;
    return kib << 10;
  }
  return 0;
}

// What memory grows by while the wire format of a RankJobsRequest is made of the text.
size_t GrowthBy(const std::string& json) {
  const std::unique_ptr<google::protobuf::util::TypeResolver> resolver(
      google::protobuf::util::NewTypeResolverForDescriptorPool(
          "t", google::protobuf::DescriptorPool::generated_pool()));
  ForgetMost();
  const size_t before = ValueOf("VmRSS:");
  std::string bytes;
  google::protobuf::util::JsonToBinaryString(resolver.get(), "t/priority.v1.RankJobsRequest", json,
                                             &bytes)
      .ok();
  const size_t most = ValueOf("VmHWM:");
  return most > before ? most - before : 0;
}

std::string Repeated(const std::string& head, const std::string& element, size_t count,
                     const std::string& tail) {
  std::string text = head;
  for (size_t i = 0; i < count; ++i) absl::StrAppend(&text, i == 0 ? "" : ",", element);
  return text + tail;
}

TEST(JsonEstimateTest, NoTextTakesMoreThanWasEstimated) {
  if (kIsSanitized) GTEST_SKIP() << "a sanitizer takes memory of its own";
  ::priority::v1::RankJobsRequest known_to_the_pool;
  std::string keys = "{\"jobs\":{\"jobs\":[{\"tres\":{";
  for (int i = 0; i < 200'000; ++i) absl::StrAppend(&keys, i == 0 ? "" : ",", "\"", i, "\":1");
  for (const std::string& text :
       {Repeated("{\"jobs\":{\"jobs\":[", "{}", 700'000, "]}}"),
        Repeated("{\"users\":[", "\"\"", 700'000, "]}"),
        Repeated("{\"users\":[\"", "aaaaaaaa", 300'000, "\"]}"),
        Repeated("{\"jobs\":{\"jobs\":[", "{\"submitTime\":null}", 100'000, "]}}"),
        Repeated("{\"jobs\":{\"jobs\":[", "{\"tres\":{\"a\":1}}", 100'000, "]}}"),
        std::string(2'000'000, '['), std::string(2'000'000, '{'), keys + "}}]}}",
        Repeated("[", "1", 1'000'000, "]")}) {
    constexpr size_t kNoise = 1 << 20;
    EXPECT_LE(GrowthBy(text), EstimateJson(text) + kNoise) << text.substr(0, 60);
  }
}

TEST(JsonEstimateTest, WhatStandsInTextsIsNoObject) {
  EXPECT_EQ(EstimateJson("\"{{{{\""), EstimateJson("\"aaaa\""));
  EXPECT_EQ(EstimateJson("'{\"{{'"), EstimateJson("'aaaa'"));
  EXPECT_EQ(EstimateJson("\"\\\"{\""), EstimateJson("\"\\\"a\""));
  EXPECT_GT(EstimateJson("{{{{"), EstimateJson("aaaa"));
  EXPECT_EQ(EstimateJson(""), 0u);
}

}  // namespace
}  // namespace priorityd::wire
