#include "engine/plan/releases.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>

namespace priorityd::plan {
namespace {

constexpr size_t kLargestBlock = 64;

// See Fits.
bool AreFree(absl::Span<const int64_t> need, const int64_t* free) {
  for (size_t i = 0; i < need.size(); ++i) {
    if (need[i] > free[i] && need[i] > 0) return false;
  }
  return true;
}

bool ComesLater(const Releases::Walk& a, const Releases::Walk& b) { return b.key() < a.key(); }

template <typename Vector>
auto At(Vector& vector, size_t place) {
  return vector.begin() + static_cast<std::ptrdiff_t>(place);
}

}  // namespace

Releases::Walk::Walk(const Releases& releases, const Need& need, const Key& from)
    : releases_(&releases), need_(&need), block_(releases.BlockOf(from)), at_(0) {
  if (is_done()) return;
  at_ = releases.blocks_[block_].PlaceOf(from);
  Settle();
}

void Releases::Walk::Settle() {
  for (; !is_done(); ++block_, at_ = 0) {
    const Block& block = releases_->blocks_[block_];
    if (!AreFree(need_->amounts, block.most.data())) continue;
    const size_t width = 2 * releases_->resources_;
    const int64_t* amounts = block.amounts.data() + at_ * width;
    for (; at_ < block.releases.size(); ++at_, amounts += width) {
      if (MayFit(block.releases[at_], amounts)) return;
    }
  }
}

bool Releases::Walk::MayFit(const Release& release, const int64_t* amounts) const {
  if (!AreFree(need_->amounts, amounts)) return false;
  return AreFree(need_->amounts, amounts + releases_->resources_) ||
         std::min(release.key.time + need_->duration, need_->closes) <= release.falls;
}

void Releases::Insert(int node, const StepProfile::Rise& rise) {
  const Release release = {{rise.time, node}, rise.falls};
  if (blocks_.empty()) {
    resources_ = rise.free.size();
    blocks_.push_back({.most = rise.free});
  }
  const size_t number = std::min(BlockOf(release.key), blocks_.size() - 1);
  Block& block = blocks_[number];
  const size_t place = block.PlaceOf(release.key);
  block.releases.insert(At(block.releases, place), release);
  const size_t offset = place * 2 * resources_;
  block.amounts.insert(At(block.amounts, offset), rise.then.begin(), rise.then.end());
  block.amounts.insert(At(block.amounts, offset), rise.free.begin(), rise.free.end());
  block.Cover(rise.free);
  if (block.releases.size() > kLargestBlock) Split(number);
}

void Releases::Update(int node, const StepProfile::Rise& rise) {
  const Key key = {rise.time, node};
  Block& block = blocks_[BlockOf(key)];
  const size_t place = block.PlaceOf(key);
  block.releases[place].falls = rise.falls;
  int64_t* amounts = &block.amounts[place * 2 * resources_];
  std::copy(rise.free.begin(), rise.free.end(), amounts);
  std::copy(rise.then.begin(), rise.then.end(), amounts + resources_);
  block.Cover(rise.free);
}

void Releases::Erase(const Key& key) {
  const size_t number = BlockOf(key);
  Block& block = blocks_[number];
  const size_t place = block.PlaceOf(key);
  block.releases.erase(At(block.releases, place));
  block.amounts.erase(At(block.amounts, place * 2 * resources_),
                      At(block.amounts, (place + 1) * 2 * resources_));
  if (block.releases.empty()) blocks_.erase(At(blocks_, number));
}

size_t Releases::BlockOf(const Key& key) const {
  const auto ends_before = [](const Block& block, const Key& sought) {
    return !block.releases.empty() && block.releases.back().key < sought;
  };
  return static_cast<size_t>(std::lower_bound(blocks_.begin(), blocks_.end(), key, ends_before) -
                             blocks_.begin());
}

void Releases::Split(size_t number) {
  Block& block = blocks_[number];
  const size_t half = block.releases.size() / 2;
  const size_t half_of_amounts = half * 2 * resources_;
  Block second{.releases = {At(block.releases, half), block.releases.end()},
               .amounts = {At(block.amounts, half_of_amounts), block.amounts.end()}};
  block.releases.resize(half);
  block.amounts.resize(half_of_amounts);
  block.FindMost(resources_);
  second.FindMost(resources_);
  blocks_.insert(At(blocks_, number + 1), std::move(second));
}

size_t Releases::Block::PlaceOf(const Key& key) const {
  const auto is_before = [](const Release& release, const Key& sought) {
    return release.key < sought;
  };
  return static_cast<size_t>(std::lower_bound(releases.begin(), releases.end(), key, is_before) -
                             releases.begin());
}

void Releases::Block::Cover(const Amounts& free) {
  for (size_t i = 0; i < most.size(); ++i) most[i] = std::max(most[i], free[i]);
}

void Releases::Block::FindMost(size_t resources) {
  most.assign(resources, std::numeric_limits<int64_t>::min());
  for (size_t release = 0; release < releases.size(); ++release) {
    const int64_t* free = amounts.data() + release * 2 * resources;
    for (size_t i = 0; i < resources; ++i) most[i] = std::max(most[i], free[i]);
  }
}

MergedWalk::MergedWalk(absl::Span<const Releases> releases, absl::Span<const int> types,
                       const Releases::Need& need, const Releases::Key& from) {
  for (const int type : types) {
    const Releases::Walk walk(releases[type], need, from);
    if (!walk.is_done()) walks_.push_back(walk);
  }
  std::make_heap(walks_.begin(), walks_.end(), ComesLater);
}

void MergedWalk::Next() {
  std::pop_heap(walks_.begin(), walks_.end(), ComesLater);
  walks_.back().Next();
  if (walks_.back().is_done()) {
    walks_.pop_back();
  } else {
    std::push_heap(walks_.begin(), walks_.end(), ComesLater);
  }
}

}  // namespace priorityd::plan
