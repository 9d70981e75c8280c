// Grants, leases, merged users and aliases survive Export and Import into an empty cluster, and an
// import of them is undone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "priority/v1/alias.pb.h"
#include "priority/v1/lease.pb.h"
#include "priority/v1/user_merge.pb.h"
#include "tests/server/service/granted_site.h"

namespace priorityd::rpc {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// The rows of the seven tables, without what recalculations note and leases that were ended.
constexpr char kOwnRows[] =
    "SELECT coalesce(string_agg(line, E'\\n' ORDER BY line), '') FROM ("
    "SELECT 'grant ' || t::text AS line FROM priorityd.usage_grant t "
    "UNION ALL SELECT 'prices ' || t::text FROM priorityd.price_book t "
    "UNION ALL SELECT 'amount ' || t::text FROM priorityd.usage_grant_version t "
    "UNION ALL SELECT 'transfer ' || t::text FROM priorityd.usage_grant_transfer t "
    "UNION ALL SELECT 'lease ' || id || object || begin_time || end_time || setting_values::text "
    "FROM priorityd.setting_lease WHERE ended_at IS NULL "
    "UNION ALL SELECT 'merge ' || t::text FROM priorityd.user_merge t "
    "UNION ALL SELECT 'alias ' || source || ' ' || alias || ' ' || user_name "
    "FROM priorityd.user_alias) AS lines";

// Usage never decays, so that sums do not depend on when they were made.
class ExportObjectsTest : public GrantedSite {
 protected:
  ExportObjectsTest() {
    Start("PriorityDecayHalfLife=0\nPriorityUsageResetPeriod=NONE\nTimeZone=UTC\n");
    RecalculateIn("c", TestEpoch());
    AddUser("a.smith", {"a"}, {"Fairshare=3"});
  }

  void RecalculateIn(const std::string& cluster, absl::Time time) {
    v1::RecalculateRequest request;
    request.set_cluster(cluster);
    *request.mutable_as_of() = ToTimestamp(time);
    Recalculate(service_, request);
  }
  // An hour of `cpus` CPUs that begins `hours` after TestEpoch.
  void UseIn(const std::string& cluster, double hours, double cpus, const std::string& user,
             const std::string& account) {
    v1::RecordUsageRequest request;
    request.set_cluster(cluster);
    v1::UsageRecord& record = *request.add_records();
    record = Usage(absl::StrCat(cluster, ++records_), Hour(hours), absl::Hours(1), cpus);
    record.set_user(user);
    record.set_account(account);
    EXPECT_EQ(RecordUsage(service_, request).accepted(), 1);
  }
  // In December and in January, by all three users.
  void UseMuchIn(const std::string& cluster) {
    UseIn(cluster, -24 * 20, 1, "amy", "a");
    UseIn(cluster, -24 * 10, 0.5, "a.smith", "a");
    UseIn(cluster, -24 * 3, 2, "cat", "b");
    UseIn(cluster, 0, 0.25, "amy", "a");
  }
  void LeaseShares(const std::string& shares, absl::Time begin, absl::Time end,
                   const std::string& comment = "a deadline") {
    v1::ChangeOptions options;
    *options.mutable_from() = ToTimestamp(begin);
    *options.mutable_until() = ToTimestamp(end);
    options.set_comment(comment);
    Modify(Where({"a"}, {""}), {"Fairshare=" + shares}, nullptr, options);
  }
  void MergeAndName() {
    v1::MergeUsersRequest merge;
    merge.set_from_user("a.smith");
    merge.set_into_user("amy");
    merge.mutable_options()->set_comment("one person");
    Changed(merge, nullptr);
    v1::UpdateAliasesRequest aliases;
    for (const char* source : {"", "k8s"}) {
      v1::UserAlias* alias = aliases.add_add();
      alias->set_source(source);
      alias->set_alias("amy@EXAMPLE.ORG");
      alias->set_user(*source == 0 ? "amy" : "ben");
    }
    Changed(aliases, nullptr);
  }
  // Grants with all that a balance depends on: windows that carry over and borrow, a boost that was
  // revoked, two amounts, a transfer.
  void MakeAll() {
    UseMuchIn("c");
    Grant("a-month", {"Accounts=a", "TRES=cpu", "Amount=100", "Window=month", "CarryOver=10%",
                      "Borrow=10%", "Begin=2025-12-01"});
    Grant("a-boost", {"Accounts=a", "TRES=cpu", "Amount=10.5", "Order=-1", "Begin=2025-12-01",
                      "Consequence=demote:double"});
    Grant("b-month", {"Accounts=b", "TRES=cpu", "Amount=500", "Window=month", "CarryOver=50%",
                      "Begin=2025-12-01"});
    Grant("amy", {"Accounts=a", "User=amy", "Amount=7"});
    RecalculateIn("c", Hour(1));
    Transfer("b-month", "a-month", 12.5);
    Grant("a-month", {"Amount=200"});
    Revoke("a-boost");
    LeaseShares("7", Hour(1), Hour(50));
    LeaseShares("9", Hour(1), Hour(40));
    MergeAndName();
  }

  v1::ImportRequest ExportOf(const std::string& cluster) {
    v1::ExportRequest request;
    request.set_cluster(cluster);
    v1::ImportRequest import;
    *import.mutable_files() = Called<v1::ExportResponse>(request, nullptr).files();
    return import;
  }
  std::string OwnFileOf(const std::string& cluster) {
    const v1::ImportRequest request = ExportOf(cluster);
    for (const v1::File& file : request.files()) {
      if (file.kind() == v1::FILE_KIND_PRIORITYD) return file.content();
    }
    return "";
  }
  static v1::ImportRequest OwnFile(const std::string& content, bool clean = false) {
    v1::ImportRequest request;
    request.set_cluster("c");
    request.set_clean(clean);
    AddFile(v1::FILE_KIND_PRIORITYD, "own", content, &request);
    return request;
  }
  v1::ImportResponse ImportAs(const std::string& cluster, v1::ImportRequest request) {
    request.set_cluster(cluster);
    return rpc::Import(service_, request);
  }

  // Without the snapshot, which is another recalculation.
  std::string StatementIn(const std::string& cluster, const std::string& name) {
    v1::GetGrantStatementRequest request;
    request.set_cluster(cluster);
    request.set_name(name);
    auto response = Called<v1::GetGrantStatementResponse>(request, nullptr);
    response.clear_snapshot();
    EXPECT_GT(response.windows_size(), 0) << name;
    return response.DebugString();
  }
  std::string SharesIn(const std::string& cluster) {
    v1::ListSharesRequest request;
    request.set_cluster(cluster);
    std::string text;
    const v1::ListSharesResponse list = ListShares(service_, request);
    for (v1::AssociationShare share : list.shares()) {
      share.clear_association_id();
      absl::StrAppend(&text, share.DebugString(), "\n");
    }
    EXPECT_NE(text, "");
    return text;
  }
  std::vector<std::string> LeasesIn(const std::string& cluster) {
    v1::ListLeasesRequest request;
    request.set_cluster(cluster);
    std::vector<std::string> leases;
    const auto list = Called<v1::ListLeasesResponse>(request, nullptr);
    for (v1::Lease lease : list.leases()) {
      lease.clear_id();
      leases.push_back(lease.DebugString());
    }
    return leases;
  }
  std::string OwnRows() {
    const auto text = service_.database().Read([](storage::Transaction& transaction) {
      return transaction.QueryOne(storage::OnlyColumn<std::string>, kOwnRows);
    });
    EXPECT_TRUE(text.ok()) << text.status();
    return text.value_or("");
  }
  grpc::Status UndoImport(v1::UndoImportResponse* response) {
    v1::UndoImportRequest request;
    request.set_cluster("c");
    return CallUnary(service_, request, response);
  }

  // `created updated unchanged deleted` of grants, transfers, leases, merges and aliases.
  static std::vector<std::string> CountsOf(const v1::ImportResponse& response) {
    std::vector<std::string> texts;
    for (const v1::ImportCounts* counts :
         {&response.grants(), &response.grant_transfers(), &response.leases(),
          &response.user_merges(), &response.user_aliases()}) {
      texts.push_back(absl::StrCat(counts->created(), " ", counts->updated(), " ",
                                   counts->unchanged(), " ", counts->deleted()));
    }
    return texts;
  }
};

TEST_F(ExportObjectsTest, AnEmptyClusterGetsTheSameBalancesLeasesAndMerges) {
  MakeAll();
  const v1::ImportResponse imported = ImportAs("d", ExportOf("c"));
  EXPECT_THAT(CountsOf(imported),
              ElementsAre("4 0 0 0", "1 0 0 0", "2 0 0 0", "1 0 0 0", "2 0 0 0"));
  RecalculateIn("d", TestEpoch());
  UseMuchIn("d");
  for (const char* cluster : {"c", "d"}) RecalculateIn(cluster, Hour(30));
  for (const char* name : {"a-month", "a-boost", "b-month", "amy"}) {
    EXPECT_EQ(StatementIn("c", name), StatementIn("d", name));
  }
  EXPECT_THAT(StatementIn("d", "a-month"), HasSubstr("transferred_minutes: 12.5"));
  EXPECT_EQ(SharesIn("c"), SharesIn("d"));
  EXPECT_THAT(SharesIn("d"), HasSubstr("raw_shares: 9")) << "the later lease holds";
  EXPECT_EQ(LeasesIn("c"), LeasesIn("d"));
  EXPECT_EQ(OwnFileOf("c"), OwnFileOf("d"));
  for (const char* cluster : {"c", "d"}) RecalculateIn(cluster, Hour(45));
  EXPECT_EQ(SharesIn("c"), SharesIn("d"));
  EXPECT_THAT(SharesIn("d"), HasSubstr("raw_shares: 7")) << "the earlier one holds again";
}

TEST_F(ExportObjectsTest, TheSameFileAgainChangesNothing) {
  MakeAll();
  LeaseShares("5", Hour(1), Hour(30), "a deadline\r\n\nof two");
  const std::string rows = OwnRows();
  for (const bool clean : {false, true}) {
    const v1::ImportResponse again = rpc::Import(service_, OwnFile(OwnFileOf("c"), clean));
    EXPECT_THAT(CountsOf(again),
                ElementsAre("0 0 4 0", "0 0 1 0", "0 0 3 0", "0 0 1 0", "0 0 2 0"));
    EXPECT_EQ(again.import_id(), 0);
    EXPECT_EQ(OwnRows(), rows);
  }
}

TEST_F(ExportObjectsTest, AClusterWithoutThemExportsNoFileForThem) {
  EXPECT_EQ(OwnFileOf("c"), "");
}

// Another amount of a-month, a new grant with a transfer, a lease of b, other merges and aliases.
constexpr char kOtherObjects[] =
    "Grant - 'new':Accounts='b':Begin='2026-01-05T01:00:00Z':TRES='cpu':Window='fixed'\n"
    "Amount - '60':Effective='2026-01-05T01:00:00Z':By='root'\n"
    "Transfer - 'new':To='b-month':TRESSeconds='1.5':Time='2026-01-05T01:00:00Z'\n"
    "Lease - 'association':Account='b':Begin='2026-01-05T02:00:00Z':End='2026-01-06T00:00:00Z'\n"
    "Setting - 'Fairshare':Operator='=':Value='4'\n"
    "Merge - 'ben':Into='amy':Time='2026-01-05T01:00:00Z'\n"
    "Alias - 'amy@EXAMPLE.ORG':User='amy':Source='k8s'\n";

TEST_F(ExportObjectsTest, AnImportIsUndoneToTheLastRow) {
  MakeAll();
  const std::string rows = OwnRows();
  const v1::ImportResponse imported = rpc::Import(service_, OwnFile(kOtherObjects, true));
  EXPECT_THAT(CountsOf(imported),
              ElementsAre("1 0 0 3", "1 0 0 0", "1 0 0 2", "1 0 0 1", "1 0 0 2"))
      << "a-boost was revoked before";
  EXPECT_GT(imported.import_id(), 0);
  EXPECT_NE(OwnRows(), rows);
  RecalculateIn("c", Hour(5));
  v1::UndoImportResponse undone;
  const grpc::Status status = UndoImport(&undone);
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(undone.grants(), 4);
  EXPECT_EQ(undone.grant_transfers(), 1);
  EXPECT_EQ(undone.leases(), 3);
  EXPECT_EQ(undone.user_merges(), 2);
  EXPECT_EQ(undone.user_aliases(), 2);
  EXPECT_EQ(OwnRows(), rows);
  RecalculateIn("c", Hour(30));
  EXPECT_THAT(SharesIn("c"), HasSubstr("raw_shares: 9")) << "the leases hold again";
}

TEST_F(ExportObjectsTest, ALaterAmountOfAnImportedGrantIsAConflict) {
  rpc::Import(service_, OwnFile("Grant - 'new':Accounts='b':Begin='2026-01-05T00:00:00Z'\n"
                                "Amount - '60':Effective='2026-01-05T00:00:00Z'\n"));
  Grant("new", {"Amount=2"});
  const std::string rows = OwnRows();
  v1::UndoImportResponse undone;
  const grpc::Status status = UndoImport(&undone);
  EXPECT_EQ(DetailsOf(status).reason, "CHANGED_SINCE_IMPORT");
  EXPECT_THAT(status.error_message(), HasSubstr("grant new"));
  EXPECT_EQ(OwnRows(), rows);
}

TEST_F(ExportObjectsTest, AValidatedImportShowsItsChangesAndMakesNone) {
  MakeAll();
  const std::string rows = OwnRows();
  v1::ImportRequest request = OwnFile(absl::StrCat(OwnFileOf("c"), kOtherObjects));
  std::string* content = request.mutable_files(0)->mutable_content();
  content->resize(content->rfind("Alias - "));
  request.set_validate_only(true);
  EXPECT_THAT(CountsOf(rpc::Import(service_, request)),
              ElementsAre("1 0 4 0", "1 0 1 0", "1 0 2 0", "1 0 1 0", "0 0 2 0"));
  EXPECT_EQ(OwnRows(), rows);
}

TEST_F(ExportObjectsTest, AnAmountMayFollowThoseOfTheCluster) {
  Grant("g", {"Accounts=a", "Amount=100"});
  const std::string file =
      absl::StrCat(OwnFileOf("c"), "Amount - '60':Effective='2026-01-05T12:00:00Z':By='root'\n");
  EXPECT_EQ(CountsOf(rpc::Import(service_, OwnFile(file)))[0], "0 1 0 0");
  EXPECT_EQ(Statement("g").grant().versions_size(), 2);
  v1::UndoImportResponse undone;
  EXPECT_TRUE(UndoImport(&undone).ok());
  EXPECT_EQ(Statement("g").grant().versions_size(), 1);
}

TEST_F(ExportObjectsTest, WhatCannotBeIsRefusedWithItsLine) {
  Grant("g", {"Accounts=a", "TRES=cpu", "Amount=100"});
  Revoke("g");
  const std::string g = "Grant - 'g':Accounts='a':TRES='cpu':Begin='2026-01-05T00:00:00Z'";
  const std::string amount = "Amount - '6000':Effective='2026-01-05T00:00:00Z'\n";
  const std::string rolling =
      "Grant - 'r':Accounts='b':Window='rolling:7':Begin='2026-01-05T00:00:00Z'\n" + amount;
  const std::string lease =
      "Lease - 'association':Account='a':Begin='2026-01-05T00:00:00Z':End='2026-01-06T00:00:00Z'\n";
  struct Fault {
    std::string file;
    std::string reason;
    std::string text;
  };
  const Fault faults[] = {
      {"\n" + g + "\n" + amount, "INVALID_FILE", "own line 2"},
      {g.substr(0, g.find(":TRES")) + ":Begin='2026-01-05T00:00:00Z'\n" + amount, "INVALID_FILE",
       "TRES: got a change of a grant that has begun"},
      {rolling + "Grant - 's':Accounts='b':Begin='2026-01-05T00:00:00Z'\n" + amount,
       "GRANTS_OVERLAP", "Window: got grant "},
      {"Grant - 'a/t':Accounts='b':ByCoordinator='yes':Begin='2026-01-05T00:00:00Z'\n" + amount +
           "Grant - 's':Accounts='b':Begin='2026-01-06T00:00:00Z'\n" + amount,
       "GRANTS_OVERLAP", "own line 3: Window: got grant s beside another one"},
      {rolling + "Transfer - 'r':To='g':TRESSeconds='1':Time='2026-01-05T00:00:00Z'\n",
       "INVALID_FILE", "To: got a grant of TRES cpu, want one of billing"},
      {rolling + "Transfer - 'r':To='x':TRESSeconds='1':Time='2026-01-05T00:00:00Z'\n",
       "INVALID_FILE", "To: got \"x\", want a grant of the file"},
      {lease + "Setting - 'Parent':Operator='=':Value='b'\n", "INVALID_FILE", "own line 1"},
      {"# \nMerge - 'zoe':Into='amy':Time='2026-01-05T00:00:00Z'\n", "UNKNOWN_USER",
       "own line 2: from_user: got \"zoe\""},
      {"Alias - 'x':User='amy'\nAlias - 'y':User='x'\n", "ALIAS_CHAIN", "own line "}};
  const std::string rows = OwnRows();
  for (const Fault& fault : faults) {
    grpc::Status status;
    rpc::Import(service_, OwnFile(fault.file), &status);
    EXPECT_EQ(DetailsOf(status).reason, fault.reason) << fault.file << status.error_message();
    EXPECT_THAT(status.error_message(), HasSubstr(fault.text));
  }
  EXPECT_EQ(OwnRows(), rows);
}

// As a replica that knows no grants of coordinators could leave them.
TEST_F(ExportObjectsTest, AnOverlapThatWasThereBeforeIsNotOfTheFile) {
  Grant("g", {"Accounts=b", "Amount=100"});
  Grant("h", {"Accounts=b", "Amount=100"});
  Execute("UPDATE priorityd.usage_grant SET by_coordinator = true WHERE name = 'h'");
  const std::string amount = "Amount - '60':Effective='2026-01-05T00:00:00Z'\n";
  const std::string begin = ":Begin='2026-01-05T00:00:00Z'\n";
  const std::string rows = OwnRows();
  EXPECT_GT(rpc::Import(service_, OwnFile("Grant - 'i':Accounts='a'" + begin + amount)).import_id(),
            0);
  v1::UndoImportResponse undone;
  grpc::Status status = UndoImport(&undone);
  EXPECT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(OwnRows(), rows);
  rpc::Import(service_, OwnFile("Grant - 'i':Accounts='b'" + begin + amount), &status);
  EXPECT_EQ(DetailsOf(status).reason, "GRANTS_OVERLAP");
  EXPECT_THAT(status.error_message(), HasSubstr("own line 1: Window: got grant "));
}

TEST_F(ExportObjectsTest, WhatDoesNotExistAnyMoreIsAWarning) {
  const v1::ImportRequest request = OwnFile(
      "Grant - 'old':Accounts='gone':Begin='2026-01-05T00:00:00Z'\n"
      "Amount - '60':Effective='2026-01-05T00:00:00Z'\n"
      "Lease - 'qos':QOS='gone':Begin='2026-01-05T00:00:00Z':End='2026-01-07T00:00:00Z'\n"
      "Setting - 'Priority':Operator='=':Value='1'\n"
      "Lease - 'qos':QOS='double':Begin='2026-01-04T00:00:00Z':End='2026-01-05T00:00:00Z'\n"
      "Setting - 'Priority':Operator='=':Value='1'\n"
      "Alias - 'ben':User='zoe'\n");
  const std::string rows = OwnRows();
  const v1::ImportResponse imported = rpc::Import(service_, request);
  EXPECT_THAT(imported.warnings(),
              ElementsAre(HasSubstr("own line 1: old: Accounts: got \"gone\""),
                          HasSubstr("own: 1 of 2 leases have ended"),
                          HasSubstr("own line 3: qos gone does not exist, and its lease is not"),
                          HasSubstr("own line 7: user \"zoe\" of the alias has no association"),
                          HasSubstr("own line 7: alias \"ben\" is a user too")));
  EXPECT_THAT(CountsOf(imported),
              ElementsAre("1 0 0 0", "0 0 0 0", "0 0 0 0", "0 0 0 0", "1 0 0 0"));
  EXPECT_EQ(rpc::Import(service_, request).import_id(), 0) << "it changes nothing again";
  v1::UndoImportResponse undone;
  const grpc::Status status = UndoImport(&undone);
  EXPECT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(OwnRows(), rows);
}

}  // namespace
}  // namespace priorityd::rpc
