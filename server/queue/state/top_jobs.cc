#include "server/queue/state/top_jobs.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "engine/numbers/whole_number.h"
#include "engine/priority/jobs/job_id.h"
#include "engine/priority/ranking/scoring.h"
#include "server/queue/state/chunk_scorer.h"
#include "server/queue/state/packed_job.h"

namespace priorityd::queue {
namespace {

constexpr int64_t kMaxNice = 2147483645;
constexpr int64_t kLeastPriority = 1;

// The attributes that jobs must share for one to be put before another.
struct Company {
  priority::AssociationIndex association;
  int32_t partition;
  int32_t qos;
  bool operator==(const Company&) const = default;
};

struct Member {
  TrackedJob job;
  int64_t base = 0;          // The priority without nice.
  int64_t priority = 0;      // The present, then the new priority; not clamped.
  size_t wanted = SIZE_MAX;  // Its position among the jobs to put first.

  int64_t nice() const { return base - priority; }
  // The highest priority that a user or a coordinator may give it: that of a nice of 0, or of its
  // negative one, which only an operator or a frontend can have given.
  int64_t highest() const { return base - std::min(0, job.job.nice); }
};

// The start order of jobs that differ only in these members.
bool TieBefore(const Member& a, const Member& b) {
  if (*a.job.job.submit_time != *b.job.job.submit_time) {
    return *a.job.job.submit_time < *b.job.job.submit_time;
  }
  return priority::CompareJobIds(a.job.job.job_id, b.job.job.job_id) < 0;
}

bool Before(const Member& a, const Member& b) {
  return a.priority != b.priority ? a.priority > b.priority : TieBefore(a, b);
}

// The reason that the job cannot be moved; empty = it can.
std::string WhyNot(const TrackedJob& job, size_t rows, const priority::Snapshot& snapshot) {
  if (job.ended()) return "got a job that has ended, want a pending one";
  if (job.job.state != priority::JobState::kPending) return "got a running job, want a pending one";
  if (job.job.hold != priority::Hold::kNone) return "got a held job, want one that is not held";
  if (job.job.admin_priority.has_value()) {
    return "got a job whose priority was set by hand, want one with a computed priority";
  }
  if (snapshot.FindLeasedNice(job.job.job_id) != nullptr) {
    return "got a job with a lease of its nice value, want one without";
  }
  if (rows != 1)
    return "got a job with several partitions or QOS, or none that exist, want one of each";
  return "";
}

class Queue {
 public:
  Queue(const TrackedQueue& queue, absl::Time now) : state_(queue.state()), scorer_(*state_, now) {}

  std::optional<std::string> WhyNotMoved(JobPlace place) {
    scorer_.Look(place.chunk, nullptr);
    std::string why =
        WhyNot(state_->chunks()[place.chunk]->job(place.job), Rows(place.job), state_->snapshot());
    return why.empty() ? std::nullopt : std::make_optional(std::move(why));
  }

  std::optional<JobPlace> Find(absl::string_view job_id) const {
    for (uint32_t chunk = 0; chunk < state_->chunks().size(); ++chunk) {
      const auto& ids = state_->chunks()[chunk]->table().job_id;
      const auto found = std::find(ids.begin(), ids.end(), job_id);
      if (found != ids.end()) return JobPlace{chunk, static_cast<uint32_t>(found - ids.begin())};
    }
    return std::nullopt;
  }

  // For a job that can be moved.
  Company CompanyOf(JobPlace place) const {
    const priority::JobTable& table = state_->chunks()[place.chunk]->table();
    const uint32_t row = table.first_row[place.job];
    return {table.association[place.job], table.partition[row], table.qos[row]};
  }

  // Without jobs of sources that the caller may not change.
  std::vector<Member> MembersOf(const Company& company, const JobRights& rights) {
    std::vector<Member> members;
    for (uint32_t chunk = 0; chunk < state_->chunks().size(); ++chunk) {
      scorer_.Look(chunk, nullptr);
      scorer_.Score();
      for (uint32_t i = 0; i < scorer_.table().jobs(); ++i) {
        if (Rows(i) != 1 || CompanyOf({chunk, i}) != company) continue;
        TrackedJob job = state_->chunks()[chunk]->job(i);
        if (IsOfAnother(rights, job, "")) continue;
        if (WhyNot(job, 1, state_->snapshot()).empty())
          members.push_back(MemberOf(std::move(job), Row(i)));
      }
    }
    std::sort(members.begin(), members.end(), Before);
    return members;
  }

  // Higher sums count as this priority.
  int64_t CeilingOf(const Company& company) const {
    const priority::Penalty* penalty = state_->snapshot().penalties().Of(company.association);
    return numbers::WholePart((penalty == nullptr ? priority::Penalty() : *penalty).band);
  }

 private:
  uint32_t Row(uint32_t job) const { return scorer_.table().first_row[job]; }
  size_t Rows(uint32_t job) const { return scorer_.table().first_row[job + 1] - Row(job); }

  Member MemberOf(TrackedJob job, uint32_t row) const {
    const priority::RowTerms terms = scorer_.Terms(row);
    double base = 0;
    for (size_t i = 0; i < priority::kTerms; ++i) {
      const auto term = static_cast<priority::Term>(i);
      if (term < priority::Term::kNice || term == priority::Term::kAdminPriority) {
        base += terms[i];
      }
    }
    Member member;
    member.job = std::move(job);
    member.base = numbers::WholePart(std::floor(base));
    member.priority = member.base - member.job.job.nice;
    return member;
  }

  const std::shared_ptr<const QueueState> state_;
  ChunkScorer scorer_;
};

// The present priorities, the highest first.
std::vector<int64_t> Priorities(const std::vector<Member>& members) {
  std::vector<int64_t> priorities;
  for (const Member& member : members) priorities.push_back(member.priority);
  std::sort(priorities.begin(), priorities.end(), std::greater<>());
  return priorities;
}

// Permutes the priorities of `members`, which are in the wanted order, so that they start in that
// order and the sum stays the same.
void Deal(std::vector<Member>* members) {
  std::vector<Member>& all = *members;
  const std::vector<int64_t> dealt = Priorities(all);
  int64_t excess = 0;
  for (size_t i = all.size(); i-- > 0;) {
    const bool is_last = i + 1 == all.size();
    const int64_t least =
        is_last ? dealt[i] : all[i + 1].priority + (TieBefore(all[i], all[i + 1]) ? 0 : 1);
    all[i].priority = std::max(dealt[i], least);
    excess += all[i].priority - dealt[i];
  }
  const int64_t jobs = static_cast<int64_t>(all.size());
  for (int64_t i = 0; i < jobs; ++i) {
    all[i].priority -= excess / jobs + (jobs - i <= excess % jobs ? 1 : 0);
  }
}

// The highest priority of the job behind `front`; nullopt = none is lower than that of `front`.
std::optional<int64_t> HighestBehind(const Member& front, const Member& member, int64_t ceiling) {
  if (TieBefore(front, member)) return front.priority;
  const int64_t counts = std::max(kLeastPriority, std::min(front.priority, ceiling));
  return counts == kLeastPriority ? std::nullopt : std::make_optional(counts - 1);
}

// The same for a caller who may give no job precedence over those of other users: no job gets more
// than its highest priority, and the n-th in the order no more than the n-th had. Returns the job
// that no other can be put behind; null = they start in the wanted order.
const Member* DealWithinRights(int64_t ceiling, std::vector<Member>* members) {
  std::vector<Member>& all = *members;
  const std::vector<int64_t> dealt = Priorities(all);
  for (size_t i = 0; i < all.size(); ++i) {
    const std::optional<int64_t> highest =
        i == 0 ? dealt[i] : HighestBehind(all[i - 1], all[i], ceiling);
    if (!highest.has_value()) return &all[i - 1];
    all[i].priority = std::min({dealt[i], all[i].highest(), *highest});
  }
  return nullptr;
}

UpdateResult Denied(absl::string_view message) {
  return {UpdateOutcome::kRefused, "AccessDenied", "job_id", absl::StrCat("job_id: ", message)};
}

UpdateResult Invalid(absl::string_view message) {
  return {UpdateOutcome::kInvalid, "InvalidJob", "job_id", absl::StrCat("job_id: ", message)};
}

// Finds the jobs to put first, or why that is not possible.
class FirstJobs {
 public:
  FirstJobs(const TrackedQueue& queue, const JobRights& rights, Queue& places)
      : queue_(queue), rights_(rights), places_(places) {}

  // nullopt = the job can be moved.
  std::optional<UpdateResult> Add(absl::string_view job_id) {
    const std::optional<TrackedJob> job = queue_.Find(job_id);
    const std::optional<JobPlace> place = places_.Find(job_id);
    const bool is_own = !rights_.user.has_value() || (job.has_value() && MayMove(*job));
    if (!place.has_value() || (!is_own && rights_.jobs_are_private)) {
      return UpdateResult{UpdateOutcome::kNotFound, "", "", ""};
    }
    if (!is_own)
      return Denied(
          "got the job of another user, want one of your own, or of an account that you "
          "coordinate");
    if (IsOfAnother(rights_, job, "")) {
      return Denied("got a job of another source, want one of your own");
    }
    if (!wanted_.emplace(job_id, wanted_.size()).second)
      return Invalid("got it twice, want it once");
    if (auto why = places_.WhyNotMoved(*place)) return Invalid(*why);
    const Company company = places_.CompanyOf(*place);
    if (company_.value_or(company) != company) {
      return Invalid(
          "got a job of another user, account, partition or QOS than the first, want the same");
    }
    company_ = company;
    return std::nullopt;
  }

  const Company& company() const { return *company_; }
  // Puts them first, in their order.
  void PutFirst(std::vector<Member>* members) const {
    for (Member& member : *members) {
      const auto found = wanted_.find(member.job.job.job_id);
      if (found != wanted_.end()) member.wanted = found->second;
    }
    std::stable_sort(members->begin(), members->end(),
                     [](const Member& a, const Member& b) { return a.wanted < b.wanted; });
  }

 private:
  bool MayMove(const TrackedJob& job) const {
    const auto& snapshot = queue_.state()->snapshot();
    return Owns(rights_, job.job.user) ||
           Coordinates(
               rights_, job,
               job.job.account.empty() ? snapshot.DefaultAccount(job.job.user) : job.job.account);
  }

  const TrackedQueue& queue_;
  const JobRights& rights_;
  Queue& places_;
  std::optional<Company> company_;
  absl::flat_hash_map<absl::string_view, size_t> wanted_;
};

}  // namespace

std::vector<JobChange> PutFirst(const TrackedQueue& queue,
                                absl::Span<const absl::string_view> job_ids,
                                const JobRights& rights, absl::Time now,
                                std::vector<TopResult>* results) {
  results->clear();
  Queue places(queue, now);
  FirstJobs first(queue, rights, places);
  for (const absl::string_view job_id : job_ids) {
    auto fault = first.Add(job_id);
    if (fault.has_value()) results->push_back({std::string(job_id), *std::move(fault)});
  }
  if (!results->empty() || job_ids.empty()) return {};
  std::vector<Member> members = places.MembersOf(first.company(), rights);
  first.PutFirst(&members);
  if (!rights.user.has_value()) {
    Deal(&members);
  } else if (const Member* least = DealWithinRights(places.CeilingOf(first.company()), &members)) {
    results->assign(1, {std::string(least->job.job.job_id),
                        Invalid("got a job of the least priority, 1, want a higher one: no job "
                                "can be put behind it")});
    return {};
  }
  std::vector<JobChange> changes;
  for (Member& member : members) {
    const std::string job_id(member.job.job.job_id);
    if (std::abs(member.nice()) > kMaxNice) {
      results->assign(
          1, {job_id, Invalid(absl::StrCat("got a job that would need a nice of ", member.nice(),
                                           ", want one from -", kMaxNice, " to ", kMaxNice))});
      return {};
    }
    if (member.nice() == member.job.job.nice) continue;
    member.job.job.nice = static_cast<int32_t>(member.nice());
    changes.push_back({job_id, PackJob(member.job)});
    results->push_back({job_id, {UpdateOutcome::kUpserted, "", "", ""}});
  }
  return changes;
}

}  // namespace priorityd::queue
