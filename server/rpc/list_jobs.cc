#include "server/rpc/list_jobs.h"

#include <algorithm>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "server/priority/job_id.h"
#include "server/queue/state/queue_standings.h"
#include "server/rpc/convert_queue.h"
#include "server/rpc/convert_ranking.h"
#include "server/rpc/page_token.h"
#include "server/rpc/viewer.h"

namespace priorityd::rpc {

namespace v1 = ::priority::v1;

struct JobList {
  struct Entry {
    uint32_t chunk;
    uint32_t job;
    absl::Time submit_time;
  };

  absl::string_view JobId(const Entry& entry) const {
    return state->chunks()[entry.chunk]->table().job_id[entry.job];
  }
  // Less than, equal to or greater than 0 as the job stands before, at or after the other.
  int Compare(const Entry& entry, absl::Time submit_time, absl::string_view job_id) const {
    if (by_time && entry.submit_time != submit_time) {
      return entry.submit_time < submit_time ? -1 : 1;
    }
    return priority::CompareJobIds(JobId(entry), job_id);
  }

  std::shared_ptr<const queue::QueueState> state;
  bool by_time = false;
  std::vector<Entry> entries;                              // In the order of Compare.
  authorization::Visibility sees;                          // Of whom it was made for.
  std::shared_ptr<const queue::QueueStandings> standings;  // Null = they are not told.
};

namespace {

constexpr int kDefaultPageSize = 1000;
constexpr int kMaxPageSize = 10000;

class Filter {
 public:
  explicit Filter(const v1::ListJobsRequest& request)
      : job_ids_(SetOf(request.job_ids())),
        users_(SetOf(request.users())),
        accounts_(SetOf(request.accounts())),
        partitions_(SetOf(request.partitions())),
        sources_(SetOf(request.sources())),
        states_(request.states().begin(), request.states().end()) {}

  bool Passes(const queue::TrackedJob& tracked) const {
    const priority::Job& job = tracked.job;
    return Passes(job_ids_, job.job_id) && Passes(users_, job.user) &&
           Passes(accounts_, job.account) && Passes(sources_, tracked.source) &&
           (states_.empty() || states_.contains(ToProto(job.state))) &&
           (partitions_.empty() || absl::c_any_of(job.partitions, [this](absl::string_view name) {
              return partitions_.contains(name);
            }));
  }

 private:
  using NameSet = absl::flat_hash_set<std::string>;

  static NameSet SetOf(const google::protobuf::RepeatedPtrField<std::string>& names) {
    return {names.begin(), names.end()};
  }
  static bool Passes(const NameSet& wanted, absl::string_view name) {
    return wanted.empty() || wanted.contains(name);
  }

  NameSet job_ids_;
  NameSet users_;
  NameSet accounts_;
  NameSet partitions_;
  NameSet sources_;
  absl::flat_hash_set<int> states_;
};

std::shared_ptr<const JobList> MakeList(std::shared_ptr<const queue::QueueState> state,
                                        const authorization::Visibility& sees, absl::Time as_of,
                                        const v1::ListJobsRequest& request) {
  auto list = std::make_shared<JobList>();
  list->state = std::move(state);
  if (request.with_ranking()) {
    list->standings = std::make_shared<const queue::QueueStandings>(list->state, as_of);
  }
  list->sees = sees;
  const priority::Snapshot& snapshot = list->state->snapshot();
  const Filter filter(request);
  for (uint32_t chunk = 0; chunk < list->state->chunks().size(); ++chunk) {
    const queue::JobChunk& jobs = *list->state->chunks()[chunk];
    for (uint32_t i = 0; i < jobs.size(); ++i) {
      const queue::TrackedJob job = jobs.job(i);
      const bool shown = filter.Passes(job) && SeesJob(sees, snapshot, job.job);
      if (shown) list->entries.push_back({chunk, i, *job.job.submit_time});
    }
  }
  list->by_time = request.order() == v1::JOB_ORDER_SUBMIT_TIME;
  absl::c_sort(list->entries, [&](const JobList::Entry& a, const JobList::Entry& b) {
    return list->Compare(a, b.submit_time, list->JobId(b)) < 0;
  });
  return list;
}

// A page begins after this job, best in the list that the one before is of.
struct JobPlace {
  int64_t list = 0;  // By JobLists.
  int64_t submit_time_us = 0;
  std::vector<std::string> texts;  // The job_id.

  bool IsValid() const { return texts.size() == 1; }
};

size_t BeginOf(const JobList& list, const std::optional<JobPlace>& place) {
  if (!place.has_value()) return 0;
  const absl::Time submit_time = absl::FromUnixMicros(place->submit_time_us);
  const auto begin = absl::c_partition_point(list.entries, [&](const JobList::Entry& entry) {
    return list.Compare(entry, submit_time, place->texts.front()) <= 0;
  });
  return static_cast<size_t>(begin - list.entries.begin());
}

JobPlace PlaceAfter(const JobList& list, const JobList::Entry& entry, int64_t number) {
  return {number, absl::ToUnixMicros(entry.submit_time), {std::string(list.JobId(entry))}};
}

// Figures of limits are for those who are shown the shares.
void Tell(const JobList& list, const priority::Job& job, queue::JobStanding standing,
          v1::TrackedJob* proto) {
  proto->set_rank(standing.rank);
  if (standing.priority.has_value()) proto->set_priority(*standing.priority);
  proto->set_reason(std::move(standing.reason));
  if (!SeesShares(list.sees, list.state->snapshot(), job)) return;
  proto->set_reason_text(std::move(standing.text));
}

void FillPage(const JobList& list, absl::Span<const JobList::Entry> page,
              v1::ListJobsResponse* response) {
  std::vector<queue::JobPlace> places;
  for (const JobList::Entry& entry : page) {
    places.push_back({entry.chunk, entry.job});
    ToProto(list.state->chunks()[entry.chunk]->job(entry.job), response->add_jobs());
  }
  if (list.standings == nullptr) return;
  std::vector<queue::JobStanding> standings = list.standings->Of(places);
  for (size_t i = 0; i < places.size(); ++i) {
    const queue::TrackedJob job = list.state->chunks()[places[i].chunk]->job(places[i].job);
    Tell(list, job.job, std::move(standings[i]), response->mutable_jobs(static_cast<int>(i)));
  }
}

}  // namespace

JobLists::JobLists() : next_(static_cast<int64_t>(std::random_device()()) << 24) {}

int64_t JobLists::Keep(std::shared_ptr<const JobList> list) {
  absl::MutexLock lock(&mutex_);
  lists_.emplace_front(next_++, std::move(list));
  if (lists_.size() > kKept) lists_.pop_back();
  return lists_.front().first;
}

std::shared_ptr<const JobList> JobLists::Find(int64_t number) {
  absl::MutexLock lock(&mutex_);
  for (const auto& [known, list] : lists_) {
    if (known == number) return list;
  }
  return nullptr;
}

absl::Status ListJobs(std::shared_ptr<const queue::QueueState> state,
                      const authorization::Visibility& sees, absl::Time as_of, JobLists& lists,
                      const v1::ListJobsRequest& request, v1::ListJobsResponse* response) {
  const PageTokens<JobPlace> tokens(state->snapshot().cluster().name, request);
  const absl::StatusOr<std::optional<JobPlace>> given = tokens.Given();
  if (!given.ok()) return given.status();
  std::shared_ptr<const JobList> list = given->has_value() ? lists.Find((*given)->list) : nullptr;
  // Another caller's, or made before more became private.
  if (list != nullptr && !(list->sees == sees)) list = nullptr;
  const bool is_new = list == nullptr;
  if (is_new) list = MakeList(std::move(state), sees, as_of, request);
  const size_t begin = BeginOf(*list, *given);
  const size_t end =
      std::min(begin + PageSizeOf(request.page_size(), kDefaultPageSize, kMaxPageSize),
               list->entries.size());
  FillPage(*list, absl::MakeConstSpan(list->entries).subspan(begin, end - begin), response);
  response->set_total(static_cast<uint32_t>(list->entries.size()));
  ToProto(list->state->snapshot(), response->mutable_snapshot());
  if (end == list->entries.size()) return absl::OkStatus();
  const int64_t number = is_new ? lists.Keep(list) : (*given)->list;
  response->set_next_page_token(tokens.Next(PlaceAfter(*list, list->entries[end - 1], number)));
  return absl::OkStatus();
}

}  // namespace priorityd::rpc
