#include "server/metrics/host_metrics.h"

#include <gtest/gtest.h>

#include <ctime>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <utility>

#include "tests/server/identity/certificate_authority.h"
#include "tests/temporary_folder.h"

namespace priorityd::metrics {
namespace {

// Metric -> its only series.
std::map<std::string, prometheus::ClientMetric> SeriesOf(const Host& host) {
  Families families;
  AddHost(host, &families);
  std::map<std::string, prometheus::ClientMetric> series;
  for (const prometheus::MetricFamily& family : std::move(families).Take()) {
    EXPECT_EQ(family.metric.size(), 1u) << family.name;
    series[family.name] = family.metric.at(0);
  }
  return series;
}

TEST(HostMetricsTest, ACertificateExpiresWhenOpensslSaysSo) {
  const identity::CertificateAuthority authority;
  const auto series = SeriesOf({.certificates = {authority.certificate()}});
  const auto& expiry = series.at("priorityd_certificate_expiry_timestamp_seconds");
  EXPECT_EQ(expiry.label.at(0).value, authority.certificate());
  // Made by the test just now, for two days.
  const double now = static_cast<double>(std::time(nullptr));
  EXPECT_NEAR(expiry.gauge.value, now + 2 * 86400, 60);
}

TEST(HostMetricsTest, AFileWithoutACertificateHasNoSeries) {
  const TemporaryFolder folder;
  std::ofstream(folder.path() + "/empty.pem") << "not a certificate\n";
  EXPECT_TRUE(SeriesOf({.certificates = {folder.path() + "/empty.pem", folder.path() + "/missing"}})
                  .empty());
}

TEST(HostMetricsTest, TheFileSystemAndTheRestartsAreThoseOfTheEmbeddedPostgres) {
  const TemporaryFolder folder;
  auto series = SeriesOf({.data_dir = folder.path(),
                          .postgres_restarts = [] { return 3; },
                          .newest_backup = [] { return absl::FromUnixSeconds(1700000000); }});
  const auto space = std::filesystem::space(folder.path());
  EXPECT_EQ(series["priorityd_data_dir_size_bytes"].gauge.value,
            static_cast<double>(space.capacity));
  EXPECT_GT(series["priorityd_data_dir_free_bytes"].gauge.value, 0);
  EXPECT_LE(series["priorityd_data_dir_free_bytes"].gauge.value,
            static_cast<double>(space.capacity));
  EXPECT_EQ(series["priorityd_embedded_postgres_restarts_total"].counter.value, 3);
  EXPECT_EQ(series["priorityd_backup_last_timestamp_seconds"].gauge.value, 1700000000);
}

}  // namespace
}  // namespace priorityd::metrics
