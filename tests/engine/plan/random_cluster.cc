#include "tests/engine/plan/random_cluster.h"

#include <set>

#include "engine/plan/occupancy.h"

namespace priorityd::plan {

RandomCluster::RandomCluster(uint32_t seed, bool consistent) : random_(seed) {
  const int types = Draw(1, 3);
  for (int i = 0; i < types; ++i) {
    cluster.types.push_back({Draw(1, 3), {Draw(1, 4), Draw(0, 2)}});
  }
  const int pools = Draw(0, 2);
  for (int i = 0; i < pools; ++i) cluster.pools.push_back(Draw(1, 4));
  DrawClosures();
  DrawRunning(consistent);
  DrawWaiting();
  options.backfill = static_cast<Backfill>(Draw(0, 2));
  options.max_job_test = Draw(0, 3) == 0 ? Draw(1, 8) : 500;
  if (Draw(0, 3) == 0) options.max_job_user = Draw(1, 3);
  if (Draw(0, 3) == 0) options.max_job_assoc = Draw(1, 3);
  if (Draw(0, 3) == 0) options.max_job_part = Draw(1, 4);
  options.window = Draw(0, 1) == 0 ? absl::Minutes(Draw(0, 30)) : absl::InfiniteDuration();
}

int RandomCluster::Draw(int from, int to) {
  return from + static_cast<int>(random_() % static_cast<uint32_t>(to - from + 1));
}

void RandomCluster::DrawOwnRequests() {
  for (WaitingJob& job : waiting) {
    for (Place& place : job.places) {
      if (Draw(0, 1) == 0) continue;
      place.request = job.request;
      place.request->per_node = {Draw(1, 4), Draw(0, 2)};
      place.time_limit = absl::Minutes(Draw(1, 8));
    }
  }
}

void RandomCluster::DrawClosures() {
  for (int i = Draw(0, 2); i > 0; --i) {
    const absl::Time from = now + absl::Minutes(Draw(-5, 20));
    cluster.closures.push_back({.type = Draw(0, static_cast<int>(cluster.types.size()) - 1),
                                .each = {Draw(0, 4), Draw(0, 2)},
                                .from = from,
                                .until = from + absl::Minutes(Draw(1, 15))});
  }
}

Place RandomCluster::DrawPlace() {
  Place place{.partition = Draw(0, 1)};
  std::set<int> types;
  const int most = static_cast<int>(cluster.types.size()) - 1;
  for (int i = Draw(1, 2); i > 0; --i) types.insert(Draw(0, most));
  place.types.assign(types.begin(), types.end());
  for (size_t pool = 0; pool < cluster.pools.size(); ++pool) {
    if (Draw(0, 2) == 0) place.pools.push_back({static_cast<int>(pool), Draw(1, 2)});
  }
  return place;
}

Request RandomCluster::DrawRequest() {
  return {.nodes = Draw(0, 2) == 0 ? Draw(2, 4) : 1,
          .per_node = {Draw(1, 4), Draw(0, 3) == 0 ? Draw(1, 2) : 0}};
}

void RandomCluster::DrawRunning(bool consistent) {
  const int jobs = Draw(0, 5);
  for (int i = 0; i < jobs; ++i) {
    RunningJob job{
        .request = DrawRequest(), .place = DrawPlace(), .end = now + absl::Minutes(Draw(-2, 15))};
    if (Draw(0, 9) == 0) job.end = absl::InfiniteFuture();
    const Occupancy occupancy = Occupy(cluster, running);
    if (!consistent && Draw(0, 1) == 0) job.nodes = {Draw(0, int(occupancy.free.size()) - 1)};
    if (consistent) {
      running.push_back(job);
      const Occupancy with = Occupy(cluster, running);
      running.pop_back();
      bool full = with.nodes.back().size() < size_t(job.request.nodes);
      for (const int64_t free : with.free_of_pool) full = full || free < 0;
      if (full) continue;
      job.nodes = with.nodes.back();
    }
    running.push_back(job);
  }
}

void RandomCluster::DrawWaiting() {
  const int jobs = Draw(1, 12);
  for (int i = 0; i < jobs; ++i) {
    WaitingJob job{.request = DrawRequest(), .time_limit = absl::Minutes(Draw(1, 8))};
    for (int place = Draw(1, 4) == 1 ? 2 : 1; place > 0; --place) {
      job.places.push_back(DrawPlace());
      if (Draw(0, 5) > 0) continue;
      job.places.back().opens = now + absl::Minutes(Draw(-5, 15));
      job.places.back().closes = job.places.back().opens + absl::Minutes(Draw(2, 20));
    }
    if (Draw(0, 15) == 0) job.time_limit = absl::InfiniteDuration();
    job.user = Draw(0, 2);
    job.association = Draw(0, 3);
    waiting.push_back(job);
  }
}

}  // namespace priorityd::plan
