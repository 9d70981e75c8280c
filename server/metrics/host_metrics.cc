#include "server/metrics/host_metrics.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <memory>
#include <optional>

namespace priorityd::metrics {
namespace {

std::optional<std::time_t> ExpiryOf(const X509& certificate) {
  std::tm expiry = {};
  if (ASN1_TIME_to_tm(X509_get0_notAfter(&certificate), &expiry) != 1) return std::nullopt;
  return timegm(&expiry);
}

// The earliest end of the certificates in a PEM file; nullopt if it has none.
std::optional<std::time_t> EarliestExpiry(const std::string& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "re"),
                                                             &std::fclose);
  std::optional<std::time_t> earliest;
  if (file == nullptr) return earliest;
  while (true) {
    const std::unique_ptr<X509, void (*)(X509*)> certificate(
        PEM_read_X509(file.get(), nullptr, nullptr, nullptr), &X509_free);
    if (certificate == nullptr) break;
    const std::optional<std::time_t> expiry = ExpiryOf(*certificate);
    if (expiry.has_value()) earliest = std::min(*expiry, earliest.value_or(*expiry));
  }
  ERR_clear_error();  // The end of the file is an error to OpenSSL.
  return earliest;
}

void AddCertificates(const Host& host, Families* families) {
  Family expiry = families->Gauge("priorityd_certificate_expiry_timestamp_seconds",
                                  "End of the first certificate of the file to expire");
  for (const std::string& path : host.certificates) {
    const std::optional<std::time_t> earliest = EarliestExpiry(path);
    if (earliest.has_value()) expiry.Add(static_cast<double>(*earliest), {{"file", path}});
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
  AddCertificates(host, families);
  AddFileSystem(host, families);
  if (host.postgres_restarts == nullptr) return;
  families
      ->Counter("priorityd_embedded_postgres_restarts_total",
                "Times that the embedded PostgreSQL was started again after it had ended")
      .Add(static_cast<double>(host.postgres_restarts()));
}

}  // namespace priorityd::metrics
