// The configuration of a running slurmctld as an equivalent slurm.conf.
#ifndef PRIORITYD_CLIENT_SLURM_CONF_TEXT_H_
#define PRIORITYD_CLIENT_SLURM_CONF_TEXT_H_

#include <string>
#include <vector>

#include "client/slurm/site_texts.h"

namespace priorityd::slurm_frontend {

// The parameters of priority, the nodes and the partitions, then `policy_lines`, which override
// earlier lines. Equal nodes are on one line. Parameters without a value are left out,
// site factor plugins too: priorityd calls its own SiteFactor services.
std::string ConfText(const SiteTexts& texts, const std::vector<std::string>& policy_lines);

}  // namespace priorityd::slurm_frontend

#endif  // PRIORITYD_CLIENT_SLURM_CONF_TEXT_H_
