#include "server/administration/leases/leased_nice.h"

#include <map>
#include <optional>
#include <set>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace priorityd::administration {
namespace {

constexpr char kNice[] = "Nice";

using LeasesOfJob = std::vector<const storage::Lease*>;

// nullopt = the lease has none.
std::optional<int32_t> NiceIn(const storage::Lease& lease) {
  for (size_t i = 0; i < lease.setting_names.size(); ++i) {
    int32_t nice = 0;
    if (lease.setting_names[i] == kNice && absl::SimpleAtoi(lease.setting_values[i], &nice)) {
      return nice;
    }
  }
  return std::nullopt;
}

const storage::Lease* DecisiveAt(const LeasesOfJob& leases, absl::Time time) {
  const storage::Lease* decisive = nullptr;
  for (const storage::Lease* lease : leases) {
    const bool holds = lease->begin_time <= time && time < EndOf(*lease);
    if (holds && NiceIn(*lease).has_value()) decisive = lease;
  }
  return decisive;
}

std::optional<int32_t> NiceAt(const LeasesOfJob& leases, absl::Time time) {
  const storage::Lease* decisive = DecisiveAt(leases, time);
  return decisive == nullptr ? std::nullopt : NiceIn(*decisive);
}

std::optional<priority::LeasedNice> LeasedNiceOf(const LeasesOfJob& leases, absl::Time time) {
  const storage::Lease* decisive = DecisiveAt(leases, time);
  if (decisive == nullptr) return std::nullopt;
  priority::LeasedNice leased;
  leased.nice = *NiceIn(*decisive);
  leased.lease_id = decisive->id;
  std::set<absl::Time> boundaries;
  for (const storage::Lease* lease : leases) {
    for (const absl::Time at : {lease->begin_time, EndOf(*lease)}) {
      if (at > time) boundaries.insert(at);
    }
  }
  for (const absl::Time at : boundaries) {
    leased.until = at;
    leased.then = NiceAt(leases, at);
    if (leased.then != leased.nice) break;
  }
  return leased;
}

std::map<std::string, LeasesOfJob> ByJob(absl::Span<const storage::Lease> leases) {
  std::map<std::string, LeasesOfJob> jobs;
  for (const storage::Lease& lease : leases) {
    if (lease.kind == kJobKind) jobs[lease.job_id].push_back(&lease);
  }
  return jobs;
}

}  // namespace

std::vector<Setting> NiceSettings(int32_t nice) {
  return {{kNice, SettingOperator::kSet, absl::StrCat(nice)}};
}

priority::LeasedNices LeasedNicesAt(absl::Span<const storage::Lease> open, absl::Time time) {
  priority::LeasedNices nices;
  const auto jobs = ByJob(open);
  for (const auto& [job_id, leases] : jobs) {
    const auto leased = LeasedNiceOf(leases, time);
    if (leased.has_value()) nices.emplace(job_id, *leased);
  }
  return nices;
}

std::vector<std::string> LeasedJobIds(absl::Span<const storage::Lease> leases) {
  std::vector<std::string> ids;
  const auto jobs = ByJob(leases);
  for (const auto& [job_id, of_job] : jobs) ids.push_back(job_id);
  return ids;
}

}  // namespace priorityd::administration
