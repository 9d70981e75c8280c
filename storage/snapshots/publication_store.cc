#include "storage/snapshots/publication_store.h"

#include "absl/strings/escaping.h"

namespace priorityd::storage {
namespace {

constexpr char kFind[] =
    "SELECT generation, first_generation, changed_entries, digest, numbers_generation, "
    "numbers_wanted_until > now() FROM priorityd.publication WHERE cluster_id = $1";
constexpr char kLockPublication[] =
    "SELECT generation, first_generation, changed_entries, digest, numbers_generation, "
    "numbers_wanted_until > now() FROM priorityd.publication WHERE cluster_id = $1 FOR UPDATE";
constexpr char kCreate[] =
    "INSERT INTO priorityd.publication (cluster_id) VALUES ($1) ON CONFLICT DO NOTHING";
constexpr char kWrite[] =
    "UPDATE priorityd.publication SET generation = $2, first_generation = $3, "
    "changed_entries = $4, digest = $5, numbers_generation = $6 WHERE cluster_id = $1";
constexpr char kListParts[] =
    "SELECT encode(entries, 'hex') FROM priorityd.snapshot_usage "
    "WHERE cluster_id = $1 AND generation > $2 ORDER BY generation, part";
constexpr char kAppendPart[] =
    "INSERT INTO priorityd.snapshot_usage (cluster_id, generation, part, entries) "
    "VALUES ($1, $2, $3, decode($4, 'hex'))";
constexpr char kDeleteParts[] = "DELETE FROM priorityd.snapshot_usage WHERE cluster_id = $1";
constexpr char kWantNumbers[] =
    "UPDATE priorityd.publication SET numbers_wanted_until = now() + interval '1 hour' "
    "WHERE cluster_id = $1 AND numbers_wanted_until < now() + interval '30 minutes'";

Publication DecodePublication(RowReader& row) {
  Publication publication;
  row.Read(&publication.generation, &publication.first_generation, &publication.changed_entries,
           &publication.digest, &publication.numbers_generation, &publication.numbers_wanted);
  return publication;
}

std::string DecodePart(RowReader& row) {
  std::string hex;
  row.Read(&hex);
  return absl::HexStringToBytes(hex);
}

}  // namespace

absl::StatusOr<Publication> PublicationStore::Find(int32_t cluster_id) {
  auto found = transaction_.QueryOptional(DecodePublication, kFind, {cluster_id});
  if (!found.ok()) return found.status();
  return found->value_or(Publication());
}

absl::StatusOr<Publication> PublicationStore::Lock(int32_t cluster_id) {
  auto created = transaction_.Execute(kCreate, {cluster_id});
  if (!created.ok()) return created.status();
  return transaction_.QueryOne(DecodePublication, kLockPublication, {cluster_id});
}

absl::Status PublicationStore::Write(int32_t cluster_id, const Publication& publication) {
  return transaction_
      .Execute(kWrite,
               {cluster_id, publication.generation, publication.first_generation,
                publication.changed_entries, publication.digest, publication.numbers_generation})
      .status();
}

absl::StatusOr<std::vector<std::string>> PublicationStore::ListParts(int32_t cluster_id,
                                                                     int64_t after) {
  return transaction_.Query(DecodePart, kListParts, {cluster_id, after});
}

absl::Status PublicationStore::AppendParts(int32_t cluster_id, int64_t generation,
                                           absl::Span<const std::string> parts) {
  for (size_t i = 0; i < parts.size(); ++i) {
    auto appended = transaction_.Execute(
        kAppendPart,
        {cluster_id, generation, static_cast<int64_t>(i), absl::BytesToHexString(parts[i])});
    if (!appended.ok()) return appended.status();
  }
  return absl::OkStatus();
}

absl::Status PublicationStore::DeleteParts(int32_t cluster_id) {
  return transaction_.Execute(kDeleteParts, {cluster_id}).status();
}

absl::StatusOr<bool> PublicationStore::WantNumbers(int32_t cluster_id) {
  auto asked = transaction_.Execute(kWantNumbers, {cluster_id});
  if (!asked.ok()) return asked.status();
  return *asked == 1;
}

}  // namespace priorityd::storage
