#include "storage/schema/content_digest.h"

#include <cstdint>

#include "absl/strings/str_cat.h"

namespace priorityd::storage {
namespace {

constexpr char kTexts[] =
    "SET LOCAL timezone = 'UTC'; SET LOCAL datestyle = 'ISO'; SET LOCAL extra_float_digits = 1; "
    "SET LOCAL bytea_output = 'hex'";
constexpr char kTableNames[] =
    "SELECT quote_ident(tablename) FROM pg_tables WHERE schemaname = 'priorityd' ORDER BY 1";
constexpr char kVersion[] = "SELECT max(version) FROM priorityd.schema_migration";

}  // namespace

absl::StatusOr<std::string> ContentDigest::ExportSnapshot() {
  return transaction_.QueryOne(OnlyColumn<std::string>, "SELECT pg_export_snapshot()");
}

absl::StatusOr<TableDigests> ContentDigest::Tables() {
  if (absl::Status s = transaction_.ExecuteScript(kTexts); !s.ok()) return s;
  auto names = transaction_.Query(OnlyColumn<std::string>, kTableNames);
  if (!names.ok()) return names.status();
  TableDigests digests;
  for (const std::string& name : *names) {
    auto digest = transaction_.QueryOne(
        OnlyColumn<std::string>,
        absl::StrCat("SELECT count(*) || ' ' || coalesce(sum(hashtextextended(t::text, 0)), 0) "
                     "FROM priorityd.",
                     name, " t"));
    if (!digest.ok()) return digest.status();
    digests[name] = *std::move(digest);
  }
  return digests;
}

absl::StatusOr<int32_t> ContentDigest::SchemaVersion() {
  return transaction_.QueryOne(OnlyColumn<int32_t>, kVersion);
}

absl::Status ContentDigest::KeepAlive() { return transaction_.Execute("SELECT 1").status(); }

}  // namespace priorityd::storage
