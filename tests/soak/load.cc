#include "tests/soak/load.h"

namespace priorityd::soak {

Clients ConnectAs(const std::string& user, const Replicas& replicas) {
  Clients clients;
  for (const auto& replica : replicas) clients.push_back(replica->ConnectAs(user));
  return clients;
}

Clients ConnectHostile(const std::string& user, const Replicas& replicas) {
  Clients clients;
  for (const auto& replica : replicas) clients.push_back(replica->ConnectHostile(user));
  return clients;
}

void Load::Run() {
  while (!ends_) {
    Step();
    absl::SleepFor(pause_);
  }
  Finish();
}

}  // namespace priorityd::soak
