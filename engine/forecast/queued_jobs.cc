#include "engine/forecast/queued_jobs.h"

#include <algorithm>
#include <iterator>
#include <tuple>

namespace priorityd::forecast {
namespace {

bool IsOlder(const QueuedJob& job, const QueuedJob& than) {
  return job.submit_time < than.submit_time;
}

}  // namespace

void QueuedJobs::Block::AddUp() {
  first = last = jobs.front().key();
  cpus = 0;
  oldest = 0;
  double work = 0;
  double expected_work = 0;
  for (size_t i = 0; i < jobs.size(); ++i) {
    Numbered& at = jobs[i];
    first = std::min(first, at.key());
    last = std::max(last, at.key());
    cpus += at.job.cpus;
    at.work = work += double{at.job.cpus} * at.job.limit;
    at.expected_work = expected_work += double{at.job.cpus} * at.job.expected;
    const Numbered& old = jobs[oldest];
    if (std::tie(at.job.submit_time, at.number) < std::tie(old.job.submit_time, old.number)) {
      oldest = i;
    }
  }
}

QueuedJobs::Blocks::iterator QueuedJobs::BlockOf(const Key& key) {
  const auto found =
      std::lower_bound(blocks_.begin(), blocks_.end(), key,
                       [](const Block& block, const Key& key) { return block.last < key; });
  return found == blocks_.end() ? std::prev(found) : found;
}

void QueuedJobs::Add(const QueuedJob& job) {
  Numbered added{.job = job, .number = added_++};
  keys_.push_back(added.key());
  if (blocks_.empty()) blocks_.emplace_back();
  const auto block = BlockOf(added.key());
  std::vector<Numbered>& jobs = block->jobs;
  jobs.insert(
      std::upper_bound(jobs.begin(), jobs.end(), job.limit,
                       [](float limit, const Numbered& at) { return limit < at.job.limit; }),
      added);
  if (jobs.size() > kMostOfBlock) return Split(block);
  block->AddUp();
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
  blocks_.insert(std::next(block), std::move(upper));
}

void QueuedJobs::Remove(size_t place) {
  const Key key = keys_[place];
  keys_[place] = keys_.back();
  keys_.pop_back();
  const auto block = BlockOf(key);
  std::vector<Numbered>& jobs = block->jobs;
  jobs.erase(std::find_if(jobs.begin(), jobs.end(),
                          [&](const Numbered& at) { return at.number == key.second; }));
  if (jobs.empty()) {
    blocks_.erase(block);
  } else {
    block->AddUp();
  }
}

QueueSums QueuedJobs::All() const {
  QueueSums sums;
  uint64_t number = 0;  // Of the oldest.
  for (const Block& block : blocks_) {
    sums.cpus += block.cpus;
    sums.work += block.jobs.back().work;
    sums.expected_work += block.jobs.back().expected_work;
    sums.widest = block.last.first;
    const Numbered& oldest = block.jobs[block.oldest];
    const bool is_older = !sums.oldest.has_value() || IsOlder(oldest.job, *sums.oldest) ||
                          (!IsOlder(*sums.oldest, oldest.job) && oldest.number < number);
    if (!is_older) continue;
    sums.oldest = oldest.job;
    number = oldest.number;
  }
  return sums;
}

SmallerSums QueuedJobs::NoLargerThan(double cpus, double limit) const {
  SmallerSums sums;
  for (const Block& block : blocks_) {
    if (block.first.first > cpus) break;
    if (block.last.first <= cpus) {
      sums.narrower += block.jobs.size();
      sums.narrower_cpus += block.cpus;
      const auto longer =
          std::upper_bound(block.jobs.begin(), block.jobs.end(), limit,
                           [](double limit, const Numbered& at) { return limit < at.job.limit; });
      if (longer == block.jobs.begin()) continue;
      sums.smaller += static_cast<size_t>(longer - block.jobs.begin());
      sums.smaller_work += std::prev(longer)->work;
      sums.smaller_expected_work += std::prev(longer)->expected_work;
      continue;
    }
    for (const Numbered& at : block.jobs) {
      if (at.job.cpus > cpus) continue;
      ++sums.narrower;
      sums.narrower_cpus += at.job.cpus;
      if (at.job.limit > limit) continue;
      ++sums.smaller;
      sums.smaller_work += double{at.job.cpus} * at.job.limit;
      sums.smaller_expected_work += double{at.job.cpus} * at.job.expected;
    }
  }
  return sums;
}

size_t QueuedJobs::LargerThan(double cpus) const {
  size_t larger = 0;
  for (auto block = blocks_.rbegin(); block != blocks_.rend() && block->last.first > cpus;
       ++block) {
    larger += block->first.first > cpus
                  ? block->jobs.size()
                  : static_cast<size_t>(
                        std::count_if(block->jobs.begin(), block->jobs.end(),
                                      [&](const Numbered& at) { return at.job.cpus > cpus; }));
  }
  return larger;
}

}  // namespace priorityd::forecast
