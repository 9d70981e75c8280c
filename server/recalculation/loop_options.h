// Options of the loop that recalculates.
#ifndef PRIORITYD_SERVER_RECALCULATION_LOOP_OPTIONS_H_
#define PRIORITYD_SERVER_RECALCULATION_LOOP_OPTIONS_H_

#include <functional>
#include <memory>
#include <string>

#include "absl/time/time.h"
#include "engine/priority/snapshot/snapshot.h"
#include "server/recalculation/leadership.h"
#include "server/recalculation/news.h"
#include "server/recalculation/recalculation.h"
#include "server/recalculation/recalculation_report.h"

namespace priorityd::recalculation {

struct LoopOptions {
  LeadershipOptions leadership;
  HistoryOptions history;
  // Clusters recalculated in parallel, each by a thread with a database connection.
  int threads = 4;
  // The site's clock estimates the database's: no recalculation is for a later time than the
  // database's clock reads.
  bool by_database = false;
  // Called on the loop's thread when other replicas changed tracked queues of these clusters, when
  // the leader's publication for them is loaded, and every few seconds for all clusters. Must not
  // wait for long.
  std::function<void(const ClusterNames&)> on_notified;
  // Called on the loop's thread when a cluster has been deleted, or created again under its name.
  // Must not wait for long.
  std::function<void(const std::string& cluster)> on_deleted;
  // Called after a snapshot was published, on the thread that recalculated it; again, on the loop's
  // thread, if on_deleted was called later for an earlier cluster of its name. Must return at once.
  std::function<void(std::shared_ptr<const priority::Snapshot>)> on_recalculated;
  // Notified of each recalculation. Must outlive the loop.
  RecalculationObservers observers;
  // The longest time that a replica waits for the leader to recalculate.
  absl::Duration patience = absl::Seconds(30);
};

}  // namespace priorityd::recalculation

#endif  // PRIORITYD_SERVER_RECALCULATION_LOOP_OPTIONS_H_
