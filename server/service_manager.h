// The notifications of a service of Type=notify to systemd; they do nothing without systemd.
#ifndef PRIORITYD_SERVER_SERVICE_MANAGER_H_
#define PRIORITYD_SERVER_SERVICE_MANAGER_H_

#include <string>

namespace priorityd {

// The service answers calls; `status` is the line that `systemctl status` shows.
void NotifyReady(const std::string& status);
// It reads its files again, until the next NotifyReady.
void NotifyReloading();
void NotifyStopping();

}  // namespace priorityd

#endif  // PRIORITYD_SERVER_SERVICE_MANAGER_H_
