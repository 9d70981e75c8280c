#include "server/administration/changes/alias_change.h"

#include <cstddef>
#include <map>
#include <set>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "engine/errors/error_details.h"
#include "engine/slurm/words/file_violations.h"
#include "engine/slurm/words/name.h"

namespace priorityd::administration {
namespace {

using storage::UserAlias;
using storage::UserAliasStore;

using AliasKey = std::pair<std::string, std::string>;
using AliasesByKey = std::map<AliasKey, UserAlias>;
using NameSet = std::set<std::string>;

AliasKey KeyOfAlias(const UserAlias& alias) { return {alias.source, alias.alias}; }

// `alias "x@y" of source "k8s"`, or `alias "x@y"` of every source.
std::string AliasObject(const UserAlias& alias) {
  const std::string name = absl::StrCat("alias ", slurm::Quoted(alias.alias));
  return alias.source.empty() ? name
                              : absl::StrCat(name, " of source ", slurm::Quoted(alias.source));
}

Attributes AttributesOfAlias(const UserAlias& alias) { return {{"User", alias.user_name}}; }

absl::Status RefuseAlias(absl::string_view reason, const std::string& message) {
  return errors::WithReason(absl::FailedPreconditionError(message), reason);
}

absl::Status NoSuch(absl::string_view reason, const std::string& message) {
  return errors::WithReason(absl::NotFoundError(message), reason);
}

// The request to add aliases.
struct AliasWish {
  AliasPlace place;
  bool is_copy = false;  // See CopyAliases.

  // Names a field of an alias.
  std::string Field(size_t i, absl::string_view field) const {
    return absl::StrCat(place(i), is_copy ? ": " : ".", field);
  }
};

absl::StatusOr<AliasesByKey> FindByKey(UserAliasStore& store, int32_t cluster_id,
                                       const Aliases& keys) {
  auto found = store.Find(cluster_id, keys);
  if (!found.ok()) return found.status();
  AliasesByKey by_key;
  for (UserAlias& alias : *found) by_key.emplace(KeyOfAlias(alias), std::move(alias));
  return by_key;
}

absl::StatusOr<NameSet> ToSet(absl::StatusOr<std::vector<std::string>> names) {
  if (!names.ok()) return names.status();
  return NameSet(names->begin(), names->end());
}

absl::Status RemoveAliases(UserAliasStore& store, int32_t cluster_id, const Aliases& remove,
                           ChangeList* list) {
  const auto held = FindByKey(store, cluster_id, remove);
  if (!held.ok()) return held.status();
  for (size_t i = 0; i < remove.size(); ++i) {
    const std::string& user = remove[i].user_name;
    const auto found = held->find(KeyOfAlias(remove[i]));
    if (found == held->end() || (!user.empty() && user != found->second.user_name)) {
      const std::string of_user =
          user.empty() ? "" : absl::StrCat(" of user ", slurm::Quoted(user));
      return NoSuch("UNKNOWN_ALIAS", absl::StrCat("remove[", i, "]: got ", AliasObject(remove[i]),
                                                  of_user, ", want an existing alias"));
    }
    list->Deleted(AliasObject(found->second), AttributesOfAlias(found->second));
  }
  return store.Delete(cluster_id, remove);
}

// The aliases of `add` that do not exist yet.
absl::StatusOr<Aliases> NewAliases(UserAliasStore& store, int32_t cluster_id, const Aliases& add,
                                   const AliasWish& wish, ChangeList* list) {
  const auto held = FindByKey(store, cluster_id, add);
  if (!held.ok()) return held.status();
  Aliases added;
  for (size_t i = 0; i < add.size(); ++i) {
    const auto found = held->find(KeyOfAlias(add[i]));
    if (found == held->end()) {
      added.push_back(add[i]);
      list->Created(AliasObject(add[i]), AttributesOfAlias(add[i]));
    } else if (found->second.user_name == add[i].user_name) {
      list->Unchanged();
    } else {
      return RefuseAlias("ALIAS_TAKEN",
                         absl::StrCat(wish.Field(i, "alias"), ": got ", AliasObject(add[i]),
                                      " for user ", slurm::Quoted(add[i].user_name),
                                      ", but it is user ", slurm::Quoted(found->second.user_name),
                                      ": remove that one first, or in the same request"));
    }
  }
  return added;
}

// The names in `add` that something is known of.
struct KnownNames {
  NameSet users;    // Have an association.
  NameSet aliases;  // Are aliases.
  NameSet targets;  // Are users of aliases.
};

absl::StatusOr<KnownNames> ReadKnownNames(UserAliasStore& store, int32_t cluster_id,
                                          const Aliases& add) {
  std::vector<std::string> names;
  for (const UserAlias& alias : add) {
    names.push_back(alias.alias);
    names.push_back(alias.user_name);
  }
  auto users = ToSet(store.UsersAmong(cluster_id, names));
  if (!users.ok()) return users.status();
  auto aliases = ToSet(store.AliasesAmong(cluster_id, names));
  if (!aliases.ok()) return aliases.status();
  auto targets = ToSet(store.TargetsAmong(cluster_id, names));
  if (!targets.ok()) return targets.status();
  return KnownNames{*std::move(users), *std::move(aliases), *std::move(targets)};
}

absl::Status ChainOfTarget(size_t i, const UserAlias& alias, const AliasWish& wish) {
  return RefuseAlias("ALIAS_CHAIN",
                     absl::StrCat(wish.Field(i, "alias"), ": got ", slurm::Quoted(alias.alias),
                                  ", which is the user of another alias"));
}

void WarnOfCopy(size_t i, const UserAlias& alias, const KnownNames& known, const AliasWish& wish,
                ChangeList* list) {
  if (!known.users.contains(alias.user_name)) {
    list->Warn(absl::StrCat(wish.place(i), ": user ", slurm::Quoted(alias.user_name),
                            " of the alias has no association"));
  }
  if (known.users.contains(alias.alias)) {
    list->Warn(absl::StrCat(wish.place(i), ": alias ", slurm::Quoted(alias.alias),
                            " is a user too, and holds before that user"));
  }
}

// Checks one added alias. REQUIRES: `known` has all of the request's aliases.
absl::Status CheckAdded(size_t i, const UserAlias& alias, const KnownNames& known,
                        const AliasWish& wish, ChangeList* list) {
  const std::string name = slurm::Quoted(alias.alias);
  const std::string user = slurm::Quoted(alias.user_name);
  if (known.aliases.contains(alias.user_name)) {
    return RefuseAlias("ALIAS_CHAIN", absl::StrCat(wish.Field(i, "user"), ": got ", user,
                                                   ", which is an alias, want a user"));
  }
  if (wish.is_copy) {
    if (known.targets.contains(alias.alias)) return ChainOfTarget(i, alias, wish);
    WarnOfCopy(i, alias, known, wish, list);
    return absl::OkStatus();
  }
  if (!known.users.contains(alias.user_name)) {
    return NoSuch("UNKNOWN_USER", absl::StrCat(wish.Field(i, "user"), ": got ", user,
                                               ", want a user with an association"));
  }
  if (known.users.contains(alias.alias)) {
    return RefuseAlias("ALIAS_IS_USER",
                       absl::StrCat(wish.Field(i, "alias"), ": got ", name,
                                    ", a user with an association, want another name"));
  }
  if (known.targets.contains(alias.alias)) return ChainOfTarget(i, alias, wish);
  return absl::OkStatus();
}

absl::Status CheckAliasCount(UserAliasStore& store, int32_t cluster_id) {
  const auto count = store.Count(cluster_id);
  if (!count.ok()) return count.status();
  if (*count <= kMaxAliases) return absl::OkStatus();
  return RefuseAlias(
      "TOO_MANY_ALIASES",
      absl::StrCat("add: got ", *count, " aliases of the cluster, want at most ", kMaxAliases));
}

// Inserts, then checks, so that aliases of one request are checked against each other.
absl::Status AddAliases(UserAliasStore& store, int32_t cluster_id, const Aliases& add,
                        int64_t version, const AliasWish& wish, ChangeList* list) {
  auto added = NewAliases(store, cluster_id, add, wish, list);
  if (!added.ok()) return added.status();
  for (UserAlias& alias : *added) alias.version = version;
  if (absl::Status s = store.Insert(cluster_id, *added); !s.ok()) return s;
  const auto known = ReadKnownNames(store, cluster_id, add);
  if (!known.ok()) return known.status();
  for (size_t i = 0; i < add.size(); ++i) {
    if (absl::Status s = CheckAdded(i, add[i], *known, wish, list); !s.ok()) return s;
  }
  return CheckAliasCount(store, cluster_id);
}

absl::Status ChangeAliases(storage::Transaction& transaction, const storage::Cluster& cluster,
                           const Aliases& remove, const Aliases& add, const AliasWish& wish,
                           ChangeList* list) {
  UserAliasStore store(transaction);
  if (absl::Status s = RemoveAliases(store, cluster.id, remove, list); !s.ok()) return s;
  const auto version = store.Version(cluster.id);
  if (!version.ok()) return version.status();
  absl::Status added = AddAliases(store, cluster.id, add, *version + 1, wish, list);
  if (!added.ok() || !list->counts().changed()) return added;
  return store.Advance(cluster.id).status();
}

}  // namespace

std::vector<AliasFault> FaultsOfAlias(const UserAlias& alias) {
  std::vector<AliasFault> faults;
  const auto check = [&](absl::string_view field, const std::string& text) {
    if (text.size() > kMaxAliasBytes) return;  // A fault by its length alone.
    const absl::Status status = slurm::CheckAppearance(text);
    if (!status.ok()) faults.push_back({field, std::string(status.message())});
  };
  check("alias", alias.alias);
  check("source", alias.source);
  check("user", alias.user_name);
  return faults;
}

absl::Status UpdateAliases(storage::Transaction& transaction, const storage::Cluster& cluster,
                           const Aliases& remove, const Aliases& add, ChangeList* list) {
  const auto place = [](size_t i) { return absl::StrCat("add[", i, "]"); };
  return ChangeAliases(transaction, cluster, remove, add, {.place = place}, list);
}

absl::Status CopyAliases(storage::Transaction& transaction, const storage::Cluster& cluster,
                         const Aliases& remove, const Aliases& add, const AliasPlace& place,
                         ChangeList* list) {
  return ChangeAliases(transaction, cluster, remove, add, {.place = place, .is_copy = true}, list);
}

}  // namespace priorityd::administration
