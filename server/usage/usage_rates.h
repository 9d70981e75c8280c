// Recent usage per second, of associations and QOS.
#ifndef PRIORITYD_SERVER_USAGE_USAGE_RATES_H_
#define PRIORITYD_SERVER_USAGE_USAGE_RATES_H_

#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/time/time.h"
#include "engine/priority/fair_share/association_tree.h"
#include "engine/priority/site/tres.h"
#include "server/usage/usage_report.h"

namespace priorityd::usage {

// The rows of a usage report, rolled up the tree of associations. Immutable.
class UsageRates {
 public:
  // `report`: the first page, by account, association and QOS, in one bucket of the length
  // `window`, above 0. An association that the tree lacks counts for the account, an account that
  // it lacks for the nearest one above, as last known. `tree` must outlive it.
  UsageRates(const priority::AssociationTree& tree, const UsageReport& report,
             absl::Duration window);

  // TRES-seconds per second; with an empty `tres` seconds of jobs' run times per second. Of the
  // association and everything below it.
  double OfAssociation(priority::AssociationIndex i, const std::string& tres) const;
  double OfQos(const std::string& qos, const std::string& tres) const;

 private:
  double PerSecond(const priority::TresMap& sums, const std::string& tres) const;

  const priority::AssociationTree& tree_;
  const double window_;  // Seconds.
  // Sums over the window; run times under the empty name.
  std::vector<priority::TresMap> associations_;
  absl::flat_hash_map<std::string, priority::TresMap> qos_;
};

}  // namespace priorityd::usage

#endif  // PRIORITYD_SERVER_USAGE_USAGE_RATES_H_
