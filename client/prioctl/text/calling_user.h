// The user who runs prioctl.
#ifndef PRIORITYD_CLIENT_PRIOCTL_TEXT_CALLING_USER_H_
#define PRIORITYD_CLIENT_PRIOCTL_TEXT_CALLING_USER_H_

#include <string>

namespace priorityd::prioctl {

// As sshare knows the caller: by the real user id, which stands for a name where it has none.
std::string CallingUser();

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_TEXT_CALLING_USER_H_
