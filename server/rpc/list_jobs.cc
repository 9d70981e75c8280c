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
#include "server/priority/job_id.h"
#include "server/rpc/convert_queue.h"
#include "server/rpc/convert_ranking.h"
#include "server/rpc/page_token.h"

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

  std::shared_ptr<const queue::QueueState> state;
  std::vector<Entry> entries;
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
                                        const v1::ListJobsRequest& request) {
  auto list = std::make_shared<JobList>();
  list->state = std::move(state);
  const Filter filter(request);
  for (uint32_t chunk = 0; chunk < list->state->chunks().size(); ++chunk) {
    const queue::JobChunk& jobs = *list->state->chunks()[chunk];
    for (uint32_t i = 0; i < jobs.size(); ++i) {
      const queue::TrackedJob job = jobs.job(i);
      if (filter.Passes(job)) list->entries.push_back({chunk, i, *job.job.submit_time});
    }
  }
  const bool by_time = request.order() == v1::JOB_ORDER_SUBMIT_TIME;
  absl::c_sort(list->entries, [&](const JobList::Entry& a, const JobList::Entry& b) {
    if (by_time && a.submit_time != b.submit_time) return a.submit_time < b.submit_time;
    return priority::CompareJobIds(list->JobId(a), list->JobId(b)) < 0;
  });
  return list;
}

// A page's place: in one of the lists kept.
struct JobPlace {
  int64_t list = 0;  // By JobLists.
  int64_t position = 0;

  bool IsValid() const { return position >= 0; }
};

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

absl::Status ListJobs(std::shared_ptr<const queue::QueueState> state, JobLists& lists,
                      const v1::ListJobsRequest& request, v1::ListJobsResponse* response) {
  const PageTokens<JobPlace> tokens(state->snapshot().cluster().name, request);
  const absl::StatusOr<std::optional<JobPlace>> given = tokens.Given();
  if (!given.ok()) return given.status();
  const bool is_first = !given->has_value();
  JobPlace place = given->value_or(JobPlace());
  const std::shared_ptr<const JobList> list =
      is_first ? MakeList(std::move(state), request) : lists.Find(place.list);
  if (list == nullptr) return PageGoneError("list", "LIST_GONE");
  const size_t begin = std::min(static_cast<size_t>(place.position), list->entries.size());
  const size_t end =
      std::min(begin + PageSizeOf(request.page_size(), kDefaultPageSize, kMaxPageSize),
               list->entries.size());
  for (size_t i = begin; i < end; ++i) {
    const JobList::Entry& entry = list->entries[i];
    ToProto(list->state->chunks()[entry.chunk]->job(entry.job), response->add_jobs());
  }
  response->set_total(static_cast<uint32_t>(list->entries.size()));
  ToProto(list->state->snapshot(), response->mutable_snapshot());
  if (end == list->entries.size()) return absl::OkStatus();
  if (is_first) place.list = lists.Keep(list);
  response->set_next_page_token(tokens.Next({place.list, static_cast<int64_t>(end)}));
  return absl::OkStatus();
}

}  // namespace priorityd::rpc
