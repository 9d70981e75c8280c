#include "engine/forecast/queued_jobs.h"

#include <algorithm>
#include <iterator>
#include <tuple>

namespace priorityd::forecast {

void QueuedJobs::Totals::Add(const Totals& others) {
  jobs += others.jobs;
  first = std::min(first, others.first);
  last = std::max(last, others.last);
  shortest = std::min(shortest, others.shortest);
  longest = std::max(longest, others.longest);
  cpus += others.cpus;
  work += others.work;
  expected_work += others.expected_work;
  if (std::tie(others.oldest.submit_time, others.oldest_number) <
      std::tie(oldest.submit_time, oldest_number)) {
    oldest = others.oldest;
    oldest_number = others.oldest_number;
  }
}

void QueuedJobs::Block::AddUp() {
  Totals sums = {.jobs = jobs.size(),
                 .first = jobs.front().key(),
                 .last = jobs.front().key(),
                 .shortest = jobs.front().job.limit,
                 .longest = jobs.back().job.limit};
  size_t oldest = 0;
  for (size_t i = 0; i < jobs.size(); ++i) {
    Numbered& at = jobs[i];
    sums.first = std::min(sums.first, at.key());
    sums.last = std::max(sums.last, at.key());
    sums.cpus += at.job.cpus;
    at.work = sums.work += double{at.job.cpus} * at.job.limit;
    at.expected_work = sums.expected_work += double{at.job.cpus} * at.job.expected;
    const Numbered& old = jobs[oldest];
    if (std::tie(at.job.submit_time, at.number) < std::tie(old.job.submit_time, old.number)) {
      oldest = i;
    }
  }
  sums.oldest = jobs[oldest].job;
  sums.oldest_number = jobs[oldest].number;
  totals = sums;
}

bool QueuedJobs::AddIfAlike(const Totals& totals, double cpus, double limit, SmallerSums* sums) {
  if (totals.last.cpus > cpus) return false;
  const bool all_smaller = totals.longest <= limit;
  if (!all_smaller && totals.shortest <= limit) return false;
  sums->narrower += totals.jobs;
  sums->narrower_cpus += totals.cpus;
  if (!all_smaller) return true;
  sums->smaller += totals.jobs;
  sums->smaller_work += totals.work;
  sums->smaller_expected_work += totals.expected_work;
  return true;
}

void QueuedJobs::Block::AddNoLargerTo(double cpus, double limit, SmallerSums* sums) const {
  if (AddIfAlike(totals, cpus, limit, sums)) return;
  if (totals.last.cpus <= cpus) {
    // Some are longer than the limit, and the first is not.
    const auto longer =
        std::upper_bound(jobs.begin(), jobs.end(), limit,
                         [](double limit, const Numbered& at) { return limit < at.job.limit; });
    sums->narrower += jobs.size();
    sums->narrower_cpus += totals.cpus;
    sums->smaller += static_cast<size_t>(longer - jobs.begin());
    sums->smaller_work += std::prev(longer)->work;
    sums->smaller_expected_work += std::prev(longer)->expected_work;
    return;
  }
  for (const Numbered& at : jobs) {
    if (at.job.cpus > cpus) continue;
    ++sums->narrower;
    sums->narrower_cpus += at.job.cpus;
    if (at.job.limit > limit) continue;
    ++sums->smaller;
    sums->smaller_work += double{at.job.cpus} * at.job.limit;
    sums->smaller_expected_work += double{at.job.cpus} * at.job.expected;
  }
}

size_t QueuedJobs::Block::CountLarger(double cpus) const {
  if (totals.first.cpus > cpus) return jobs.size();
  return static_cast<size_t>(std::count_if(jobs.begin(), jobs.end(),
                                           [&](const Numbered& at) { return at.job.cpus > cpus; }));
}

QueuedJobs::Blocks::iterator QueuedJobs::BlockOf(const Key& key) {
  const auto found =
      std::lower_bound(blocks_.begin(), blocks_.end(), key,
                       [](const Block& block, const Key& key) { return block.totals.last < key; });
  return found == blocks_.end() ? std::prev(found) : found;
}

absl::Span<const QueuedJobs::Block> QueuedJobs::BlocksOf(size_t group) const {
  return absl::MakeConstSpan(blocks_).subspan(group * kBlocksOfGroup, kBlocksOfGroup);
}

void QueuedJobs::AddUpGroup(size_t group) {
  const auto blocks = BlocksOf(group);
  groups_[group] = blocks.front().totals;
  for (const Block& block : blocks.subspan(1)) groups_[group].Add(block.totals);
}

void QueuedJobs::AddUpGroupsFrom(size_t block) {
  groups_.resize((blocks_.size() + kBlocksOfGroup - 1) / kBlocksOfGroup);
  for (size_t group = GroupOf(block); group < groups_.size(); ++group) AddUpGroup(group);
}

void QueuedJobs::Add(const QueuedJob& job) {
  Numbered added{.job = job, .number = added_++};
  keys_.push_back(added.key());
  if (blocks_.empty()) {
    blocks_.emplace_back();
    groups_.emplace_back();
  }
  const auto block = BlockOf(added.key());
  std::vector<Numbered>& jobs = block->jobs;
  jobs.insert(
      std::upper_bound(jobs.begin(), jobs.end(), job.limit,
                       [](float limit, const Numbered& at) { return limit < at.job.limit; }),
      added);
  if (jobs.size() > kMostOfBlock) return Split(block);
  block->AddUp();
  AddUpGroup(GroupOf(static_cast<size_t>(block - blocks_.begin())));
}

// Each half keeps the order of time limits.
void QueuedJobs::Split(Blocks::iterator block) {
  std::vector<Key> keys;
  for (const Numbered& at : block->jobs) keys.push_back(at.key());
  const auto middle = keys.begin() + static_cast<std::ptrdiff_t>(keys.size() / 2);
  std::nth_element(keys.begin(), middle, keys.end());
  Block upper;
  const auto begin = std::stable_partition(block->jobs.begin(), block->jobs.end(),
                                           [&](const Numbered& at) { return at.key() < *middle; });
  upper.jobs.assign(begin, block->jobs.end());
  block->jobs.erase(begin, block->jobs.end());
  block->AddUp();
  upper.AddUp();
  const auto place = static_cast<size_t>(block - blocks_.begin());
  blocks_.insert(std::next(block), std::move(upper));
  AddUpGroupsFrom(place);
}

void QueuedJobs::Remove(size_t place) {
  const Key key = keys_[place];
  keys_[place] = keys_.back();
  keys_.pop_back();
  const auto block = BlockOf(key);
  const auto number = static_cast<size_t>(block - blocks_.begin());
  std::vector<Numbered>& jobs = block->jobs;
  jobs.erase(std::find_if(jobs.begin(), jobs.end(),
                          [&](const Numbered& at) { return at.number == key.number; }));
  if (jobs.empty()) {
    blocks_.erase(block);
    AddUpGroupsFrom(number);
  } else {
    block->AddUp();
    AddUpGroup(GroupOf(number));
  }
}

QueueSums QueuedJobs::All() const {
  if (groups_.empty()) return {};
  Totals all = groups_.front();
  for (size_t group = 1; group < groups_.size(); ++group) all.Add(groups_[group]);
  return {all.cpus, all.work, all.expected_work, all.last.cpus, all.oldest};
}

SmallerSums QueuedJobs::NoLargerThan(double cpus, double limit) const {
  SmallerSums sums;
  for (size_t group = 0; group < groups_.size(); ++group) {
    if (groups_[group].first.cpus > cpus) break;
    if (AddIfAlike(groups_[group], cpus, limit, &sums)) continue;
    for (const Block& block : BlocksOf(group)) {
      if (block.totals.first.cpus > cpus) break;
      block.AddNoLargerTo(cpus, limit, &sums);
    }
  }
  return sums;
}

size_t QueuedJobs::LargerThan(double cpus) const {
  size_t larger = 0;
  for (size_t group = groups_.size(); group-- > 0 && groups_[group].last.cpus > cpus;) {
    if (groups_[group].first.cpus > cpus) {
      larger += groups_[group].jobs;
      continue;
    }
    for (const Block& block : BlocksOf(group)) {
      if (block.totals.last.cpus > cpus) larger += block.CountLarger(cpus);
    }
  }
  return larger;
}

}  // namespace priorityd::forecast
