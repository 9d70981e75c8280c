// `prioctl cluster move`: moves a cluster to another cell while it is used.
#ifndef PRIORITYD_CLIENT_PRIOCTL_SITE_CLUSTER_MOVE_H_
#define PRIORITYD_CLIENT_PRIOCTL_SITE_CLUSTER_MOVE_H_

#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "client/prioctl/command/command.h"
#include "client/prioctl/site/fleet.h"
#include "client/priority_client.h"

namespace priorityd::prioctl {

// Adds the options of the command.
void AddClusterMoveOptions(CLI::App* app, CommandLine& line);

// One end of a move.
struct MoveEnd {
  std::string cell;
  const client::PriorityClient* client = nullptr;
};

// Makes the steps of moving a cluster; see MoveStep. Each step may be repeated, so that an
// interrupted move is continued by Run. Not thread-safe.
class ClusterMover {
 public:
  // `report` gets a sentence for each stage. The clients must outlive it.
  ClusterMover(std::string cluster, std::string comment, MoveEnd source, MoveEnd target,
               std::function<void(const std::string&)> report)
      : cluster_(std::move(cluster)),
        comment_(std::move(comment)),
        source_(std::move(source)),
        target_(std::move(target)),
        report_(std::move(report)) {}

  // Moves the cluster, or continues. Errors of the calls.
  absl::Status Run();

  // Undoes a move that has not been decided yet.
  absl::Status Cancel();

 private:
  using Stage = ::priority::v1::MoveStage;
  using Step = ::priority::v1::MoveStep;

  absl::StatusOr<::priority::v1::ClusterMove> Make(const MoveEnd& end, Step step) const;
  absl::Status Start();
  absl::Status CopyWhileItChanges();
  absl::Status Switch();
  // The rows that the switch needs; the number of rows copied.
  absl::StatusOr<int64_t> CopyFrozen();
  absl::Status Finish();
  // Waits until the target has the newest snapshot of the source.
  absl::Status AwaitRankings() const;

  // Copies the tables of a stage; returns the number of rows.
  absl::StatusOr<int64_t> Copy(Stage stage);
  absl::StatusOr<int64_t> CopyTable(const ::priority::v1::MovedTable& table) const;

  const std::string cluster_;
  const std::string comment_;
  const MoveEnd source_;
  const MoveEnd target_;
  const std::function<void(const std::string&)> report_;
  ::priority::v1::ClusterMove at_source_;  // As of the last step there.
};

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_SITE_CLUSTER_MOVE_H_
