// A simulation as text of prioctl.
#ifndef PRIORITYD_CLIENT_PRIOCTL_POLICY_SIMULATION_TEXT_H_
#define PRIORITYD_CLIENT_PRIOCTL_POLICY_SIMULATION_TEXT_H_

#include <ostream>

#include "priority/v1/simulation.pb.h"

namespace priorityd::prioctl {

// The requested parts besides the rows.
struct SimulationParts {
  bool policy = false;  // Another policy: the parameters that differ.
  bool forecasts = false;
};

// The parameters that differ, what becomes of grants, the rows, and how many there are.
void PrintSimulation(const ::priority::v1::SimulateResponse& response, const SimulationParts& parts,
                     std::ostream& out);

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_POLICY_SIMULATION_TEXT_H_
