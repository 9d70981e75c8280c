#include "server/queue/state/job_rights.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "server/queue/state/job_field_rules.h"

namespace priorityd::queue {
namespace {

constexpr char kUserSource[] = "user:";

// Running or ended.
bool HasStarted(const TrackedJob& job) {
  return job.ended() || job.job.state != priority::JobState::kPending;
}

std::optional<DeniedChange> DenyOwner(const JobRights& rights, const TrackedJob* old,
                                      const TrackedJob& wanted) {
  if (!Owns(rights, wanted.job.user)) {
    return DeniedChange{"user", "user: got another user's job, want one of your own"};
  }
  if (old == nullptr || Owns(rights, old->job.user)) return std::nullopt;
  return DeniedChange{"job_id", "job_id: got the job of another user, want one of your own"};
}

std::optional<DeniedChange> DenyFields(UserStanding standing, const TrackedJob& old,
                                       const TrackedJob& wanted, absl::Time earliest) {
  for (const JobFieldRule& rule : JobFieldRules()) {
    std::string breach = Breach(rule, standing, old, wanted, earliest);
    if (!breach.empty()) return DeniedChange{rule.name, std::move(breach)};
  }
  return std::nullopt;
}

bool IsAnothers(const JobRights& rights, const TrackedJob& old) {
  return !Owns(rights, old.job.user);
}

UserStanding UserStandingOf(bool is_own, const TrackedJob& old) {
  if (is_own) return HasStarted(old) ? UserStanding::kRunning : UserStanding::kPending;
  return HasStarted(old) ? UserStanding::kCoordinatedRunning : UserStanding::kCoordinated;
}

}  // namespace

bool Owns(const JobRights& rights, absl::string_view owner) {
  return owner == *rights.user || rights.merged_users.contains(owner);
}

std::string SourceOfUser(absl::string_view user) { return absl::StrCat(kUserSource, user); }

bool IsSourceOfUser(absl::string_view source) { return absl::StartsWith(source, kUserSource); }

bool IsOfAnother(const JobRights& rights, const std::optional<TrackedJob>& old,
                 absl::string_view source) {
  if (!old.has_value() || old->ended()) return false;
  if (old->source.empty() || IsSourceOfUser(old->source)) return false;
  if (!rights.sources.empty() && !rights.sources.contains(old->source)) return true;
  return !rights.user.has_value() && !source.empty() && old->source != source;
}

absl::string_view SourceKept(const TrackedJob& old, absl::string_view source) {
  if (old.source.empty()) return source;
  const bool takes_over = IsSourceOfUser(old.source) && !source.empty() && !IsSourceOfUser(source);
  return takes_over ? source : old.source;
}

bool Coordinates(const JobRights& rights, const TrackedJob& old, absl::string_view account) {
  return rights.user.has_value() && IsAnothers(rights, old) && rights.coordinated.contains(account);
}

TrackedJob WithKeptFields(const JobRights& rights, const TrackedJob& old, TrackedJob wanted) {
  if (wanted.keeps_state && !old.ended()) wanted.job.state = old.job.state;
  if (!rights.user.has_value()) return wanted;
  if (!wanted.job.submit_time.has_value()) wanted.job.submit_time = old.job.submit_time;
  if (wanted.told_dependency_unmet == old.job.dependency_unmet) {
    wanted.told_dependency_unmet = old.told_dependency_unmet;
  }
  if (old.site_factor_answered) wanted.job.site_factor = old.job.site_factor;
  return wanted;
}

std::optional<DeniedChange> DenyRemoval(const JobRights& rights, const TrackedJob* old,
                                        absl::string_view account) {
  if (!rights.user.has_value() || old == nullptr) return std::nullopt;
  if (IsAnothers(rights, *old) && !Coordinates(rights, *old, account)) {
    return DeniedChange{"job_id", "job_id: got the job of another user, want one of your own"};
  }
  if (old->ended() || !HasStarted(*old)) return std::nullopt;
  return DeniedChange{"job_id",
                      "job_id: got a running job, which only its frontend or an operator may "
                      "remove; cancel it with the command of its frontend"};
}

std::optional<DeniedChange> DenyUpsert(const JobRights& rights, const TrackedJob* old,
                                       absl::string_view account, const TrackedJob& wanted,
                                       absl::Time now) {
  if (!rights.user.has_value()) return std::nullopt;
  const bool coordinates = old != nullptr && Coordinates(rights, *old, account);
  if (!coordinates) {
    if (auto denied = DenyOwner(rights, old, wanted)) return denied;
  }
  if (old != nullptr) {
    return DenyFields(UserStandingOf(!coordinates, *old), *old, wanted,
                      old->job.submit_time.value_or(now));
  }
  TrackedJob none;
  none.job.job_id = wanted.job.job_id;
  none.job.user = wanted.job.user;
  return DenyFields(UserStanding::kNew, none, wanted, now);
}

}  // namespace priorityd::queue
