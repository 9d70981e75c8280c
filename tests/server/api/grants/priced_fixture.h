// Grants of money by a price book, and the prices of a second implementation.
#ifndef PRIORITYD_TESTS_SERVER_API_GRANTS_PRICED_FIXTURE_H_
#define PRIORITYD_TESTS_SERVER_API_GRANTS_PRICED_FIXTURE_H_

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "engine/grants/amount.h"
#include "tests/server/api/grants/grants_fixture.h"
#include "tests/times.h"

namespace priorityd::rpc {

// Nights are cheap in Berlin, where the clock goes forward on 29 March; a QOS is dear, a partition
// is dearer; energy and carbon have prices. The second version has one price.
inline constexpr char kFirst[] =
    "PriceBook - 'eur':Currency='EUR':TimeZone='Europe/Berlin':Begin='2025-12-01T00:00:00Z'\n"
    "Price - 'cpu':PerHour='0.0307':Partition='big'\n"
    "Price - 'cpu':PerHour='0.05':QOS='double'\n"
    "Price - 'cpu':PerHour='0.0113':Hours='20-8':Days='mon,tue,wed,thu,fri'\n"
    "Price - 'cpu':PerHour='0.0201'\n"
    "Price - 'energy':PerHour='0.000000000317'\n"
    "Price - 'license/carbon':PerHour='0.25':Until='2026-04-01T00:00:00Z'\n";
inline constexpr char kSecond[] =
    "PriceBook - 'eur':Currency='EUR':TimeZone='Europe/Berlin':Begin='2026-03-20T10:15:00Z'\n"
    "Price - 'cpu':PerHour='1'\n";

struct Priced {
  std::string id;
  std::string user;
  std::string partition;
  std::string qos;
  int64_t start = 0;  // Seconds after the epoch of Unix.
  int64_t end = 0;
  int64_t cpus = 0;
  int64_t energy = 0;
  int64_t carbon = 0;
  bool counts = true;
  std::string job = {};
};

class PricedGrantsTest : public GrantsTest {
 protected:
  PricedGrantsTest() {
    Apply(
        "PriorityDecayHalfLife=2:0:0\nTimeZone=UTC\nNodeName=n1 CPUs=1000\n"
        "PartitionName=p Nodes=n1 Default=YES\nPartitionName=big Nodes=n1\n");
    RecalculateAt(TestEpoch());
  }

  v1::ImportResponse ImportBooks(const std::string& content, grpc::Status* status = nullptr,
                                 bool clean = false) {
    v1::ImportRequest request;
    request.set_cluster("c");
    request.set_clean(clean);
    AddFile(v1::FILE_KIND_PRIORITYD, "own", content, &request);
    return Called<v1::ImportResponse>(request, status);
  }

  void Send(const Priced& run, const std::string& replaces = "") {
    v1::RecordUsageRequest request;
    v1::UsageRecord& record = *request.add_records();
    record = Usage(run.id, absl::FromUnixSeconds(run.start), absl::Seconds(run.end - run.start),
                   static_cast<double>(run.cpus));
    record.set_user(run.user);
    record.set_account(run.user == "cat" ? "b" : "a");
    record.set_partition(run.partition);
    record.set_qos(run.qos);
    record.set_job_id(run.job);
    record.set_replaces_record_id(replaces);
    if (run.energy > 0) (*record.mutable_tres())["energy"] = static_cast<double>(run.energy);
    if (run.carbon > 0)
      (*record.mutable_tres())["license/carbon"] = static_cast<double>(run.carbon);
    EXPECT_EQ(RecordUsage(service_, request).accepted(), 1);
  }
  // CPUs of amy for hours after TestEpoch, on Monday at 1:00 in Berlin.
  void Run(const std::string& id, double hours, int64_t length, int64_t cpus) {
    const int64_t start = absl::ToUnixSeconds(Hour(hours));
    Send({.id = id,
          .user = "amy",
          .partition = "p",
          .qos = "normal",
          .start = start,
          .end = start + 3600 * length,
          .cpus = cpus});
  }

  // With a time limit up to the end of the run.
  static v1::Job RunningJob(const Priced& run) {
    v1::Job job = JobOf(run.id, run.user);
    job.set_account(run.user == "cat" ? "b" : "a");
    job.add_partitions(run.partition);
    job.add_qos(run.qos);
    job.set_state(v1::JOB_STATE_RUNNING);
    job.set_cpus(static_cast<double>(run.cpus));
    if (run.energy > 0) (*job.mutable_tres())["energy"] = static_cast<double>(run.energy);
    if (run.carbon > 0) (*job.mutable_tres())["license/carbon"] = static_cast<double>(run.carbon);
    job.mutable_start_time()->set_seconds(run.start);
    job.mutable_time_limit()->set_seconds(run.end - run.start);
    return job;
  }

  // `left` of each window, in the currency.
  std::vector<std::string> Left(const std::string& name) {
    std::vector<std::string> left;
    const v1::GetGrantStatementResponse statement = Statement(name);
    for (const v1::GrantBalance& window : statement.windows()) {
      left.push_back(Money(window.left_tres_seconds()));
    }
    return left;
  }
  static std::string Money(const std::string& tres_seconds) {
    const auto amount = grants::Amount::FromDecimal(tres_seconds);
    EXPECT_TRUE(amount.ok()) << tres_seconds;
    return (amount.value_or(grants::Amount()) / 3600).ToDecimal();
  }
};

// kFirst and kSecond, written a second time: 1e-12 of the currency for an hour of a record.
inline __int128 NaivePrice(const Priced& run, int64_t second, bool has_second) {
  if (has_second && second >= absl::ToUnixSeconds(ParsedTime("2026-03-20T10:15:00Z"))) {
    return __int128{1'000'000'000'000} * run.cpus;
  }
  const bool is_summer = second >= absl::ToUnixSeconds(ParsedTime("2026-03-29T01:00:00Z"));
  const int64_t local = second + (is_summer ? 7200 : 3600);
  const int64_t hour = local % 86400 / 3600;
  const bool is_weekend = (local / 86400 + 3) % 7 >= 5;  // 1 January 1970 was a Thursday.
  const bool is_night = !is_weekend && (hour >= 20 || hour < 8);
  const int64_t cpu = run.partition == "big" ? 30'700'000'000
                      : run.qos == "double"  ? 50'000'000'000
                      : is_night             ? 11'300'000'000
                                             : 20'100'000'000;
  const bool is_free = second >= absl::ToUnixSeconds(ParsedTime("2026-04-01T00:00:00Z"));
  return __int128{cpu} * run.cpus + __int128{317} * run.energy +
         (is_free ? 0 : __int128{250'000'000'000} * run.carbon);
}

// In 1e-12 of the currency times seconds, quarter by quarter of an hour.
inline grants::Amount NaiveUsed(const std::vector<Priced>& runs, const std::string& account,
                                int64_t from, int64_t until, bool has_second) {
  grants::Amount used;
  for (const Priced& run : runs) {
    if (!run.counts || (run.user == "cat" ? "b" : "a") != account) continue;
    const int64_t first = std::max(run.start, from);
    const int64_t last = std::min(run.end, until);
    for (int64_t at = first / 900 * 900; at < last; at += 900) {
      const int64_t seconds = std::min(at + 900, last) - std::max(at, first);
      const __int128 price = NaivePrice(run, at, has_second);
      used += grants::Amount::OfRate(grants::Rate(price), absl::Seconds(seconds));
    }
  }
  return used;
}

}  // namespace priorityd::rpc

#endif  // PRIORITYD_TESTS_SERVER_API_GRANTS_PRICED_FIXTURE_H_
