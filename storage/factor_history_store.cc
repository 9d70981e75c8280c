#include "storage/factor_history_store.h"

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
constexpr char kList[] =
    "SELECT association_id, sampled_at, raw_usage, fair_share FROM priorityd.factor_history "
    "WHERE cluster_id = $1 AND association_id = ANY($2::bigint[]) "
    "AND sampled_at >= $3 AND sampled_at < $4 AND (sampled_at, association_id) > ($5, $6::bigint) "
    "ORDER BY sampled_at, association_id LIMIT $7";

absl::Time DecodeTime(RowReader& row) {
  absl::Time time;
  row.Read(&time);
  return time;
}

FactorSample Decode(RowReader& row) {
  FactorSample sample;
  row.Read(&sample.association_id, &sample.sampled_at, &sample.raw_usage, &sample.fair_share);
  return sample;
}

}  // namespace

absl::StatusOr<absl::Time> FactorHistoryStore::LastSample(int32_t cluster_id) {
  return transaction_.QueryOne(DecodeTime, kLastSample, {cluster_id});
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
  const auto after = query.after.value_or(std::make_pair(absl::InfinitePast(), int64_t{0}));
  return transaction_.Query(Decode, kList,
                            {query.cluster_id, query.association_ids, query.start, query.end,
                             after.first, after.second, query.limit});
}

}  // namespace priorityd::storage
