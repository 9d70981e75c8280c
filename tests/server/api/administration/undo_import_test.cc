// Imports undone: every row is as before, and a later change is never lost.
#include "server/api/administration/undo_import.h"

#include <gmock/gmock.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "storage/database/database.h"
#include "tests/server/service/test_service.h"

namespace priorityd::rpc {
namespace {

using ::testing::HasSubstr;

// Everything that imports write, as PostgreSQL prints it.
constexpr char kRows[] =
    "SELECT string_agg(line, E'\\n' ORDER BY line) FROM ("
    "SELECT 'association ' || t::text AS line FROM priorityd.association t WHERE deleted_at IS "
    "NULL "
    "UNION ALL SELECT 'user ' || t::text FROM priorityd.cluster_user t "
    "UNION ALL SELECT 'qos ' || t::text FROM priorityd.qos t WHERE deleted_at IS NULL "
    "UNION ALL SELECT 'partition ' || t::text FROM priorityd.partition t WHERE deleted_at IS NULL "
    "UNION ALL SELECT 'opening ' || association_id || ' ' || value || ' ' || as_of "
    "FROM priorityd.opening_usage t WHERE value <> 0 "
    "UNION ALL SELECT 'cluster ' || name || nodes || ' ' || cpus || tres_names::text || "
    "tres_counts::text FROM priorityd.cluster) AS lines";

class UndoImportTest : public ::testing::Test {
 protected:
  UndoImportTest() { EXPECT_EQ(Import(service_, SmallSite()).import_id(), 0); }

  std::string Text(const char* statement) {
    const auto text = service_.database().Read([&](storage::Transaction& transaction) {
      return transaction.QueryOne(storage::OnlyColumn<std::string>, statement);
    });
    EXPECT_TRUE(text.ok()) << text.status();
    return text.value_or("");
  }
  std::string Rows() { return Text(kRows); }
  std::string PolicyText() {
    return Text(
        "SELECT file_contents[1] FROM priorityd.policy_version ORDER BY version DESC LIMIT 1");
  }
  v1::UndoImportResponse Undo(int64_t id = 0, bool validate_only = false) {
    v1::UndoImportRequest request;
    request.set_import_id(id);
    request.set_validate_only(validate_only);
    request.set_comment("the wrong file");
    v1::UndoImportResponse response;
    status_ = CallUnary(service_, request, &response);
    return response;
  }
  void ExpectConflict(const std::string& object) {
    const std::string before = Rows();
    Undo();
    EXPECT_EQ(status_.error_code(), grpc::StatusCode::FAILED_PRECONDITION);
    EXPECT_EQ(DetailsOf(status_).reason, "CHANGED_SINCE_IMPORT");
    EXPECT_THAT(status_.error_message(), HasSubstr(object));
    EXPECT_EQ(Rows(), before);
  }
  // Another tree with other shares, QOS, partitions, totals and policy; deletes ben, cat, b,
  // double.
  v1::ImportRequest OtherSite() {
    v1::ImportRequest request;
    AddFile(v1::FILE_KIND_SLURM_CONF, "slurm.conf",
            "ClusterName=c\nPriorityType=priority/multifactor\nPriorityWeightAge=7\n"
            "PriorityDecayHalfLife=1-0\nNodeName=n[1-20] CPUs=10 RealMemory=1000\n"
            "PartitionName=fast Nodes=ALL Default=YES PriorityTier=9\n",
            &request);
    AddFile(v1::FILE_KIND_QOS, "qos.txt", "Name|Priority|UsageFactor\nnormal|3|1\nnew|1|1\n",
            &request);
    AddFile(v1::FILE_KIND_SACCTMGR_DUMP, "dump",
            "Cluster - 'c':Fairshare=1:QOS='normal,new'\nParent - 'root'\n"
            "Account - 'a':Fairshare=5\nAccount - 'z':Fairshare=1\nParent - 'a'\n"
            "User - 'amy':DefaultAccount='a':AdminLevel='Operator':Fairshare=9\n"
            "Parent - 'z'\nUser - 'zoe':DefaultAccount='z':Fairshare=1\n",
            &request);
    AddFile(v1::FILE_KIND_USAGE, "usage", "a|amy||1000\n", &request);
    request.set_clean(true);
    return request;
  }
  void Change(const google::protobuf::Message& request) {
    AnswerTo<v1::ChangeResponse>(service_, request);
  }
  void SetShares(const std::string& account, const std::string& user, const std::string& shares) {
    v1::UpdateAssociationsRequest request;
    request.mutable_where()->add_accounts(account);
    request.mutable_where()->add_users(user);
    v1::Setting* setting = request.add_settings();
    setting->set_name("Fairshare");
    setting->set_value(shares);
    Change(request);
  }

  // Adds a.smith to account a.
  static v1::ImportRequest WithSmith(const std::string& shares = "3") {
    v1::ImportRequest request;
    AddFile(v1::FILE_KIND_SACCTMGR_DUMP, "dump",
            absl::StrCat("Cluster - 'c':Fairshare=1:QOS='normal,double'\nParent - 'root'\n"
                         "Account - 'a':Fairshare=1\nParent - 'a'\n"
                         "User - 'a.smith':DefaultAccount='a':Fairshare=",
                         shares, "\n"),
            &request);
    return request;
  }
  void MergeSmith() {
    v1::MergeUsersRequest request;
    request.set_from_user("a.smith");
    request.set_into_user("amy");
    Change(request);
  }

  TestService service_;
  grpc::Status status_;
};

TEST_F(UndoImportTest, EveryRowIsAsBeforeAndTheAuditHasBoth) {
  v1::ImportRequest usage;
  AddFile(v1::FILE_KIND_USAGE, "usage", "a|amy||500\na|ben||70\n", &usage);
  EXPECT_EQ(Import(service_, usage).import_id(), 1);
  Recalculate(service_);
  const std::string before = Rows();
  const std::string policy = PolicyText();
  const v1::ImportResponse imported = Import(service_, OtherSite());
  EXPECT_EQ(imported.import_id(), 2);
  Recalculate(service_);
  ASSERT_NE(Rows(), before);
  const v1::UndoImportResponse would = Undo(0, /*validate_only=*/true);
  ASSERT_TRUE(status_.ok()) << status_.error_message();
  EXPECT_EQ(would.import_id(), 2);
  EXPECT_NE(Rows(), before);
  const v1::UndoImportResponse undone = Undo();
  ASSERT_TRUE(status_.ok()) << status_.error_message();
  EXPECT_EQ(undone.cluster(), "c");
  EXPECT_EQ(undone.import_id(), 2);
  // root, a, amy changed; b, ben, cat deleted; z, zoe created.
  EXPECT_EQ(undone.associations(), 8);
  EXPECT_EQ(undone.qos(), 3);
  EXPECT_EQ(undone.partitions(), 2);
  EXPECT_EQ(undone.policy_version(), 3);
  EXPECT_TRUE(undone.has_takes_effect_at());
  EXPECT_EQ(Rows(), before);
  EXPECT_EQ(PolicyText(), policy);
  Recalculate(service_);
  EXPECT_EQ(ListShares(service_).shares_size(), 6);
  v1::ListAuditEventsRequest request;
  request.add_actions("UndoImport");
  v1::ListAuditEventsResponse events;
  ASSERT_TRUE(CallUnary(service_, request, &events).ok());
  EXPECT_EQ(events.events(0).object(), "import 2");
  EXPECT_EQ(events.events(0).comment(), "the wrong file");
  bool names_amy = false;
  for (const v1::AuditEvent& event : events.events()) {
    names_amy |= event.object() == "user amy of account a" && event.before() == "raw_shares=9" &&
                 event.after() == "raw_shares=2";
  }
  EXPECT_TRUE(names_amy) << events.DebugString();
}

TEST_F(UndoImportTest, ImportsAreUndoneFromTheLastToTheFirst) {
  const std::string first = Rows();
  v1::ImportRequest usage;
  AddFile(v1::FILE_KIND_USAGE, "usage", "a|amy||500\n", &usage);
  Import(service_, usage);
  const std::string second = Rows();
  Import(service_, OtherSite());
  EXPECT_EQ(Undo().import_id(), 2);
  EXPECT_EQ(Rows(), second);
  EXPECT_EQ(Undo().import_id(), 1);
  EXPECT_EQ(Rows(), first);
  Undo();
  EXPECT_EQ(DetailsOf(status_).reason, "UNKNOWN_IMPORT");
  Undo(2);
  EXPECT_EQ(DetailsOf(status_).reason, "IMPORT_UNDONE");
}

TEST_F(UndoImportTest, AnImportThatChangesNothingIsNone) {
  EXPECT_EQ(Import(service_, SmallSite()).import_id(), 0);
  v1::ImportRequest only = OtherSite();
  only.set_validate_only(true);
  EXPECT_EQ(Import(service_, only).import_id(), 0);
  Undo();
  EXPECT_EQ(DetailsOf(status_).reason, "UNKNOWN_IMPORT");
  EXPECT_THAT(status_.error_message(), HasSubstr("has no import to undo"));
  Undo(3);
  EXPECT_THAT(status_.error_message(), HasSubstr("import_id: got 3, want one of the last 10"));
}

TEST_F(UndoImportTest, WhatTheImportLeftAloneKeepsItsLaterChanges) {
  v1::ImportRequest request;
  AddFile(v1::FILE_KIND_QOS, "qos.txt", "Name|Priority|UsageFactor\nnormal|5|1\n", &request);
  Import(service_, request);
  SetShares("a", "amy", "44");
  const std::string later = Text(
      "SELECT raw_shares::text FROM priorityd.association "
      "WHERE user_name = 'amy'");
  EXPECT_EQ(later, "44");
  Undo();
  ASSERT_TRUE(status_.ok()) << status_.error_message();
  EXPECT_EQ(Text("SELECT raw_shares::text FROM priorityd.association WHERE user_name = 'amy'"),
            "44");
  EXPECT_EQ(Text("SELECT priority::text FROM priorityd.qos WHERE name = 'normal'"), "0");
}

TEST_F(UndoImportTest, AnObjectThatWasChangedSinceIsNamedAndNothingIsUndone) {
  Import(service_, OtherSite());
  SetShares("a", "amy", "44");
  ExpectConflict("user amy of account a");
}

TEST_F(UndoImportTest, APolicyAppliedSinceIsNamed) {
  Import(service_, OtherSite());
  v1::ApplyPolicyRequest policy;
  policy.set_text("PriorityWeightAge=8\n");
  ApplyPolicy(service_, policy);
  ExpectConflict("policy (version 3)");
}

TEST_F(UndoImportTest, WhatWasAddedBelowACreatedAccountIsNamed) {
  Import(service_, OtherSite());
  v1::CreateAssociationsRequest request;
  v1::NewAssociation* wanted = request.add_associations();
  wanted->set_account("z");
  wanted->set_user("amy");
  Change(request);
  ExpectConflict("account z, user amy");
}

TEST_F(UndoImportTest, ADeletedNameThatIsTakenAgainIsNamed) {
  Import(service_, OtherSite());
  v1::CreateQosRequest request;
  request.add_names("double");
  Change(request);
  ExpectConflict("qos double");
}

TEST_F(UndoImportTest, AJobThatNamesACreatedPartitionIsNamed) {
  Import(service_, OtherSite());
  Recalculate(service_);
  v1::UpdateJobsRequest request;
  request.set_source("test");
  v1::Job* job = request.add_upserts();
  job->set_job_id("77");
  job->set_user("amy");
  job->set_account("a");
  job->add_partitions("fast");
  UpdateJobs(service_, request);
  ExpectConflict("tracked job 77");
}

TEST_F(UndoImportTest, AMergeOfACreatedUserIsNamedAndStays) {
  Import(service_, WithSmith());
  MergeSmith();
  ExpectConflict("merge of user a.smith");
}

// The undo gives a revived row its old time of deletion.
TEST_F(UndoImportTest, AMergeOfARevivedUserIsNamedAndStays) {
  Import(service_, WithSmith());
  v1::DeleteAssociationsRequest request;
  request.mutable_where()->add_users("a.smith");
  Change(request);
  Import(service_, WithSmith());
  MergeSmith();
  ExpectConflict("merge of user a.smith");
  v1::UnmergeUsersRequest unmerge;
  unmerge.set_from_user("a.smith");
  Change(unmerge);
  Undo();
  EXPECT_TRUE(status_.ok()) << status_.error_message();
}

TEST_F(UndoImportTest, AMergeOfAUserThatTheImportOnlyChangedIsKept) {
  Import(service_, WithSmith());
  Import(service_, WithSmith("7"));
  MergeSmith();
  Undo();
  EXPECT_TRUE(status_.ok()) << status_.error_message();
  EXPECT_EQ(Text("SELECT from_user FROM priorityd.user_merge"), "a.smith");
}

// A cluster that had none before.
TEST_F(UndoImportTest, AFirstPolicyIsUndoneToNone) {
  v1::UpdateClusterRequest add;
  add.mutable_cluster()->set_name("d");
  add.set_allow_missing(true);
  v1::Cluster cluster;
  ASSERT_TRUE(CallUnary(service_, add, &cluster).ok());
  v1::ImportRequest request;
  request.set_cluster("d");
  AddFile(v1::FILE_KIND_SLURM_CONF, "slurm.conf", "ClusterName=d\nPriorityWeightAge=7\n", &request);
  EXPECT_EQ(Import(service_, request).import_id(), 1);
  v1::UndoImportRequest undo;
  undo.set_cluster("d");
  v1::UndoImportResponse undone;
  const grpc::Status status = CallUnary(service_, undo, &undone);
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(undone.policy_version(), 2);
  v1::GetPolicyRequest get;
  get.set_cluster("d");
  v1::Policy policy;
  const grpc::Status got = CallUnary(service_, get, &policy);
  ASSERT_TRUE(got.ok()) << got.error_message();
  EXPECT_EQ(policy.parameters().weight_age(), 0u);
}

TEST_F(UndoImportTest, TheLastTenAreKept) {
  for (int i = 1; i <= 12; ++i) {
    v1::ImportRequest usage;
    AddFile(v1::FILE_KIND_USAGE, "usage", absl::StrCat("a|amy||", i, "\n"), &usage);
    EXPECT_EQ(Import(service_, usage).import_id(), i);
  }
  Undo(2);
  EXPECT_EQ(DetailsOf(status_).reason, "UNKNOWN_IMPORT");
  for (int i = 12; i > 2; --i) EXPECT_EQ(Undo().import_id(), i) << status_.error_message();
  EXPECT_EQ(Text("SELECT value::text FROM priorityd.opening_usage"), "2");
}

TEST_F(UndoImportTest, BadRequestsAreInvalid) {
  Undo(-1);
  EXPECT_EQ(DetailsOf(status_).Fields(), "import_id");
}

}  // namespace
}  // namespace priorityd::rpc
