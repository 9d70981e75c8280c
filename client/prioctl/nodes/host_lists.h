// `scontrol show hostnames`, `hostlist` and `hostlistsorted`: texts alone.
#ifndef PRIORITYD_CLIENT_PRIOCTL_NODES_HOST_LISTS_H_
#define PRIORITYD_CLIENT_PRIOCTL_NODES_HOST_LISTS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace priorityd::nodes {

// The hosts of an expression such as `n[1-3],login`, one a line. INVALID_ARGUMENT as in
// slurm::ExpandHostlist, and without any host.
absl::StatusOr<std::string> HostNames(absl::string_view expression);

// The shortest expression with these hosts in their order, as scontrol writes it: numbers that
// follow each other become ranges, a host that is there twice stays twice. `hosts`: expressions,
// joined by commas, blanks or line ends. Ends with the line. INVALID_ARGUMENT as above.
absl::StatusOr<std::string> HostList(absl::string_view hosts);

// The same, by name and number.
absl::StatusOr<std::string> SortedHostList(absl::string_view hosts);

}  // namespace priorityd::nodes

#endif  // PRIORITYD_CLIENT_PRIOCTL_NODES_HOST_LISTS_H_
