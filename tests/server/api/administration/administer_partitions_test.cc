// Partitions by slurm.conf's words, over real gRPC.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_join.h"
#include "tests/server/service/test_service.h"

namespace priorityd::rpc {
namespace {

using Attributes = std::map<std::string, std::string>;

class AdministerPartitionsTest : public ::testing::Test {
 protected:
  AdministerPartitionsTest() { Import(service_, SmallSite()); }

  // `settings`: NAME=VALUE, NAME+=VALUE, NAME-=VALUE.
  v1::ChangeResponse Update(const std::vector<std::string>& names,
                            const std::vector<std::string>& settings, bool create = false) {
    v1::UpdatePartitionsRequest request;
    for (const std::string& name : names) request.add_names(name);
    for (const std::string& text : settings) {
      v1::Setting* setting = request.add_settings();
      const size_t equals = text.find('=');
      const char op = text[equals - 1];
      setting->set_operator_(op == '+'   ? v1::SETTING_OPERATOR_ADD
                             : op == '-' ? v1::SETTING_OPERATOR_REMOVE
                                         : v1::SETTING_OPERATOR_SET);
      setting->set_name(text.substr(0, equals - (op == '+' || op == '-' ? 1 : 0)));
      setting->set_value(text.substr(equals + 1));
    }
    request.set_allow_missing(create);
    v1::ChangeResponse response;
    status_ = CallUnary(service_, request, &response);
    return response;
  }
  v1::ChangeResponse Delete(const std::vector<std::string>& names) {
    v1::DeletePartitionsRequest request;
    for (const std::string& name : names) request.add_names(name);
    v1::ChangeResponse response;
    status_ = CallUnary(service_, request, &response);
    return response;
  }
  v1::ListPartitionsResponse List(const std::string& user = "") {
    v1::ListPartitionsRequest request;
    request.set_user(user);
    v1::ListPartitionsResponse response;
    const grpc::Status status = CallUnary(service_, request, &response);
    EXPECT_TRUE(status.ok()) << status.error_message();
    return response;
  }
  Attributes Of(const std::string& name) {
    const auto list = List();
    for (const v1::Partition& partition : list.partitions()) {
      if (partition.name() == name) {
        return {partition.attributes().begin(), partition.attributes().end()};
      }
    }
    return {};
  }
  // `main: a; double,normal` for each.
  std::string UsableBy(const std::string& user) {
    std::string text;
    const auto list = List(user);
    for (const v1::Partition& partition : list.partitions()) {
      text += partition.name() + ": " + absl::StrJoin(partition.usable_accounts(), ",") + "; " +
              absl::StrJoin(partition.usable_qos(), ",") + "\n";
    }
    return text;
  }

  TestService service_;
  grpc::Status status_;
};

TEST_F(AdministerPartitionsTest, WhatIsSetChangesAndTheRestStays) {
  const Attributes before = Of("main");
  EXPECT_EQ(before.at("TotalNodes"), "10");
  EXPECT_EQ(before.at("TotalCPUs"), "100");
  const v1::ChangeResponse updated =
      Update({"main"}, {"State=DOWN", "prioritytier=5", "MaxTime=1-00:00:00", "AllowAccounts=a"});
  ASSERT_TRUE(status_.ok()) << status_.error_message();
  EXPECT_EQ(updated.updated(), 1);
  EXPECT_EQ(updated.changes(0).object(), "partition main");
  EXPECT_EQ(updated.changes(0).before(),
            "AllowAccounts= MaxTime=UNLIMITED PriorityTier=1 State=UP");
  EXPECT_EQ(updated.changes(0).after(),
            "AllowAccounts=a MaxTime=1-00:00:00 PriorityTier=5 State=DOWN");
  Attributes after = before;
  after["State"] = "DOWN";
  after["PriorityTier"] = "5";
  after["MaxTime"] = "1-00:00:00";
  after["AllowAccounts"] = "a";
  EXPECT_EQ(Of("main"), after);
}

TEST_F(AdministerPartitionsTest, AListIsAddedToAndTakenFrom) {
  Update({"main"}, {"AllowAccounts=a"});
  Update({"main"}, {"AllowAccounts+=b"});
  EXPECT_EQ(Of("main")["AllowAccounts"], "a,b");
  Update({"main"}, {"AllowAccounts-=a"});
  EXPECT_EQ(Of("main")["AllowAccounts"], "b");
  Update({"main"}, {"AllowAccounts=ALL"});
  EXPECT_EQ(Of("main").count("AllowAccounts"), 0u);
}

TEST_F(AdministerPartitionsTest, PreemptModeIsListedInSlurmsWords) {
  EXPECT_EQ(Of("main")["PreemptMode"], "OFF");
  Update({"main"}, {"PreemptMode=suspend,gang"});
  ASSERT_TRUE(status_.ok()) << status_.error_message();
  EXPECT_EQ(Of("main")["PreemptMode"], "GANG,SUSPEND");
  Update({"main"}, {"MaxNodes=3"});
  EXPECT_EQ(Of("main")["PreemptMode"], "GANG,SUSPEND");
  Update({"main"}, {"PreemptMode=off"});
  EXPECT_EQ(Of("main")["PreemptMode"], "OFF");
}

TEST_F(AdministerPartitionsTest, NodesAreThoseOfThePolicysNodeLines) {
  Update({"main"}, {"Nodes=n[1-3]"});
  ASSERT_TRUE(status_.ok()) << status_.error_message();
  EXPECT_EQ(Of("main")["TotalNodes"], "3");
  EXPECT_EQ(Of("main")["TotalCPUs"], "30");
  Update({"main"}, {"State=UP", "Nodes=elsewhere"});
  EXPECT_EQ(status_.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(DetailsOf(status_).Fields(), "settings[1].value");
}

TEST_F(AdministerPartitionsTest, APartitionIsCreatedWhereThatIsAskedFor) {
  Update({"fast"}, {"Default=YES"});
  EXPECT_EQ(status_.error_code(), grpc::StatusCode::NOT_FOUND);
  EXPECT_EQ(DetailsOf(status_).reason, "UNKNOWN_PARTITION");
  const v1::ChangeResponse created = Update({"fast"}, {"Default=YES", "Nodes=n1"}, true);
  ASSERT_TRUE(status_.ok()) << status_.error_message();
  EXPECT_EQ(created.created(), 1);
  EXPECT_EQ(Of("fast")["Default"], "YES");
  EXPECT_EQ(Of("fast")["TotalNodes"], "1");
  EXPECT_EQ(Of("main")["Default"], "NO");  // There is one default.
}

TEST_F(AdministerPartitionsTest, BadInputNamesTheFields) {
  Update({"main"}, {"OverSubscribe=YES", "MaxTime+=3"});
  EXPECT_EQ(DetailsOf(status_).Fields(), "settings[0].name,settings[1].operator");
  Update({"main"}, {"MaxTime=soon", "State=SIDEWAYS"});
  EXPECT_EQ(status_.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(DetailsOf(status_).Fields(), "settings[0].value,settings[1].value");
  Update({"DEFAULT"}, {"State=UP"}, true);
  EXPECT_EQ(DetailsOf(status_).Fields(), "names[0]");
}

TEST_F(AdministerPartitionsTest, APriorityBeyondSlurmsIsRefusedByFieldAndChangesNothing) {
  const Attributes before = Of("main");
  for (const std::string name : {"PriorityJobFactor", "PriorityTier"}) {
    for (const std::string value : {"-1", "65536", "4294967295", "18446744073709551616", "1.5"}) {
      Update({"main"}, {name + "=" + value});
      EXPECT_EQ(status_.error_code(), grpc::StatusCode::INVALID_ARGUMENT) << name << "=" << value;
      const ErrorDetails details = DetailsOf(status_);
      const auto& violations = details.bad_request.field_violations();
      ASSERT_EQ(violations.size(), 1);
      EXPECT_EQ(violations[0].field(), "settings[0].value");
      EXPECT_EQ(violations[0].description(),
                name + ": got \"" + value + "\", want a whole number from 0 to 65535");
    }
  }
  EXPECT_EQ(Of("main"), before);
  Update({"main"}, {"PriorityJobFactor=65535"});
  ASSERT_TRUE(status_.ok()) << status_.error_message();
  EXPECT_EQ(Of("main")["PriorityJobFactor"], "65535");
}

TEST_F(AdministerPartitionsTest, ADeletedPartitionIsGoneUntilASlurmConfNamesItAgain) {
  const v1::ChangeResponse deleted = Delete({"main"});
  ASSERT_TRUE(status_.ok()) << status_.error_message();
  EXPECT_EQ(deleted.deleted(), 1);
  ASSERT_EQ(deleted.warnings_size(), 1);
  EXPECT_EQ(
      deleted.warnings(0),
      "the slurm.conf applied last names partition main: applying it again overrides this change");
  EXPECT_EQ(List().partitions_size(), 0);
  Import(service_, SmallSite());
  EXPECT_EQ(List().partitions_size(), 1);
}

TEST_F(AdministerPartitionsTest, AUserSeesTheUsablePartitionsAndTheirAccounts) {
  Update({"main"}, {"DenyAccounts=b"});
  Update({"fast"}, {"AllowQos=double"}, true);
  Update({"closed"}, {"AllowAccounts=elsewhere"}, true);
  Recalculate(service_);
  EXPECT_EQ(UsableBy("amy"), "main: a; double,normal\nfast: a; double\n");
  EXPECT_EQ(UsableBy("cat"), "fast: b; double\n");
  EXPECT_EQ(UsableBy("nobody"), "");
}

}  // namespace
}  // namespace priorityd::rpc
