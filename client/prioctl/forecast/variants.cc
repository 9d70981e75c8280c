#include "client/prioctl/forecast/variants.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "client/prioctl/forecast/usable_places.h"
#include "client/prioctl/text/text.h"

namespace priorityd::prioctl {
namespace {

namespace v1 = ::priority::v1;

// Of one ForecastStarts.
constexpr size_t kMostForecast = 100;
// Of one RankJobs: few milliseconds.
constexpr size_t kMostPlaces = 1000;

using Listed = std::vector<Variant>;

void AddShorter(const v1::Job& job, Listed* variants) {
  constexpr int64_t kShortest = 15 * 60;
  for (const int part : {2, 4, 6}) {
    const int64_t seconds = job.time_limit().seconds() / part / 60 * 60;
    if (seconds < kShortest) return;
    Variant variant{job};
    variant.job.mutable_time_limit()->set_seconds(seconds);
    variant.job.set_job_id(absl::StrCat("--time ", DurationText(variant.job.time_limit())));
    variants->push_back(std::move(variant));
  }
}

void AddSmaller(const v1::Job& job, Listed* variants) {
  for (const int part : {2, 4}) {
    const double cpus = std::floor(job.cpus() / part);
    if (cpus < 1) return;
    Variant variant{job};
    variant.job.set_cpus(cpus);
    variant.job.set_job_id(absl::StrCat("--cpus ", NumberText(cpus)));
    variants->push_back(std::move(variant));
  }
}

void AddNamed(const v1::Job& job, absl::Span<const std::string> partitions, Listed* variants) {
  for (size_t i = 1; i < partitions.size(); ++i) {
    Variant variant{job, true, 1};
    variant.job.set_partitions(0, partitions[i]);
    variant.job.set_job_id(absl::StrCat("--partition ", partitions[i]));
    variants->push_back(std::move(variant));
  }
}

v1::Job In(const Place& place, v1::Job job) {
  job.clear_partitions();
  job.add_partitions(place.partition);
  job.clear_qos();
  if (!place.qos.empty()) job.add_qos(place.qos);
  return job;
}

// A job that could not start.
struct Refused {
  Place place;
  std::string message, reason;
};

// The jobs that could start, with their places, and those that could not.
struct Ranked {
  std::vector<std::pair<size_t, Place>> startable;  // By index, in start order.
  absl::flat_hash_map<size_t, Refused> refused;     // By index.
};

absl::StatusOr<Ranked> Rank(const Listed& asked, const v1::Job& job, absl::Span<const Place> places,
                            const client::PriorityClient& client) {
  v1::RankJobsRequest request;
  const auto add = [&request](v1::Job one) {
    one.set_job_id(absl::StrCat(request.jobs().jobs_size()));
    *request.mutable_jobs()->add_jobs() = std::move(one);
  };
  for (const Variant& variant : asked) add(variant.job);
  for (const Place& place : places) add(In(place, job));
  request.set_best_only(true);
  const auto response = client.RankJobs(std::move(request));
  if (!response.ok()) return response.status();
  Ranked ranked;
  size_t index = 0;
  for (const v1::RankedJob& row : response->ranked()) {
    if (!absl::SimpleAtoi(row.job_id(), &index)) continue;
    ranked.startable.push_back({index, {row.partition(), row.qos()}});
  }
  for (const v1::IneligibleJob& row : response->ineligible()) {
    if (!absl::SimpleAtoi(row.job_id(), &index)) continue;
    const std::string& message = row.message().empty() ? row.reason() : row.message();
    ranked.refused[index] = {{row.partition(), row.qos()}, message, row.reason()};
  }
  return ranked;
}

// The part of the place that differs from the job's own.
Variant VariantIn(const Place& place, const Place& own, const v1::Job& job) {
  Variant variant{In(place, job)};
  std::string what;
  if (place.partition != own.partition) {
    ++variant.changed_names;
    absl::StrAppend(&what, "--partition ", place.partition);
  }
  if (place.qos != own.qos) {
    ++variant.changed_names;
    absl::StrAppend(&what, what.empty() ? "" : " ", "--qos ", place.qos);
  }
  variant.job.set_job_id(what);
  return variant;
}

Place PlaceOf(size_t index, const Ranked& ranked) {
  const auto refused = ranked.refused.find(index);
  if (refused != ranked.refused.end()) return refused->second.place;
  const auto found =
      absl::c_find_if(ranked.startable, [&](const auto& one) { return one.first == index; });
  return found == ranked.startable.end() ? Place() : found->second;
}

// Places that differ in the partition or the QOS come before those that differ in both.
Listed OtherPlaces(size_t first, const Ranked& ranked, const v1::Job& job) {
  const Place own = PlaceOf(0, ranked);
  Listed others;
  for (const auto& [index, place] : ranked.startable) {
    if (index < first) continue;
    Variant variant = VariantIn(place, own, job);
    if (variant.changed_names > 0) others.push_back(std::move(variant));
  }
  absl::c_stable_sort(
      others, [](const Variant& a, const Variant& b) { return a.changed_names < b.changed_names; });
  return others;
}

Variants Selected(Listed asked, const Ranked& ranked) {
  const Listed others = OtherPlaces(asked.size(), ranked, asked.front().job);
  Variants variants;
  absl::flat_hash_set<std::string> known;
  for (size_t i = 0; i < asked.size(); ++i) {
    const auto refused = ranked.refused.find(i);
    const bool is_refused = refused != ranked.refused.end();
    if (is_refused && (i == 0 || asked[i].is_named)) {
      const auto& [place, message, reason] = refused->second;
      variants.refused.push_back({asked[i].job.job_id(), message, reason});
    }
    if (is_refused && i > 0) continue;
    if (known.insert(asked[i].job.job_id()).second) variants.all.push_back(std::move(asked[i]));
  }
  for (const Variant& other : others) {
    if (known.insert(other.job.job_id()).second) variants.all.push_back(other);
  }
  return variants;
}

}  // namespace

absl::StatusOr<Variants> FindVariants(const v1::Job& job, absl::Span<const std::string> partitions,
                                      const client::PriorityClient& client) {
  Listed asked = {{job}};
  asked.front().job.set_job_id("as asked");
  AddShorter(job, &asked);
  AddSmaller(job, &asked);
  AddNamed(job, partitions, &asked);
  const auto places = UsablePlaces(job.user(), job.account(), kMostPlaces, client);
  if (!places.ok()) return places.status();
  const auto ranked = Rank(asked, job, *places, client);
  Variants variants;
  if (ranked.ok()) {
    variants = Selected(std::move(asked), *ranked);
  } else if (absl::IsPermissionDenied(ranked.status())) {
    variants.all = std::move(asked);
  } else {
    return ranked.status();
  }
  if (variants.all.size() > kMostForecast) variants.all.resize(kMostForecast);
  return variants;
}

}  // namespace priorityd::prioctl
