// Work of several callers, who take turns.
#ifndef PRIORITYD_SERVER_THREADS_TURNS_H_
#define PRIORITYD_SERVER_THREADS_TURNS_H_

#include <cstddef>
#include <deque>
#include <map>
#include <string>
#include <utility>

namespace priorityd::threads {

// Items in the order in which they are taken: one of each owner in turn, those of one owner as they
// were added. An owner without items takes no memory. Thread-compatible.
template <typename Item>
class Turns {
 public:
  bool empty() const { return size_ == 0; }
  size_t size() const { return size_; }

  void Add(const std::string& owner, Item item) {
    std::deque<Item>& own = items_[owner];
    if (own.empty()) owners_.push_back(owner);
    own.push_back(std::move(item));
    ++size_;
  }

  // REQUIRES: !empty().
  Item Take() {
    const auto own = items_.find(owners_.front());
    owners_.pop_front();
    Item item = std::move(own->second.front());
    own->second.pop_front();
    own->second.empty() ? void(items_.erase(own)) : owners_.push_back(own->first);
    --size_;
    return item;
  }

 private:
  std::map<std::string, std::deque<Item>> items_;
  std::deque<std::string> owners_;  // The next one to take a turn comes first.
  size_t size_ = 0;
};

}  // namespace priorityd::threads

#endif  // PRIORITYD_SERVER_THREADS_TURNS_H_
