#include "server/administration/imports/policy_application.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "engine/errors/error_details.h"
#include "server/administration/imports/site_files.h"
#include "server/administration/imports/site_import.h"
#include "storage/configuration/audit_store.h"
#include "storage/configuration/policy_store.h"
#include "tests/storage/store_test.h"

namespace priorityd::administration {
namespace {

using storage::AuditEvent;
using storage::StatusOf;

class PolicyApplicationTest : public storage::StoreTest {
 protected:
  absl::Status Apply(const std::string& text, std::optional<int64_t> expected) {
    PolicyOptions options;
    options.expected_version = expected;
    return ApplyPolicyFiles(database_, "test", {{"slurm.conf", text}}, options,
                            {"adm", absl::Now()})
        .status();
  }
  int64_t Newest() {
    auto newest =
        Read([&](storage::Transaction& t) { return storage::PolicyStore(t).Newest(cluster_.id); });
    return newest->has_value() ? (*newest)->version : 0;
  }
  // Newest first.
  std::vector<AuditEvent> Audit() {
    return *Read(
        [&](storage::Transaction& t) { return storage::AuditStore(t).List(cluster_.id, 0, 1000); });
  }
};

TEST_F(PolicyApplicationTest, OfTwoWhoChangeTheSameVersionAtOnceOneWins) {
  for (int64_t newest = 0; newest < 4; ++newest) {
    std::vector<absl::Status> outcomes(2);
    std::vector<std::thread> callers;
    for (int i = 0; i < 2; ++i) {
      callers.emplace_back([&, i] {
        outcomes[i] = Apply(absl::StrCat("PriorityWeightAge=", 10 * newest + i, "\n"), newest);
      });
    }
    for (std::thread& caller : callers) caller.join();
    const int winner = outcomes[0].ok() ? 0 : 1;
    EXPECT_OK(outcomes[winner]);
    const absl::Status& other = outcomes[1 - winner];
    EXPECT_EQ(other.code(), absl::StatusCode::kAborted);
    EXPECT_EQ(errors::ReasonOf(other), "POLICY_VERSION_MISMATCH");
    EXPECT_EQ(other.message(),
              absl::StrCat("expected_version: got ", newest, ", want ", newest + 1,
                           ", which is the newest: the policy has changed since that was read"));
    EXPECT_EQ(Newest(), newest + 1);
  }
}

TEST_F(PolicyApplicationTest, WithoutAnExpectedVersionItIsWhateverTheNewestIs) {
  EXPECT_OK(Apply("PriorityWeightAge=1\n", std::nullopt));
  EXPECT_OK(Apply("PriorityWeightAge=2\n", std::nullopt));
  EXPECT_EQ(Newest(), 2);
}

TEST_F(PolicyApplicationTest, ThePartitionsThatItChangesAreListedOneByOne) {
  EXPECT_OK(Apply("NodeName=n[1-2] CPUs=4\nPartitionName=main Nodes=ALL\n", std::nullopt));
  EXPECT_OK(Apply("NodeName=n[1-2] CPUs=4\nPartitionName=main Nodes=ALL PriorityJobFactor=7\n",
                  std::nullopt));
  const std::vector<AuditEvent> events = Audit();
  ASSERT_GE(events.size(), 2u);
  EXPECT_EQ(events[0].object, "cluster test");
  EXPECT_EQ(events[1].object, "partition main");
  EXPECT_EQ(events[1].before, "PriorityJobFactor=1");
  EXPECT_EQ(events[1].after, "PriorityJobFactor=7");
}

// The site of one account with two users, and what its second dump changes.
TEST_F(PolicyApplicationTest, AnImportReportsEachObjectBeforeAndAfter) {
  const auto import = [&](const std::string& lines) {
    auto files = ReadSiteFiles({{{"dump", absl::StrCat("Cluster - 'test':Fairshare=1\n", lines)},
                                 FileKind::kSacctmgrDump}},
                               true);
    ASSERT_OK(files);
    ASSERT_OK(ImportSite(database_, *files, {"test", true}, {"adm", absl::Now()}));
  };
  import(
      "Parent - 'root'\nAccount - 'a':Fairshare=1\nParent - 'a'\n"
      "User - 'amy':DefaultAccount='a':Fairshare=2\nUser - 'ben':DefaultAccount='a'\n");
  const size_t before = Audit().size();
  import(
      "Parent - 'root'\nAccount - 'a':Fairshare=7\nParent - 'a'\n"
      "User - 'amy':DefaultAccount='a':AdminLevel='Operator':Fairshare=2\n");
  const std::vector<AuditEvent> events = Audit();
  std::map<std::string, std::string> told;
  for (size_t i = 1; i < events.size() - before; ++i) {
    EXPECT_EQ(events[i].action, "Import");
    told[events[i].object] = absl::StrCat(events[i].before, " -> ", events[i].after);
  }
  EXPECT_EQ(told["account a"], "Fairshare=1 -> Fairshare=7");
  EXPECT_EQ(told["user amy"], "AdminLevel= -> AdminLevel=Operator");
  EXPECT_EQ(told["user ben"], "DefaultAccount=a -> ");
  EXPECT_EQ(told["user ben account a"].substr(0, 11), "Fairshare=1");
  EXPECT_EQ(told.size(), 4u);
  EXPECT_EQ(events[0].object, "cluster test");
}

}  // namespace
}  // namespace priorityd::administration
