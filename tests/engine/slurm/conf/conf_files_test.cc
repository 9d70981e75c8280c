#include "engine/slurm/conf/conf_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/slurm/conf/slurm_conf.h"
#include "tests/engine/slurm/parsing.h"

namespace priorityd::slurm {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Through ParseSlurmConf.

TEST(IncludeTest, AFileStandsInThePlaceOfItsLine) {
  const auto conf = ParseSlurmConf({{"slurm.conf",
                                     "NodeName=DEFAULT CPUs=4\n"
                                     "include nodes.conf # the nodes\n"
                                     "PriorityWeightAge=2\n"},
                                    {"nodes.conf", "PriorityWeightAge=1\nNodeName=n[1-2]\n"}});
  ASSERT_TRUE(conf.ok()) << conf.status();
  EXPECT_EQ(conf->cluster->cpus, 8);
  EXPECT_EQ(conf->policy.weight_age, 2u);
  EXPECT_THAT(conf->warnings, ElementsAre("slurm.conf line 3: PriorityWeightAge is set again; "
                                          "this value is used, not nodes.conf line 1"));
}

TEST(IncludeTest, NamesAreResolvedAsGivenBesideTheIncluderOrByTheirEnd) {
  for (const auto& [main, include, file] :
       std::vector<std::tuple<std::string, std::string, std::string>>{
           {"slurm.conf", "nodes.conf", "nodes.conf"},
           {"/etc/slurm/slurm.conf", "nodes.conf", "/etc/slurm/nodes.conf"},
           {"/etc/slurm/slurm.conf", "./conf.d/../nodes.conf", "/etc/slurm/nodes.conf"},
           {"site/slurm.conf", "conf.d/nodes.conf", "site/conf.d/nodes.conf"},
           {"slurm.conf", "/etc/slurm/nodes.conf", "nodes.conf"},
           {"slurm.conf", "nodes.conf", "some/where/nodes.conf"},
           {"slurm.conf", "\"/etc/my slurm/nodes.conf\"", "/etc/my slurm/nodes.conf"},
           {"slurm.conf", "nodes-%c.conf", "nodes-orc.conf"}}) {
    const auto conf = ParseSlurmConf(
        {{main, "ClusterName=Orc\nInclude " + include + "\n"}, {file, "NodeName=n1\n"}});
    ASSERT_TRUE(conf.ok()) << conf.status();
    EXPECT_TRUE(conf->cluster.has_value()) << include;
  }
}

TEST(IncludeTest, ErrorsNameTheIncludedFile) {
  EXPECT_THAT(ErrorTexts(ParseSlurmConf({{"slurm.conf", "Include a.conf\n"},
                                         {"a.conf", "\nPriorityWeightAge=FOO\n"}})
                             .status()),
              ElementsAre(HasSubstr("a.conf line 2: PriorityWeightAge: got \"FOO\"")));
}

TEST(IncludeTest, AMissingFileIsNamedWithItsLine) {
  EXPECT_THAT(ErrorTexts(ParseSlurmConf({{"slurm.conf",
                                          "\nInclude nodes.conf\nInclude\n"
                                          "Include a b\n"}})
                             .status()),
              ElementsAre("slurm.conf line 2: Include: got \"nodes.conf\", want one of the files "
                          "given with slurm.conf",
                          "slurm.conf line 3: Include: got \"\", want the name of one file",
                          "slurm.conf line 4: Include: got \"a b\", want the name of one file"));
}

TEST(IncludeTest, AnEndThatTwoFilesShareNamesNeither) {
  EXPECT_FALSE(
      ParseSlurmConf({{"slurm.conf", "Include n.conf\n"}, {"a/n.conf", ""}, {"b/n.conf", ""}})
          .ok());
}

TEST(IncludeTest, CyclesAreErrors) {
  EXPECT_THAT(ErrorTexts(ParseSlurmConf({{"slurm.conf", "Include a.conf\n"},
                                         {"a.conf", "Include b.conf\n"},
                                         {"b.conf", "\nInclude slurm.conf\nInclude b.conf\n"}})
                             .status()),
              ElementsAre("b.conf line 2: Include: got \"slurm.conf\", want no cycle: it is being "
                          "read already",
                          "b.conf line 3: Include: got \"b.conf\", want no cycle: it is being "
                          "read already"));
}

TEST(IncludeTest, ExplosionsOfIncludesAreCutOff) {
  std::vector<SourceFile> files = {{"f0", "Include f1\nInclude f1\n"}};
  for (int i = 1; i < 40; ++i) {
    const std::string next = absl::StrCat("Include f", i + 1, "\n");
    files.push_back({absl::StrCat("f", i), next + next});
  }
  files.push_back({"f40", "PriorityWeightAge=1\n"});
  EXPECT_THAT(std::string(ParseSlurmConf(files).status().message()),
              HasSubstr("want at most 1000 of 268435456"));
}

TEST(IncludeTest, AFileThatNoLineIncludesIsWarnedOf) {
  const auto conf = ParseSlurmConf({{"slurm.conf", ""}, {"gres.conf", "garbage in here"}});
  ASSERT_TRUE(conf.ok()) << conf.status();
  EXPECT_THAT(conf->warnings, ElementsAre("gres.conf: no Include line names it; not read"));
}

// The names of what GatherConfFiles gathers from `files`, the first of which is the main one.
absl::StatusOr<std::vector<std::string>> Gathered(const std::vector<SourceFile>& files) {
  const auto read = [&](const std::string& name) -> absl::StatusOr<std::string> {
    for (const SourceFile& file : files) {
      if (file.name == name) return file.content;
    }
    return absl::NotFoundError(absl::StrCat(name, ": no such file"));
  };
  const absl::StatusOr<std::vector<SourceFile>> gathered = GatherConfFiles(files[0], read);
  if (!gathered.ok()) return gathered.status();
  std::vector<std::string> names;
  for (const SourceFile& file : *gathered) names.push_back(file.name);
  return names;
}

TEST(GatherConfFilesTest, OnlyIncludeLinesCount) {
  const auto names = Gathered({{"slurm.conf",
                                "Include a.conf\n"
                                "  INCLUDE\tb.conf  # nodes\n"
                                "#Include c.conf\n"
                                "IncludeOption=1\n"
                                "Include\n"
                                "NodeName=n1 \\\n"
                                "Include d.conf\n"
                                "include /etc/e.conf\r\n"},
                               {"a.conf", ""},
                               {"b.conf", ""},
                               {"/etc/e.conf", ""}});
  ASSERT_TRUE(names.ok()) << names.status();
  EXPECT_THAT(*names, ElementsAre("slurm.conf", "a.conf", "b.conf", "/etc/e.conf"));
}

TEST(GatherConfFilesTest, FilesComeInReadingOrderEachOnce) {
  const auto names = Gathered({{"slurm.conf", "Include a.conf\nInclude b.conf\nInclude ./a.conf\n"},
                               {"a.conf", "Include c.conf\n"},
                               {"b.conf", "Include c.conf\nInclude slurm.conf\n"},
                               {"c.conf", "Include a.conf\n"}});
  ASSERT_TRUE(names.ok()) << names.status();
  EXPECT_THAT(*names, ElementsAre("slurm.conf", "a.conf", "c.conf", "b.conf"));
}

TEST(GatherConfFilesTest, WhatCannotBeReadIsNamedWithItsLine) {
  const auto names = Gathered({{"slurm.conf", "ClusterName=Orc\nInclude a.conf\n"},
                               {"a.conf", "\nInclude %c/b.conf\nInclude c.conf\n"}});
  EXPECT_EQ(names.status(),
            absl::NotFoundError("a.conf line 2: Include: orc/b.conf: no such file"));
}

// A text joined means what its files mean, whatever their lines look like.
TEST(JoinConfFilesTest, LinesStayAsTheyAreWithFilesInThePlaceOfIncludes) {
  const std::vector<SourceFile> files = {{"slurm.conf",
                                          "# weights\n\n"
                                          "PriorityWeightAge=1 \\\n  PriorityWeightQOS=2\n"
                                          "Include a.conf # more\n"
                                          "Include a.conf\nnonsense"},
                                         {"a.conf", "PriorityMaxAge=\"1-0\"\n"}};
  const auto joined = JoinConfFiles(files);
  ASSERT_TRUE(joined.ok()) << joined.status();
  EXPECT_EQ(*joined,
            "# weights\n\n"
            "PriorityWeightAge=1 \\\n  PriorityWeightQOS=2\n"
            "PriorityMaxAge=\"1-0\"\nPriorityMaxAge=\"1-0\"\nnonsense\n");
}

TEST(JoinConfFilesTest, FaultsOfIncludeLinesAreNamed) {
  EXPECT_THAT(ErrorTexts(JoinConfFiles({{"slurm.conf", "Include a.conf\nInclude x y\n"},
                                        {"a.conf", "Include slurm.conf\n"}})
                             .status()),
              ElementsAre("a.conf line 1: Include: got \"slurm.conf\", want no cycle: it is being "
                          "read already",
                          "slurm.conf line 2: Include: got \"x y\", want the name of one file"));
}

}  // namespace
}  // namespace priorityd::slurm
