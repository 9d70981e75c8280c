#include "engine/priority/site/tres.h"

#include <gtest/gtest.h>

namespace priorityd::priority {
namespace {

TEST(CanonicalTresNameTest, NamesAreCaseInsensitive) {
  EXPECT_EQ(*CanonicalTresName("CPU"), "cpu");
  EXPECT_EQ(*CanonicalTresName("Mem"), "mem");
  EXPECT_EQ(*CanonicalTresName("GRES/GPU:A100"), "gres/gpu:a100");
}

TEST(CanonicalTresNameTest, EveryKnownTypeIsTaken) {
  for (const char* name : {"cpu", "mem", "node", "energy", "billing", "vmem", "pages", "gres/gpu",
                           "license/ansys", "bb/cray", "fs/lustre", "ic/ofed"}) {
    EXPECT_EQ(*CanonicalTresName(name), name);
  }
}

TEST(CanonicalTresNameTest, OthersAreRefusedByName) {
  for (const char* name : {"", "gpu", "cpus", "gres", "gres/", "license/", "cpu/x", " cpu"}) {
    const auto result = CanonicalTresName(name);
    EXPECT_EQ(result.status().code(), absl::StatusCode::kInvalidArgument) << name;
    EXPECT_NE(result.status().message().find(name), absl::string_view::npos);
  }
}

TEST(FitsTresListTest, NamesOfSlurmAndKubernetesFit) {
  for (const char* name :
       {"cpu", "gres/gpu:a100", "gres/gpu:nvidia_a100_80gb_pcie", "gres/example.com/fpga",
        "gres/hugepages-2mi", "gres/token", "license/fluent@server", "license/a/b", "bb/cray",
        "ic/ofed", "fs/lustre", "gres/Größe"}) {
    EXPECT_TRUE(FitsTresList(name)) << name;
  }
}

TEST(FitsTresListTest, WhatEndsAnItemOfAListDoesNotFit) {
  for (const char* name : {"gres/g pu", "gres/a,b", "gres/a=1", "gres/a|b", "gres/a\tb", "gres/a\n",
                           "gres/a\x01", "gres/a\x7f", " cpu"}) {
    EXPECT_FALSE(FitsTresList(name)) << name;
  }
  EXPECT_FALSE(FitsTresList(absl::string_view("gres/a\0b", 8)));
}

TEST(TresScopeTest, IsByType) {
  EXPECT_EQ(TresScopeOf("cpu"), TresScope::kNodeBound);
  EXPECT_EQ(TresScopeOf("mem"), TresScope::kNodeBound);
  EXPECT_EQ(TresScopeOf("node"), TresScope::kNodeBound);
  EXPECT_EQ(TresScopeOf("gres/gpu"), TresScope::kGres);
  EXPECT_EQ(TresScopeOf("license/ansys"), TresScope::kGlobal);
  EXPECT_EQ(TresScopeOf("bb/cray"), TresScope::kGlobal);
  EXPECT_EQ(TresScopeOf("energy"), TresScope::kGlobal);
  EXPECT_EQ(TresScopeOf("billing"), TresScope::kBilling);
}

}  // namespace
}  // namespace priorityd::priority
