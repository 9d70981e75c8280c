#include "client/prioctl/input/slurm_conf_files.h"

#include <filesystem>
#include <fstream>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/temporary_folder.h"

namespace priorityd::prioctl {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class SlurmConfFilesTest : public ::testing::Test {
 protected:
  std::string Write(const std::string& name, const std::string& content) {
    const std::filesystem::path path = folder_ / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << content;
    return path.string();
  }

  const TemporaryFolder temporary_;
  const std::filesystem::path folder_ = temporary_.path();
};

TEST_F(SlurmConfFilesTest, IncludedFilesComeAlongNamedAsTheLineNamesThem) {
  const std::string main = Write("slurm.conf", "Include parts/nodes.conf\nInclude weights.conf\n");
  Write("parts/nodes.conf", "Include more.conf\n");
  Write("weights.conf", "Include more.conf\n");
  Write("more.conf", "PriorityWeightAge=1\n");
  const auto files = ReadSlurmConf(main);
  ASSERT_TRUE(files.ok()) << files.status();
  ASSERT_EQ(files->size(), 4);
  EXPECT_EQ((*files)[0].name(), main);
  EXPECT_EQ((*files)[1].name(), "parts/nodes.conf");
  EXPECT_EQ((*files)[2].name(), "more.conf");
  EXPECT_EQ((*files)[2].content(), "PriorityWeightAge=1\n");
  EXPECT_EQ((*files)[2].kind(), ::priority::v1::FILE_KIND_SLURM_CONF);
  EXPECT_EQ((*files)[3].name(), "weights.conf");
}

TEST_F(SlurmConfFilesTest, AFolderThatWasDeletedRefusesIncludesAlone) {
  Write("slurm.conf", "Include more.conf\n");
  Write("more.conf", "PriorityWeightAge=1\n");
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::create_directory(folder_ / "deleted");
  std::filesystem::current_path(folder_ / "deleted");
  std::filesystem::remove(folder_ / "deleted");
  const auto plain = ReadSlurmConf("../more.conf");
  const auto including = ReadSlurmConf("../slurm.conf", folder_.string());
  std::filesystem::current_path(before);
  ASSERT_TRUE(plain.ok()) << plain.status();
  EXPECT_EQ(plain->size(), 1);
  EXPECT_THAT(std::string(including.status().message()),
              HasSubstr("got more.conf, want a current folder that exists"));
}

TEST_F(SlurmConfFilesTest, TheClustersNameStandsForPercentC) {
  const std::string main = Write("slurm.conf", "ClusterName=Orc  # ours\nInclude=\"%c.conf\"\n");
  Write("orc.conf", "PriorityWeightAge=1\n");
  const auto files = ReadSlurmConf(main);
  ASSERT_TRUE(files.ok()) << files.status();
  EXPECT_EQ((*files)[1].name(), "orc.conf");
}

TEST_F(SlurmConfFilesTest, AMissingIncludeNamesTheLine) {
  const auto files = ReadSlurmConf(Write("slurm.conf", "\nInclude absent.conf\n"));
  EXPECT_THAT(std::string(files.status().message()), HasSubstr("slurm.conf line 2: Include: "));
  EXPECT_THAT(std::string(files.status().message()), HasSubstr("absent.conf"));
}

TEST_F(SlurmConfFilesTest, AWildcardIsRefused) {
  const auto files = ReadSlurmConf(Write("slurm.conf", "Include conf.d/*.conf\n"));
  EXPECT_THAT(std::string(files.status().message()),
              HasSubstr("line 1: Include: got conf.d/*.conf, want the name of one file"));
}

// The file may come from somebody who wants to know what its reader may read.
TEST_F(SlurmConfFilesTest, WhatIsElsewhereIsNotReadUnlessItsFolderIsNamed) {
  const std::string outside = Write("secret/key.conf", "StoragePass=hidden\n");
  std::filesystem::create_directories(folder_ / "site");
  std::filesystem::create_symlink(outside, folder_ / "site" / "link.conf");
  for (const std::string& name :
       {outside, std::string("../secret/key.conf"), std::string("link.conf"),
        std::string("/proc/self/environ"), std::string("/dev/zero"), std::string(".")}) {
    const auto files = ReadSlurmConf(Write("site/slurm.conf", "\nInclude " + name + "\n"));
    EXPECT_TRUE(absl::IsInvalidArgument(files.status())) << name << files.status();
    EXPECT_THAT(std::string(files.status().message()),
                AllOf(HasSubstr("line 2: Include: got " + name + ", want a file in "),
                      HasSubstr("--include-from"), Not(HasSubstr("hidden"))));
  }
  const std::string main = Write("site/slurm.conf", "Include " + outside + "\n");
  EXPECT_FALSE(ReadSlurmConf(main, (folder_ / "other").string()).ok());
  const auto named = ReadSlurmConf(main, (folder_ / "secret").string());
  ASSERT_TRUE(named.ok()) << named.status();
  EXPECT_EQ((*named)[1].content(), "StoragePass=hidden\n");
  const auto policy = ReadPolicyText(main, (folder_ / "secret").string());
  EXPECT_TRUE(policy.ok()) << policy.status();
}

TEST_F(SlurmConfFilesTest, ALinkToASlurmConfHasTheFilesBesideBoth) {
  const std::string main =
      Write("shared/slurm.conf",
            "Include nodes.conf\nInclude " + (folder_ / "shared/more.conf").string() + "\n");
  Write("shared/more.conf", "PriorityWeightAge=1\n");
  Write("etc/nodes.conf", "NodeName=a CPUs=1\n");
  std::filesystem::create_symlink(main, folder_ / "etc" / "slurm.conf");
  const auto files = ReadSlurmConf((folder_ / "etc/slurm.conf").string());
  ASSERT_TRUE(files.ok()) << files.status();
  EXPECT_EQ(files->size(), 3);
}

TEST_F(SlurmConfFilesTest, OfAnIncludeThatIsNoSlurmConfNothingIsShown) {
  const std::string main = Write("slurm.conf", "Include shadow\n");
  for (const char* content : {"root:hidden:1\n", "# c\n\nA=1 \\\n goes on\nhidden=\n-hidden\n",
                              "-----BEGIN KEY-----\nhidden==\n", "=hidden\n", "hidden\n"}) {
    Write("shadow", content);
    const auto files = ReadSlurmConf(main);
    EXPECT_TRUE(absl::IsInvalidArgument(files.status())) << content;
    EXPECT_THAT(
        std::string(files.status().message()),
        AllOf(HasSubstr("line 1: Include: got shadow, whose line "), Not(HasSubstr("hidden"))));
  }
  Write("shadow", "X11Parameters=a\nNodeName=a \\\n  b c \\\n  d\n # e\ninclude b.conf\n");
  Write("b.conf", "");
  EXPECT_TRUE(ReadSlurmConf(main).ok()) << ReadSlurmConf(main).status();
}

TEST_F(SlurmConfFilesTest, FilesThatIncludeEachOtherAreReadOnce) {
  const std::string main = Write("slurm.conf", "Include a.conf\n");
  Write("a.conf", "Include b.conf\n");
  Write("b.conf", "Include a.conf\n");
  const auto files = ReadSlurmConf(main);
  ASSERT_TRUE(files.ok()) << files.status();
  EXPECT_EQ(files->size(), 3);
}

TEST_F(SlurmConfFilesTest, APolicyIsOneTextWithItsIncludes) {
  const std::string main = Write("slurm.conf", "# ours\nInclude a.conf\nPriorityWeightAge=1\n");
  Write("a.conf", "PriorityWeightQOS=2");
  const auto joined = ReadPolicyText(main);
  ASSERT_TRUE(joined.ok()) << joined.status();
  EXPECT_EQ(joined->name, main + " with its Includes");
  EXPECT_EQ(joined->text, "# ours\nPriorityWeightQOS=2\nPriorityWeightAge=1\n");
  const auto alone = ReadPolicyText(Write("alone.conf", "PriorityWeightAge=1"));
  ASSERT_TRUE(alone.ok()) << alone.status();
  EXPECT_EQ(alone->text, "PriorityWeightAge=1");
}

TEST_F(SlurmConfFilesTest, APolicyThatIncludesItselfIsRefusedWithItsLine) {
  Write("a.conf", "\nInclude b.conf\n");
  Write("b.conf", "Include a.conf\n");
  const auto joined = ReadPolicyText(Write("slurm.conf", "Include a.conf\n"));
  EXPECT_TRUE(absl::IsInvalidArgument(joined.status()));
  EXPECT_THAT(std::string(joined.status().message()),
              HasSubstr("b.conf line 1: Include: got \"a.conf\", want no cycle"));
}

}  // namespace
}  // namespace priorityd::prioctl
