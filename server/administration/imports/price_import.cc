#include "server/administration/imports/price_import.h"

#include <map>
#include <set>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "engine/errors/error_details.h"
#include "engine/grants/price_lines.h"
#include "engine/grants/setting_values.h"
#include "engine/slurm/words/file_violations.h"
#include "storage/grants/price_book_store.h"

namespace priorityd::administration {
namespace {

using storage::PriceBook;
using VersionKey = std::pair<std::string, absl::Time>;

std::string ObjectOfPrices(const PriceBook& book) { return absl::StrCat("price book ", book.name); }

Attributes AttributesOfPrices(const PriceBook& book) {
  return {{"Begin", grants::TimeText(book.begin_time)},
          {"Currency", book.currency},
          {"TimeZone", book.time_zone},
          {"Prices", absl::StrJoin(book.rules, " ")}};
}

// Without the author.
bool PricesAlike(const PriceBook& a, const PriceBook& b) {
  return a.currency == b.currency && a.time_zone == b.time_zone && a.rules == b.rules;
}

using Versions = std::map<VersionKey, PriceBook>;

absl::Status CheckCurrencies(const OwnObjects& objects, const Versions& versions) {
  std::map<std::string, std::set<std::string>> currencies;
  slurm::FileViolations violations;
  for (const auto& [key, book] : versions) currencies[book.name].insert(book.currency);
  for (const OwnPriceBook& own : objects.price_books) {
    const std::set<std::string>& all = currencies[own.book.name];
    if (all.size() == 1) continue;
    violations.Add(
        objects.file, own.line,
        absl::StrCat("Currency: got ", own.book.currency, ", and ", absl::StrJoin(all, ", "),
                     " in all versions of ", own.book.name, ", want one currency"));
  }
  return violations.empty() ? absl::OkStatus() : violations.ToStatus();
}

absl::Status CheckMost(size_t versions) {
  if (versions <= grants::kMaxPriceVersions) return absl::OkStatus();
  return errors::WithReason(absl::FailedPreconditionError(absl::StrCat(
                                "got ", versions, " versions of price books, want at most ",
                                grants::kMaxPriceVersions, " of a cluster")),
                            "TOO_MANY_PRICES");
}

// Writes a version; false = it is there.
absl::StatusOr<bool> WriteVersion(storage::PriceBookStore& store, int32_t cluster_id,
                                  const PriceBook& book, const Versions& present,
                                  ChangeList* list) {
  const auto found = present.find({book.name, book.begin_time});
  if (found == present.end()) {
    list->Created(ObjectOfPrices(book), AttributesOfPrices(book));
  } else if (PricesAlike(found->second, book)) {
    list->Unchanged();
    return false;
  } else {
    list->Updated(ObjectOfPrices(book), AttributesOfPrices(found->second),
                  AttributesOfPrices(book));
  }
  absl::Status status = store.Write(cluster_id, book);
  if (!status.ok()) return status;
  return true;
}

bool HasBook(const Versions& versions, const std::string& name) {
  const auto found = versions.lower_bound({name, absl::InfinitePast()});
  return found != versions.end() && found->first.first == name;
}

}  // namespace

absl::Status ImportPrices(storage::Transaction& transaction, int32_t cluster_id,
                          const OwnObjects& objects, const OwnImport& how, ChangeList* list) {
  if (objects.price_books.empty()) return absl::OkStatus();
  storage::PriceBookStore store(transaction);
  auto rows = store.List(cluster_id);
  if (!rows.ok()) return rows.status();
  Versions present, wanted;
  for (PriceBook& row : *rows) present.emplace(VersionKey{row.name, row.begin_time}, row);
  if (!how.clean) wanted = present;
  for (const OwnPriceBook& own : objects.price_books) {
    wanted[{own.book.name, own.book.begin_time}] = own.book;
  }
  absl::Status status = CheckCurrencies(objects, wanted);
  if (status.ok()) status = CheckMost(wanted.size());
  if (!status.ok()) return status;
  for (const OwnPriceBook& own : objects.price_books) {
    const auto is_new = WriteVersion(store, cluster_id, own.book, present, list);
    if (!is_new.ok()) return is_new.status();
    if (!*is_new || own.book.begin_time >= how.end() || !HasBook(present, own.book.name)) continue;
    list->Warn(absl::StrCat(slurm::PlaceText(objects.file, own.line), ": ", own.book.name,
                            ": usage since ", grants::TimeText(own.book.begin_time),
                            " is priced again"));
  }
  for (const auto& [key, book] : present) {
    if (wanted.contains(key)) continue;
    list->Deleted(ObjectOfPrices(book), AttributesOfPrices(book));
    status = store.Delete(cluster_id, book.name, book.begin_time);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace priorityd::administration
