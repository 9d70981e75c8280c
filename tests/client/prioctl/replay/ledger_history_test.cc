#include "client/prioctl/replay/ledger_history.h"

#include <string>
#include <vector>

#include "client/prioctl/replay/sacct_history.h"
#include "client/slurm/tables/sacct_records.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace priorityd::replay {
namespace {

namespace v1 = ::priority::v1;

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Also a job that was suspended, one without a limit and one that ran again.
constexpr char kSacct[] =
    "JobIDRaw|User|Account|Partition|QOS|Submit|Eligible|Start|End|Suspended|Timelimit|AllocTRES|"
    "NodeList\n"
    "1|fay|chem|main|normal|2026-11-20T10:00:00|2026-11-20T10:00:00|2026-11-20T10:00:00|"
    "2026-11-20T12:00:00|00:20:00|02:00:00|cpu=256,mem=62.50G,node=8,gres/gpu=2,billing=7|n[1-8]\n"
    "2|fay|chem|main,debug||2026-11-20T10:10:00|2026-11-20T10:30:00|2026-11-20T12:00:00|"
    "2026-11-20T13:00:00|00:00:00|UNLIMITED|cpu=256,node=8|n[1-8]\n"
    "3|eve|chem|main|normal|2026-11-20T10:20:00|2026-11-20T10:20:00|2026-11-20T10:30:00|"
    "2026-11-20T10:40:00|00:00:00|02:00:00|cpu=1,node=1|n9\n"
    "3|eve|chem|main|normal|2026-11-20T10:20:00|2026-11-20T10:20:00|2026-11-20T13:00:00|"
    "2026-11-20T13:30:00|00:00:00|02:00:00|cpu=1,node=1|n9\n";

// As a service lists what was recorded of a table.
v1::ListUsageRecordsResponse Recorded(const std::string& sacct) {
  const auto read = tables::ReadSacctRecords("sacct.txt", sacct, "s", absl::UTCTimeZone());
  EXPECT_TRUE(read.ok()) << read.status();
  v1::ListUsageRecordsResponse list;
  list.set_cluster("c");
  for (const v1::UsageRecord& record : read->records) {
    v1::LedgerRecord& row = *list.add_records();
    *row.mutable_record() = record;
    row.set_account(record.account());
  }
  return list;
}

TEST(LedgerHistoryTest, WhatWasRecordedOfATableIsTheHistoryThatTheTableIs) {
  std::vector<std::string> notes;
  const History ledger = LedgerHistory(Recorded(kSacct), &notes);
  const History table = *ReadSacctHistory("sacct.txt", kSacct, absl::UTCTimeZone());
  EXPECT_EQ(ledger.name, "the ledger of c");
  EXPECT_EQ(ledger.left_out, table.left_out);
  EXPECT_TRUE(notes.empty());
  ASSERT_EQ(ledger.jobs.size(), table.jobs.size());
  for (size_t i = 0; i < table.jobs.size(); ++i) {
    const laboratory::HistoryJob &a = ledger.jobs[i], &b = table.jobs[i];
    SCOPED_TRACE(b.id);
    EXPECT_EQ(a.id, b.id);
    EXPECT_EQ(a.user, b.user);
    EXPECT_EQ(a.account, b.account);
    EXPECT_EQ(a.partitions, b.partitions);
    EXPECT_EQ(a.qos, b.qos);
    EXPECT_EQ(a.submit, b.submit);
    EXPECT_EQ(a.eligible, b.eligible);
    EXPECT_EQ(a.start, b.start);
    EXPECT_EQ(a.run_time, b.run_time);
    EXPECT_EQ(a.nodes, b.nodes);
    EXPECT_EQ(a.cpus, b.cpus);
    EXPECT_EQ(a.tres, b.tres);
    EXPECT_EQ(a.time_limit, b.time_limit);
    EXPECT_EQ(a.node_names, b.node_names);
  }
}

TEST(LedgerHistoryTest, MissingFactsAreCounted) {
  v1::ListUsageRecordsResponse list = Recorded(kSacct);
  list.mutable_records(0)->mutable_record()->clear_job();
  std::vector<std::string> notes;
  const History history = LedgerHistory(list, &notes);
  EXPECT_THAT(notes, ElementsAre(HasSubstr("1 job without a submit time"),
                                 HasSubstr("1 job without a time limit")));
  EXPECT_TRUE(history.has_waits);
  ASSERT_EQ(history.jobs[0].id, "1");
  EXPECT_EQ(history.jobs[0].eligible, history.jobs[0].start);
}

TEST(LedgerHistoryTest, WhatRunsAndWhatHoldsNothingIsLeftOut) {
  v1::ListUsageRecordsResponse list = Recorded(kSacct);
  list.mutable_records(0)->mutable_record()->mutable_job()->set_state("RUNNING");
  list.mutable_records(1)->mutable_record()->clear_tres();
  std::vector<std::string> notes;
  const History history = LedgerHistory(list, &notes);
  EXPECT_EQ(history.left_out.at("still running"), 1);
  EXPECT_EQ(history.left_out.at("held no TRES"), 1);
  EXPECT_EQ(history.jobs.size(), 1u);
}

TEST(LedgerHistoryTest, ALedgerWithoutSubmitTimesHasNoWaits) {
  v1::ListUsageRecordsResponse list = Recorded(kSacct);
  for (v1::LedgerRecord& row : *list.mutable_records()) row.mutable_record()->clear_job();
  std::vector<std::string> notes;
  EXPECT_FALSE(LedgerHistory(list, &notes).has_waits);
}

}  // namespace
}  // namespace priorityd::replay
