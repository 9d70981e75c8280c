#include <atomic>
#include <memory>
#include <thread>

#include "server/usage/ledger_sum.h"
#include "server/usage/price_books.h"
#include "storage/configuration/cluster_store.h"
#include "tests/server/service/usage_site.h"

namespace priorityd::rpc {
namespace {

class RebuildTest : public UsageSite {
 protected:
  RebuildTest() {
    Start("PriorityDecayHalfLife=2:0:0\n");
    Record({Hour(0), Hour(3), 2}, "amy", "a", "double");
    Record({Hour(1), Hour(2), 1}, "ben");
    Record({Hour(1), Hour(2), 4}, "");
    RecalculateAt(Hour(4));
  }
};

TEST_F(RebuildTest, RowsAreThoseOfTheLedger) {
  const v1::RebuildUsageResponse answer = Rebuild(false);
  EXPECT_EQ(answer.records(), 3);
  EXPECT_EQ(answer.rows(), 5);  // amy, ben, a, and QOS normal and double.
  EXPECT_EQ(answer.different_rows(), 0);
}

TEST_F(RebuildTest, AWrongRowIsNamedAndCorrected) {
  const double right = UsageOf("a", "amy");
  Execute(
      "UPDATE priorityd.association_usage SET value = value * 2, changed_xid = DEFAULT "
      "WHERE association_id = "
      "(SELECT id FROM priorityd.association WHERE user_name = 'amy')");
  RecalculateAt(Hour(4));
  ExpectClose(UsageOf("a", "amy"), 2 * right);
  const v1::RebuildUsageResponse answer = Rebuild(false);
  ASSERT_EQ(answer.different_rows(), 1);
  EXPECT_EQ(answer.differences(0).account(), "a");
  EXPECT_EQ(answer.differences(0).user(), "amy");
  ExpectClose(answer.differences(0).stored(), 2 * right);
  ExpectClose(answer.differences(0).rebuilt(), right);
  RecalculateAt(Hour(4));
  ExpectClose(UsageOf("a", "amy"), right);
  EXPECT_EQ(Rebuild(true).different_rows(), 0);
}

TEST_F(RebuildTest, ADifferenceOfTenParts1e9IsOneAndOfATenthIsNone) {
  Execute("UPDATE priorityd.association_usage SET value = value * (1 + 1e-10)");
  EXPECT_EQ(Rebuild(true).different_rows(), 0);
  Execute("UPDATE priorityd.association_usage SET value = value * (1 + 1e-8)");
  EXPECT_EQ(Rebuild(true).different_rows(), 3);
}

TEST_F(RebuildTest, ValidateOnlyChangesNothing) {
  Execute("DELETE FROM priorityd.association_usage");
  EXPECT_EQ(Rebuild(true).different_rows(), 3);
  EXPECT_EQ(Rebuild(true).different_rows(), 3);
}

TEST_F(RebuildTest, LostRowsAreBuiltAgainThoseOfQosToo) {
  const double right = UsageOf("a", "");
  Execute("DELETE FROM priorityd.association_usage");
  Execute("DELETE FROM priorityd.qos_usage");
  RecalculateAt(Hour(4));
  EXPECT_EQ(UsageOf("a", ""), 0);
  const v1::RebuildUsageResponse answer = Rebuild(false);
  ASSERT_EQ(answer.different_rows(), 5);
  EXPECT_EQ(answer.differences(3).qos(), "normal");
  EXPECT_EQ(answer.differences(4).qos(), "double");
  RecalculateAt(Hour(4));
  ExpectClose(UsageOf("a", ""), right);
}

TEST_F(RebuildTest, UsageWithoutARecordIsTakenAway) {
  Execute(
      "INSERT INTO priorityd.association_usage (association_id, cluster_id, value, as_of) "
      "SELECT id, cluster_id, 5, '2026-01-05' FROM priorityd.association "
      "WHERE user_name = 'cat'");
  EXPECT_EQ(Rebuild(false).different_rows(), 1);
  RecalculateAt(Hour(4));
  EXPECT_EQ(UsageOf("b", "cat"), 0);
}

TEST_F(RebuildTest, WrongTresAndWallSecondsAreFoundToo) {
  Execute("UPDATE priorityd.association_usage SET wall_seconds = 1 WHERE wall_seconds > 0");
  EXPECT_EQ(Rebuild(false).different_rows(), 3);
  Execute("UPDATE priorityd.qos_usage SET tres_seconds = '{7}'");
  EXPECT_EQ(Rebuild(false).different_rows(), 2);
  EXPECT_EQ(Rebuild(true).different_rows(), 0);
}

TEST_F(RebuildTest, OpeningUsageStaysAsItIs) {
  v1::ImportRequest import;
  import.set_cluster("c");
  AddFile(v1::FILE_KIND_USAGE, "usage", "b|cat||100\n", &import);
  Import(service_, import);
  EXPECT_EQ(Rebuild(false).different_rows(), 0);
  RecalculateAt(Hour(4));
  EXPECT_DOUBLE_EQ(UsageOf("b", "cat"), 100);
}

TEST_F(RebuildTest, AReplacedRecordCountsNothing) {
  v1::RecordUsageRequest request;
  *request.add_records() = Usage("right", Hour(0), absl::Hours(1), 1);
  request.mutable_records(0)->set_replaces_record_id("r1");
  EXPECT_EQ(RecordUsage(service_, request).accepted(), 1);
  const v1::RebuildUsageResponse answer = Rebuild(false);
  EXPECT_EQ(answer.records(), 3);
  EXPECT_EQ(answer.different_rows(), 0);
  Execute("DELETE FROM priorityd.association_usage");
  Rebuild(false);
  RecalculateAt(Hour(4));
  ExpectClose(UsageOf("a", "amy"), NaiveUsage({{Hour(0), Hour(1), 1}}, {{Hour(0), absl::Hours(2)}},
                                              absl::InfinitePast(), Hour(4)));
}

TEST_F(RebuildTest, ItLeavesAnAuditRow) {
  Rebuild(false);
  const auto events = service_.database().Read([](storage::Transaction& t) {
    return t.Execute("SELECT FROM priorityd.audit_event WHERE action = 'RebuildUsage'");
  });
  ASSERT_TRUE(events.ok()) << events.status();
  EXPECT_EQ(*events, 1);
}

TEST_F(RebuildTest, ItLeavesThePricesAsTheyAreWhereAResetDoesNot) {
  usage::PriceBooks books(&service_.database());
  const auto current = [&] {
    std::shared_ptr<const usage::PriceBook> book;
    const absl::Status status = service_.database().Write([&](storage::Transaction& t) {
      const int32_t cluster = storage::ClusterStore(t).Find("c").value()->id;
      absl::Status locked = storage::ClusterStore(t).LockShared(cluster);
      if (locked.ok()) book = books.Current(t, cluster, "c").value();
      return locked;
    });
    EXPECT_TRUE(status.ok()) << status;
    return book;
  };
  const auto before = current();
  Rebuild(false);
  EXPECT_EQ(current(), before);
  Rebuild(false);
  EXPECT_EQ(current(), before);
  Reset("a");
  Rebuild(false);
  EXPECT_NE(current(), before);
}

TEST_F(RebuildTest, RecordsThatArriveMeanwhileCountOnce) {
  std::atomic<bool> done = false;
  std::thread recorder([&] {
    for (int i = 0; i < 150; ++i) {
      Record({Hour(i * 0.01), Hour(i * 0.01 + 1), 1}, i % 2 == 0 ? "amy" : "ben");
    }
    done = true;
  });
  int rebuilds = 0;
  for (; !done || rebuilds == 0; ++rebuilds) EXPECT_EQ(Rebuild(true).different_rows(), 0);
  recorder.join();
  const v1::RebuildUsageResponse answer = Rebuild(true);
  EXPECT_EQ(answer.records(), 153);
  EXPECT_EQ(answer.different_rows(), 0);
  std::vector<Stretch> amy = {{Hour(0), Hour(3), 4}};
  for (int i = 0; i < 150; i += 2) amy.push_back({Hour(i * 0.01), Hour(i * 0.01 + 1), 1});
  RecalculateAt(Hour(5));
  ExpectClose(UsageOf("a", "amy"),
              NaiveUsage(amy, {{Hour(0), absl::Hours(2)}}, absl::InfinitePast(), Hour(5)));
}

TEST_F(RebuildTest, ARecordReplacedWhileTheLedgerIsReadCountsNothing) {
  usage::DecayRules rules;
  int32_t cluster_id = 0;
  const absl::Status read = service_.database().Read([&](storage::Transaction& t) {
    auto state = storage::ReadClusterConfiguration(t, "c");
    if (!state.ok()) return state.status();
    cluster_id = state->cluster.id;
    auto found = usage::DecayRulesOf(*state);
    if (found.ok()) rules = *std::move(found);
    return found.status();
  });
  ASSERT_TRUE(read.ok()) << read;
  usage::LedgerSum sum(cluster_id, rules);
  const auto ignore = [](const usage::Progress&) { return absl::OkStatus(); };
  ASSERT_TRUE(sum.ReadAhead(service_.database(), ignore).ok());
  v1::RecordUsageRequest request;
  *request.add_records() = Usage("right", Hour(0), absl::Hours(1), 1);
  request.mutable_records(0)->set_replaces_record_id("r1");
  EXPECT_EQ(RecordUsage(service_, request).accepted(), 1);
  size_t differences = 1;
  const absl::Status compared = service_.database().Write([&](storage::Transaction& t) {
    if (absl::Status s = storage::ClusterStore(t).Lock(cluster_id); !s.ok()) return s;
    if (absl::Status s = sum.ReadRest(t); !s.ok()) return s;
    auto found = sum.Compare(t, Hour(4), {.relative = 1e-9});
    if (found.ok()) differences = found->size();
    return found.status();
  });
  EXPECT_TRUE(compared.ok()) << compared;
  EXPECT_EQ(differences, 0u);
  EXPECT_EQ(sum.records(), 3);
}

}  // namespace
}  // namespace priorityd::rpc
