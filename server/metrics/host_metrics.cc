#include "server/metrics/host_metrics.h"

#include <sys/statvfs.h>

#include <optional>

#include "absl/time/time.h"
#include "server/identity/certificate_expiry.h"

namespace priorityd::metrics {
namespace {

void AddCertificates(const Host& host, Families* families) {
  Family expiry = families->Gauge("priorityd_certificate_expiry_timestamp_seconds",
                                  "End of the first certificate of the file to expire");
  for (const std::string& path : host.certificates) {
    const std::optional<absl::Time> end = identity::FirstExpiry(path);
    if (end.has_value())
      expiry.Add(static_cast<double>(absl::ToUnixSeconds(*end)), {{"file", path}});
  }
}

void AddFileSystem(const Host& host, Families* families) {
  struct statvfs state = {};
  if (host.data_dir.empty() || statvfs(host.data_dir.c_str(), &state) != 0) return;
  const double block = static_cast<double>(state.f_frsize);
  families->Gauge("priorityd_data_dir_free_bytes", "Free space of the file system of --data_dir")
      .Add(block * static_cast<double>(state.f_bavail));
  families->Gauge("priorityd_data_dir_size_bytes", "Size of the file system of --data_dir")
      .Add(block * static_cast<double>(state.f_blocks));
}

}  // namespace

void AddHost(const Host& host, Families* families) {
  if (!host.cell.empty()) {
    families->Gauge("priorityd_cell_info", "1, with the name of --cell")
        .Add(1, {{"cell", host.cell}});
  }
  AddCertificates(host, families);
  AddFileSystem(host, families);
  if (host.postgres_restarts != nullptr) {
    families
        ->Counter("priorityd_embedded_postgres_restarts_total",
                  "Times that the embedded PostgreSQL was started again after it had ended")
        .Add(static_cast<double>(host.postgres_restarts()));
  }
  if (host.newest_backup == nullptr) return;
  const absl::StatusOr<absl::Time> newest = host.newest_backup();
  if (!newest.ok()) return;
  families
      ->Gauge("priorityd_backup_last_timestamp_seconds",
              "Begin of the newest backup of the embedded database; 0: there is none")
      .Add(static_cast<double>(absl::ToUnixSeconds(*newest)));
}

}  // namespace priorityd::metrics
