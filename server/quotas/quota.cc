#include "server/quotas/quota.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "engine/errors/error_details.h"

namespace priorityd::quotas {
namespace {

// Whether `held` plus `some` exceeds `most`, without overflow.
bool Exceeds(size_t held, size_t some, size_t most) { return held > most || some > most - held; }

size_t Sum(size_t held, size_t some) { return held > kUnbounded - some ? kUnbounded : held + some; }

}  // namespace

absl::Status Rule::Check(const Held& held, const Holder& holder, size_t some) const {
  const auto refuse = [&](size_t got, absl::string_view of, size_t most, absl::string_view bound) {
    return errors::WithReason(
        absl::ResourceExhaustedError(absl::StrCat(name, ": got ", got, " of ", of,
                                                  ", want at most ", most, bound, "; ", advice)),
        "QUOTA_EXCEEDED");
  };
  if (!holder.is_service && Exceeds(held.of_holder, some, of_holder)) {
    return refuse(Sum(held.of_holder, some), holder.name, of_holder,
                  absl::StrCat(" of one caller (--quota=", name, "=N)"));
  }
  if (!holder.group.empty() && Exceeds(held.of_group, some, of_group)) {
    return refuse(Sum(held.of_group, some), absl::StrCat("cluster ", holder.group), of_group,
                  absl::StrCat(" of one cluster (--quota=", name, "=N)"));
  }
  const size_t kept = holder.is_service ? 0 : std::min(reserve, capacity);
  if (!Exceeds(held.all, some, capacity - kept)) return absl::OkStatus();
  return refuse(Sum(held.all, some), "all callers", capacity - kept,
                absl::StrCat(kept == 0 ? "" : absl::StrCat(" beside ", kept, " for services"),
                             flag.empty() ? "" : absl::StrCat(" (", flag, ")")));
}

Share& Share::operator=(Share&& other) noexcept {
  if (this == &other) return *this;
  Clear();
  quota_ = std::exchange(other.quota_, nullptr);
  holder_ = std::move(other.holder_);
  size_ = std::exchange(other.size_, 0);
  return *this;
}

absl::Status Share::GrowTo(size_t size) {
  absl::Status added = quota_->TryAdd(holder_, size - size_);
  if (added.ok()) size_ = size;
  return added;
}

void Share::Clear() {
  if (size_ > 0) quota_->GiveBack(holder_, std::exchange(size_, 0));
}

void Share::PassTo(const Holder& holder) {
  if (size_ > 0) quota_->Pass(holder_, holder, size_);
  holder_ = holder;
}

absl::StatusOr<Share> Quota::Take(const Holder& holder, size_t some) {
  Share share(this, holder);
  absl::Status taken = share.GrowTo(some);
  if (!taken.ok()) return taken;
  return share;
}

absl::Status Quota::NoBacking(size_t some) const {
  return errors::WithReason(
      absl::ResourceExhaustedError(absl::StrCat(
          rule_.name, ": got ", some, " more, want what --memory_budget has left; ", rule_.advice)),
      "MEMORY_BUDGET");
}

absl::Status Quota::TryAdd(const Holder& holder, size_t some) {
  absl::MutexLock lock(&mutex_);
  absl::Status allowed = rule_.Check(HeldNow(holder), holder, some);
  if (allowed.ok() && backing_.take != nullptr && !backing_.take(some)) allowed = NoBacking(some);
  allowed.ok() ? Count(holder, some) : void(++refused_);
  return allowed;
}

void Quota::GiveBack(const Holder& holder, size_t some) {
  absl::MutexLock lock(&mutex_);
  Uncount(holder, some);
  if (backing_.give_back != nullptr) backing_.give_back(some);
}

void Quota::Pass(const Holder& from, const Holder& to, size_t some) {
  absl::MutexLock lock(&mutex_);
  Uncount(from, some);
  Count(to, some);
}

void Quota::Count(const Holder& holder, size_t some) {
  all_ += some;
  Add(holder.name, some, &holders_);
  Add(holder.group, some, &groups_);
}

void Quota::Uncount(const Holder& holder, size_t some) {
  all_ -= some;
  Subtract(holder.name, some, &holders_);
  Subtract(holder.group, some, &groups_);
}

void Quota::Add(const std::string& name, size_t some, Counts* counts) {
  if (some > 0 && !name.empty()) (*counts)[name] += some;
}

void Quota::Subtract(const std::string& name, size_t some, Counts* counts) {
  const auto found = counts->find(name);
  if (found == counts->end()) return;
  found->second -= some;
  if (found->second == 0) counts->erase(found);
}

size_t Quota::CountOf(const std::string& name, const Counts& counts) {
  const auto found = counts.find(name);
  return found == counts.end() ? 0 : found->second;
}

Held Quota::HeldNow(const Holder& holder) const {
  return {all_, CountOf(holder.name, holders_), CountOf(holder.group, groups_)};
}

Held Quota::HeldBy(const Holder& holder) const {
  absl::MutexLock lock(&mutex_);
  return HeldNow(holder);
}

Usage Quota::usage() const {
  absl::MutexLock lock(&mutex_);
  return {rule_.name, all_, rule_.capacity, refused_};
}

size_t Quota::size() const {
  absl::MutexLock lock(&mutex_);
  return holders_.size() + groups_.size();
}

}  // namespace priorityd::quotas
