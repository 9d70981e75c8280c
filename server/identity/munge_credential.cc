#include "server/identity/munge_credential.h"

#include <munge.h>
#include <pwd.h>

#include <cerrno>
#include <cstdlib>
#include <memory>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "engine/errors/error_details.h"
#include "server/identity/refusal.h"

namespace priorityd::identity {
namespace {

struct FreeContext {
  void operator()(munge_ctx* context) const { munge_ctx_destroy(context); }
};
struct Free {
  void operator()(void* memory) const { std::free(memory); }
};
using Context = std::unique_ptr<munge_ctx, FreeContext>;

Context MakeContext(const std::string& socket) {
  Context context(munge_ctx_create());
  if (context != nullptr && !socket.empty()) {
    munge_ctx_set(context.get(), MUNGE_OPT_SOCKET, socket.c_str());
  }
  return context;
}

absl::Status Unreachable(absl::string_view why) {
  return errors::WithReason(
      absl::UnavailableError(absl::StrCat("credential: munged of the service's host: ", why)),
      "MUNGE_UNREACHABLE");
}

absl::Status RefusalOf(munge_err_t error) {
  switch (error) {
    case EMUNGE_CRED_REPLAYED:
      return Refused("MUNGE_REPLAYED",
                     "got a MUNGE credential that was used before, want a new one for each call");
    case EMUNGE_CRED_EXPIRED:
      return Refused("MUNGE_EXPIRED",
                     "got a MUNGE credential that has expired, want a new one (are the clocks of "
                     "both hosts right?)");
    case EMUNGE_CRED_REWOUND:
      return Refused("MUNGE_REWOUND",
                     "got a MUNGE credential from the future, want the clocks of both hosts right");
    case EMUNGE_SOCKET:
    case EMUNGE_TIMEOUT:
    case EMUNGE_SNAFU:
    case EMUNGE_NO_MEMORY:
      return Unreachable(munge_strerror(error));
    default:
      return Refused("MUNGE_INVALID", absl::StrCat("MUNGE: ", munge_strerror(error),
                                                   " (do both hosts have the same munge key?)"));
  }
}

}  // namespace

absl::StatusOr<uid_t> DecodeMunge(const std::string& credential, const std::string& socket) {
  if (credential.size() > kMaxMungeBytes) {
    return Refused("MUNGE_INVALID",
                   absl::StrCat("got a MUNGE credential of ", credential.size(), " bytes"));
  }
  const Context context = MakeContext(socket);
  if (context == nullptr) return Unreachable("out of memory");
  void* data = nullptr;
  int size = 0;
  uid_t uid = 0;
  gid_t gid = 0;
  const munge_err_t error =
      munge_decode(credential.c_str(), context.get(), &data, &size, &uid, &gid);
  const std::unique_ptr<void, Free> payload(data);
  if (error != EMUNGE_SUCCESS) return RefusalOf(error);
  if (absl::string_view(static_cast<const char*>(data), static_cast<size_t>(size)) !=
      kMungePayload) {
    return Refused("MUNGE_INVALID",
                   absl::StrCat("got a MUNGE credential that was made for something else, want one "
                                "that carries \"",
                                kMungePayload, "\""));
  }
  return uid;
}

absl::StatusOr<std::string> UserNameOf(uid_t uid) {
  std::vector<char> buffer(1024);
  passwd entry = {};
  passwd* found = nullptr;
  int error = 0;
  while ((error = getpwuid_r(uid, &entry, buffer.data(), buffer.size(), &found)) == ERANGE &&
         buffer.size() < (size_t{1} << 20)) {
    buffer.resize(buffer.size() * 2);
  }
  if (found != nullptr) return std::string(found->pw_name);
  return Refused("UID_UNKNOWN",
                 absl::StrCat("got uid ", uid, ", which has no name on the service's host"));
}

}  // namespace priorityd::identity
