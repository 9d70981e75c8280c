#include "storage/report_store.h"

namespace priorityd::storage {
namespace {

constexpr char kLatestEnds[] =
    "SELECT job_id, max(end_time) FROM priorityd.usage_record "
    "WHERE cluster_id = $1 AND end_time > $2 AND job_id <> '' "
    "GROUP BY job_id ORDER BY job_id COLLATE \"C\"";

JobEnd DecodeJobEnd(RowReader& row) {
  JobEnd job;
  row.Read(&job.job_id, &job.end_time);
  return job;
}

}  // namespace

absl::StatusOr<std::vector<JobEnd>> ReportStore::LatestEnds(int32_t cluster_id, absl::Time since) {
  return transaction_.Query(DecodeJobEnd, kLatestEnds, {cluster_id, since});
}

}  // namespace priorityd::storage
