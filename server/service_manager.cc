#include "server/service_manager.h"

#include <systemd/sd-daemon.h>

#include "absl/strings/str_cat.h"
#include "server/logging/log_line.h"

namespace priorityd {

void NotifyReady(const std::string& status) {
  sd_notify(0, absl::StrCat("READY=1\nSTATUS=", logging::LogLine(status)).c_str());
}

void NotifyReloading() { sd_notify(0, "RELOADING=1"); }

void NotifyStopping() { sd_notify(0, "STOPPING=1"); }

}  // namespace priorityd
