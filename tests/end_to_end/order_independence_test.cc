// The same use of a machine comes to the same decayed usage, whatever of it is
// recorded when, in how many pieces and by how many at once.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "client/priority_client.h"
#include "client/usage_stream.h"
#include "tests/end_to_end/real_priorityd.h"
#include "tests/end_to_end/trace.h"
#include "tests/server/service/naive_usage.h"
#include "tests/storage/test_database.h"

namespace priorityd {
namespace {

namespace v1 = ::priority::v1;

using rpc::Era;
using rpc::Stretch;

constexpr size_t kShuffledRecords = 200'000;
constexpr size_t kShuffledBatch = 5'000;

absl::Time Day(int day) { return TraceBegin() + absl::Hours(24 * day); }

// The half-life changes twice, then the staff's usage is reset; the trace ends on
// the 92nd day, and the last late record comes a week after its repetitions.
const absl::Time kFirstChange = Day(40);
const absl::Time kSecondChange = Day(70);
const absl::Time kReset = Day(80);
const absl::Time kEnd = Day(101);
constexpr char kResetGroup[] = "g2";
constexpr char kFirstPolicy[] = "Clock=manual\nPriorityDecayHalfLife=7-0\n";
constexpr char kSecondPolicy[] = "Clock=manual\nPriorityDecayHalfLife=2-0\n";
constexpr char kThirdPolicy[] = "Clock=manual\nPriorityDecayHalfLife=14-0\n";

std::vector<Era> Eras() {
  return {{TraceBegin(), absl::Hours(7 * 24)},
          {kFirstChange, absl::Hours(2 * 24)},
          {kSecondChange, absl::Hours(14 * 24)}};
}

// A record, or a piece of one, and when it is recorded.
struct Arrival {
  absl::Time at;
  std::string record_id;
  absl::Time start;
  absl::Time end;
  const TraceJob* job;
};

using Arrivals = std::vector<Arrival>;

Arrivals InOrder(const std::vector<TraceJob>& jobs) {
  Arrivals arrivals;
  for (const TraceJob& job : jobs) {
    const absl::Time end = job.start + job.length;
    arrivals.push_back({end, absl::StrCat(arrivals.size()), job.start, end, &job});
  }
  return arrivals;
}

// At any time between its end and the end of all.
Arrivals Shuffled(const std::vector<TraceJob>& jobs) {
  std::mt19937 random(20261120);
  std::uniform_real_distribution<double> part(0, 1);
  Arrivals arrivals = InOrder(jobs);
  for (Arrival& arrival : arrivals) arrival.at += part(random) * (kEnd - arrival.at);
  return arrivals;
}

// As interval records: the first third of each job, then the rest.
Arrivals InPieces(const std::vector<TraceJob>& jobs) {
  Arrivals arrivals;
  for (const Arrival& whole : InOrder(jobs)) {
    const absl::Time cut =
        whole.start + absl::Trunc((whole.end - whole.start) / 3, absl::Microseconds(1));
    const std::string& id = whole.record_id;
    arrivals.push_back({cut, absl::StrCat(id, ".1"), whole.start, cut, whole.job});
    arrivals.push_back({whole.end, absl::StrCat(id, ".2"), cut, whole.end, whole.job});
  }
  return arrivals;
}

Arrivals HalfAWeekLate(const std::vector<TraceJob>& jobs) {
  Arrivals arrivals = InOrder(jobs);
  for (size_t i = 0; i < arrivals.size(); i += 2) arrivals[i].at += absl::Hours(7 * 24);
  return arrivals;
}

struct Variant {
  const char* cluster;
  Arrivals (*arrange)(const std::vector<TraceJob>& jobs);
  int streams = 1;
};

constexpr Variant kVariants[] = {{"in_order", InOrder},
                                 {"shuffled", Shuffled},
                                 {"in_pieces", InPieces},
                                 {"half_a_week_late", HalfAWeekLate},
                                 {"eight_streams", InOrder, 8}};

// (account, user) to usage.
using Usage = std::map<std::pair<std::string, std::string>, double>;

void Add(const TraceJob& job, double usage, Usage* sums) {
  (*sums)[{job.account, job.user}] += usage;
  (*sums)[{job.account, ""}] += usage;
  (*sums)[{job.group, ""}] += usage;
  (*sums)[{"root", ""}] += usage;
}

Usage Integral(const std::vector<TraceJob>& jobs) {
  std::map<std::string, std::vector<const TraceJob*>> by_account;
  for (const TraceJob& job : jobs) by_account[job.account].push_back(&job);
  Usage sums;
  for (const auto& [account, of_account] : by_account) {
    std::vector<Stretch> stretches;
    for (const TraceJob* job : of_account) {
      stretches.push_back({job->start, job->start + job->length, double(job->processors)});
    }
    const TraceJob& any = *of_account.front();
    const absl::Time reset = any.group == kResetGroup ? kReset : absl::InfinitePast();
    Add(any, rpc::NaiveUsage(stretches, Eras(), reset, kEnd), &sums);
  }
  return sums;
}

void ToProto(absl::Time time, google::protobuf::Timestamp* proto) {
  const int64_t micros = absl::ToUnixMicros(time);
  proto->set_seconds(micros / 1'000'000);
  proto->set_nanos(static_cast<int32_t>(micros % 1'000'000) * 1000);
}

// A cluster of its own, to which one variant is recorded.
class ShuffledSite {
 public:
  ShuffledSite(const std::string& address, const std::string& cluster)
      : client_({.address = address, .cluster = cluster}) {}

  void SetUp(const std::vector<TraceJob>& jobs) {
    const std::string& cluster = client_.options().cluster;
    v1::ImportRequest request;
    v1::File* conf = request.add_files();
    conf->set_name("slurm.conf");
    conf->set_kind(v1::FILE_KIND_SLURM_CONF);
    conf->set_content(absl::StrCat("ClusterName=", cluster, "\n", kFirstPolicy));
    v1::File* dump = request.add_files();
    dump->set_name("dump");
    dump->set_kind(v1::FILE_KIND_SACCTMGR_DUMP);
    dump->set_content(TraceSite(jobs, cluster));
    Check(client_.Import(request).status());
    RecalculateAt(TraceBegin());
  }

  // Records what arrives in [from, to), in the order of its arrival.
  void Record(const Arrivals& arrivals, absl::Time from, absl::Time to, int streams) {
    const auto before = [](const Arrival& a, absl::Time time) { return a.at < time; };
    const auto begin = std::lower_bound(arrivals.begin(), arrivals.end(), from, before);
    const size_t count = std::lower_bound(begin, arrivals.end(), to, before) - begin;
    std::vector<std::thread> threads;
    for (int stream = 0; stream < streams; ++stream) {
      threads.emplace_back([&, stream] {
        const size_t first = count * stream / streams;
        Send(&*begin + first, count * (stream + 1) / streams - first);
      });
    }
    for (std::thread& thread : threads) thread.join();
  }

  void Apply(const char* policy) {
    v1::ApplyPolicyRequest request;
    request.set_text(policy);
    Check(client_.ApplyPolicy(request).status());
  }

  void RecalculateAt(absl::Time time) {
    v1::RecalculateRequest request;
    ToProto(time, request.mutable_as_of());
    Check(client_.Recalculate(request).status());
  }

  void ResetTheStaff() {
    v1::ResetUsageRequest request;
    request.set_account(kResetGroup);
    Check(client_.ResetUsage(request).status());
  }

  Usage Read() {
    const auto shares = client_.ListAllShares({});
    Check(shares.status());
    Usage usage;
    for (const v1::AssociationShare& share : shares->shares()) {
      usage[{share.account(), share.user()}] = share.raw_usage();
    }
    return usage;
  }

  int64_t DifferentRows() {
    v1::RebuildUsageRequest request;
    request.set_validate_only(true);
    const auto rebuilt = client_.RebuildUsage(request, [](const v1::RebuildUsageResponse&) {});
    Check(rebuilt.status());
    return rebuilt->different_rows();
  }

 private:
  static void Check(const absl::Status& status) { ASSERT_TRUE(status.ok()) << status; }

  void Send(const Arrival* arrivals, size_t count) {
    client::UsageStream stream(&client_, [](const v1::RecordUsageResponse& answer) {
      EXPECT_EQ(answer.accepted(), answer.results_size());
    });
    for (size_t first = 0; first < count; first += kShuffledBatch) {
      v1::RecordUsageRequest batch;
      for (size_t i = first; i < std::min(count, first + kShuffledBatch); ++i) {
        const Arrival& arrival = arrivals[i];
        v1::UsageRecord* record = batch.add_records();
        record->set_source("trace");
        record->set_record_id(arrival.record_id);
        record->set_user(arrival.job->user);
        record->set_account(arrival.job->account);
        ToProto(arrival.start, record->mutable_start_time());
        ToProto(arrival.end, record->mutable_end_time());
        (*record->mutable_tres())["cpu"] = arrival.job->processors;
      }
      Check(stream.Send(std::move(batch)));
    }
    Check(stream.Flush());
  }

  const client::PriorityClient client_;
};

Usage Replay(const std::string& address, const Variant& variant,
             const std::vector<TraceJob>& jobs) {
  Arrivals arrivals = variant.arrange(jobs);
  std::stable_sort(arrivals.begin(), arrivals.end(),
                   [](const Arrival& a, const Arrival& b) { return a.at < b.at; });
  ShuffledSite site(address, variant.cluster);
  site.SetUp(jobs);
  const auto record = [&](absl::Time from, absl::Time to) {
    site.Record(arrivals, from, to, variant.streams);
  };
  record(absl::InfinitePast(), kFirstChange);
  site.Apply(kSecondPolicy);
  site.RecalculateAt(kFirstChange);
  record(kFirstChange, kSecondChange);
  site.Apply(kThirdPolicy);
  site.RecalculateAt(kSecondChange);
  record(kSecondChange, kReset);
  site.RecalculateAt(kReset);
  site.ResetTheStaff();
  record(kReset, absl::InfiniteFuture());
  site.RecalculateAt(kEnd);
  EXPECT_EQ(site.DifferentRows(), 0);
  return site.Read();
}

void ExpectSame(const Usage& got, const Usage& want) {
  ASSERT_EQ(got.size(), want.size());
  for (const auto& [name, usage] : want) {
    EXPECT_NEAR(got.at(name), usage, 1e-9 * usage) << name.first << " " << name.second;
  }
}

TEST(OrderIndependenceTest, UsageIsTheIntegralHoweverItComes) {
  const std::vector<TraceJob> jobs = ReadTrace(kShuffledRecords);
  RealPriorityd priorityd(
      {"--listen=127.0.0.1:0", "--data_dir=" + storage::NewTestDirectory() + "/data"});
  ASSERT_TRUE(priorityd.AwaitListening());
  const Usage integral = Integral(jobs);
  ASSERT_EQ(integral.size(), 69u + 69u + 2u + 1u);
  Usage in_order;
  for (const Variant& variant : kVariants) {
    SCOPED_TRACE(variant.cluster);
    const Usage usage = Replay(priorityd.address(), variant, jobs);
    ExpectSame(usage, integral);
    if (in_order.empty()) in_order = usage;
    ExpectSame(usage, in_order);
  }
}

}  // namespace
}  // namespace priorityd
