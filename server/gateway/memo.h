// A cache of the results of a slow function.
#ifndef PRIORITYD_SERVER_GATEWAY_MEMO_H_
#define PRIORITYD_SERVER_GATEWAY_MEMO_H_

#include <cstddef>
#include <list>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"

namespace priorityd::gateway {

// Caches the results of one function for the most recent arguments. Thread-safe.
class Memo {
 public:
  // Maximum bytes of all arguments and results; a larger single entry is not cached.
  explicit Memo(size_t most_bytes) : most_bytes_(most_bytes) {}

  // The result for this argument. `compute` must be deterministic; concurrent calls for one
  // argument each compute it.
  std::string Of(std::string argument, absl::FunctionRef<std::string()> compute);

  // The number of cached results.
  size_t size() const;

 private:
  struct Entry {
    std::string argument;
    std::string result;

    size_t bytes() const { return argument.size() + result.size(); }
  };
  using Entries = std::list<Entry>;

  bool Find(absl::string_view argument, std::string* result);
  void Keep(Entry entry);

  const size_t most_bytes_;
  mutable absl::Mutex mutex_;
  // The most recently used comes first.
  Entries entries_ ABSL_GUARDED_BY(mutex_);
  // Keys point to texts of the entries.
  absl::flat_hash_map<absl::string_view, Entries::iterator> by_argument_ ABSL_GUARDED_BY(mutex_);
  size_t bytes_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace priorityd::gateway

#endif  // PRIORITYD_SERVER_GATEWAY_MEMO_H_
