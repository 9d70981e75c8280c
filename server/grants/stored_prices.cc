#include "server/grants/stored_prices.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "engine/grants/price_lines.h"
#include "engine/priority/site/tres_sum.h"
#include "engine/slurm/dump/dump_line.h"
#include "engine/slurm/words/zone_name.h"
#include "storage/grants/price_book_store.h"

namespace priorityd::grants {
namespace {

absl::Status UnreadableBook(const storage::PriceBook& row, absl::string_view why) {
  return absl::InternalError(absl::StrCat("price_book ", row.name, ": ", why));
}

absl::StatusOr<PriceVersion> VersionOf(const storage::PriceBook& row) {
  PriceVersion version;
  version.begin = row.begin_time;
  if (!slurm::FindZone(row.time_zone, &version.zone)) {
    return UnreadableBook(row, absl::StrCat("got time zone ", row.time_zone, ", want a known one"));
  }
  for (const std::string& text : row.rules) {
    const auto line = slurm::SplitDumpLine(text);
    if (!line.ok()) return UnreadableBook(row, line.status().message());
    auto rule = RuleOfLine(line->name, line->options);
    if (!rule.ok()) return UnreadableBook(row, rule.status().message());
    version.rules.push_back(*std::move(rule));
  }
  return version;
}

}  // namespace

absl::StatusOr<PriceBooks> ReadPriceBooks(storage::Transaction& transaction, int32_t cluster_id) {
  const auto rows = storage::PriceBookStore(transaction).List(cluster_id);
  if (!rows.ok()) return rows.status();
  std::map<std::string, std::vector<PriceVersion>> versions;
  std::map<std::string, std::string> currencies;
  for (const storage::PriceBook& row : *rows) {
    auto version = VersionOf(row);
    if (!version.ok()) return version.status();
    versions[row.name].push_back(*std::move(version));
    currencies[row.name] = row.currency;
  }
  PriceBooks books;
  for (auto& [name, of] : versions) {
    books.try_emplace(absl::StrCat(priority::kPricePrefix, name), std::move(of), currencies[name]);
  }
  return books;
}

absl::StatusOr<std::string> CurrencyOf(storage::Transaction& transaction, int32_t cluster_id,
                                       const std::string& tres) {
  if (!priority::IsPrice(tres)) return tres;
  const auto rows = storage::PriceBookStore(transaction).List(cluster_id);
  if (!rows.ok()) return rows.status();
  for (const storage::PriceBook& row : *rows) {
    if (absl::StrCat(priority::kPricePrefix, row.name) == tres) return row.currency;
  }
  return tres;
}

}  // namespace priorityd::grants
