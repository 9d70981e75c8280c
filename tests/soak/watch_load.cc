#include "tests/soak/watch_load.h"

#include "absl/strings/str_cat.h"
#include "tests/soak/site.h"

namespace priorityd::soak {
namespace {

namespace v1 = ::priority::v1;

// Longer than any fault.
constexpr client::RetryPolicy kForEver = {.max_attempts = 1'000'000,
                                          .initial_backoff = absl::Milliseconds(100),
                                          .max_backoff = absl::Seconds(1)};
constexpr absl::Duration kPatienceOfWatches = absl::Minutes(1);

v1::WatchRankingRequest RequestOf(const std::string& cluster) {
  v1::WatchRankingRequest request;
  request.set_cluster(cluster);
  request.set_limit(Watcher::kRows);
  return request;
}

// Which rows, in which order; their priorities, which age moves, aside.
template <typename Rows>
std::string NamesOf(const Rows& rows) {
  std::string names;
  for (const v1::RankedJob& row : rows) absl::StrAppend(&names, " ", row.job_id());
  return names;
}

}  // namespace

Watcher::Watcher(const Replica* replica, int cluster)
    : replica_(replica),
      cluster_(ClusterName(cluster)),
      client_(replica->ConnectAs(kDashboard)),
      watch_(client_.get(), RequestOf(cluster_), kForEver) {
  thread_ = std::thread([this] {
    const absl::Status end = watch_.Run(
        [this](const v1::WatchRankingResponse&, const client::WatchedTop& top) {
          absl::MutexLock lock(&mutex_);
          top_ = top.ranked();
          ++answers_;
          return true;
        },
        [this](const absl::Status& lost) {
          EXPECT_TRUE(MayPass(lost)) << "WatchRanking of " << cluster_ << ": " << lost;
        });
    EXPECT_TRUE(end.ok()) << "WatchRanking of " << cluster_ << ": " << end;
  });
}

Watcher::~Watcher() {
  watch_.Stop();
  thread_.join();
}

int64_t Watcher::answers() {
  absl::MutexLock lock(&mutex_);
  return answers_;
}

bool Watcher::AwaitFirstAnswer() {
  absl::MutexLock lock(&mutex_);
  const auto answered = [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return answers_ > 0; };
  return mutex_.AwaitWithTimeout(absl::Condition(&answered), kPatienceOfWatches);
}

bool Watcher::HasTheTop(std::string* difference) {
  v1::RankJobsRequest request;
  request.set_cluster(cluster_);
  request.mutable_tracked();
  request.set_limit(kRows);
  const auto ranking = client_->RankJobs(request);
  if (!ranking.ok()) {
    *difference = ranking.status().ToString();
    return false;
  }
  absl::MutexLock lock(&mutex_);
  const std::string want = NamesOf(ranking->ranked()), got = NamesOf(top_);
  *difference = absl::StrCat("got", got, ", want", want);
  return want == got;
}

void Watcher::ExpectTheTop() {
  std::string difference;
  for (const absl::Time until = absl::Now() + kPatienceOfWatches; absl::Now() < until;) {
    if (HasTheTop(&difference)) return;
    absl::SleepFor(absl::Milliseconds(100));
  }
  ADD_FAILURE() << "the watch of " << cluster_ << " at " << replica_->address() << " "
                << difference;
}

}  // namespace priorityd::soak
