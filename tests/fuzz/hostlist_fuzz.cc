#include <string>
#include <vector>

#include "engine/slurm/words/hostlist.h"
#include "tests/fuzz/check.h"
#include "tests/fuzz/target.h"

namespace priorityd::slurm {
namespace {

void RunOne(const std::string& text) {
  const absl::StatusOr<int64_t> count = CountHosts(text);
  const absl::StatusOr<std::vector<std::string>> hosts = ExpandHostlist(text);
  Check(count.ok() == hosts.ok(), "count and expansion agree on what is right");
  if (!hosts.ok()) return;
  Check(*count == static_cast<int64_t>(hosts->size()), "count and expansion agree");
  for (const std::string& host : *hosts) {
    Check(!host.empty() && host.size() <= kMaxHostNameLength, "names have their length");
  }
}

[[maybe_unused]] const bool registered = fuzz::Register({"hostlist", RunOne});

}  // namespace
}  // namespace priorityd::slurm
