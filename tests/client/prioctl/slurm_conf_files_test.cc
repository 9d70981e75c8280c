#include "client/prioctl/slurm_conf_files.h"

#include <filesystem>
#include <fstream>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/temporary_folder.h"

namespace priorityd::prioctl {
namespace {

using ::testing::HasSubstr;

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
