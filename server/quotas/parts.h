// The part of each pool that one caller may hold.
#ifndef PRIORITYD_SERVER_QUOTAS_PARTS_H_
#define PRIORITYD_SERVER_QUOTAS_PARTS_H_

#include <cstddef>
#include <map>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "server/quotas/quota.h"

namespace priorityd::quotas {

// The names for --quota.
inline constexpr char kTrackedJobs[] = "tracked_jobs";         // Of a cluster.
inline constexpr char kTrackedBytes[] = "tracked_bytes";       // Of the jobs of a cluster.
inline constexpr char kAllTrackedJobs[] = "all_tracked_jobs";  // Of all clusters, by cluster.
inline constexpr char kWatchers[] = "watchers";
inline constexpr char kWatchedViews[] = "watched_views";
inline constexpr char kWatchedRows[] = "watched_rows";
inline constexpr char kCalls[] = "calls";                 // Of a pool of threads.
inline constexpr char kRequestBytes[] = "request_bytes";  // Memory of requests and answers.
inline constexpr char kTresNames[] = "tres_names";        // Of a cluster, by source.
inline constexpr char kRateBuckets[] = "rate_buckets";    // By address.
inline constexpr char kHttpRequests[] = "http_requests";  // By address, as the following.
inline constexpr char kHttpStreams[] = "http_streams";
inline constexpr char kHttpBodyBytes[] = "http_body_bytes";
inline constexpr char kHttpAnswerBytes[] = "http_answer_bytes";
inline constexpr char kHttpPageBytes[] = "http_page_bytes";
// The part of each pool that is reserved for services.
inline constexpr char kServices[] = "services";

// A number, or a percentage of the pool.
struct Part {
  size_t number = 0;
  bool is_percent = false;

  bool operator==(const Part&) const = default;
};

class Parts {
 public:
  // With the defaults.
  Parts();

  // Reads `NAME=N` or `NAME=N%`. INVALID_ARGUMENT, `got X, want Y`.
  absl::Status Set(absl::string_view text);

  // One caller's part of a pool of `capacity`: at least one, at most the whole.
  size_t Of(const std::string& name, size_t capacity) const;
  // The reserve for services.
  size_t Reserve(size_t capacity) const;
  // The rule of a pool in which callers have parts.
  Rule RuleOf(const std::string& name, size_t capacity, absl::string_view advice) const;

  bool operator==(const Parts&) const = default;

 private:
  std::map<std::string, Part> parts_;
};

}  // namespace priorityd::quotas

#endif  // PRIORITYD_SERVER_QUOTAS_PARTS_H_
