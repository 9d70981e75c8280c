#include "client/prioctl/text/calling_user.h"

#include <pwd.h>
#include <unistd.h>

#include "absl/strings/str_cat.h"

namespace priorityd::prioctl {

std::string CallingUser() {
  const passwd* entry = getpwuid(getuid());
  return entry != nullptr ? entry->pw_name : absl::StrCat(getuid());
}

}  // namespace priorityd::prioctl
