#include "server/queue/replication/change_log.h"

#include <deque>
#include <future>
#include <string>
#include <utility>

#include "server/queue/replication/job_rows.h"
#include "server/queue/state/packed_job.h"

namespace priorityd::queue {
namespace {

// Rows read at a time.
constexpr int64_t kPage = 10'000;
// Pages that are read at a time by LoadStored, each over its own connection.
constexpr size_t kReaders = 3;
// The number of changes whose removals are kept for replicas that missed them.
constexpr int64_t kRemovalsKept = 100'000;

struct StoredChange {
  int64_t number = 0;
  JobChange change;
};

StoredChange Decode(storage::RowReader& reader) {
  const JobRow row = JobRows().columns.Decode(reader);
  return {row.change, {std::string(row.job.job.job_id), PackJob(row.job)}};
}

// The changes of a page of rows and the removals among them, in order.
std::vector<JobChange> InOrder(std::vector<StoredChange> rows,
                               const std::vector<storage::JobRemoval>& removals) {
  std::vector<JobChange> changes;
  changes.reserve(rows.size() + removals.size());
  auto removal = removals.begin();
  for (StoredChange& row : rows) {
    for (; removal != removals.end() && removal->change < row.number; ++removal) {
      changes.push_back({removal->job_id, ""});
    }
    changes.push_back(std::move(row.change));
  }
  for (; removal != removals.end(); ++removal) changes.push_back({removal->job_id, ""});
  return changes;
}

using Page = absl::StatusOr<std::vector<StoredChange>>;

// The jobs changed after `change`.
Page ReadPage(storage::Database* database, const StoredLog& log, int64_t change) {
  return database->Read([&](storage::Transaction& transaction) -> Page {
    if (transaction.incarnation() != log.incarnation) {
      return absl::UnavailableError("the database started again while a queue was read; retry");
    }
    return storage::JobStore(transaction)
        .ListChanged(JobRows(), Decode, log.cluster_id, change, kPage);
  });
}

// The last change of that page, or of a later one if jobs of it change meanwhile.
absl::StatusOr<int64_t> EndOfPage(storage::Database& database, const StoredLog& log,
                                  int64_t change) {
  const auto end = database.Read([&](storage::Transaction& transaction) {
    return storage::JobStore(transaction).ChangeAfter(log.cluster_id, change, kPage);
  });
  if (!end.ok()) return end.status();
  return end->value_or(log.last);
}

// The rows point into the changes.
struct Rows {
  explicit Rows(const std::vector<JobChange>& changes) {
    for (const JobChange& change : changes) {
      if (change.packed.empty()) {
        removed.push_back(change.job_id);
      } else {
        jobs.push_back({.job = UnpackJob(change.packed)});
      }
    }
  }

  std::vector<JobRow> jobs;
  std::vector<std::string> removed;
};

}  // namespace

bool KeepsManyRemovals(int64_t last_change, int64_t forgotten_change) {
  return last_change - forgotten_change >= 2 * kRemovalsKept;
}

absl::StatusOr<int64_t> StoreChanges(storage::JobStore& store, int32_t cluster_id,
                                     const storage::QueueChanges& before,
                                     const std::vector<JobChange>& changes) {
  if (changes.empty()) return before.last;
  const Rows rows(changes);
  absl::StatusOr<int64_t> last = store.Write(JobRows(), cluster_id, rows.jobs, rows.removed);
  if (!last.ok() || !KeepsManyRemovals(*last, before.forgotten)) return last;
  if (absl::Status s = store.ForgetRemovals(cluster_id, kRemovalsKept); !s.ok()) return s;
  return last;
}

absl::StatusOr<std::optional<int64_t>> StoreChangesAfter(storage::JobStore& store,
                                                         int32_t cluster_id, int64_t before,
                                                         const std::vector<JobChange>& changes) {
  if (!changes.empty()) {
    const Rows rows(changes);
    return store.WriteAfter(before, JobRows(), cluster_id, rows.jobs, rows.removed);
  }
  const auto stored = store.Changes(cluster_id);
  if (!stored.ok()) return stored.status();
  return stored->last == before ? std::optional<int64_t>(before) : std::nullopt;
}

absl::Status ApplyStored(storage::JobStore& store, int32_t cluster_id, int64_t last,
                         TrackedQueue* jobs, int64_t* known) {
  while (*known < last) {
    auto rows = store.ListChanged(JobRows(), Decode, cluster_id, *known, kPage);
    if (!rows.ok()) return rows.status();
    const bool more = static_cast<int64_t>(rows->size()) == kPage;
    const int64_t until = more ? rows->back().number : last;
    std::vector<storage::JobRemoval> removals;
    if (*known > 0) {
      auto listed = store.ListRemoved(cluster_id, *known, until);
      if (!listed.ok()) return listed.status();
      removals = *std::move(listed);
    }
    jobs->Apply(InOrder(*std::move(rows), removals));
    *known = until;
  }
  return absl::OkStatus();
}

bool IsLong(const StoredLog& log) { return log.last > kPage; }

// A page has every job that was in it when its end was found and has not changed since: those after
// its end come last, and only jobs that changed leave it.
absl::Status LoadStored(storage::Database& database, const StoredLog& log, TrackedQueue* jobs) {
  std::deque<std::future<Page>> pages;
  int64_t known = 0;
  while (known < log.last || !pages.empty()) {
    if (known < log.last && pages.size() < kReaders) {
      const absl::StatusOr<int64_t> end = EndOfPage(database, log, known);
      if (!end.ok()) return end.status();
      pages.push_back(std::async(std::launch::async, ReadPage, &database, log, known));
      known = *end;
      continue;
    }
    Page page = pages.front().get();
    pages.pop_front();
    if (!page.ok()) return page.status();
    jobs->Apply(InOrder(*std::move(page), {}));
  }
  return absl::OkStatus();
}

}  // namespace priorityd::queue
