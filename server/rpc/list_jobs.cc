#include "server/rpc/list_jobs.h"

#include <algorithm>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "server/errors/error_details.h"
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

// Of everything that decides which jobs there are.
uint64_t Fingerprint(const std::string& cluster, v1::ListJobsRequest request) {
  request.set_cluster(cluster);
  request.clear_page_size();
  request.clear_page_token();
  return std::hash<std::string>()(request.SerializeAsString());
}

// The list that the token goes on with.
absl::StatusOr<std::shared_ptr<const JobList>> FindList(JobLists& lists, const std::string& text,
                                                        uint64_t fingerprint, PageToken* token) {
  const std::optional<PageToken> given = DecodePageToken(text);
  if (!given.has_value() || given->fingerprint != fingerprint) {
    return errors::BadRequestError("INVALID_PAGE_TOKEN",
                                   {{"page_token",
                                     "got one of another request, want the "
                                     "next_page_token of the answer before"}});
  }
  *token = *given;
  std::shared_ptr<const JobList> list = lists.Find(given->generation);
  if (list != nullptr) return list;
  return errors::WithReason(
      absl::AbortedError(
          "page_token: its list is no longer kept, want the list from its beginning"),
      "LIST_GONE");
}

int PageSize(const v1::ListJobsRequest& request) {
  return request.page_size() == 0 ? kDefaultPageSize : std::min(request.page_size(), kMaxPageSize);
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

absl::Status ListJobs(std::shared_ptr<const queue::QueueState> state, JobLists& lists,
                      const v1::ListJobsRequest& request, v1::ListJobsResponse* response) {
  const uint64_t fingerprint = Fingerprint(state->snapshot().cluster().name, request);
  PageToken token;
  std::shared_ptr<const JobList> list;
  if (request.page_token().empty()) {
    list = MakeList(std::move(state), request);
  } else {
    auto found = FindList(lists, request.page_token(), fingerprint, &token);
    if (!found.ok()) return found.status();
    list = *std::move(found);
  }
  const size_t begin = std::min(static_cast<size_t>(token.position), list->entries.size());
  const size_t end = std::min(begin + PageSize(request), list->entries.size());
  for (size_t i = begin; i < end; ++i) {
    const JobList::Entry& entry = list->entries[i];
    ToProto(list->state->chunks()[entry.chunk]->job(entry.job), response->add_jobs());
  }
  response->set_total(static_cast<uint32_t>(list->entries.size()));
  ToProto(list->state->snapshot(), response->mutable_snapshot());
  if (end == list->entries.size()) return absl::OkStatus();
  if (request.page_token().empty()) token.generation = lists.Keep(list);
  response->set_next_page_token(Encode({token.generation, static_cast<int64_t>(end), fingerprint}));
  return absl::OkStatus();
}

}  // namespace priorityd::rpc
