#include <string>
#include <vector>

#include "server/slurm/hostlist.h"
#include "tests/fuzz/check.h"

namespace priorityd::slurm {
namespace {

int RunOne(const uint8_t* data, size_t size) {
  const std::string text = FuzzText(data, size);
  const absl::StatusOr<int64_t> count = CountHosts(text);
  const absl::StatusOr<std::vector<std::string>> hosts = ExpandHostlist(text);
  Check(count.ok() == hosts.ok(), "count and expansion agree on what is right");
  if (!hosts.ok()) return 0;
  Check(*count == static_cast<int64_t>(hosts->size()), "count and expansion agree");
  for (const std::string& host : *hosts) {
    Check(!host.empty() && host.size() <= kMaxHostNameLength, "names have their length");
  }
  return 0;
}

}  // namespace
}  // namespace priorityd::slurm

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return priorityd::slurm::RunOne(data, size);
}
