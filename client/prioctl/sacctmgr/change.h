// Makes changes: prints them, asks for confirmation, and makes them.
#ifndef PRIORITYD_CLIENT_PRIOCTL_SACCTMGR_CHANGE_H_
#define PRIORITYD_CLIENT_PRIOCTL_SACCTMGR_CHANGE_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "client/prioctl/sacctmgr/terminal.h"
#include "client/priority_client.h"
#include "priority/v1/administration.pb.h"

namespace priorityd::sacctmgr {

// The question before a change.
inline constexpr char kCommitQuestion[] =
    "Would you like to commit changes? (You have 30 seconds to decide)\n(N/y): ";

// Printed where there is nothing to do; sacctmgr's scripts look for these.
inline constexpr char kNothingAdded[] = " Nothing new added.";
inline constexpr char kNothingModified[] = " Nothing modified";
inline constexpr char kNothingDeleted[] = " Nothing deleted";

// One call that changes something.
struct ChangeCall {
  std::string heading;  // ` Adding User(s)`; printed if anything changes.
  std::function<absl::StatusOr<::priority::v1::ChangeResponse>(
      const ::priority::v1::ChangeOptions&)>
      call;
  std::string cluster;  // The cluster as typed; the etag is for this cluster alone.
  // The settings of its request: errors name them as they were typed, not by their places.
  std::vector<::priority::v1::Setting> settings;
};

// The change of a command. Several calls are made one after another, each only if nobody else
// changed the configuration since the first was checked.
struct Change {
  std::vector<ChangeCall> calls;
  // Printed, with exit code 1, where there is nothing to do: ` Nothing modified`.
  std::string nothing;
};

// Checks all calls, prints what would change, asks unless settings.immediate, and makes them. A
// call whose things are not there (NOT_FOUND) has nothing to do, unless it adds something.
absl::Status Make(const Change& change, const client::PriorityClient& client,
                  const Settings& settings, Terminal& terminal);

// Asks unless settings.immediate; prints that nothing was done where the answer is no.
absl::StatusOr<bool> MayGoOn(const Settings& settings, const std::string& question,
                             Terminal& terminal);

// Prints `text`, and the command ends with exit code 1.
absl::Status NothingDone(const std::string& text, Terminal& terminal);

// The changes, one line each, without control characters:
// `  user ann account chem: Fairshare=1 -> Fairshare=5`.
std::string ChangeLines(const ::priority::v1::ChangeResponse& response);

}  // namespace priorityd::sacctmgr

#endif  // PRIORITYD_CLIENT_PRIOCTL_SACCTMGR_CHANGE_H_
