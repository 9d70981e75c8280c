#include "server/administration/leases/lease_objects.h"

#include <algorithm>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "engine/errors/error_details.h"
#include "engine/slurm/words/file_violations.h"
#include "server/administration/leases/lease_reading.h"
#include "server/administration/leases/leased_nice.h"

namespace priorityd::administration {
namespace {

constexpr absl::string_view kAccountWord = " account ";
constexpr absl::string_view kPartitionWord = " partition ";
constexpr char kObjectForms[] =
    "\"account NAME\", \"user NAME\", \"user NAME account NAME\", \"qos NAME\", \"partition NAME\" "
    "or \"job ID\"";

// Of `NAME` or `NAME partition NAME`.
ObjectKey AssociationOf(absl::string_view user, absl::string_view rest) {
  const size_t at = std::min(rest.rfind(kPartitionWord), rest.size());
  ObjectKey key{.kind = "association"};
  key.user = std::string(user);
  key.account = std::string(rest.substr(0, at));
  if (at < rest.size()) key.partition = std::string(rest.substr(at + kPartitionWord.size()));
  return key;
}

ObjectKey UserOrAssociationOf(absl::string_view rest) {
  const size_t at = rest.find(kAccountWord);
  if (at == absl::string_view::npos) return {.kind = "user", .user = std::string(rest)};
  return AssociationOf(rest.substr(0, at), rest.substr(at + kAccountWord.size()));
}

ObjectKey ReadObject(absl::string_view text) {
  if (absl::ConsumePrefix(&text, "account ")) return AssociationOf("", text);
  if (absl::ConsumePrefix(&text, "user ")) return UserOrAssociationOf(text);
  if (absl::ConsumePrefix(&text, "qos ")) return {.kind = "qos", .qos = std::string(text)};
  if (absl::ConsumePrefix(&text, "partition ")) {
    return {.kind = "partition", .partition = std::string(text)};
  }
  if (absl::ConsumePrefix(&text, "job ")) return {.kind = kJobKind, .job = std::string(text)};
  return {};
}

// Its key without settings.
storage::Lease LeaseOfObject(const ObjectKey& key) {
  return {.kind = key.kind,
          .account = key.account,
          .user_name = key.user,
          .partition = key.partition,
          .qos = key.qos,
          .job_id = key.job};
}

std::string ObjectField(size_t place) { return absl::StrCat("objects[", place, "]"); }

}  // namespace

std::optional<ObjectKey> ObjectOfText(const std::string& text) {
  ObjectKey key = ReadObject(text);
  const std::string& name = key.kind == "association" ? key.account
                            : key.kind == "user"      ? key.user
                            : key.kind == "qos"       ? key.qos
                            : key.kind == "partition" ? key.partition
                                                      : key.job;
  if (name.empty() || TextOf(key) != text) return std::nullopt;
  return key;
}

absl::Status CheckObjectTexts(const std::vector<std::string>& objects) {
  for (size_t i = 0; i < objects.size(); ++i) {
    if (ObjectOfText(objects[i]).has_value()) continue;
    return errors::BadRequestError("INVALID_FIELD",
                                   {{ObjectField(i), absl::StrCat("got ", slurm::Quoted(objects[i]),
                                                                  ", want ", kObjectForms)}});
  }
  return absl::OkStatus();
}

absl::Status CheckObjectsExist(storage::Transaction& transaction, int32_t cluster_id,
                               const std::vector<std::string>& objects) {
  if (objects.empty()) return absl::OkStatus();
  const auto leased = storage::LeaseStore(transaction).ListLeased(cluster_id, objects);
  if (!leased.ok()) return leased.status();
  const absl::flat_hash_set<std::string> known(leased->begin(), leased->end());
  std::vector<storage::Lease> others;
  std::vector<size_t> places;
  for (size_t i = 0; i < objects.size(); ++i) {
    if (known.contains(objects[i])) continue;
    others.push_back(LeaseOfObject(*ObjectOfText(objects[i])));
    places.push_back(i);
  }
  const auto rows = ReadLeasedRows(transaction, cluster_id, others);
  if (!rows.ok()) return rows.status();
  const auto missing =
      absl::c_find_if(others, [&](const auto& other) { return !HasObject(*rows, other); });
  if (missing == others.end()) return absl::OkStatus();
  const size_t place = places[missing - others.begin()];
  return errors::WithReason(
      absl::NotFoundError(absl::StrCat(ObjectField(place), ": got ", slurm::Quoted(objects[place]),
                                       ", want an existing object")),
      "UNKNOWN_OBJECT");
}

bool HasObject(const LeasedRows& rows, const storage::Lease& lease) {
  const auto has = [](const auto& named, const std::string& name) {
    return absl::c_any_of(named, [&](const auto& row) { return row.name == name; });
  };
  if (lease.kind == "user") return rows.users.contains(lease.user_name);
  if (lease.kind == "qos") return has(rows.qos, lease.qos);
  if (lease.kind == "partition") return has(rows.partitions, lease.partition);
  if (lease.kind == kJobKind) return rows.jobs.contains(lease.job_id);
  return rows.tree.Find(lease.account, lease.user_name, lease.partition) != nullptr;
}

}  // namespace priorityd::administration
