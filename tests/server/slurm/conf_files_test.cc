// Include lines, through ParseSlurmConf.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/slurm/slurm_conf.h"
#include "tests/server/slurm/parsing.h"

namespace priorityd::slurm {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(IncludeTest, AFileStandsInThePlaceOfItsLine) {
  const auto conf = ParseSlurmConf({{"slurm.conf",
                                     "NodeName=DEFAULT CPUs=4\n"
                                     "include nodes.conf # the nodes\n"
                                     "PriorityWeightAge=2\n"},
                                    {"nodes.conf", "PriorityWeightAge=1\nNodeName=n[1-2]\n"}});
  ASSERT_TRUE(conf.ok()) << conf.status();
  EXPECT_EQ(conf->cluster->cpus, 8);
  EXPECT_EQ(conf->policy.weight_age, 2u);
  EXPECT_THAT(conf->warnings, ElementsAre("slurm.conf line 3: PriorityWeightAge is given again; "
                                          "this one holds, not nodes.conf line 1"));
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
                                         {"a.conf", "\nPriorityFlags=FOO\n"}})
                             .status()),
              ElementsAre(HasSubstr("a.conf line 2: PriorityFlags: got \"FOO\"")));
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

}  // namespace
}  // namespace priorityd::slurm
