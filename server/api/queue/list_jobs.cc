#include "server/api/queue/list_jobs.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "engine/priority/jobs/job_id.h"
#include "engine/priority/jobs/job_resolution.h"
#include "server/api/queue/convert_queue.h"
#include "server/api/shared/convert_ranking.h"
#include "server/budgets/running_usage.h"
#include "server/messages/convert_time.h"
#include "server/messages/page_token.h"
#include "server/queue/state/job_chunk.h"
#include "server/queue/state/packed_job.h"
#include "server/queue/state/queue_standings.h"
#include "server/transport/viewer.h"

namespace priorityd::rpc {

namespace v1 = ::priority::v1;

struct JobList {
  struct Entry {
    uint32_t chunk;
    uint32_t job;
    absl::Time submit_time;
  };

  // Entry::chunk of a job that has ended.
  static constexpr uint32_t kEnded = std::numeric_limits<uint32_t>::max();

  absl::string_view JobId(const Entry& entry) const {
    if (entry.chunk == kEnded) return ended_ids[entry.job];
    return key.state->chunks()[entry.chunk]->table().job_id[entry.job];
  }
  queue::TrackedJob Job(const Entry& entry) const {
    if (entry.chunk == kEnded) return ended.job(entry.job);
    return key.state->chunks()[entry.chunk]->job(entry.job);
  }
  // Less than, equal to or greater than 0 if the job is before, at or after the other.
  int Compare(const Entry& entry, absl::Time submit_time, absl::string_view job_id) const {
    if (by_time && entry.submit_time != submit_time) {
      return entry.submit_time < submit_time ? -1 : 1;
    }
    return priority::CompareJobIds(JobId(entry), job_id);
  }

  JobListKey key;
  bool by_time = false;
  std::vector<Entry> entries;                              // In order of Compare.
  queue::PackedJobs ended;                                 // The ended jobs of `entries`.
  std::vector<std::string> ended_ids;                      // Their ids.
  std::shared_ptr<const queue::QueueStandings> standings;  // Null = not requested.
};

bool JobListKey::Serves(const JobListKey& asked) const {
  return state == asked.state && request == asked.request && sees == asked.sees &&
         as_of <= asked.as_of && asked.as_of - as_of < kShared;
}

namespace {

constexpr int kDefaultPageSize = 1000;
constexpr int kMaxPageSize = 10000;

class Filter {
 public:
  Filter(const v1::ListJobsRequest& request, const priority::Snapshot& snapshot)
      : resolver_(snapshot),
        tree_(snapshot.tree()),
        as_submitted_(request.as_submitted()),
        job_ids_(SetOf(request.job_ids())),
        users_(SetOf(request.users())),
        accounts_(SetOf(request.accounts())),
        partitions_(SetOf(request.partitions())),
        qos_(SetOf(request.qos())),
        sources_(SetOf(request.sources())),
        states_(request.states().begin(), request.states().end()) {}

  bool Passes(const queue::TrackedJob& tracked) {
    const priority::Job& job = tracked.job;
    return Passes(job_ids_, job.job_id) && PassesUser(job.user) &&
           Passes(sources_, tracked.source) &&
           (states_.empty() || states_.contains(StateOf(tracked))) && PassesNames(job);
  }

  // A job of a merged user is also the surviving one's.
  bool PassesUser(absl::string_view user) const {
    return Passes(users_, user) || Passes(users_, tree_.SurvivorOf(user));
  }

  // Whether it can pass a job that has ended.
  bool TakesEnded() const {
    return states_.empty() ? !job_ids_.empty() : absl::c_any_of(states_, HasEnded);
  }

 private:
  using NameSet = absl::flat_hash_set<std::string>;

  static bool HasEnded(int state) { return state > v1::JOB_STATE_SUSPENDED; }

  // Resolves only the names that a filter needs.
  bool PassesNames(const priority::Job& job) {
    if (as_submitted_) {
      return Passes(accounts_, job.account) && AnyPasses(partitions_, job.partitions) &&
             AnyPasses(qos_, job.qos);
    }
    return (accounts_.empty() || accounts_.contains(resolver_.AccountOf(job))) &&
           (partitions_.empty() || AnyPasses(partitions_, resolver_.PartitionsOf(job))) &&
           (qos_.empty() || AnyPasses(qos_, resolver_.QosOf(job)));
  }

  static NameSet SetOf(const google::protobuf::RepeatedPtrField<std::string>& names) {
    return {names.begin(), names.end()};
  }
  static bool Passes(const NameSet& wanted, absl::string_view name) {
    return wanted.empty() || wanted.contains(name);
  }
  static bool AnyPasses(const NameSet& wanted, const priority::AppliedNames& names) {
    return wanted.empty() ||
           absl::c_any_of(names, [&](absl::string_view name) { return wanted.contains(name); });
  }

  priority::JobResolver resolver_;
  const priority::AssociationTree& tree_;
  const bool as_submitted_;
  NameSet job_ids_;
  NameSet users_;
  NameSet accounts_;
  NameSet partitions_;
  NameSet qos_;
  NameSet sources_;
  absl::flat_hash_set<int> states_;
};

void Sort(JobList& list) {
  struct Keyed {
    uint64_t id_prefix;
    JobList::Entry entry;
  };
  std::vector<Keyed> keyed;
  keyed.reserve(list.entries.size());
  for (const JobList::Entry& entry : list.entries) {
    keyed.push_back({priority::JobIdPrefix(list.JobId(entry)), entry});
  }
  absl::c_sort(keyed, [&list](const Keyed& a, const Keyed& b) {
    const bool same_time = !list.by_time || a.entry.submit_time == b.entry.submit_time;
    if (same_time && a.id_prefix != b.id_prefix) return a.id_prefix < b.id_prefix;
    return list.Compare(a.entry, b.entry.submit_time, list.JobId(b.entry)) < 0;
  });
  absl::c_transform(keyed, list.entries.begin(), [](const Keyed& job) { return job.entry; });
}

// Ended jobs are listed for MinJobAge.
void AddEnded(Filter& filter, JobList* list) {
  const priority::Snapshot& snapshot = list->key.state->snapshot();
  const absl::Time listed_since = list->key.as_of - snapshot.policy().min_job_age;
  list->key.state->ended().ForEach([&](absl::string_view packed) {
    const queue::TrackedJob job = queue::UnpackJob(packed);
    if (job.ended_at.value_or(absl::InfinitePast()) < listed_since || !filter.Passes(job) ||
        !SeesJob(list->key.sees, snapshot, job.job)) {
      return;
    }
    list->entries.push_back(
        {JobList::kEnded, static_cast<uint32_t>(list->ended_ids.size()), *job.job.submit_time});
    list->ended.Add(packed);
    list->ended_ids.emplace_back(job.job.job_id);
  });
}

std::shared_ptr<const JobList> MakeList(JobListKey key, const v1::ListJobsRequest& request) {
  auto list = std::make_shared<JobList>();
  list->key = std::move(key);
  const queue::QueueState& state = *list->key.state;
  if (request.with_ranking()) {
    list->standings =
        std::make_shared<const queue::QueueStandings>(list->key.state, list->key.as_of);
  }
  Filter filter(request, state.snapshot());
  for (uint32_t chunk = 0; chunk < state.chunks().size(); ++chunk) {
    const queue::JobChunk& jobs = *state.chunks()[chunk];
    for (uint32_t i = 0; i < jobs.size(); ++i) {
      const queue::TrackedJob job = jobs.job(i);
      const bool shown = filter.Passes(job) && SeesJob(list->key.sees, state.snapshot(), job.job);
      if (shown) list->entries.push_back({chunk, i, *job.job.submit_time});
    }
  }
  if (filter.TakesEnded()) AddEnded(filter, list.get());
  list->by_time = request.order() == v1::JOB_ORDER_SUBMIT_TIME;
  Sort(*list);
  return list;
}

// A page starts after this job, preferably in the same list as the previous page.
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

// Figures of limits are only for callers who may see the shares.
void Fill(const JobList& list, const priority::Job& job, queue::JobStanding standing,
          v1::TrackedJob* proto) {
  proto->set_rank(standing.rank);
  if (standing.priority.has_value()) proto->set_priority(*standing.priority);
  proto->set_reason(std::move(standing.reason));
  if (!SeesShares(list.key.sees, list.key.state->snapshot(), job)) return;
  proto->set_reason_text(std::move(standing.text));
}

// The time limit in the first partition under the first QOS; infinite = none.
absl::Duration AppliedLimit(const priority::Snapshot& snapshot, priority::JobResolver& resolver,
                            const priority::Job& job) {
  const priority::ResolvedJob resolved = resolver.Resolve(job);
  const auto first = [](const auto& indices) { return indices.empty() ? -1 : indices.front(); };
  return budgets::TimeLimitOf(snapshot, job, resolved.association, first(resolved.partitions),
                              first(resolved.qos));
}

void FillApplied(const priority::Snapshot& snapshot, priority::JobResolver& resolver,
                 const priority::Job& job, v1::TrackedJob* proto) {
  const absl::Duration limit = AppliedLimit(snapshot, resolver, job);
  if (limit != absl::InfiniteDuration()) ToProto(limit, proto->mutable_time_limit());
  proto->set_account(std::string(resolver.AccountOf(job)));
  for (const absl::string_view name : resolver.PartitionsOf(job)) {
    proto->add_partitions(std::string(name));
  }
  for (const absl::string_view name : resolver.QosOf(job)) proto->add_qos(std::string(name));
}

// The leases of the snapshot.
void FillLeased(const priority::Snapshot& snapshot, const priority::Job& job,
                v1::TrackedJob* proto) {
  const priority::LeasedNice* leased = snapshot.FindLeasedNice(job.job_id);
  if (leased == nullptr) return;
  v1::LeasedSetting* setting = proto->add_leased();
  setting->set_name("Nice");
  setting->set_value(absl::StrCat(leased->nice));
  ToProto(leased->until, setting->mutable_until());
  setting->set_then(absl::StrCat(leased->then.value_or(job.nice)));
  setting->set_lease_id(leased->lease_id);
}

void FillPage(const JobList& list, absl::Span<const JobList::Entry> page,
              v1::ListJobsResponse* response) {
  std::vector<queue::JobPlace> places;
  std::vector<v1::TrackedJob*> placed;
  const priority::Snapshot& snapshot = list.key.state->snapshot();
  priority::JobResolver resolver(snapshot);
  for (const JobList::Entry& entry : page) {
    const queue::TrackedJob job = list.Job(entry);
    v1::TrackedJob* proto = response->add_jobs();
    ToProto(job, proto);
    FillApplied(snapshot, resolver, job.job, proto);
    if (job.ended()) continue;
    FillLeased(snapshot, job.job, proto);
    const bool met = !job.job.dependency_unmet && job.job.dependency_until <= list.key.as_of;
    if (!met) proto->set_unmet_dependency(std::string(job.unmet_dependency));
    places.push_back({entry.chunk, entry.job});
    placed.push_back(proto);
  }
  if (list.standings == nullptr) return;
  std::vector<queue::JobStanding> standings = list.standings->Of(places);
  for (size_t i = 0; i < places.size(); ++i) {
    const queue::TrackedJob job = list.key.state->chunks()[places[i].chunk]->job(places[i].job);
    Fill(list, job.job, std::move(standings[i]), placed[i]);
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

std::shared_ptr<const JobList> JobLists::FindBegun(const JobListKey& key, int64_t* number) {
  absl::MutexLock lock(&mutex_);
  for (const auto& [known, list] : lists_) {
    if (!list->key.Serves(key)) continue;
    *number = known;
    return list;
  }
  return nullptr;
}

absl::Status ListJobs(std::shared_ptr<const queue::QueueState> state,
                      const authorization::Visibility& sees, absl::Time as_of, JobLists& lists,
                      const v1::ListJobsRequest& request, v1::ListJobsResponse* response) {
  const PageTokens<JobPlace> tokens(state->snapshot().cluster().name, request);
  const absl::StatusOr<std::optional<JobPlace>> given = tokens.Given();
  if (!given.ok()) return given.status();
  JobListKey key = {std::move(state), tokens.fingerprint(), sees, as_of};
  int64_t number = given->has_value() ? (*given)->list : 0;
  std::shared_ptr<const JobList> list =
      given->has_value() ? lists.Find(number) : lists.FindBegun(key, &number);
  // The list belongs to another caller, or is older than a change of privacy.
  if (list != nullptr && !(list->key.sees == sees)) list = nullptr;
  const bool is_new = list == nullptr;
  if (is_new) list = MakeList(std::move(key), request);
  const size_t begin = BeginOf(*list, *given);
  const size_t end =
      std::min(begin + PageSizeOf(request.page_size(), kDefaultPageSize, kMaxPageSize),
               list->entries.size());
  FillPage(*list, absl::MakeConstSpan(list->entries).subspan(begin, end - begin), response);
  response->set_total(static_cast<uint32_t>(list->entries.size()));
  ToProto(list->key.state->snapshot(), response->mutable_snapshot());
  if (end == list->entries.size()) return absl::OkStatus();
  if (is_new) number = lists.Keep(list);
  response->set_next_page_token(tokens.Next(PlaceAfter(*list, list->entries[end - 1], number)));
  return absl::OkStatus();
}

}  // namespace priorityd::rpc
