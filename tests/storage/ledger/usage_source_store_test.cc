#include "storage/ledger/usage_source_store.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "storage/ledger/ledger_store.h"
#include "tests/storage/store_test.h"

namespace priorityd::storage {
namespace {

class UsageSourceStoreTest : public StoreTest {
 protected:
  // `count` records of a source whose ends are `ends` in this order, in seconds.
  void Append(int32_t cluster_id, const std::string& source, const std::vector<int>& ends) {
    std::vector<UsageRecord> records(ends.size());
    std::vector<const UsageRecord*> pointers;
    for (size_t i = 0; i < ends.size(); ++i) {
      SubmittedUsage& usage = records[i].submitted;
      usage.source = source;
      usage.record_id = absl::StrCat(source, ++next_id_);
      usage.job_id = absl::StrCat("job", next_id_);
      usage.start_time = absl::UnixEpoch();
      usage.end_time = absl::FromUnixSeconds(ends[i]);
      records[i].association_id = 1;
      records[i].billing_rate = 1;
      pointers.push_back(&records[i]);
    }
    // One by one, so that their order is the given one.
    for (const UsageRecord* record : pointers) {
      ASSERT_OK(Write([&](Transaction& t) { return LedgerStore(t).Insert(cluster_id, {record}); }));
    }
  }
  std::vector<UsageSource> List(const std::string& after = "",
                                const std::vector<std::string>& only = {}, int64_t limit = 100) {
    auto sources = Read(
        [&](Transaction& t) { return UsageSourceStore(t).List(cluster_.id, after, only, limit); });
    EXPECT_OK(sources);
    return sources.value_or(std::vector<UsageSource>());
  }
  static std::string Ends(const std::vector<UsageSource>& sources) {
    std::string text;
    for (const UsageSource& source : sources) {
      absl::StrAppend(&text, source.source, "=", absl::ToUnixSeconds(source.last_end), "/",
                      source.last_job_id, " ");
    }
    return text;
  }

  int next_id_ = 0;
};

TEST_F(UsageSourceStoreTest, EachSourceOfTheClusterHasItsLatestEnd) {
  EXPECT_EQ(Ends(List()), "");
  Append(cluster_.id, "pbs", {30, 50, 40});
  Append(cluster_.id, "a b'\"", {7});
  Append(cluster_.id, "sacct", {60, 60});
  const auto other =
      Write([](Transaction& t) { return ClusterStore(t).FindOrCreate("other"); })->id;
  Append(other, "pbs", {900});
  Append(other, "elsewhere", {900});
  EXPECT_EQ(Ends(List()), "a b'\"=7/job4 pbs=50/job2 sacct=60/job6 ");
  for (const UsageSource& source : List()) {
    EXPECT_LT(absl::Now() - source.last_recorded_at, absl::Hours(1));
  }
}

TEST_F(UsageSourceStoreTest, PagesAndBoundSourcesAreParts) {
  for (const char* source : {"a", "b", "c", "d"}) Append(cluster_.id, source, {1});
  EXPECT_EQ(List("", {}, 2).back().source, "b");
  EXPECT_EQ(List("b", {}, 2).front().source, "c");
  EXPECT_EQ(Ends(List("", {"d", "b", "none"})), "b=1/job2 d=1/job4 ");
  EXPECT_EQ(Ends(List("", {"d", "b"}, 1)), "b=1/job2 ");
}

// A second implementation: all records are read.
TEST_F(UsageSourceStoreTest, ManyRecordsAreAsIfAllWereRead) {
  ASSERT_OK(Write([&](Transaction& t) {
    return t.Execute(
        "INSERT INTO priorityd.usage_record (cluster_id, source, record_id, job_id, user_name, "
        "account, partition, qos, start_time, end_time, tres_ids, tres_counts, replaces_record_id, "
        "association_id, billing_rate, usage_factor) SELECT $1, 's' || i % 7, 'r' || i, 'j' || i, "
        "'', '', '', '', 'epoch', timestamptz 'epoch' + make_interval(secs => hashint4(i) % 1000 + "
        "2000), '{}', '{}', '', 1, 1, 1 FROM generate_series(1, 20000) AS i",
        {cluster_.id});
  }));
  const auto naive = Read([&](Transaction& t) {
    return t.Query(OnlyColumn<std::string>,
                   "SELECT DISTINCT ON (source) source || '=' || extract(epoch FROM "
                   "end_time)::bigint || '/' || job_id FROM priorityd.usage_record "
                   "WHERE cluster_id = $1 ORDER BY source, end_time DESC, seq DESC",
                   {cluster_.id});
  });
  std::string want;
  for (const std::string& line : *naive) absl::StrAppend(&want, line, " ");
  EXPECT_EQ(Ends(List()), want);
  // Before and after the planner knows the table.
  for (const bool analyzed : {false, true}) {
    if (analyzed) {
      ASSERT_OK(Write([](Transaction& t) { return t.ExecuteScript("ANALYZE"); }));
    }
    const auto read = Read([&](Transaction& t) {
      return RowsReadBy(t, "priorityd.usage_record", [&] {
        return UsageSourceStore(t).List(cluster_.id, "", {}, 100).status();
      });
    });
    EXPECT_LE(*read, 100) << analyzed;
  }
}

}  // namespace
}  // namespace priorityd::storage
