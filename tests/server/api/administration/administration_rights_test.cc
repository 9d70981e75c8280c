// Who may change what of the association tree, over gRPC: verb by role.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "priority/v1/admin_service.pb.h"
#include "storage/database/database.h"
#include "tests/server/service/administered_site.h"
#include "tests/server/service/private_site.h"
#include "tests/server/service/test_service.h"

namespace priorityd::rpc {
namespace {

// amy and ben are in a, which coo coordinates; cat is in b. Each case is tried with validate_only,
// so that none changes what the next one finds.
class AdministrationRightsTest : public ::testing::Test {
 protected:
  AdministrationRightsTest() {
    Must(Create("root", "sub", "a", ""));
    Must(Modify("root", Where({"a"}, {""}), {"MaxJobs=10", "GrpTRES=cpu=8", "QOS=normal,double"}));
  }

  static void Must(const std::string& outcome) { ASSERT_EQ(outcome, "OK"); }

  template <typename Request>
  std::string Outcome(const std::string& who, const std::string& method, const Request& request) {
    grpc::Status status;
    site_.Call<v1::ChangeResponse>(who, "AdminService/" + method, request, &status);
    if (status.ok()) return "OK";
    if (status.error_code() == grpc::PERMISSION_DENIED) return "denied";
    return status.error_message();
  }

  template <typename Request>
  void Look(Request* request) {
    request->mutable_options()->set_validate_only(only_looks_);
  }

  std::string Create(const std::string& who, const std::string& account, const std::string& parent,
                     const std::string& user, const Names& settings = {}) {
    v1::CreateAssociationsRequest request;
    v1::NewAssociation* wanted = request.add_associations();
    wanted->set_account(account);
    wanted->set_parent_account(parent);
    wanted->set_user(user);
    AddSettings(settings, &request);
    Look(&request);
    return Outcome(who, "CreateAssociations", request);
  }
  std::string Modify(const std::string& who, const v1::AssociationFilter& where,
                     const Names& settings) {
    v1::UpdateAssociationsRequest request;
    *request.mutable_where() = where;
    AddSettings(settings, &request);
    Look(&request);
    return Outcome(who, "UpdateAssociations", request);
  }
  std::string Remove(const std::string& who, const v1::AssociationFilter& where) {
    v1::DeleteAssociationsRequest request;
    *request.mutable_where() = where;
    Look(&request);
    return Outcome(who, "DeleteAssociations", request);
  }
  std::string ModifyUser(const std::string& who, const std::string& user, const Names& settings) {
    v1::UpdateUsersRequest request;
    request.mutable_where()->add_names(user);
    AddSettings(settings, &request);
    Look(&request);
    return Outcome(who, "UpdateUsers", request);
  }

  PrivateSite site_{"all"};
  bool only_looks_ = false;
};

const std::vector<std::string>& Callers() {
  static const auto* const callers =
      new std::vector<std::string>{"root", "adm", "ope", "coo", "amy", "frontend", "dashboard"};
  return *callers;
}

TEST_F(AdministrationRightsTest, EachVerbIsAllowedToTheRolesOfTheRightsTable) {
  only_looks_ = true;
  struct Case {
    std::string what;
    std::vector<std::string> allowed;
    std::function<std::string(const std::string& who)> outcome;
  };
  const std::vector<std::string> operators = {"root", "adm", "ope"};
  const std::vector<std::string> with_coordinator = {"root", "adm", "ope", "coo"};
  const std::vector<std::string> administrators = {"root", "adm"};
  const auto modify = [&](const std::string& account, const std::string& user,
                          const std::string& setting) {
    return [=, this](const std::string& who) {
      return Modify(who, Where({account}, {user}), {setting});
    };
  };
  const auto user = [&](const std::string& name, const std::string& setting) {
    return [=, this](const std::string& who) { return ModifyUser(who, name, {setting}); };
  };
  const std::vector<Case> cases = {
      {"an account below root", operators,
       [&](const std::string& who) { return Create(who, "new", "", ""); }},
      {"an account below a", with_coordinator,
       [&](const std::string& who) { return Create(who, "new", "a", ""); }},
      {"an account below sub", with_coordinator,
       [&](const std::string& who) { return Create(who, "new", "sub", ""); }},
      {"a user of a", with_coordinator,
       [&](const std::string& who) { return Create(who, "a", "", "zoe"); }},
      {"a user of b", operators,
       [&](const std::string& who) { return Create(who, "b", "", "zoe"); }},
      {"a new operator", operators,
       [&](const std::string& who) {
         return Create(who, "a", "", "zoe", {"AdminLevel=Operator"});
       }},
      {"a new administrator", administrators,
       [&](const std::string& who) {
         return Create(who, "a", "", "zoe", {"AdminLevel=Administrator"});
       }},
      {"shares of amy", with_coordinator, modify("a", "amy", "Fairshare=3")},
      {"shares of cat", operators, modify("b", "cat", "Fairshare=3")},
      {"shares of a", operators, modify("a", "", "Fairshare=3")},
      {"shares of sub", with_coordinator, modify("sub", "", "Fairshare=3")},
      {"a limit within that of a", with_coordinator, modify("a", "amy", "MaxJobs=10")},
      {"a limit beyond that of a", operators, modify("a", "amy", "MaxJobs=11")},
      {"TRES within those of a", with_coordinator, modify("sub", "", "GrpTRES=cpu=8,mem=5")},
      {"TRES beyond those of a", operators, modify("sub", "", "GrpTRES=cpu=9")},
      {"QOS of a", with_coordinator, modify("a", "amy", "QOS=double")},
      {"priority", operators, modify("a", "amy", "Priority=1")},
      {"RawUsage", operators, modify("a", "amy", "RawUsage=0")},
      {"a move to b", operators, modify("sub", "", "Parent=b")},
      {"a move below herself", with_coordinator, modify("sub", "", "Parent=a")},
      {"deleting amy", with_coordinator,
       [&](const std::string& who) { return Remove(who, Where({"a"}, {"amy"})); }},
      {"deleting sub", with_coordinator,
       [&](const std::string& who) { return Remove(who, Where({"sub"}, {})); }},
      {"deleting b", operators,
       [&](const std::string& who) { return Remove(who, Where({"b"}, {})); }},
      {"deleting an administrator", administrators,
       [&](const std::string& who) { return Remove(who, Where({"a"}, {"adm"})); }},
      {"a default account of amy's",
       {"root", "adm", "ope", "coo", "amy"},
       user("amy", "DefaultAccount=a")},  // It is, so nothing changes.
      {"a coordinator of a", with_coordinator, user("ben", "Coordinators+=a")},
      {"a coordinator of sub", with_coordinator, user("ben", "Coordinators+=sub")},
      {"a coordinator of b", operators, user("ben", "Coordinators+=b")},
      {"a level", operators, user("ben", "AdminLevel=Operator")},
      {"the highest level", administrators, user("ben", "AdminLevel=Administrator")},
      {"an administrator's level", administrators, user("adm", "AdminLevel=None")}};
  for (const Case& one : cases) {
    for (const std::string& who : Callers()) {
      const bool allowed =
          std::find(one.allowed.begin(), one.allowed.end(), who) != one.allowed.end();
      EXPECT_EQ(one.outcome(who), allowed ? "OK" : "denied") << one.what << " by " << who;
    }
  }
}

TEST_F(AdministrationRightsTest, AUserSetsTheirOwnDefaultAccountAndNobodyElses) {
  Must(Create("root", "b", "", "amy"));
  EXPECT_EQ(ModifyUser("ben", "amy", {"DefaultAccount=b"}), "denied");
  EXPECT_EQ(ModifyUser("coo", "amy", {"DefaultAccount=b"}), "denied");
  EXPECT_EQ(ModifyUser("amy", "amy", {"DefaultAccount=b", "AdminLevel=Operator"}), "denied");
  EXPECT_EQ(ModifyUser("amy", "amy", {"DefaultAccount=b"}), "OK");
}

TEST_F(AdministrationRightsTest, ALimitOfEachTresHoldsBelowAListOfOthers) {
  Must(Modify("root", Where({"a"}, {""}), {"MaxTRES=gres/gpu=4"}));
  Must(Modify("coo", Where({"sub"}, {""}), {"MaxTRES=mem=1000000"}));
  Must(Create("coo", "sub", "", "ben"));
  EXPECT_EQ(Modify("coo", Where({"sub"}, {"ben"}), {"MaxTRES=gres/gpu=100"}), "denied");
  EXPECT_EQ(Create("coo", "sub", "", "amy", {"MaxTRES=gres/gpu=5"}), "denied");
  EXPECT_EQ(Modify("coo", Where({"sub"}, {"ben"}), {"MaxTRES=gres/gpu=4,node=7"}), "OK");
}

// Account low below a has lower limits than a.
TEST_F(AdministrationRightsTest, AMoveByACoordinatorIsWithinTheLimitsOfTheNewPlace) {
  Must(Create("root", "low", "a", "", {"MaxJobs=2", "QOS=normal"}));
  const auto move = [&] { return Modify("coo", Where({"sub"}, {""}), {"Parent=low"}); };
  only_looks_ = true;
  EXPECT_EQ(move(), "OK");
  only_looks_ = false;
  Must(Create("coo", "sub", "", "ben", {"MaxJobs=10"}));
  EXPECT_EQ(move(), "denied");
  Must(Modify("coo", Where({"sub"}, {"ben"}), {"MaxJobs=2", "QOS=double"}));
  EXPECT_EQ(move(), "denied");
  Must(Modify("coo", Where({"sub"}, {"ben"}), {"QOS=normal"}));
  EXPECT_EQ(move(), "OK");
  EXPECT_EQ(Modify("coo", Where({"sub"}, {""}), {"Parent=a"}), "OK");
}

TEST_F(AdministrationRightsTest, AMoveByACoordinatorIsWithinThemAlsoForLeases) {
  Must(Create("root", "low", "a", "", {"MaxJobs=2"}));
  Must(Create("coo", "sub", "", "ben"));
  Must(Modify("coo", Where({"sub"}, {"ben"}), {"MaxJobs=10", "from=now+1day", "until=now+2days"}));
  ASSERT_EQ(site_.LeasesOf("coo").leases_size(), 1);
  const int64_t lease = site_.LeasesOf("coo").leases(0).id();
  const auto move = [&](const std::string& who, const std::string& parent) {
    return Modify(who, Where({"sub"}, {""}), {"Parent=" + parent});
  };
  EXPECT_EQ(move("coo", "low"), "denied");
  EXPECT_EQ(move("coo", "a"), "OK");  // It is there.
  EXPECT_EQ(move("root", "low"), "OK");
  EXPECT_EQ(move("root", "a"), "OK");
  ASSERT_TRUE(site_.EndLease("coo", lease).ok());
  EXPECT_EQ(move("coo", "low"), "OK");
}

// Of a, whose own limit is 10.
TEST_F(AdministrationRightsTest, LeasedLimitsAboveBoundACoordinatorToo) {
  Must(Create("root", "low", "a", "", {"MaxJobs=8"}));
  Must(Modify("root", Where({"a"}, {""}), {"MaxJobs=2", "until=now+1day"}));
  Must(Modify("root", Where({"low"}, {""}), {"MaxJobs=1", "from=now+1day", "until=now+2days"}));
  Must(Modify("coo", Where({"sub"}, {""}), {"MaxJobs=2"}));
  const auto set = [&](const std::string& limit) {
    return Modify("coo", Where({"a"}, {"amy"}), {limit});
  };
  only_looks_ = true;
  EXPECT_EQ(set("MaxJobs=2"), "OK");
  EXPECT_EQ(set("MaxJobs=3"), "denied");
  EXPECT_EQ(Create("coo", "a", "", "zoe", {"MaxJobs=3"}), "denied");
  EXPECT_EQ(Create("coo", "a", "", "zoe", {"MaxJobs=2"}), "OK");
  EXPECT_EQ(Modify("coo", Where({"sub"}, {""}), {"Parent=low"}), "OK") << "has not begun";
  EXPECT_EQ(Modify("root", Where({"a"}, {"amy"}), {"MaxJobs=3"}), "OK");
  only_looks_ = false;
  ASSERT_EQ(site_.LeasesOf("root").leases_size(), 2);  // Newest first.
  ASSERT_TRUE(site_.EndLease("root", site_.LeasesOf("root").leases(1).id()).ok());
  EXPECT_EQ(set("MaxJobs=10"), "OK");
  EXPECT_EQ(set("MaxJobs=11"), "denied");
  Must(Modify("root", Where({"low"}, {""}), {"MaxJobs=1", "until=now+1day"}));
  EXPECT_EQ(Modify("coo", Where({"sub"}, {""}), {"Parent=low"}), "denied");
}

TEST_F(AdministrationRightsTest, ACoordinatorDeletesNobodyWithRolesBeyondTheirAccounts) {
  const auto remove = [&] {
    only_looks_ = true;
    const std::string outcome = Remove("coo", Where({"a"}, {"ben"}));
    only_looks_ = false;
    return outcome;
  };
  Must(ModifyUser("root", "ben", {"Coordinators=sub"}));
  EXPECT_EQ(remove(), "OK");
  Must(ModifyUser("root", "ben", {"Coordinators=sub,b"}));
  EXPECT_EQ(remove(), "denied");
  Must(ModifyUser("root", "ben", {"Coordinators=sub", "AdminLevel=Operator"}));
  EXPECT_EQ(remove(), "denied");
  Must(Create("root", "b", "", "ben"));  // The user stays.
  Must(ModifyUser("root", "ben", {"DefaultAccount=b"}));
  EXPECT_EQ(remove(), "OK");
}

// A deleted account leaves its usage to b, or to a: one of the same name would take it away.
TEST_F(AdministrationRightsTest, ACoordinatorTakesNoUsageFromTheAccountsOfOthers) {
  for (const char* parent : {"a", "b"}) {
    const std::string gone = absl::StrCat("gone", parent);
    Must(Create("root", gone, parent, ""));
    Must(Create("root", "below" + gone, gone, ""));
    Must(Create("root", gone, "", "zoe"));
    Must(Remove("root", Where({gone}, {})));
  }
  only_looks_ = true;
  for (const char* of_b : {"goneb", "belowgoneb"}) {
    EXPECT_EQ(Create("coo", of_b, "sub", ""), "denied") << of_b;
    EXPECT_EQ(Create("root", of_b, "sub", ""), "OK") << of_b;
  }
  EXPECT_EQ(Create("coo", "gonea", "sub", ""), "OK");
  EXPECT_EQ(Create("coo", "belowgonea", "a", ""), "OK");
  only_looks_ = false;
  Must(Remove("coo", Where({"a"}, {"ben"})));
  EXPECT_EQ(Create("coo", "a", "", "ben"), "OK");
}

TEST_F(AdministrationRightsTest, ANameOfAnotherAccountIsRefusedInTheSameWordsThereOrGone) {
  Must(Create("root", "gone", "b", ""));
  Must(Remove("root", Where({"gone"}, {})));
  Must(Create("root", "other", "b", ""));
  const auto refusal = [&](const std::string& account, bool allow_existing) {
    v1::CreateAssociationsRequest request;
    request.add_associations()->set_account(account);
    request.mutable_associations(0)->set_parent_account("a");
    request.set_allow_existing(allow_existing);
    grpc::Status status;
    site_.Call<v1::ChangeResponse>("coo", "AdminService/CreateAssociations", request, &status);
    EXPECT_EQ(status.error_code(), grpc::PERMISSION_DENIED) << status.error_message();
    const std::string& text = status.error_message();
    const size_t begin = text.find(account) + account.size();
    return text.substr(begin, text.find(": got") - begin) + text.substr(text.find("), want"));
  };
  for (const bool allow_existing : {false, true}) {
    EXPECT_EQ(refusal("other", allow_existing), refusal("gone", allow_existing));
  }
  EXPECT_THAT(Create("coo", "sub", "a", ""), testing::HasSubstr("account sub, which exists"));
}

// The room of one account, all of it taken.
TEST_F(AdministrationRightsTest, ACoordinatorCannotCreateAssociationsWithoutEnd) {
  ASSERT_TRUE(site_.replica()
                  .database()
                  .Write([](storage::Transaction& transaction) {
                    return transaction.ExecuteScript(
                        "INSERT INTO priorityd.association (cluster_id, parent_id, account, "
                        "user_name, raw_shares, deleted_at) SELECT cluster_id, id, account, "
                        "'u' || n, 1, now() FROM priorityd.association, "
                        "generate_series(1, 100000) n WHERE account = 'sub'");
                  })
                  .ok());
  only_looks_ = true;
  EXPECT_THAT(Create("coo", "new", "sub", ""),
              testing::StartsWith("associations: got more than 100000 below account a"));
  EXPECT_EQ(Create("ope", "new", "sub", ""), "OK");
}

TEST_F(AdministrationRightsTest, ACoordinatorLearnsWhatIsMissingInTheirOwnAccountsOnly) {
  EXPECT_EQ(Remove("coo", Where({"a"}, {"zoe"})),
            "where: got a filter that matches no association, want at least one match");
  EXPECT_EQ(Remove("coo", Where({"a", "b"}, {"zoe"})), "denied");
  EXPECT_EQ(Remove("coo", Where({"nowhere"}, {"zoe"})), "denied");
  EXPECT_EQ(Remove("amy", Where({"a"}, {"zoe"})), "denied");
}

TEST_F(AdministrationRightsTest, AHiddenObjectIsRefusedInTheSameWordsWhetherItExistsOrNot) {
  const auto message = [&](const std::string& who, const std::string& method,
                           const google::protobuf::Message& request) {
    grpc::Status status;
    site_.Call<v1::ChangeResponse>(who, "AdminService/" + method, request, &status);
    EXPECT_EQ(status.error_code(), grpc::PERMISSION_DENIED);
    const std::string& text = status.error_message();
    return text.substr(0, text.find("ipv4:")) + text.substr(text.find("), want"));
  };
  v1::UpdateUsersRequest there;
  v1::UpdateUsersRequest not_there;
  there.mutable_where()->add_names("cat");
  not_there.mutable_where()->add_names("zoe");
  for (auto* request : {&there, &not_there}) *request->add_settings() = ToSetting("DefaultA=b");
  EXPECT_EQ(message("amy", "UpdateUsers", there), message("amy", "UpdateUsers", not_there));
  v1::DeleteAssociationsRequest cat;
  v1::DeleteAssociationsRequest zoe;
  *cat.mutable_where() = Where({}, {"cat"});
  *zoe.mutable_where() = Where({}, {"zoe"});
  EXPECT_EQ(message("coo", "DeleteAssociations", cat), message("coo", "DeleteAssociations", zoe));
}

}  // namespace
}  // namespace priorityd::rpc
