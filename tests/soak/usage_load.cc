#include "tests/soak/usage_load.h"

#include "absl/strings/str_cat.h"
#include "tests/soak/site.h"

namespace priorityd::soak {
namespace {

namespace v1 = ::priority::v1;

constexpr absl::Duration kPauseOfRecords = absl::Milliseconds(150);
constexpr int64_t kBegin = 1'700'000'000;
constexpr int kMaxRecords = 40;
// Of a hundred steps: an acknowledged batch again, one without an answer again; of a hundred
// batches without an answer those that are never sent again.
constexpr size_t kAgain = 15;
constexpr size_t kUnknownAgain = 30;
constexpr size_t kAbandon = 10;
// Of each ten records one corrects the one before.
constexpr int kCorrection = 7;

std::mt19937_64 RandomOf(int sender, int64_t batch) {
  return std::mt19937_64(1'000'003 * static_cast<uint64_t>(batch) + sender);
}

v1::UsageRecord RecordOf(int64_t batch, int i, std::mt19937_64& random) {
  v1::UsageRecord record;
  const int user = static_cast<int>(random() % kUsers);
  record.set_record_id(absl::StrCat(batch, "-", i));
  record.set_user(UserName(user));
  record.set_account(AccountName(user));
  const int64_t start = kBegin + batch;
  record.mutable_start_time()->set_seconds(start);
  record.mutable_end_time()->set_seconds(start + 1 + static_cast<int64_t>(random() % 100));
  (*record.mutable_tres())["cpu"] = static_cast<double>(1 + random() % 64);
  if (i % 10 == kCorrection) record.set_replaces_record_id(absl::StrCat(batch, "-", i - 1));
  return record;
}

}  // namespace

double UsageOf(const v1::UsageRecord& record) {
  const int64_t seconds = record.end_time().seconds() - record.start_time().seconds();
  return static_cast<double>(seconds) * record.tres().at("cpu");
}

UsageSender::UsageSender(int number, const LoadOptions& options)
    : Load(options, ConnectAs(absl::StrCat(kSender, number), *options.replicas), kPauseOfRecords),
      number_(number) {}

std::string UsageSender::source() const { return absl::StrCat(kSender, number_); }

int UsageSender::cluster_of(int64_t batch) const {
  return static_cast<int>(RandomOf(number_, batch)() % clusters());
}

v1::RecordUsageRequest UsageSender::Batch(int64_t batch) const {
  std::mt19937_64 random = RandomOf(number_, batch);
  v1::RecordUsageRequest request;
  request.set_cluster(ClusterName(static_cast<int>(random() % clusters())));
  const int count = 1 + static_cast<int>(random() % kMaxRecords);
  for (int i = 0; i < count; ++i) {
    v1::UsageRecord* record = request.add_records();
    *record = RecordOf(batch, i, random);
    record->set_source(source());
  }
  return request;
}

void UsageSender::Step() { Send(Choose()); }

int64_t UsageSender::Choose() {
  const size_t draw = Below(100);
  if (draw < kAgain && !batches_.empty()) {
    const auto batch = static_cast<int64_t>(Below(batches_.size()));
    if (batches_[batch] == Fate::kAcknowledged) return batch;
  }
  if (draw < kAgain + kUnknownAgain && !unknown_.empty()) {
    std::swap(unknown_[Below(unknown_.size())], unknown_.back());
    const int64_t batch = unknown_.back();
    unknown_.pop_back();
    return batch;
  }
  batches_.push_back(Fate::kUnknown);
  return static_cast<int64_t>(batches_.size()) - 1;
}

bool UsageSender::Send(int64_t batch) {
  const Fate before = batches_[batch];
  const auto response = AnyClient().RecordUsage(Batch(batch));
  if (response.ok()) {
    Check(batch, before, *response);
    return true;
  }
  CountError();
  EXPECT_TRUE(MayPass(response.status())) << "RecordUsage: " << response.status();
  if (before == Fate::kAcknowledged) return false;
  const bool abandon = !ends() && Below(100) < kAbandon;
  if (abandon) batches_[batch] = Fate::kAbandoned;
  if (!abandon) unknown_.push_back(batch);
  return false;
}

void UsageSender::Check(int64_t batch, Fate before, const v1::RecordUsageResponse& response) {
  const std::string name =
      absl::StrCat(source(), " batch ", batch, " of ", ClusterName(cluster_of(batch)));
  EXPECT_EQ(response.rejected(), 0) << name << ": " << response.ShortDebugString().substr(0, 500);
  if (before == Fate::kAcknowledged) {
    ++again_;
    EXPECT_EQ(response.accepted(), 0) << name << " was acknowledged, then lost";
    return;
  }
  // One call is one transaction.
  EXPECT_TRUE(response.accepted() == 0 || response.duplicates() == 0) << name << " was cut";
  batches_[batch] = Fate::kAcknowledged;
  records_ += response.accepted() + response.duplicates();
}

void UsageSender::Finish() {
  const absl::Time until = absl::Now() + absl::Minutes(3);
  while (!unknown_.empty() && absl::Now() < until) {
    const int64_t batch = unknown_.back();
    unknown_.pop_back();
    if (!Send(batch)) absl::SleepFor(kPauseOfRecords);
  }
  EXPECT_TRUE(unknown_.empty()) << source() << ": batches are refused to the end";
}

std::string UsageSender::Summary() const {
  return absl::StrCat(records_, " records acknowledged in ", batches_.size(), " batches, ", again_,
                      " sent again after that, ", errors(), " errors");
}

}  // namespace priorityd::soak
