#include "engine/priority/jobs/job_size.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace priorityd::priority {
namespace {

constexpr double kUnlimitedMinutes = std::numeric_limits<uint32_t>::max();

// part / whole; 1 minus that with PriorityFavorSmall.
double Portion(double part, double whole, bool favor_small) {
  return favor_small ? std::max(0.0, whole - part) / whole : part / whole;
}

double BySize(const Policy& policy, const Cluster& cluster, const JobSize& size) {
  const double nodes = Portion(size.nodes, cluster.nodes, policy.favor_small);
  if (size.cpus <= 0) return nodes;
  return (nodes + Portion(size.cpus, cluster.cpus, policy.favor_small)) / 2;
}

double BySizeOverTime(const Policy& policy, const Cluster& cluster, const JobSize& size) {
  const double cpus = std::max(size.nodes * cluster.cpus / cluster.nodes, size.cpus);
  const double factor = cpus / size.minutes / cluster.cpus;
  return policy.favor_small ? 1 - factor : factor;
}

}  // namespace

double LimitMinutes(absl::Duration time_limit) {
  return std::clamp(std::ceil(absl::ToDoubleMinutes(time_limit)), 1.0, kUnlimitedMinutes);
}

double JobSizeFactor(const Policy& policy, const Cluster& cluster, const JobSize& size) {
  if (!(cluster.nodes > 0) || !(cluster.cpus > 0)) return 0;
  const double factor = policy.small_relative_to_time ? BySizeOverTime(policy, cluster, size)
                                                      : BySize(policy, cluster, size);
  return std::clamp(factor, 0.0, 1.0);
}

}  // namespace priorityd::priority
