#include "server/configuration/alias_directory.h"

#include <utility>

#include "storage/configuration/user_alias_store.h"

namespace priorityd::configuration {

absl::StatusOr<AliasDirectory::Entries> AliasDirectory::ReadEntries(
    storage::Transaction& transaction, const Entries& before) {
  storage::UserAliasStore store(transaction);
  const auto versions = store.Versions();
  if (!versions.ok()) return versions.status();
  Entries entries;
  for (const storage::UserAliasVersion& row : *versions) {
    const Origin origin = {transaction.incarnation(), row.cluster_id, row.version};
    const auto known = before.find(row.cluster_name);
    if (known != before.end() && known->second.origin == origin) {
      entries.insert(*known);
      continue;
    }
    const auto aliases = store.List(row.cluster_id);
    if (!aliases.ok()) return aliases.status();
    entries[row.cluster_name] = {origin, std::make_shared<const AliasMap>(*aliases)};
  }
  return entries;
}

absl::Status AliasDirectory::Read() {
  absl::MutexLock reading(&reading_);
  const std::shared_ptr<const Entries> before = entries();
  auto read = database_->Read(
      [&](storage::Transaction& transaction) { return ReadEntries(transaction, *before); });
  if (!read.ok()) return read.status();
  absl::MutexLock lock(&mutex_);
  entries_ = std::make_shared<const Entries>(*std::move(read));
  return absl::OkStatus();
}

std::shared_ptr<const AliasDirectory::Entries> AliasDirectory::entries() const {
  absl::MutexLock lock(&mutex_);
  return entries_;
}

std::shared_ptr<const AliasMap> AliasDirectory::Of(const std::string& cluster) const {
  static const auto* const none =
      new std::shared_ptr<const AliasMap>(std::make_shared<const AliasMap>());
  const std::shared_ptr<const Entries> entries = this->entries();
  const auto found = entries->find(cluster);
  return found == entries->end() ? *none : found->second.aliases;
}

}  // namespace priorityd::configuration
