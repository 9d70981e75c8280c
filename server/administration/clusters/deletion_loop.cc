#include "server/administration/clusters/deletion_loop.h"

#include <spdlog/spdlog.h>

#include <string>
#include <utility>

#include "server/administration/clusters/cluster_deletion.h"

namespace priorityd::administration {

DeletionLoop::DeletionLoop(storage::Database* database, threads::Clock clock,
                           std::function<bool()> leads)
    : database_(database), clock_(std::move(clock)), leads_(std::move(leads)), thread_(clock_) {}

DeletionLoop::~DeletionLoop() { thread_.Stop(); }

void DeletionLoop::Start() {
  thread_.Start([this] {
    Turn();
    return clock_() + kPeriod;
  });
}

void DeletionLoop::Turn() {
  if (!leads_()) return;
  const auto gone = FinishDeletions(*database_, [this] { return !thread_.MustStop() && leads_(); });
  if (!gone.ok()) {
    spdlog::warn("unfinished cluster deletions were not resumed: {}", gone.status().ToString());
    return;
  }
  for (const std::string& cluster : *gone) {
    spdlog::info("{}: its rows are deleted", cluster);
  }
}

}  // namespace priorityd::administration
