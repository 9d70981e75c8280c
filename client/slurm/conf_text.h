// What a running slurmctld says of itself, as the slurm.conf that it would have.
#ifndef PRIORITYD_CLIENT_SLURM_CONF_TEXT_H_
#define PRIORITYD_CLIENT_SLURM_CONF_TEXT_H_

#include <string>
#include <vector>

#include "client/slurm/site_texts.h"

namespace priorityd::slurm_frontend {

// The parameters of priority, the nodes and the partitions, then `policy_lines`, which hold against
// what was said before. Nodes that are alike stand in one line. What has no value is left out,
// site factor plugins too: priorityd asks services of its own.
std::string ConfText(const SiteTexts& texts, const std::vector<std::string>& policy_lines);

}  // namespace priorityd::slurm_frontend

#endif  // PRIORITYD_CLIENT_SLURM_CONF_TEXT_H_
