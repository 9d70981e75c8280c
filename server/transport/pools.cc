#include "server/transport/pools.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace priorityd::rpc {
namespace {

// Twice the number of event streams, each of which has one event at a time: a lane takes half of
// the places at most.
constexpr size_t kMaxEvents = 4096;
// Used in a second or two; more is much.
constexpr absl::Duration kMuchCpu = absl::Milliseconds(100);

}  // namespace

Pools::Pools(const PoolSizes& sizes, const quotas::Parts& parts, threads::Clock real_clock)
    : recent_cpu(std::move(real_clock)),
      computing({.threads = sizes.cpus + 1, .parts = parts}),
      background({.threads = sizes.cpus, .parts = parts, .in_background = true}),
      planning({.threads = 3, .parts = parts}),
      reporting({.threads = 3, .parts = parts}),
      updating({.threads = 4, .parts = parts, .one_at_a_time = true}),
      storing({.threads = sizes.storing, .parts = parts}),
      operating(
          {.threads = sizes.operating, .max_queued = sizes.max_queued_operations, .parts = parts}),
      status({.threads = 1, .parts = parts}),
      proving({.threads = 4}),
      reading({.threads = 1}),
      answering({.threads = std::max(1, sizes.cpus / 2)}),
      converting(
          {.threads = 1, .max_queued = kMaxEvents, .one_at_a_time = true, .in_background = true}) {}

WorkerPool& Pools::ComputingFor(const quotas::Holder& caller) {
  const bool in_front = caller.is_service || recent_cpu.Of(caller.name) < kMuchCpu;
  return in_front ? computing : background;
}

std::vector<Pools::Named> Pools::all() const {
  return {{"computing", computing, true},  {"background", background, true},
          {"planning", planning, true},    {"reporting", reporting, true},
          {"updating", updating, true},    {"storing", storing, true},
          {"operating", operating, true},  {"status", status, true},
          {"proving", proving, false},     {"reading", reading, false},
          {"answering", answering, false}, {"converting", converting, false}};
}

void Pools::AwaitIdle() const {
  for (const Named& named : all()) named.pool.AwaitIdle();
}

std::vector<std::pair<std::string, PoolActivity>> Pools::Activities() const {
  std::vector<std::pair<std::string, PoolActivity>> activities;
  for (const Named& named : all()) activities.emplace_back(named.name, named.pool.activity());
  return activities;
}

std::vector<quotas::Usage> Pools::Usages() const {
  std::vector<quotas::Usage> usages;
  for (const Named& named : all()) {
    if (!named.has_parts) continue;
    quotas::Usage& usage = usages.emplace_back(named.pool.usage());
    absl::StrAppend(&usage.name, "_", named.name);
  }
  return usages;
}

}  // namespace priorityd::rpc
