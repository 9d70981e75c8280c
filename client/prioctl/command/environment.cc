#include "client/prioctl/command/environment.h"

#include <cstdlib>

#include "absl/strings/str_split.h"

namespace priorityd::prioctl {

bool IsSet(const char* variable) { return std::getenv(variable) != nullptr; }

void SetFromEnvironment(const char* variable, std::string* option) {
  if (option->empty() && IsSet(variable)) *option = std::getenv(variable);
}

void SetFromEnvironment(const char* variable, std::vector<std::string>* option) {
  if (!option->empty() || !IsSet(variable)) return;
  *option = absl::StrSplit(std::getenv(variable), ',', absl::SkipEmpty());
}

}  // namespace priorityd::prioctl
