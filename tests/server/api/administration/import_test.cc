#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "storage/database/database.h"
#include "tests/server/service/test_service.h"

namespace priorityd::rpc {
namespace {

class ImportTest : public ::testing::Test {
 protected:
  v1::ImportRequest Usage(const std::string& lines) {
    v1::ImportRequest request;
    AddFile(v1::FILE_KIND_USAGE, "usage", lines, &request);
    return request;
  }

  // The only row of a statement, as text.
  std::string Column(const char* statement) {
    const auto text = service_.database().Read([&](storage::Transaction& transaction) {
      return transaction.QueryOne(storage::OnlyColumn<std::string>, statement);
    });
    EXPECT_TRUE(text.ok()) << statement << ": " << text.status();
    return text.value_or("");
  }

  TestService service_;
};

TEST_F(ImportTest, ASiteMovesInAndCanBeRankedAtOnce) {
  const v1::ImportResponse response = Import(service_, SmallSite());
  EXPECT_EQ(response.cluster(), "c");
  EXPECT_TRUE(response.cluster_created());
  EXPECT_EQ(response.associations().created(), 5);  // Root was there already.
  EXPECT_EQ(response.qos().created(), 2);
  EXPECT_EQ(response.partitions().created(), 1);
  EXPECT_EQ(response.policy_version(), 1);
  EXPECT_TRUE(response.policy_created());
  EXPECT_EQ(response.takes_effect_at().seconds(), absl::ToUnixSeconds(TestEpoch()));
  EXPECT_EQ(ListShares(service_).shares_size(), 6);
}

TEST_F(ImportTest, TheSameFilesAgainChangeNothing) {
  v1::ImportRequest request = SmallSite();
  AddFile(v1::FILE_KIND_USAGE, "usage", "a|amy||100\n", &request);
  Import(service_, request);
  const v1::ImportResponse again = Import(service_, request);
  EXPECT_FALSE(again.cluster_created());
  EXPECT_FALSE(again.policy_created());
  EXPECT_EQ(again.policy_version(), 1);
  for (const v1::ImportCounts& counts :
       {again.associations(), again.qos(), again.partitions(), again.opening_usage()}) {
    EXPECT_EQ(counts.created() + counts.updated() + counts.deleted(), 0);
    EXPECT_GT(counts.unchanged(), 0);
  }
}

TEST_F(ImportTest, AFailingFileChangesNothingAndNamesTheLine) {
  v1::ImportRequest request = SmallSite();
  AddFile(v1::FILE_KIND_USAGE, "usage", "a|amy||100\na|zoe||100\n", &request);
  grpc::Status status;
  Import(service_, request, &status);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(DetailsOf(status).reason, "INVALID_FILE");
  EXPECT_EQ(DetailsOf(status).Fields(), "usage line 2");
  ListShares(service_, {}, &status);
  EXPECT_EQ(DetailsOf(status).reason, "NO_CLUSTER");
}

TEST_F(ImportTest, APartitionsPriorityBeyondSlurmsIsRefusedByLineAndChangesNothing) {
  Import(service_, SmallSite());
  for (const char* value : {"-1", "65536"}) {
    v1::ImportRequest request;
    AddFile(v1::FILE_KIND_SLURM_CONF, "slurm.conf",
            absl::StrCat("ClusterName=c\nPartitionName=main PriorityJobFactor=", value, "\n"),
            &request);
    grpc::Status status;
    Import(service_, request, &status);
    const ErrorDetails details = DetailsOf(status);
    EXPECT_EQ(details.reason, "INVALID_FILE");
    const auto& violations = details.bad_request.field_violations();
    ASSERT_EQ(violations.size(), 1);
    EXPECT_EQ(violations[0].field(), "slurm.conf line 2");
    EXPECT_EQ(violations[0].description(), absl::StrCat("PriorityJobFactor: got \"", value,
                                                        "\", want a whole number from 0 to 65535"));
  }
  EXPECT_EQ(Column("SELECT priority_job_factor::text FROM priorityd.partition"), "1");
}

TEST_F(ImportTest, TheErrorsOfAllFilesTravelTogether) {
  v1::ImportRequest request;
  AddFile(v1::FILE_KIND_SLURM_CONF, "slurm.conf", "ClusterName=c\nPriorityWeightAge=x\n", &request);
  AddFile(v1::FILE_KIND_USAGE, "usage", "a|amy\n", &request);
  grpc::Status status;
  Import(service_, request, &status);
  const ErrorDetails details = DetailsOf(status);
  EXPECT_NE(details.Fields().find("slurm.conf line 2"), std::string::npos) << details.Fields();
  EXPECT_NE(details.Fields().find("usage line 1"), std::string::npos) << details.Fields();
}

TEST_F(ImportTest, ManyErrorsAreCutToWhatATrailerCarries) {
  std::string conf = "ClusterName=c\n";
  for (int i = 0; i < 100; ++i) conf += "PriorityWeightAge=" + std::string(100, 'x') + "\n";
  v1::ImportRequest request;
  AddFile(v1::FILE_KIND_SLURM_CONF, "slurm.conf", conf, &request);
  grpc::Status status;
  Import(service_, request, &status);
  EXPECT_LE(status.error_details().size(), 3u * 1024);
  const int told = DetailsOf(status).bad_request.field_violations_size();
  EXPECT_GT(told, 5);
  EXPECT_NE(status.error_message().find("more"), std::string::npos);
  EXPECT_NE(status.error_message().find(absl::StrCat("the details list ", told, " of them")),
            std::string::npos)
      << status.error_message();
}

TEST_F(ImportTest, ValidateOnlyReportsAndChangesNothing) {
  v1::ImportRequest request = SmallSite();
  request.set_validate_only(true);
  const v1::ImportResponse response = Import(service_, request);
  EXPECT_EQ(response.associations().created(), 5);
  EXPECT_FALSE(response.has_takes_effect_at());
  grpc::Status status;
  ListShares(service_, {}, &status);
  EXPECT_EQ(DetailsOf(status).reason, "NO_CLUSTER");
}

TEST_F(ImportTest, CleanDeletesWhatTheDumpDoesNotName) {
  Import(service_, SmallSite());
  v1::ImportRequest request;
  request.set_clean(true);
  AddFile(v1::FILE_KIND_SACCTMGR_DUMP, "dump",
          "Cluster - 'c':Fairshare=1:QOS='normal,double'\nParent - 'root'\n"
          "Account - 'b':Fairshare=5\nParent - 'b'\n"
          "User - 'cat':DefaultAccount='b':Fairshare=1\n",
          &request);
  const v1::ImportResponse response = Import(service_, request);
  EXPECT_EQ(response.associations().deleted(), 3);
  EXPECT_EQ(response.associations().updated(), 1);
  EXPECT_EQ(response.associations().unchanged(), 2);
  Recalculate(service_);
  EXPECT_EQ(ListShares(service_).shares_size(), 3);
}

TEST_F(ImportTest, ANewDefaultPartitionTakesThePlaceOfTheOldOne) {
  Import(service_, SmallSite());
  v1::ImportRequest request;
  AddFile(v1::FILE_KIND_SLURM_CONF, "slurm.conf",
          "ClusterName=c\nPartitionName=new Nodes=ALL Default=YES\n", &request);
  const v1::ImportResponse response = Import(service_, request);
  EXPECT_EQ(response.partitions().created(), 1);
  EXPECT_EQ(response.partitions().updated(), 1);
  EXPECT_EQ(Column("SELECT name FROM priorityd.partition WHERE is_default AND deleted_at IS NULL"),
            "new");
  // One that names no default leaves it as it is.
  v1::ImportRequest other;
  AddFile(v1::FILE_KIND_SLURM_CONF, "slurm.conf", "ClusterName=c\nPartitionName=more Nodes=ALL\n",
          &other);
  Import(service_, other);
  EXPECT_EQ(Column("SELECT name FROM priorityd.partition WHERE is_default AND deleted_at IS NULL"),
            "new");
}

TEST_F(ImportTest, UserAttributesMissingInAPartialDumpStay) {
  const auto dump = [](const std::string& options, bool clean) {
    v1::ImportRequest request;
    request.set_clean(clean);
    AddFile(v1::FILE_KIND_SACCTMGR_DUMP, "dump",
            "Cluster - 'c':Fairshare=1\nParent - 'root'\nAccount - 'a':Fairshare=1\n"
            "Parent - 'a'\nUser - 'amy':Fairshare=1" +
                options + "\n",
            &request);
    return request;
  };
  constexpr char kAmy[] =
      "SELECT default_account || ' ' || admin_level FROM priorityd.cluster_user WHERE name = 'amy'";
  Import(service_, dump(":DefaultAccount='a':AdminLevel='Operator'", false));
  Import(service_, dump("", false));
  EXPECT_EQ(Column(kAmy), "a Operator");
  Import(service_, dump(":AdminLevel='Administrator'", false));
  EXPECT_EQ(Column(kAmy), "a Administrator");
  Import(service_, dump("", true));
  EXPECT_EQ(Column(kAmy), " ");
}

TEST_F(ImportTest, NamesThatNoIndexHoldsAreRefusedByLine) {
  const std::string name(3000, 'x');
  v1::ImportRequest request;
  AddFile(v1::FILE_KIND_SACCTMGR_DUMP, "dump",
          "Cluster - 'c':Fairshare=1\nParent - 'root'\nAccount - '" + name + "'\nUser - '" + name +
              "'\nUser - 'amy':Partition='" + name + "'\nUser - 'ben':DefaultQOS='" + name + "'\n",
          &request);
  AddFile(v1::FILE_KIND_SLURM_CONF, "slurm.conf", "ClusterName=c\nPartitionName=" + name + "\n",
          &request);
  AddFile(v1::FILE_KIND_QOS, "qos", "Name\n" + name + "\n", &request);
  grpc::Status status;
  Import(service_, request, &status);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  const ErrorDetails details = DetailsOf(status);
  for (const char* line : {"dump line 3", "dump line 4", "dump line 5", "dump line 6",
                           "slurm.conf line 2", "qos line 2"}) {
    EXPECT_NE(details.Fields().find(line), std::string::npos) << line << ": " << details.Fields();
  }
  EXPECT_NE(status.error_message().find("got a name of 3000 bytes, want at most 255"),
            std::string::npos)
      << status.error_message();
}

TEST_F(ImportTest, NamesOfTheLongestKindAreTaken) {
  const std::string name(255, 'x');
  v1::ImportRequest request;
  AddFile(v1::FILE_KIND_SACCTMGR_DUMP, "dump",
          "Cluster - 'c':Fairshare=1\nParent - 'root'\nAccount - '" + name + "'\nParent - '" +
              name + "'\nUser - '" + name + "':Partition='" + name + "'\n",
          &request);
  EXPECT_EQ(Import(service_, request).associations().created(), 2);
}

TEST_F(ImportTest, AUserCoordinatesEachAccountOfADumpOnceInItsOrder) {
  v1::ImportRequest request;
  AddFile(v1::FILE_KIND_SACCTMGR_DUMP, "dump",
          "Cluster - 'c':Fairshare=1\nParent - 'root'\nAccount - 'b'\nAccount - 'a'\n"
          "Parent - 'b'\nUser - 'amy':Coordinator='b, a,b'\nUser - 'ben':Coordinator='b'\n"
          "Parent - 'a'\nUser - 'amy':Coordinator='a'\n",
          &request);
  Import(service_, request);
  EXPECT_EQ(Column("SELECT string_agg(name || ' ' || array_to_string(coordinated, '+'), '; ' "
                   "ORDER BY name) FROM priorityd.cluster_user"),
            "amy b+a; ben b");
}

TEST_F(ImportTest, UnknownQosOfADumpAreCreatedWithAWarning) {
  v1::ImportRequest request;
  AddFile(v1::FILE_KIND_SACCTMGR_DUMP, "dump",
          "Cluster - 'c':Fairshare=1:QOS='rare'\nParent - 'root'\n", &request);
  const v1::ImportResponse response = Import(service_, request);
  EXPECT_EQ(response.qos().created(), 1);
  ASSERT_EQ(response.warnings_size(), 1);
  EXPECT_NE(response.warnings(0).find("rare"), std::string::npos);
}

// A site whose files have limits of many kinds; `policy` are more lines of its slurm.conf.
v1::ImportRequest SiteWithLimits(const std::string& policy = "") {
  v1::ImportRequest request;
  AddFile(v1::FILE_KIND_SLURM_CONF, "slurm.conf",
          "ClusterName=c\nPartitionName=main Default=YES AllowGroups=staff\n" + policy, &request);
  AddFile(v1::FILE_KIND_QOS, "qos",
          "Name|Flags|UsageThres|GraceTime|MaxJobsPU\nnormal||||\n"
          "slow|EnforceUsageThreshold,UsageFactorSafe||00:01:00|3\n"
          "fast|EnforceUsageThreshold|0.5|00:00:00|\n",
          &request);
  AddFile(v1::FILE_KIND_SACCTMGR_DUMP, "dump",
          "Cluster - 'c':Fairshare=1\nParent - 'root'\n"
          "Account - 'a':Fairshare=1:GrpTRES=cpu=4:MaxSubmitJobs=3\n",
          &request);
  return request;
}

TEST_F(ImportTest, OneLimitThatBitesUnaskedIsCountedInTheSingular) {
  v1::ImportRequest request;
  AddFile(v1::FILE_KIND_SACCTMGR_DUMP, "dump",
          "Cluster - 'c':Fairshare=1\nParent - 'root'\nAccount - 'a':Fairshare=1:MaxSubmitJobs=3\n",
          &request);
  const v1::ImportResponse response = Import(service_, request);
  ASSERT_GT(response.warnings_size(), 0);
  EXPECT_EQ(response.warnings().rbegin()->find("1 limit holds as under "), 0u);
}

TEST_F(ImportTest, NewlyEnforcedLimitsAndSettingsWithoutEffectAreReported) {
  const v1::ImportResponse response = Import(service_, SiteWithLimits("PrivateData=jobs\n"));
  EXPECT_EQ(
      std::vector<std::string>(response.warnings().begin(), response.warnings().end()),
      (std::vector<std::string>{
          "limit or refuse jobs in Slurm and not here: Flags=UsageFactorSafe",
          "3 limits hold as under AccountingStorageEnforce=limits,qos, which the policy does not "
          "say: AccountingStorageEnforce=none turns them off, safe counts whole jobs",
          "AllowGroups of 1 partition holds where the service has a --group_file",
          "PrivateData hides rows where the service has an --auth_file",
          "EnforceUsageThreshold without UsageThreshold keeps no job back: QOS slow"}));
  ASSERT_EQ(response.unused_size(), 1);
  EXPECT_EQ(response.unused(0).name(), "Flags=UsageFactorSafe");
  EXPECT_EQ(response.unused(0).place(), "QOS slow");
  EXPECT_EQ(response.unused(0).unused_class(), v1::UNUSED_CLASS_LIMITS);
}

TEST_F(ImportTest, LimitsThatThePolicyAsksForAreNoWarning) {
  const v1::ImportResponse response =
      Import(service_, SiteWithLimits("AccountingStorageEnforce=none\n"));
  ASSERT_EQ(response.warnings_size(), 3);
  EXPECT_NE(response.warnings(1).find("AllowGroups"), std::string::npos);
}

TEST_F(ImportTest, WhatChangesNumbersIsRefusedUntilItIsAccepted) {
  v1::ImportRequest request;
  AddFile(v1::FILE_KIND_SLURM_CONF, "slurm.conf",
          "ClusterName=c\nPrioritySiteFactorPlugin=site_factor/example\n", &request);
  grpc::Status status;
  Import(service_, request, &status);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(DetailsOf(status).reason, "INVALID_FILE");
  request.add_accept("PrioritySiteFactorPlugin");
  const v1::ImportResponse response = Import(service_, request);
  ASSERT_EQ(response.unused_size(), 1);
  EXPECT_EQ(response.unused(0).value(), "site_factor/example");
  EXPECT_EQ(response.unused(0).unused_class(), v1::UNUSED_CLASS_NUMBERS);
}

TEST_F(ImportTest, OpeningUsageDecaysFromTheImportAndTheSameKeepsItsTime) {
  Import(service_, SmallSite("PriorityDecayHalfLife=1:0:0\n"));
  Import(service_, Usage("a|amy||1000\n"));
  service_.SetNow(TestEpoch() + absl::Hours(1));
  Import(service_, Usage("a|amy||1000\n"));
  Recalculate(service_);
  EXPECT_NEAR(ShareOf(ListShares(service_), "a", "amy").raw_usage(), 500, 1e-9);
  const v1::ImportResponse other = Import(service_, Usage("a|amy||800\n"));
  EXPECT_EQ(other.opening_usage().updated(), 1);
  Recalculate(service_);
  EXPECT_NEAR(ShareOf(ListShares(service_), "a", "amy").raw_usage(), 800, 1e-9);
}

TEST_F(ImportTest, OpeningUsageHasNoTimeOnAManualClockThatWasNeverSet) {
  Import(service_, SmallSite("Clock=manual\nPriorityDecayHalfLife=1:0:0\n"));
  grpc::Status status;
  Import(service_, Usage("a|amy||1000\n"), &status);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::FAILED_PRECONDITION);
  EXPECT_EQ(DetailsOf(status).reason, "NO_SNAPSHOT");
  v1::RecalculateRequest request;
  for (const int hour : {0, 1}) {
    *request.mutable_as_of() = ToTimestamp(TestEpoch() + absl::Hours(hour));
    Recalculate(service_, request);
    if (hour == 0) Import(service_, Usage("a|amy||1000\n"));
  }
  EXPECT_NEAR(ShareOf(ListShares(service_), "a", "amy").raw_usage(), 500, 1e-9);
}

TEST_F(ImportTest, AnUnknownClusterIsAnError) {
  grpc::Status status;
  Import(service_, Usage("a|amy||1000\n"), &status);
  EXPECT_EQ(DetailsOf(status).reason, "AMBIGUOUS_CLUSTER");
}

TEST_F(ImportTest, FilesOfAnotherClusterThanTheOneNamedAreTaken) {
  v1::ImportRequest request = SmallSite();
  EXPECT_EQ(Import(service_, request).warnings_size(), 0);
  request.set_cluster("d");
  const v1::ImportResponse response = Import(service_, request);
  EXPECT_EQ(response.cluster(), "d");
  ASSERT_EQ(response.warnings_size(), 1);
  EXPECT_EQ(response.warnings(0),
            "the files are those of cluster \"c\", imported into \"d\" as the request says");
}

TEST_F(ImportTest, AFileOfCommentsAloneIsRefused) {
  for (const v1::FileKind kind :
       {v1::FILE_KIND_SLURM_CONF, v1::FILE_KIND_SACCTMGR_DUMP, v1::FILE_KIND_QOS,
        v1::FILE_KIND_SSHARE, v1::FILE_KIND_USAGE, v1::FILE_KIND_PRIORITYD}) {
    v1::ImportRequest request;
    request.set_cluster("c");
    AddFile(kind, "cut", kind == v1::FILE_KIND_QOS ? "" : "# nothing\n\n", &request);
    grpc::Status status;
    Import(service_, request, &status);
    EXPECT_EQ(DetailsOf(status).reason, "INVALID_FILE") << v1::FileKind_Name(kind);
  }
}

TEST_F(ImportTest, FilesOfDifferentClustersNeedAName) {
  v1::ImportRequest request = SmallSite();
  request.mutable_files(0)->set_content("ClusterName=other\n");
  grpc::Status status;
  Import(service_, request, &status);
  EXPECT_EQ(DetailsOf(status).reason, "INVALID_FILE");
  request.set_cluster("mine");
  EXPECT_EQ(Import(service_, request).cluster(), "mine");
}

TEST_F(ImportTest, ARequestWithoutFilesOrKindsIsRefused) {
  grpc::Status status;
  Import(service_, {}, &status);
  EXPECT_EQ(DetailsOf(status).Fields(), "files");
  v1::ImportRequest request;
  AddFile(v1::FILE_KIND_UNSPECIFIED, "", "", &request);
  Import(service_, request, &status);
  EXPECT_EQ(DetailsOf(status).Fields(), "files[0].name,files[0].kind");
}

TEST_F(ImportTest, AnImportTakesEffectAtTheNextRecalculation) {
  Import(service_, SmallSite());
  v1::ImportRequest more;
  AddFile(v1::FILE_KIND_SACCTMGR_DUMP, "dump",
          "Cluster - 'c':Fairshare=1\nParent - 'root'\nAccount - 'new':Fairshare=1\n", &more);
  const v1::ImportResponse response = Import(service_, more);
  EXPECT_EQ(response.takes_effect_at().seconds(),
            absl::ToUnixSeconds(TestEpoch() + absl::Minutes(5)));
  EXPECT_EQ(ListShares(service_).shares_size(), 6);
  Recalculate(service_);
  EXPECT_EQ(ListShares(service_).shares_size(), 7);
}

}  // namespace
}  // namespace priorityd::rpc
