// Environment variables that stand for options of Slurm's tools, such as SQUEUE_FORMAT for
// `squeue --format`. A typed option takes precedence.
#ifndef PRIORITYD_CLIENT_PRIOCTL_COMMAND_ENVIRONMENT_H_
#define PRIORITYD_CLIENT_PRIOCTL_COMMAND_ENVIRONMENT_H_

#include <string>
#include <vector>

namespace priorityd::prioctl {

// Whether the variable is set, to whatever value.
bool IsSet(const char* variable);

// Each sets `option` to the variable's value if `option` is empty and the variable is set; a list
// is joined by commas.
void SetFromEnvironment(const char* variable, std::string* option);
void SetFromEnvironment(const char* variable, std::vector<std::string>* option);

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_COMMAND_ENVIRONMENT_H_
