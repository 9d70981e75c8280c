// Files embedded in the binary by tools/embed.py.
#ifndef PRIORITYD_SERVER_GATEWAY_EMBEDDED_FILES_H_
#define PRIORITYD_SERVER_GATEWAY_EMBEDDED_FILES_H_

#include <vector>

#include "absl/strings/string_view.h"

namespace priorityd::gateway {

struct EmbeddedFile {
  absl::string_view name;
  absl::string_view content;
};

// The descriptors of proto/priority/v1 with their comments: one FileDescriptorSet.
const std::vector<EmbeddedFile>& ApiDescriptors();
// The page: client/web/dist.
const std::vector<EmbeddedFile>& WebAssets();

}  // namespace priorityd::gateway

#endif  // PRIORITYD_SERVER_GATEWAY_EMBEDDED_FILES_H_
