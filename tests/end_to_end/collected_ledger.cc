#include "tests/end_to_end/collected_ledger.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "priority/v1/admin_service.grpc.pb.h"
#include "storage/configuration/cluster_store.h"
#include "storage/database/database.h"
#include "storage/ledger/ledger_store.h"
#include "tests/end_to_end/import_site.h"

namespace priorityd {
namespace {

namespace v1 = ::priority::v1;

using storage::UsageRecord;

// By source, then by record_id.
using LedgerBySource = std::map<std::string, std::map<std::string, UsageRecord>>;

LedgerBySource ReadLedger(const std::string& database_url) {
  storage::Database database({.url = database_url});
  LedgerBySource ledger;
  const absl::Status status = database.Read([&](storage::Transaction& t) -> absl::Status {
    auto cluster = storage::ClusterStore(t).Find("c");
    if (!cluster.ok()) return cluster.status();
    int64_t after = 0;
    for (;;) {
      auto page = storage::LedgerStore(t).List((*cluster)->id, after, 10'000);
      if (!page.ok() || page->empty()) return page.status();
      for (const storage::LedgerEntry& entry : *page) {
        const storage::SubmittedUsage& usage = entry.record.submitted;
        EXPECT_TRUE(ledger[usage.source].emplace(usage.record_id, entry.record).second);
        after = entry.seq;
      }
    }
  });
  EXPECT_TRUE(status.ok()) << status;
  return ledger;
}

double SecondsOf(const UsageRecord& record) {
  return absl::ToDoubleSeconds(record.submitted.end_time - record.submitted.start_time);
}

double UsageOf(const UsageRecord& record) { return record.billing_rate * SecondsOf(record); }

absl::Time ToTime(const google::protobuf::Timestamp& proto) {
  return absl::FromUnixSeconds(proto.seconds());
}

// Takes the plain records and corrections out of `ledger`; the usage of those that
// count.
double TakeRecords(int collector, int64_t count, std::map<std::string, UsageRecord>* ledger) {
  double usage = 0;
  for (int64_t i = 0; i < count; ++i) {
    if (collected::IsCounters(i)) continue;
    const v1::UsageRecord sent = collected::RecordOf(collector, i);
    const auto found = ledger->find(sent.record_id());
    if (found == ledger->end()) {
      ADD_FAILURE() << "collector " << collector << ": record " << i << " is lost";
      continue;
    }
    EXPECT_EQ(found->second.submitted.replaces_record_id, sent.replaces_record_id());
    EXPECT_EQ(UsageOf(found->second), 10 * sent.tres().at("cpu"));
    if (collected::Counts(i, count)) usage += UsageOf(found->second);
    ledger->erase(found);
  }
  return usage;
}

// The usage of all jobs by their counters, which `intervals` must come to.
double CheckIntervals(int collector, int64_t count,
                      const std::map<std::string, UsageRecord>& intervals) {
  std::map<std::string, v1::UsageRecord> last;
  for (int64_t i = 0; i < count; ++i) {
    const v1::UsageRecord sent = collected::RecordOf(collector, i);
    if (collected::IsCounters(i)) last[sent.job_id()] = sent;
  }
  std::map<std::string, std::map<absl::Time, const UsageRecord*>> by_job;
  for (const auto& [id, interval] : intervals) {
    EXPECT_TRUE(absl::StartsWith(id, "counters:")) << id << " was not recorded";
    by_job[interval.submitted.job_id][interval.submitted.start_time] = &interval;
  }
  EXPECT_EQ(by_job.size(), last.size());
  double usage = 0;
  for (const auto& [job, counters] : last) {
    absl::Time reached = ToTime(counters.start_time());
    double of_job = 0;
    for (const auto& [start, interval] : by_job[job]) {
      EXPECT_EQ(start, reached) << job;
      reached = interval->submitted.end_time;
      of_job += UsageOf(*interval);
    }
    EXPECT_EQ(reached, ToTime(counters.end_time())) << job;
    const double counted = counters.counters().tres_seconds().at("cpu");
    EXPECT_NEAR(of_job, counted, 1e-9 * counted) << job;
    usage += counted;
  }
  return usage;
}

// The usage of each user.
std::map<std::string, double> ReadUsage(const RealPriorityd& priorityd) {
  auto channel = priorityd.Connect();
  grpc::ClientContext recalculate, list;
  v1::Snapshot snapshot;
  const grpc::Status status =
      v1::AdminService::NewStub(channel)->Recalculate(&recalculate, {}, &snapshot);
  EXPECT_TRUE(status.ok()) << status.error_message();
  v1::ListSharesResponse shares;
  EXPECT_TRUE(v1::PriorityService::NewStub(channel)->ListShares(&list, {}, &shares).ok());
  std::map<std::string, double> usage;
  for (const v1::AssociationShare& share : shares.shares()) usage[share.user()] = share.raw_usage();
  return usage;
}

void ExpectNoDifferences(const RealPriorityd& priorityd) {
  v1::RebuildUsageRequest request;
  request.set_validate_only(true);
  grpc::ClientContext context;
  auto reader = v1::AdminService::NewStub(priorityd.Connect())->RebuildUsage(&context, request);
  v1::RebuildUsageResponse response;
  while (reader->Read(&response)) {
  }
  const grpc::Status status = reader->Finish();
  EXPECT_TRUE(status.ok()) << status.error_message();
  EXPECT_TRUE(response.done());
  EXPECT_EQ(response.different_rows(), 0);
}

}  // namespace

std::string EmbeddedDatabaseUrl(const std::string& data_dir) {
  std::string socket = data_dir + "/socket";
  // Where the path is too long for a socket.
  std::ifstream note(data_dir + "/socket_dir");
  if (note) std::getline(note, socket);
  return absl::StrCat("host=", socket, " user=priorityd dbname=priorityd");
}

void ImportCollectors(const RealPriorityd& priorityd) {
  std::string dump =
      "Cluster - 'c':Fairshare=1\nParent - 'root'\nAccount - 'a':Fairshare=1\nParent - 'a'\n";
  for (int i = 0; i < Collectors::kCount; ++i) {
    absl::StrAppend(&dump, "User - '", collected::UserOf(i), "':DefaultAccount='a':Fairshare=1\n");
  }
  ImportSite(*v1::AdminService::NewStub(priorityd.Connect()),
             "ClusterName=c\nPriorityDecayHalfLife=0\nPriorityUsageResetPeriod=NONE\n", dump);
}

void ExpectCollectedOnce(const RealPriorityd& priorityd, const std::string& database_url,
                         const CollectedCounts& recorded) {
  LedgerBySource ledger = ReadLedger(database_url);
  const std::map<std::string, double> usage = ReadUsage(priorityd);
  for (int i = 0; i < Collectors::kCount; ++i) {
    SCOPED_TRACE(i);
    const int64_t count = recorded[i];
    auto& of_collector = ledger[collected::SourceOf(i)];
    const double of_records = TakeRecords(i, count, &of_collector);
    const double want = of_records + CheckIntervals(i, count, of_collector);
    EXPECT_NEAR(usage.at(collected::UserOf(i)), want, 1e-9 * want);
  }
  ExpectNoDifferences(priorityd);
}

}  // namespace priorityd
