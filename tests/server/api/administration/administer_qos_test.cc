// QOS by sacctmgr's words, over real gRPC.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "tests/server/service/test_service.h"

namespace priorityd::rpc {
namespace {

using Attributes = std::map<std::string, std::string>;

v1::Setting Set(const char* name, const char* value,
                v1::SettingOperator op = v1::SETTING_OPERATOR_SET) {
  v1::Setting setting;
  setting.set_name(name);
  setting.set_operator_(op);
  setting.set_value(value);
  return setting;
}

class AdministerQosTest : public ::testing::Test {
 protected:
  AdministerQosTest() { Import(service_, SmallSite()); }

  template <typename Request>
  static Request Make(const std::vector<std::string>& names,
                      const std::vector<v1::Setting>& settings = {}) {
    Request request;
    for (const std::string& name : names) request.add_names(name);
    if constexpr (!std::is_same_v<Request, v1::DeleteQosRequest>) {
      for (const v1::Setting& setting : settings) *request.add_settings() = setting;
    }
    return request;
  }

  template <typename Request>
  v1::ChangeResponse Send(const Request& request) {
    return AnswerTo<v1::ChangeResponse>(service_, request, &status_);
  }
  v1::ChangeResponse Create(const std::vector<std::string>& names,
                            const std::vector<v1::Setting>& settings = {}) {
    return Send(Make<v1::CreateQosRequest>(names, settings));
  }
  v1::ChangeResponse Update(const std::vector<std::string>& names,
                            const std::vector<v1::Setting>& settings) {
    return Send(Make<v1::UpdateQosRequest>(names, settings));
  }
  v1::ChangeResponse Delete(const std::vector<std::string>& names) {
    return Send(Make<v1::DeleteQosRequest>(names));
  }

  v1::ListQosResponse List() {
    v1::ListQosResponse response;
    EXPECT_TRUE(CallUnary(service_, v1::ListQosRequest(), &response).ok());
    return response;
  }
  Attributes Of(const std::string& name) {
    const auto list = List();
    for (const v1::Qos& qos : list.qos()) {
      if (qos.name() == name) return {qos.attributes().begin(), qos.attributes().end()};
    }
    return {};
  }
  std::string Names() {
    std::string names;
    const auto list = List();
    for (const v1::Qos& qos : list.qos()) names += qos.name() + " ";
    return names;
  }
  std::vector<v1::AuditEvent> Audit() {
    v1::ListAuditEventsResponse response;
    EXPECT_TRUE(CallUnary(service_, v1::ListAuditEventsRequest(), &response).ok());
    return {response.events().begin(), response.events().end()};
  }

  TestService service_;
  grpc::Status status_;
};

TEST_F(AdministerQosTest, ANewQosHasWhatIsSetAndIsInForceASecondAfterTheLastRecalculation) {
  const v1::ChangeResponse created =
      Create({"high", "higher"}, {Set("prio", "1000"), Set("usagefactor", "2"),
                                  Set("MaxSubmitJobsPerUser", "5"), Set("Flags", "nodecay")});
  ASSERT_TRUE(status_.ok()) << status_.error_message();
  EXPECT_EQ(created.created(), 2);
  EXPECT_EQ(created.changes(0).kind(), v1::CHANGE_KIND_CREATED);
  EXPECT_EQ(created.changes(0).object(), "qos high");
  EXPECT_EQ(created.changes(0).before(), "");
  EXPECT_EQ(created.changes(0).after(), "Flags=NoDecay MaxSubmitPU=5 Priority=1000 UsageFactor=2");
  EXPECT_EQ(created.takes_effect_at().seconds(), absl::ToUnixSeconds(TestEpoch()) + 1);
  EXPECT_EQ(Names(), "normal double high higher ");
  EXPECT_EQ(
      Of("higher"),
      (Attributes{
          {"Flags", "NoDecay"}, {"MaxSubmitPU", "5"}, {"Priority", "1000"}, {"UsageFactor", "2"}}));
}

TEST_F(AdministerQosTest, AChangeReportsTheDifferencesAndTheAuditKeepsThem) {
  v1::UpdateQosRequest request =
      Make<v1::UpdateQosRequest>({"normal", "double"}, {Set("UsageFactor", "2")});
  request.mutable_options()->set_comment("night rate");
  const v1::ChangeResponse updated = Send(request);
  ASSERT_TRUE(status_.ok()) << status_.error_message();
  EXPECT_EQ(updated.updated(), 1);
  EXPECT_EQ(updated.unchanged(), 1);
  ASSERT_EQ(updated.changes_size(), 1);
  EXPECT_EQ(updated.changes(0).before(), "UsageFactor=1");
  EXPECT_EQ(updated.changes(0).after(), "UsageFactor=2");
  const v1::AuditEvent event = Audit().at(0);
  EXPECT_EQ(event.action(), "UpdateQos");
  EXPECT_EQ(event.object(), "qos normal");
  EXPECT_EQ(event.before(), "UsageFactor=1");
  EXPECT_EQ(event.after(), "UsageFactor=2");
  EXPECT_EQ(event.comment(), "night rate");
}

TEST_F(AdministerQosTest, AChangeForAnotherEtagIsAbortedAndChangesNothing) {
  const std::string etag = List().etag();
  v1::UpdateQosRequest request = Make<v1::UpdateQosRequest>({"normal"}, {Set("Priority", "5")});
  request.mutable_options()->set_etag(etag);
  const v1::ChangeResponse first = Send(request);
  ASSERT_TRUE(status_.ok()) << status_.error_message();
  EXPECT_NE(first.etag(), etag);
  EXPECT_EQ(first.etag(), List().etag());
  request.mutable_settings(0)->set_value("6");
  Send(request);
  EXPECT_EQ(status_.error_code(), grpc::StatusCode::ABORTED);
  EXPECT_EQ(DetailsOf(status_).reason, "ETAG_MISMATCH");
  EXPECT_EQ(Of("normal")["Priority"], "5");
}

TEST_F(AdministerQosTest, ValidateOnlyReportsTheChangeAndMakesNone) {
  v1::UpdateQosRequest request = Make<v1::UpdateQosRequest>({"normal"}, {Set("Priority", "5")});
  request.mutable_options()->set_validate_only(true);
  const std::string etag = List().etag();
  const size_t events = Audit().size();
  EXPECT_EQ(Send(request).changes(0).after(), "Priority=5");
  EXPECT_EQ(Of("normal")["Priority"], "0");
  EXPECT_EQ(List().etag(), etag);
  EXPECT_EQ(Audit().size(), events);
}

TEST_F(AdministerQosTest, BadInputNamesTheFields) {
  Update({"normal"}, {Set("Colour", "red"), Set("Priority", "1", v1::SETTING_OPERATOR_ADD),
                      Set("UsageFactor", "none")});
  EXPECT_EQ(status_.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(DetailsOf(status_).Fields(), "settings[0].name,settings[1].operator,settings[2].value");
  Create({"a,b", "normal"});
  EXPECT_EQ(DetailsOf(status_).Fields(), "names[0]");
  Create({"a|b", " a", "a ", "+a", "-a", "", "a+b-c d"});
  EXPECT_EQ(DetailsOf(status_).Fields(), "names[0],names[1],names[2],names[3],names[4],names[5]")
      << "a table of QOS or a list of their names would bring back another name";
  Create({"new", "normal"});
  EXPECT_EQ(status_.error_code(), grpc::StatusCode::ALREADY_EXISTS);
  Update({"normal", "nobody"}, {Set("Priority", "1")});
  EXPECT_EQ(status_.error_code(), grpc::StatusCode::NOT_FOUND);
  EXPECT_EQ(DetailsOf(status_).reason, "UNKNOWN_QOS");
  Update({}, {});
  EXPECT_EQ(DetailsOf(status_).Fields(), "names");
  Update({"normal"}, {Set("RawUsage", "5")});
  EXPECT_EQ(DetailsOf(status_).Fields(), "settings[0].value");
  Create({"new"}, {Set("RawUsage", "0")});
  EXPECT_EQ(DetailsOf(status_).Fields(), "settings[0].name") << "there is nothing to reset yet";
  Update({"normal"}, {Set("Preempt", "nobody")});
  EXPECT_EQ(status_.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(Names(), "normal double ");
}

TEST_F(AdministerQosTest, ADeletedQosIsOffAllLists) {
  Create({"gone"});
  Create({"high"}, {Set("Preempt", "gone,double")});
  v1::ImportRequest dump;
  AddFile(v1::FILE_KIND_SACCTMGR_DUMP, "tree",
          "Cluster - 'c'\nParent - 'root'\nAccount - 'a':Fairshare=1:QOS='normal,gone'\n"
          "Account - 'b':Fairshare=1:QOS='gone'\n",
          &dump);
  Import(service_, dump);
  const v1::ChangeResponse deleted = Delete({"gone"});
  ASSERT_TRUE(status_.ok()) << status_.error_message();
  std::map<std::string, std::string> told;
  for (const auto& change : deleted.changes()) {
    told[change.object()] = change.before() + " -> " + change.after();
  }
  EXPECT_EQ(told, (std::map<std::string, std::string>{
                      {"account a", "QOS=normal,gone -> QOS=normal"},
                      {"account b", "QOS=gone -> QOS="},
                      {"qos high", "Preempt=gone,double -> Preempt=double"},
                      {"qos gone", "Priority=0 UsageFactor=1 -> "}}));
  EXPECT_EQ(Names(), "normal double high ");
  EXPECT_EQ(Of("high")["Preempt"], "double");
}

TEST_F(AdministerQosTest, ADefaultQosIsNotDeleted) {
  v1::ImportRequest dump;
  AddFile(v1::FILE_KIND_SACCTMGR_DUMP, "tree",
          "Cluster - 'c'\nParent - 'root'\nAccount - 'a':Fairshare=1:DefaultQOS='double'\n", &dump);
  Import(service_, dump);
  Delete({"double"});
  EXPECT_EQ(status_.error_code(), grpc::StatusCode::FAILED_PRECONDITION);
  EXPECT_EQ(DetailsOf(status_).reason, "QOS_IS_DEFAULT");
  EXPECT_NE(status_.error_message().find("double of account a"), std::string::npos)
      << status_.error_message();
  EXPECT_EQ(Names(), "normal double ");
}

TEST_F(AdministerQosTest, APartitionThatNamesADeletedQosIsReportedAndStays) {
  v1::ApplyPolicyRequest policy;
  policy.set_text("PartitionName=main AllowQos=normal,double\n");
  ApplyPolicy(service_, policy);
  const v1::ChangeResponse deleted = Delete({"double"});
  ASSERT_EQ(deleted.warnings_size(), 1);
  EXPECT_EQ(deleted.warnings(0), "partition main still names double in AllowQos");
}

}  // namespace
}  // namespace priorityd::rpc
