#include "server/gateway/memo.h"

#include <utility>

namespace priorityd::gateway {

std::string Memo::Of(std::string argument, absl::FunctionRef<std::string()> compute) {
  std::string result;
  if (Find(argument, &result)) return result;
  result = compute();
  Keep({std::move(argument), result});
  return result;
}

size_t Memo::size() const {
  const absl::MutexLock lock(&mutex_);
  return entries_.size();
}

bool Memo::Find(absl::string_view argument, std::string* result) {
  const absl::MutexLock lock(&mutex_);
  const auto found = by_argument_.find(argument);
  if (found == by_argument_.end()) return false;
  entries_.splice(entries_.begin(), entries_, found->second);
  *result = found->second->result;
  return true;
}

void Memo::Keep(Entry entry) {
  const absl::MutexLock lock(&mutex_);
  if (entry.bytes() > most_bytes_ || by_argument_.contains(entry.argument)) return;
  bytes_ += entry.bytes();
  entries_.push_front(std::move(entry));
  by_argument_.emplace(entries_.front().argument, entries_.begin());
  while (bytes_ > most_bytes_) {
    bytes_ -= entries_.back().bytes();
    by_argument_.erase(entries_.back().argument);
    entries_.pop_back();
  }
}

}  // namespace priorityd::gateway
