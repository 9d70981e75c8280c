#include "client/prioctl/forecast/usable_places.h"

#include <grp.h>
#include <pwd.h>

#include <algorithm>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_split.h"

namespace priorityd::prioctl {
namespace {

namespace v1 = ::priority::v1;

std::string SettingOf(const v1::Partition& partition, const char* word) {
  const auto found = partition.attributes().find(word);
  return found == partition.attributes().end() ? "" : found->second;
}

// The groups of a user on this host; none for an unknown user.
std::vector<std::string> GroupsOf(const std::string& user) {
  const passwd* entry = getpwnam(user.c_str());
  if (entry == nullptr) return {};
  std::vector<gid_t> ids(64);
  int count = static_cast<int>(ids.size());
  if (getgrouplist(user.c_str(), entry->pw_gid, ids.data(), &count) < 0) {
    ids.resize(count);
    getgrouplist(user.c_str(), entry->pw_gid, ids.data(), &count);
  }
  ids.resize(std::min<size_t>(count, ids.size()));
  std::vector<std::string> names;
  for (const gid_t id : ids) {
    if (const group* found = getgrgid(id); found != nullptr) names.emplace_back(found->gr_name);
  }
  return names;
}

bool AllowsGroups(const std::string& allowed, const std::vector<std::string>& groups) {
  if (allowed.empty()) return true;
  const std::vector<std::string> names = absl::StrSplit(allowed, ',');
  return absl::c_any_of(
      names, [&](const std::string& name) { return absl::c_linear_search(groups, name); });
}

bool IsOpen(const v1::Partition& partition) {
  const std::string state = SettingOf(partition, "State");
  return (state.empty() || absl::EqualsIgnoreCase(state, "UP")) &&
         !absl::EqualsIgnoreCase(SettingOf(partition, "RootOnly"), "YES");
}

}  // namespace

absl::StatusOr<std::vector<Place>> UsablePlaces(const std::string& user, const std::string& account,
                                                size_t most, const client::PriorityClient& client) {
  v1::ListPartitionsRequest request;
  request.set_user(user);
  const auto listed = client.ListPartitions(std::move(request));
  if (absl::IsPermissionDenied(listed.status())) return std::vector<Place>();
  if (!listed.ok()) return listed.status();
  const std::vector<std::string> groups = GroupsOf(user);
  std::vector<Place> places;
  for (const v1::Partition& partition : listed->partitions()) {
    const bool takes =
        account.empty() || absl::c_linear_search(partition.usable_accounts(), account);
    const bool is_open =
        IsOpen(partition) && AllowsGroups(SettingOf(partition, "AllowGroups"), groups);
    if (!takes || !is_open) continue;
    if (partition.usable_qos().empty()) places.push_back({partition.name(), ""});
    for (const std::string& qos : partition.usable_qos()) {
      places.push_back({partition.name(), qos});
    }
  }
  if (places.size() > most) places.resize(most);
  return places;
}

}  // namespace priorityd::prioctl
