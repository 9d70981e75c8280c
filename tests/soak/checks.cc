#include "tests/soak/checks.h"

#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "client/rpc_error.h"
#include "tests/soak/site.h"

namespace priorityd::soak {
namespace {

namespace v1 = ::priority::v1;

using ::google::protobuf::util::MessageDifferencer;

constexpr absl::Duration kPatience = absl::Minutes(2);
constexpr absl::Duration kPeriod = absl::Minutes(1);
// A lease of 4 s is to run out, connections to be given up (15 s), and processes to be heard.
constexpr absl::Duration kFailover = absl::Seconds(25);
constexpr absl::Duration kSlack = absl::Seconds(20);

// Until it succeeds.
template <typename Call>
auto Insist(Call call) {
  const absl::Time until = absl::Now() + kPatience;
  auto answer = call();
  while (!answer.ok() && MayPass(answer.status()) && absl::Now() < until) {
    absl::SleepFor(absl::Milliseconds(50));
    answer = call();
  }
  EXPECT_TRUE(answer.ok()) << answer.status();
  return answer.ok() ? *std::move(answer) : typename decltype(answer)::value_type();
}

v1::ListSharesResponse Shares(const Replica& replica, int cluster) {
  v1::ListSharesRequest request;
  request.set_cluster(ClusterName(cluster));
  return Insist([&] { return replica.client().ListShares(request); });
}

// By replica; asked again where a recalculation comes between.
std::vector<v1::ListSharesResponse> SharesOfOneGeneration(const Replicas& replicas, int cluster) {
  const absl::Time until = absl::Now() + kPatience;
  for (;;) {
    std::vector<v1::ListSharesResponse> shares;
    bool same = true;
    for (const auto& replica : replicas) {
      shares.push_back(Shares(*replica, cluster));
      shares.back().mutable_snapshot()->clear_stale_for();
      same &= shares.back().snapshot().generation() == shares[0].snapshot().generation();
    }
    if (same) return shares;
    if (absl::Now() > until) ADD_FAILURE() << ClusterName(cluster) << ": generations stay apart";
    if (absl::Now() > until) return shares;
    absl::SleepFor(absl::Milliseconds(50));
  }
}

// A record that was sent, as its key in the ledger names it.
struct Sent {
  v1::UsageRecord record;
  bool acknowledged;
};
using SentRecords = std::map<std::pair<std::string, std::string>, Sent>;

// By cluster, the batches of one sender.
std::vector<std::vector<int64_t>> ByCluster(const UsageSender& sender, int clusters) {
  std::vector<std::vector<int64_t>> batches(clusters);
  for (size_t i = 0; i < sender.batches().size(); ++i) {
    batches[sender.cluster_of(static_cast<int64_t>(i))].push_back(static_cast<int64_t>(i));
  }
  return batches;
}

void AddSent(const UsageSender& sender, const std::vector<int64_t>& batches, SentRecords* sent) {
  for (const int64_t batch : batches) {
    const bool acknowledged = sender.batches()[batch] == UsageSender::Fate::kAcknowledged;
    const v1::RecordUsageRequest request = sender.Batch(batch);
    for (const v1::UsageRecord& record : request.records()) {
      sent->emplace(std::pair(record.source(), record.record_id()), Sent{record, acknowledged});
    }
  }
}

struct LedgerRow {
  std::string source, record_id, replaces;
};

LedgerRow DecodeLedgerRow(storage::RowReader& row) {
  LedgerRow decoded;
  row.Read(&decoded.source);
  row.Read(&decoded.record_id);
  row.Read(&decoded.replaces);
  return decoded;
}

std::vector<LedgerRow> ReadLedger(storage::Database& database, const std::string& cluster) {
  const auto rows = database.Read([&](storage::Transaction& t) {
    return t.Query(DecodeLedgerRow,
                   absl::StrCat("SELECT r.source, r.record_id, coalesce(r.replaces_record_id, '') "
                                "FROM priorityd.usage_record r JOIN priorityd.cluster c "
                                "ON c.id = r.cluster_id WHERE c.name = '",
                                cluster, "'"));
  });
  EXPECT_TRUE(rows.ok()) << rows.status();
  return rows.ok() ? *rows : std::vector<LedgerRow>();
}

// Takes the ledger's rows out of `sent`; the usage by user of those that count.
std::vector<double> TakeLedger(const std::string& cluster, const std::vector<LedgerRow>& ledger,
                               SentRecords* sent) {
  std::vector<double> usage(kUsers);
  std::map<std::string, double*> of_user;
  for (int user = 0; user < kUsers; ++user) of_user[UserName(user)] = &usage[user];
  SentRecords left = *sent;
  for (const LedgerRow& row : ledger) {
    const auto found = left.find({row.source, row.record_id});
    if (found == left.end()) {
      ADD_FAILURE() << cluster << ": " << row.source << " " << row.record_id
                    << (sent->contains({row.source, row.record_id}) ? " is there twice"
                                                                    : " was never sent");
      continue;
    }
    *of_user[found->second.record.user()] += UsageOf(found->second.record);
    if (!row.replaces.empty()) {
      const v1::UsageRecord& replaced = sent->at({row.source, row.replaces}).record;
      *of_user[replaced.user()] -= UsageOf(replaced);
    }
    left.erase(found);
  }
  *sent = std::move(left);
  return usage;
}

void ExpectNothingLost(const std::string& cluster, const SentRecords& left) {
  for (const auto& [key, sent] : left) {
    EXPECT_FALSE(sent.acknowledged)
        << cluster << ": " << key.first << " " << key.second << " was acknowledged and is lost";
  }
}

void ExpectShown(const Replica& replica, int cluster, const std::vector<double>& usage) {
  std::map<std::string, double> shown;
  const v1::ListSharesResponse shares = Shares(replica, cluster);
  for (const v1::AssociationShare& share : shares.shares()) {
    if (!share.user().empty()) shown[share.user()] = share.raw_usage();
  }
  for (int user = 0; user < kUsers; ++user) {
    EXPECT_NEAR(shown[UserName(user)], usage[user], 1e-9 * usage[user])
        << ClusterName(cluster) << ", " << UserName(user) << " at " << replica.address();
  }
}

// Where usage decays its sums are those of the service itself, from the ledger.
void ExpectRebuilt(const Replica& replica, int cluster) {
  v1::RebuildUsageRequest request;
  request.set_cluster(ClusterName(cluster));
  request.set_validate_only(true);
  const auto response =
      Insist([&] { return replica.client().RebuildUsage(request, [](const auto&) {}); });
  EXPECT_EQ(response.different_rows(), 0) << response.ShortDebugString();
}

absl::Duration Overlap(absl::Time begin, absl::Time end, const std::vector<Disturbance>& faults) {
  absl::Duration sum = absl::ZeroDuration();
  for (const Disturbance& fault : faults) {
    if (!fault.stops_leading) continue;
    const absl::Time from = std::max(begin, fault.begin);
    const absl::Time to = std::min(end, fault.end + kFailover);
    if (from < to) sum += to - from;
  }
  return sum;
}

struct Published {
  std::string cluster;
  double at;
};

Published DecodePublished(storage::RowReader& row) {
  Published published;
  row.Read(&published.cluster);
  row.Read(&published.at);
  return published;
}

constexpr char kPublished[] =
    "SELECT c.name, extract(epoch FROM s.published_at)::double precision "
    "FROM priorityd.snapshot s JOIN priorityd.cluster c ON c.id = s.cluster_id ORDER BY 1, 2";

std::string NamesOf(const std::map<std::string, int64_t>& jobs) {
  std::string names;
  for (const auto& [job, nice] : jobs) absl::StrAppend(&names, " ", job, "=", nice);
  return names;
}

std::string ListedBy(const Replica& replica, int cluster) {
  v1::ListJobsRequest request;
  request.set_cluster(ClusterName(cluster));
  const auto listed = Insist([&] { return replica.client().ListAllJobs(request); });
  std::map<std::string, int64_t> jobs;
  for (const v1::TrackedJob& job : listed.jobs()) jobs[job.job().job_id()] = job.job().nice();
  return NamesOf(jobs);
}

}  // namespace

void ExpectUsageOnce(const Replicas& replicas, storage::Database& database, int clusters,
                     const std::vector<std::unique_ptr<UsageSender>>& senders) {
  std::vector<std::vector<std::vector<int64_t>>> batches;
  for (const auto& sender : senders) batches.push_back(ByCluster(*sender, clusters));
  for (int cluster = 0; cluster < clusters; ++cluster) {
    SentRecords sent;
    for (size_t i = 0; i < senders.size(); ++i) AddSent(*senders[i], batches[i][cluster], &sent);
    const std::string name = ClusterName(cluster);
    const std::vector<double> usage = TakeLedger(name, ReadLedger(database, name), &sent);
    ExpectNothingLost(name, sent);
    for (const auto& replica : replicas) {
      if (!Decays(cluster)) ExpectShown(*replica, cluster, usage);
    }
    ExpectRebuilt(*replicas[cluster % replicas.size()], cluster);
  }
}

void ExpectSameShares(const Replicas& replicas, int clusters) {
  for (int cluster = 0; cluster < clusters; ++cluster) {
    const std::vector<v1::ListSharesResponse> shares = SharesOfOneGeneration(replicas, cluster);
    for (const v1::ListSharesResponse& of_replica : shares) {
      EXPECT_TRUE(MessageDifferencer::Equals(of_replica, shares[0])) << ClusterName(cluster);
    }
  }
  for (const auto& replica : replicas) {
    EXPECT_FALSE(absl::StrContains(replica->Log(), "other numbers than the leader"))
        << "see the log of " << replica->address();
  }
}

void ExpectQueues(const Replicas& replicas,
                  const std::vector<std::unique_ptr<Frontend>>& frontends) {
  for (const auto& frontend : frontends) {
    for (const auto& [cluster, jobs] : frontend->queues()) {
      const std::string want = NamesOf(jobs);
      for (const auto& replica : replicas) {
        std::string got = ListedBy(*replica, cluster);
        for (const absl::Time until = absl::Now() + absl::Seconds(20);
             got != want && absl::Now() < until; got = ListedBy(*replica, cluster)) {
          absl::SleepFor(absl::Milliseconds(100));
        }
        EXPECT_EQ(got, want) << ClusterName(cluster) << " at " << replica->address();
      }
    }
  }
}

void ExpectPolicies(const Replicas& replicas, const Operator& policies) {
  for (const auto& [cluster, text] : policies.texts()) {
    v1::GetPolicyRequest request;
    request.set_cluster(ClusterName(cluster));
    const Replica& replica = *replicas[cluster % replicas.size()];
    EXPECT_EQ(Insist([&] { return replica.client().GetPolicy(request); }).text(), text)
        << ClusterName(cluster);
  }
}

absl::Duration ExpectSchedulesKept(storage::Database& database, absl::Time begin, absl::Time end,
                                   const std::vector<Disturbance>& faults) {
  const auto published =
      database.Read([](storage::Transaction& t) { return t.Query(DecodePublished, kPublished); });
  EXPECT_TRUE(published.ok()) << published.status();
  if (!published.ok()) return absl::ZeroDuration();
  std::map<std::string, std::vector<absl::Time>> by_cluster;
  for (const Published& one : *published) {
    const absl::Time at = absl::UnixEpoch() + absl::Seconds(one.at);
    if (at < end) by_cluster[one.cluster].push_back(at);
  }
  absl::Duration latest = -kPeriod;
  for (auto& [cluster, times] : by_cluster) {
    times.push_back(end);
    for (size_t i = 1; i < times.size(); ++i) {
      const absl::Time from = std::max(begin, times[i - 1]);
      const absl::Duration late = times[i] - from - kPeriod - Overlap(from, times[i], faults);
      latest = std::max(latest, late);
      EXPECT_LT(late, kSlack) << cluster << ": no recalculation from " << from << " to "
                              << times[i];
    }
  }
  return latest;
}

void AwaitAll(const Replicas& replicas, int clusters) {
  for (int cluster = 0; cluster < clusters; ++cluster) {
    int64_t newest = 0;
    for (const auto& replica : replicas) {
      newest = std::max(newest, Shares(*replica, cluster).snapshot().generation());
    }
    for (const auto& replica : replicas) {
      int64_t generation = 0;
      for (const absl::Time until = absl::Now() + kPatience;
           generation < newest && absl::Now() < until; absl::SleepFor(absl::Milliseconds(5))) {
        generation = Shares(*replica, cluster).snapshot().generation();
      }
      EXPECT_GE(generation, newest) << ClusterName(cluster) << " at " << replica->address();
    }
  }
}

void RecalculateAll(const Replicas& replicas, int clusters) {
  for (int cluster = 0; cluster < clusters; ++cluster) {
    v1::RecalculateRequest request;
    request.set_cluster(ClusterName(cluster));
    const Replica& replica = *replicas[cluster % replicas.size()];
    EXPECT_GT(Insist([&] { return replica.client().Recalculate(request); }).generation(), 0);
  }
}

}  // namespace priorityd::soak
