#include "storage/snapshots/factor_history_store.h"

#include <algorithm>

namespace priorityd::storage {
namespace {

constexpr char kLastSample[] =
    "SELECT coalesce(max(sampled_at), '-infinity') FROM priorityd.factor_sample "
    "WHERE cluster_id = $1";
constexpr char kAddSample[] =
    "INSERT INTO priorityd.factor_sample (cluster_id, sampled_at, generation) "
    "VALUES ($1, $2, $3) ON CONFLICT DO NOTHING";
constexpr char kSample[] =
    "INSERT INTO priorityd.factor_history "
    "(cluster_id, association_id, sampled_at, raw_usage, fair_share) "
    "SELECT $1::integer, association_id, $2::timestamptz, raw_usage, fair_share "
    "FROM unnest($3::bigint[], $4::double precision[], $5::double precision[]) "
    "AS given (association_id, raw_usage, fair_share) ON CONFLICT DO NOTHING";
constexpr char kDeleteSamples[] =
    "DELETE FROM priorityd.factor_sample WHERE cluster_id = $1 AND sampled_at < $2";
constexpr char kDeleteHistory[] =
    "DELETE FROM priorityd.factor_history WHERE cluster_id = $1 AND sampled_at < $2";
constexpr char kTimes[] =
    "SELECT sampled_at FROM priorityd.factor_sample "
    "WHERE cluster_id = $1 AND sampled_at >= $2 AND sampled_at < $3 ORDER BY sampled_at LIMIT $4";
// By the primary key, one look for each association and time.
constexpr char kListSamples[] =
    "SELECT association_id, sampled_at, raw_usage, fair_share FROM priorityd.factor_history "
    "WHERE cluster_id = $1 AND association_id = ANY($2::bigint[]) "
    "AND sampled_at = ANY($3::timestamptz[]) ORDER BY sampled_at, association_id";

FactorSample DecodeSample(RowReader& row) {
  FactorSample sample;
  row.Read(&sample.association_id, &sample.sampled_at, &sample.raw_usage, &sample.fair_share);
  return sample;
}

// The samples that may be there, by time, then association, from a place on. What is looked for at
// once is a block of them: some associations at one time, or all of them at some times.
class Grid {
 public:
  explicit Grid(const FactorHistoryQuery& query) : ids_(query.association_ids), time_(query.start) {
    std::sort(ids_.begin(), ids_.end());
    if (!query.after.has_value() || query.after->first < query.start) return;
    time_ = query.after->first;
    next_id_ = std::upper_bound(ids_.begin(), ids_.end(), query.after->second) - ids_.begin();
    if (next_id_ == Size()) GoOnAfter(time_);
  }

  bool is_done() const { return ids_.empty(); }
  // The next block's first.
  absl::Time time() const { return time_; }
  // The number of times in a block of about `samples`.
  int64_t Times(int64_t samples) const {
    return next_id_ > 0 || samples < Size() ? 1 : samples / Size();
  }

  // The associations of that block, which is of `times`; goes on after it.
  std::vector<int64_t> Advance(const std::vector<absl::Time>& times, int64_t samples) {
    // The time that was gone on from may have lost its samples.
    if (times.front() != time_) next_id_ = 0;
    const int64_t end = std::min(next_id_ + samples, Size());
    std::vector<int64_t> block(ids_.begin() + next_id_, ids_.begin() + end);
    time_ = times.back();
    next_id_ = end;
    if (end == Size()) GoOnAfter(time_);
    return block;
  }

 private:
  int64_t Size() const { return static_cast<int64_t>(ids_.size()); }
  void GoOnAfter(absl::Time time) {
    time_ = time + absl::Microseconds(1);
    next_id_ = 0;
  }

  std::vector<int64_t> ids_;
  absl::Time time_;
  int64_t next_id_ = 0;
};

}  // namespace

absl::StatusOr<absl::Time> FactorHistoryStore::LastSample(int32_t cluster_id) {
  return transaction_.QueryOne(OnlyColumn<absl::Time>, kLastSample, {cluster_id});
}

absl::Status FactorHistoryStore::Sample(int32_t cluster_id, int64_t generation,
                                        absl::Time computed_at,
                                        absl::Span<const FactorSample> samples) {
  absl::Status status =
      transaction_.Execute(kAddSample, {cluster_id, computed_at, generation}).status();
  if (!status.ok()) return status;
  return transaction_
      .Execute(kSample, {cluster_id, computed_at,
                         Column(samples, [](const FactorSample& of) { return of.association_id; }),
                         Column(samples, [](const FactorSample& of) { return of.raw_usage; }),
                         Column(samples, [](const FactorSample& of) { return of.fair_share; })})
      .status();
}

absl::Status FactorHistoryStore::DeleteBefore(int32_t cluster_id, absl::Time horizon) {
  absl::Status status = transaction_.Execute(kDeleteSamples, {cluster_id, horizon}).status();
  if (status.ok()) status = transaction_.Execute(kDeleteHistory, {cluster_id, horizon}).status();
  return status;
}

absl::StatusOr<std::vector<FactorSample>> FactorHistoryStore::List(
    const FactorHistoryQuery& query) {
  std::vector<FactorSample> samples;
  Grid grid(query);
  while (!grid.is_done() && static_cast<int64_t>(samples.size()) < query.limit) {
    const int64_t missing = query.limit - static_cast<int64_t>(samples.size());
    auto times =
        transaction_.Query(OnlyColumn<absl::Time>, kTimes,
                           {query.cluster_id, grid.time(), query.end, grid.Times(missing)});
    if (!times.ok()) return times.status();
    if (times->empty()) break;
    const std::vector<int64_t> ids = grid.Advance(*times, missing);
    auto rows = transaction_.Query(DecodeSample, kListSamples, {query.cluster_id, ids, *times});
    if (!rows.ok()) return rows.status();
    samples.insert(samples.end(), rows->begin(), rows->end());
  }
  return samples;
}

}  // namespace priorityd::storage
