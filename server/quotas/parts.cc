#include "server/quotas/parts.h"

#include <algorithm>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace priorityd::quotas {
namespace {

constexpr size_t kMostNumber = 1'000'000'000'000;

size_t Take(const Part& part, size_t capacity) {
  if (!part.is_percent) return part.number;
  // In two steps: the product may be too large.
  return capacity / 100 * part.number + capacity % 100 * part.number / 100;
}

}  // namespace

// A page of the web interface takes 80,000 rows of a watch at most. A hundred watches are a tenth
// of the event streams that there are, so that no user holds all of those.
Parts::Parts()
    : parts_{{kTrackedJobs, {10, true}},     {kTrackedBytes, {10, true}},
             {kAllTrackedJobs, {50, true}},  {kWatchers, {100, false}},
             {kWatchedViews, {10, true}},    {kWatchedRows, {10, true}},
             {kCalls, {25, true}},           {kTresNames, {50, true}},
             {kRateBuckets, {10, true}},     {kHttpRequests, {50, true}},
             {kHttpStreams, {50, true}},     {kHttpBodyBytes, {50, true}},
             {kHttpAnswerBytes, {50, true}}, {kHttpPageBytes, {50, true}},
             {kRequestBytes, {50, true}},    {kServices, {10, true}}} {}

absl::Status Parts::Set(absl::string_view text) {
  const std::pair<absl::string_view, absl::string_view> words =
      absl::StrSplit(text, absl::MaxSplits('=', 1));
  const auto found = parts_.find(std::string(words.first));
  if (found == parts_.end()) {
    std::vector<std::string> names;
    for (const auto& [name, part] : parts_) names.push_back(name);
    return absl::InvalidArgumentError(absl::StrCat("got ", text, ", want NAME=N or NAME=N%, NAME ",
                                                   "one of ", absl::StrJoin(names, ", ")));
  }
  absl::string_view number = words.second;
  Part part{.is_percent = absl::ConsumeSuffix(&number, "%")};
  const size_t most = part.is_percent ? 100 : kMostNumber;
  const size_t least = found->first == kServices ? 0 : 1;
  if (!absl::SimpleAtoi(number, &part.number) || part.number < least || part.number > most) {
    return absl::InvalidArgumentError(absl::StrCat("got ", text, ", want ", found->first,
                                                   "=N from ", least, " to ", kMostNumber, ", or ",
                                                   least, "% to 100%"));
  }
  found->second = part;
  return absl::OkStatus();
}

size_t Parts::Of(const std::string& name, size_t capacity) const {
  return std::min(capacity, std::max<size_t>(1, Take(parts_.at(name), capacity)));
}

size_t Parts::Reserve(size_t capacity) const {
  return std::min(capacity, Take(parts_.at(kServices), capacity));
}

Rule Parts::RuleOf(const std::string& name, size_t capacity, absl::string_view advice) const {
  return {.name = name,
          .capacity = capacity,
          .reserve = Reserve(capacity),
          .of_holder = Of(name, capacity),
          .advice = std::string(advice)};
}

}  // namespace priorityd::quotas
