#include "server/transport/pools.h"

#include <algorithm>
#include <cstdlib>

namespace priorityd::rpc {
namespace {

constexpr size_t kMaxEvents = 4096;
int Env(const char* name, int value) { const char* v = std::getenv(name); return v ? atoi(v) : value; }

}  // namespace

Pools::Pools(const PoolSizes& sizes, const quotas::Parts& parts, threads::Clock real_clock)
    : computing({.threads = sizes.cpus + Env("EXTRA", 1), .parts = parts}),
      background({.threads = sizes.cpus, .parts = parts, .in_background = Env("NICE", 1) == 1}),
      planning({.threads = 3, .parts = parts}),
      reporting({.threads = 3, .parts = parts}),
      updating({.threads = 4, .parts = parts, .one_at_a_time = true}),
      storing({.threads = sizes.storing, .parts = parts}),
      operating({.threads = sizes.operating, .max_queued = sizes.max_queued_operations,
                 .parts = parts}),
      status({.threads = 1, .parts = parts}),
      proving({.threads = 4}),
      reading({.threads = 1}),
      answering({.threads = std::max(1, sizes.cpus / 2)}),
      converting({.threads = 1, .max_queued = kMaxEvents, .one_at_a_time = true,
                  .in_background = Env("NICE", 1) == 1}),
      recent_cpu(std::move(real_clock)) {}

WorkerPool& Pools::ComputingFor(const std::string& caller) {
  static const absl::Duration much = absl::Milliseconds(Env("MUCH", 100));
  return recent_cpu.Of(caller) < much ? computing : background;
}

std::vector<std::pair<std::string, PoolActivity>> Pools::Activities() const {
  return {{"computing", computing.activity()}, {"background", background.activity()},
          {"planning", planning.activity()},   {"reporting", reporting.activity()},
          {"updating", updating.activity()},   {"storing", storing.activity()},
          {"operating", operating.activity()}, {"status", status.activity()},
          {"proving", proving.activity()},     {"reading", reading.activity()},
          {"answering", answering.activity()}, {"converting", converting.activity()}};
}

std::vector<quotas::Usage> Pools::Usages() const {
  std::vector<quotas::Usage> usages;
  const std::pair<const char*, const WorkerPool*> of_callers[] = {
      {"computing", &computing}, {"background", &background}, {"planning", &planning},
      {"reporting", &reporting}, {"updating", &updating},     {"storing", &storing},
      {"operating", &operating}, {"status", &status}};
  for (const auto& [name, pool] : of_callers) {
    quotas::Usage& usage = usages.emplace_back(pool->usage());
    usage.name += std::string("_") + name;
  }
  return usages;
}

}  // namespace priorityd::rpc
