// The list of the standings of grants, of which snapshots share the unchanged parts.
#ifndef PRIORITYD_ENGINE_PRIORITY_SITE_GRANT_STANDINGS_H_
#define PRIORITYD_ENGINE_PRIORITY_SITE_GRANT_STANDINGS_H_

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "engine/priority/site/grant_standing.h"

namespace priorityd::priority {

// A copy shares the entries and costs a pointer for each, since few of many change between two
// recalculations. A shared entry is never written. Thread-compatible.
class GrantStandings {
 public:
  class const_iterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = GrantStanding;
    using difference_type = std::ptrdiff_t;
    using pointer = const GrantStanding*;
    using reference = const GrantStanding&;

    const_iterator() = default;
    explicit const_iterator(const std::shared_ptr<GrantStanding>* at) : at_(at) {}
    reference operator*() const { return **at_; }
    pointer operator->() const { return at_->get(); }
    const_iterator& operator++() { return ++at_, *this; }
    const_iterator operator++(int) { return const_iterator(at_++); }
    bool operator==(const const_iterator&) const = default;

   private:
    const std::shared_ptr<GrantStanding>* at_ = nullptr;
  };

  GrantStandings() = default;
  GrantStandings(std::vector<GrantStanding> standings) {  // NOLINT: the same list.
    entries_.reserve(standings.size());
    for (GrantStanding& standing : standings) push_back(std::move(standing));
  }
  GrantStandings(std::initializer_list<GrantStanding> standings)
      : GrantStandings(std::vector<GrantStanding>(standings)) {}

  bool empty() const { return entries_.empty(); }
  size_t size() const { return entries_.size(); }
  const GrantStanding& operator[](size_t i) const { return *entries_[i]; }
  const_iterator begin() const { return const_iterator(entries_.data()); }
  const_iterator end() const { return const_iterator(entries_.data() + entries_.size()); }

  // The entry to be written before this list is copied again: copies that exist keep theirs.
  GrantStanding& Change(size_t i) {
    return *(entries_[i] = std::make_shared<GrantStanding>(*entries_[i]));
  }
  GrantStanding& emplace_back() {
    return *entries_.emplace_back(std::make_shared<GrantStanding>());
  }
  void push_back(GrantStanding standing) { emplace_back() = std::move(standing); }
  void clear() { entries_.clear(); }

  friend bool operator==(const GrantStandings& a, const GrantStandings& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  std::vector<std::shared_ptr<GrantStanding>> entries_;
};

}  // namespace priorityd::priority

#endif  // PRIORITYD_ENGINE_PRIORITY_SITE_GRANT_STANDINGS_H_
