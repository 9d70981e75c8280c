// A site that is exported and imported again, and one that is built by verbs, are the same site.
#include "server/administration/imports/export.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "engine/slurm/dump/dump_line.h"
#include "priority/v1/administration.pb.h"
#include "tests/server/service/administered_site.h"
#include "tests/server/service/random_site.h"
#include "tests/server/service/table_digests.h"

namespace priorityd::rpc {
namespace {

std::string FileText(const std::string& name) {
  std::ifstream stream("tests/testdata/" + name, std::ios::binary);
  EXPECT_TRUE(stream.good()) << name;
  return std::string(std::istreambuf_iterator<char>(stream), {});
}

constexpr char kConf[] =
    "PriorityType=priority/multifactor\nClock=manual\nPriorityWeightFairshare=1000\n"
    "NodeName=n[1-10] CPUs=10 RealMemory=1000\nPartitionName=main Nodes=ALL Default=YES\n";
constexpr char kQos[] =
    "Name|Priority|UsageFactor|Flags|GrpWall|GrpTRESMins|MaxSubmitPU|MaxJobsPU|Preempt|UsageThres\n"
    "normal|0|1|||||||\n"
    "q1|10|2.5|NoDecay,DenyOnLimit|1-02:03:00|cpu=10,mem=2000M|5|6|normal|0.125\n"
    "q2|20|0|||||||\nq3|30|1|||||||\n";

class ExportTest : public ::testing::Test {
 protected:
  void ImportAs(const std::string& cluster, v1::ImportRequest request) {
    request.set_cluster(cluster);
    rpc::Import(service_, request);
  }

  v1::ImportRequest ExportOf(const std::string& cluster) {
    v1::ExportRequest request;
    request.set_cluster(cluster);
    v1::ExportResponse response;
    const grpc::Status status = CallUnary(service_, request, &response);
    EXPECT_TRUE(status.ok()) << status.error_message();
    v1::ImportRequest import;
    *import.mutable_files() = response.files();
    return import;
  }

  void ExpectSameTables(const std::string& a, const std::string& b) {
    const auto of_a = TableDigests(service_.database(), a);
    const auto of_b = TableDigests(service_.database(), b);
    for (const auto& [table, rows] : of_a) {
      EXPECT_FALSE(rows.empty() && table == "association") << a;
      EXPECT_EQ(rows, of_b.at(table)) << table;
    }
  }

  // What everybody's shares are after a recalculation, without the cluster's name and the ids.
  std::string SharesOf(const std::string& cluster) {
    v1::RecalculateRequest recalculate;
    recalculate.set_cluster(cluster);
    *recalculate.mutable_as_of() = ToTimestamp(TestEpoch());
    Recalculate(service_, recalculate);
    v1::ListSharesRequest request;
    request.set_cluster(cluster);
    std::string text;
    const v1::ListSharesResponse list = ListShares(service_, request);
    for (v1::AssociationShare share : list.shares()) {
      share.clear_association_id();
      text += share.ShortDebugString() + "\n";
    }
    EXPECT_NE(text, "");
    return text;
  }

  void ExpectSurvives(v1::ImportRequest site) {
    ImportAs("first", std::move(site));
    ImportAs("second", ExportOf("first"));
    ExpectSameTables("first", "second");
    EXPECT_EQ(SharesOf("first"), SharesOf("second"));
    const v1::ImportRequest first = ExportOf("first"), second = ExportOf("second");
    for (int i = 0; i < first.files_size(); ++i) {
      EXPECT_EQ(absl::StrReplaceAll(first.files(i).content(), {{"'first'", "'x'"}}),
                absl::StrReplaceAll(second.files(i).content(), {{"'second'", "'x'"}}));
    }
  }

  // A site of a dump that sacctmgr wrote.
  static v1::ImportRequest SiteOf(const std::string& dump) {
    v1::ImportRequest request;
    AddFile(v1::FILE_KIND_SLURM_CONF, "slurm.conf", kConf, &request);
    AddFile(v1::FILE_KIND_QOS, "qos", kQos, &request);
    AddFile(v1::FILE_KIND_SACCTMGR_DUMP, "dump", FileText(dump), &request);
    return request;
  }

  TestService service_;
};

TEST_F(ExportTest, SitesThatSlurmDumpedSurviveExportAndImport) {
  ExpectSurvives(SiteOf("limits/every_limit.dump"));
}

TEST_F(ExportTest, ASiteOfManyAccountsSurvives) { ExpectSurvives(SiteOf("limits/budget.dump")); }

TEST_F(ExportTest, ARealSitesFilesSurvive) {
  v1::ImportRequest site;
  AddFile(v1::FILE_KIND_SLURM_CONF, "slurm.conf", FileText("site/slurm.conf") + "\nClock=manual\n",
          &site);
  AddFile(v1::FILE_KIND_QOS, "qos", FileText("site/qos.txt"), &site);
  AddFile(v1::FILE_KIND_SACCTMGR_DUMP, "dump", FileText("site/sacctmgr.dump"), &site);
  ExpectSurvives(std::move(site));
}

TEST_F(ExportTest, RandomSitesSurvive) {
  for (uint32_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(seed);
    RandomSite random(seed);
    const std::string first = absl::StrCat("first", seed);
    const std::string second = absl::StrCat("second", seed);
    v1::ImportRequest site;
    AddFile(v1::FILE_KIND_SLURM_CONF, "slurm.conf", random.Policy() + random.Partitions(), &site);
    AddFile(v1::FILE_KIND_QOS, "qos", random.Qos(), &site);
    AddFile(v1::FILE_KIND_SACCTMGR_DUMP, "dump", random.Dump(), &site);
    ImportAs(first, std::move(site));
    ImportAs(second, ExportOf(first));
    ExpectSameTables(first, second);
    EXPECT_EQ(SharesOf(first), SharesOf(second));
  }
}

// As the commands do that `prioctl export` prints. A lease is of what an earlier file makes.
TEST_F(ExportTest, FilesImportedOneByOneInTheirOrderAreTheSameSite) {
  ImportAs("first", SiteOf("limits/budget.dump"));
  SharesOf("first");  // Sets the clock.
  v1::UpdatePartitionsRequest lease;
  lease.set_cluster("first");
  lease.add_names("main");
  AddSettings({"State=DOWN", "until=now+4hours"}, &lease);
  v1::ChangeResponse changed;
  const grpc::Status status = CallUnary(service_, lease, &changed);
  ASSERT_TRUE(status.ok()) << status.error_message();
  const v1::ImportRequest exported = ExportOf("first");
  EXPECT_EQ(exported.files_size(), 4);
  for (const v1::File& file : exported.files()) {
    v1::ImportRequest one;
    *one.add_files() = file;
    ImportAs("second", std::move(one));
  }
  ExpectSameTables("first", "second");
  const v1::ImportRequest again = ExportOf("second");
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(absl::StrReplaceAll(exported.files(i).content(), {{"'first'", "'x'"}}),
              absl::StrReplaceAll(again.files(i).content(), {{"'second'", "'x'"}}));
  }
}

// Types the lines of a dump as verbs, one call for each.
class VerbTyper {
 public:
  VerbTyper(TestService* service, std::string cluster)
      : service_(service), cluster_(std::move(cluster)) {}

  void Type(const std::string& dump) {
    std::string parent = "root";
    for (absl::string_view text : absl::StrSplit(dump, '\n', absl::SkipWhitespace())) {
      if (text[0] == '#') continue;
      const auto line = slurm::SplitDumpLine(text);
      ASSERT_TRUE(line.ok()) << line.status();
      if (line->kind == "Parent") parent = line->name;
      if (line->kind == "Cluster") ModifyRoot(*line);
      if (line->kind == "Account" || line->kind == "User") Add(*line, parent);
    }
  }

 private:
  static v1::Setting SettingOf(const slurm::DumpOption& option) {
    const bool is_change = option.name == "QOS" && absl::StartsWith(option.value, "+");
    const bool is_removal = option.name == "QOS" && absl::StartsWith(option.value, "-");
    if (is_change) return ToSetting("QOS+=" + option.value.substr(1));
    if (is_removal) return ToSetting("QOS-=" + option.value.substr(1));
    return ToSetting(option.name + "=" + option.value);
  }

  void ModifyRoot(const slurm::DumpLine& line) {
    v1::UpdateAssociationsRequest request;
    request.set_cluster(cluster_);
    *request.mutable_where() = Where({"root"}, {""});
    for (const auto& option : line.options) *request.add_settings() = SettingOf(option);
    v1::ChangeResponse response;
    const grpc::Status status = CallUnary(*service_, request, &response);
    EXPECT_TRUE(status.ok()) << status.error_message();
  }

  void Add(const slurm::DumpLine& line, const std::string& parent) {
    v1::CreateAssociationsRequest request;
    request.set_cluster(cluster_);
    v1::NewAssociation* wanted = request.add_associations();
    wanted->set_account(line.kind == "User" ? parent : line.name);
    if (line.kind == "User") wanted->set_user(line.name);
    if (line.kind == "Account") wanted->set_parent_account(parent);
    for (const slurm::DumpOption& option : line.options) {
      if (option.name == "Partition") {
        wanted->set_partition(option.value);
      } else {
        *request.add_settings() = SettingOf(option);
      }
    }
    v1::ChangeResponse response;
    const grpc::Status status = CallUnary(*service_, request, &response);
    EXPECT_TRUE(status.ok()) << status.error_message() << request.ShortDebugString();
  }

  TestService* const service_;
  const std::string cluster_;
};

TEST_F(ExportTest, ASiteBuiltByVerbsIsTheSiteImported) {
  for (const std::string dump : {"limits/every_limit.dump", "limits/budget.dump"}) {
    SCOPED_TRACE(dump);
    const std::string imported = "imported" + std::to_string(dump.size());
    const std::string typed = "typed" + std::to_string(dump.size());
    ImportAs(imported, SiteOf(dump));
    v1::ImportRequest without_tree = SiteOf(dump);
    without_tree.mutable_files()->RemoveLast();
    ImportAs(typed, without_tree);
    VerbTyper(&service_, typed).Type(FileText(dump));
    ExpectSameTables(imported, typed);
    EXPECT_EQ(SharesOf(imported), SharesOf(typed));
  }
}

}  // namespace
}  // namespace priorityd::rpc
