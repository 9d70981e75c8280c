#include "tests/soak/read_load.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tests/soak/site.h"

namespace priorityd::soak {
namespace {

namespace v1 = ::priority::v1;

constexpr absl::Duration kPauseOfReads = absl::Milliseconds(50);

}  // namespace

Reader::Reader(const LoadOptions& options)
    : Load(options, ConnectAs(kDashboard, *options.replicas), kPauseOfReads) {}

void Reader::Step() {
  const size_t replica = AnyReplica();
  if (Below(4) == 0) {
    ListShares(replica);
  } else {
    Rank(replica);
  }
}

void Reader::Rank(size_t number) {
  const Replica& replica = *replicas()[number];
  v1::RankJobsRequest request;
  request.set_cluster(ClusterName(AnyCluster()));
  request.mutable_tracked();
  request.set_limit(100);
  const bool must = replica.MustAnswer();
  const absl::Time begin = absl::Now();
  const auto response = client(number).RankJobs(request);
  Note("RankJobs", replica, must, begin, response.status());
  if (!response.ok()) return;
  for (int i = 1; i < response->ranked_size(); ++i) {
    EXPECT_LE(response->ranked(i).priority(), response->ranked(i - 1).priority());
  }
}

void Reader::ListShares(size_t number) {
  const Replica& replica = *replicas()[number];
  v1::ListSharesRequest request;
  request.set_cluster(ClusterName(AnyCluster()));
  const bool must = replica.MustAnswer();
  const absl::Time begin = absl::Now();
  const auto response = client(number).ListShares(request);
  Note("ListShares", replica, must, begin, response.status());
  if (!response.ok()) return;
  EXPECT_EQ(response->shares_size(), 1 + kAccounts + kUsers) << request.cluster();
}

void Reader::Note(const char* what, const Replica& replica, bool must, absl::Time begin,
                  const absl::Status& status) {
  const bool had_to = must && replica.MustAnswer();
  if (status.ok()) ++answers_;
  if (status.ok() && had_to) {
    milliseconds_.push_back(absl::ToDoubleMilliseconds(absl::Now() - begin));
  }
  if (status.ok()) return;
  CountError();
  EXPECT_TRUE(MayPass(status)) << what << ": " << status;
  EXPECT_FALSE(had_to) << what << " of " << replica.address()
                       << ", to which nothing was done: " << status;
}

std::string Reader::Summary() const {
  std::vector<double> sorted = milliseconds_;
  std::sort(sorted.begin(), sorted.end());
  const auto at = [&](double part) {
    return sorted.empty() ? 0 : sorted[static_cast<size_t>(part * (sorted.size() - 1))];
  };
  return absl::StrFormat(
      "%d rankings and lists (of undisturbed replicas: median %.1f ms, p99 %.1f ms, longest %.1f "
      "ms), %d errors",
      answers_, at(.5), at(.99), at(1), errors());
}

}  // namespace priorityd::soak
