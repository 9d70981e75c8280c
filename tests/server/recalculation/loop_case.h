// A database with clusters for a loop.
#ifndef PRIORITYD_TESTS_SERVER_RECALCULATION_LOOP_CASE_H_
#define PRIORITYD_TESTS_SERVER_RECALCULATION_LOOP_CASE_H_

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "server/administration/imports/site_import.h"
#include "server/recalculation/recalculation_loop.h"
#include "server/recalculation/snapshot_registry.h"
#include "storage/database/database.h"
#include "tests/storage/test_database.h"

namespace priorityd::recalculation {

// Longer than a loop waits for a processor.
inline constexpr LeadershipOptions kLeadsOn = {.lease = absl::Minutes(10)};
inline const absl::Time kLoopStart = absl::FromUnixSeconds(1'767'571'200);

using SnapshotPtr = std::shared_ptr<const priority::Snapshot>;

class RecalculationLoopTest : public testing::Test {
 protected:
  void ImportCluster(const std::string& name, int period_minutes) {
    const std::string conf =
        absl::StrCat("ClusterName=", name, "\nPriorityType=priority/multifactor\n",
                     "PriorityCalcPeriod=", period_minutes,
                     "\nNodeName=n[1-2] CPUs=4\nPartitionName=main Nodes=ALL Default=YES\n");
    const auto files = administration::ReadSiteFiles(
        {{{"slurm.conf", conf}, administration::FileKind::kSlurmConf}}, false);
    ASSERT_TRUE(files.ok()) << files.status();
    const auto imported =
        administration::ImportSite(database_, *files, {}, {.principal = "test", .now = now()});
    ASSERT_TRUE(imported.ok()) << imported.status();
  }
  absl::Time now() const { return absl::FromUnixMicros(now_micros_); }
  void SetNow(absl::Time now) { now_micros_ = absl::ToUnixMicros(now); }
  threads::Clocks Clocks() const {
    return {.site = [this] { return now(); }, .real = absl::Now};
  }

  std::atomic<int64_t> now_micros_ = absl::ToUnixMicros(kLoopStart);
  storage::Database database_{{.url = storage::NewTestDatabase()}};
  SnapshotRegistry registry_{absl::Now};
};

}  // namespace priorityd::recalculation

#endif  // PRIORITYD_TESTS_SERVER_RECALCULATION_LOOP_CASE_H_
