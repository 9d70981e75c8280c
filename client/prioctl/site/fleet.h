// The cells of a site: databases with their replicas, among which clusters are spread.
#ifndef PRIORITYD_CLIENT_PRIOCTL_SITE_FLEET_H_
#define PRIORITYD_CLIENT_PRIOCTL_SITE_FLEET_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "client/priority_client.h"

namespace CLI {
class App;
}  // namespace CLI

namespace priorityd::prioctl {

struct FleetCell {
  std::string name;                    // Letters, digits, '.', '_' and '-'.
  std::vector<std::string> addresses;  // Of its replicas; at least one.
  bool operator==(const FleetCell&) const = default;
};

// The options that name the cells.
struct FleetOptions {
  std::string file;                // --fleet
  std::vector<std::string> cells;  // --cell NAME=ADDRESS[,ADDRESS...]
};

// Adds --fleet FILE and --cell.
void AddFleet(CLI::App* app, FleetOptions& options);

// The cells of a fleet file: a line `NAME = ADDRESS[,ADDRESS...]` for each, `#` before comments.
// INVALID_ARGUMENT names the file and the line.
absl::StatusOr<std::vector<FleetCell>> ParseFleet(absl::string_view text, absl::string_view file);

// The cells of the options: those of --cell, otherwise of the file. Without options the file is
// that of the environment variable PRIORITYD_FLEET, or /etc/priorityd/fleet.conf.
absl::StatusOr<std::vector<FleetCell>> ReadFleet(const FleetOptions& options);

// A client of the cell, with the credentials and the timeout of `client`. With `patient` it retries
// until the timeout. `address`: one of the replicas; empty = whichever answers.
std::unique_ptr<client::PriorityClient> ConnectTo(const FleetCell& cell,
                                                  const client::PriorityClient& client,
                                                  bool patient = false, std::string address = "");

// The error of a call to a cell by `client`, with the cell's name. Where no replica answered, it
// names their addresses and the cause, and its code is FAILED_PRECONDITION.
absl::Status ErrorOfCell(absl::string_view cell, const client::PriorityClient& client,
                         const absl::Status& status);

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_SITE_FLEET_H_
