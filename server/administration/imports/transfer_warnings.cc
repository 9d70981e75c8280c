#include "server/administration/imports/transfer_warnings.h"

#include <map>
#include <set>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "engine/grants/setting_values.h"
#include "engine/slurm/words/file_violations.h"
#include "server/grants/standings.h"

namespace priorityd::administration {
namespace {

using grants::Balance;
using grants::GrantBook;
using grants::StoredGrant;

using PlacesByName = std::map<absl::string_view, size_t>;

// The windows of the givers, without usage; other grants have none.
grants::GrantWindows WindowsOfGivers(const GrantBook& book, const std::set<size_t>& givers,
                                     const OwnImport& how) {
  grants::GrantWindows windows(book.grants.size());
  for (const grants::Stack& stack : book.stacks) {
    const bool gives = absl::c_any_of(stack.places, [&](size_t at) { return givers.contains(at); });
    if (gives) grants::WindowsOfStack(stack, {}, how.zone, how.time, &windows);
  }
  return windows;
}

bool IsInForce(const StoredGrant& stored, absl::Time at) {
  return stored.grant.begin <= at && at < stored.grant.end;
}

// Empty = none.
std::string FaultOfTransferTime(const StoredGrant& from, const StoredGrant& to, absl::Time at,
                                absl::Time now) {
  if (at > now) {
    return absl::StrCat("Time: got ", grants::TimeText(at), ", want at most the cluster's time, ",
                        grants::TimeText(now));
  }
  for (const StoredGrant* stored : {&from, &to}) {
    if (IsInForce(*stored, at)) continue;
    return absl::StrCat("Time: got ", grants::TimeText(at), ", when grant ", stored->row.name,
                        " is not in force");
  }
  return "";
}

// Empty = none.
std::string FaultOfTransferAmount(const OwnTransfer& own, const std::vector<Balance>& windows) {
  const absl::Time at = own.transfer.transferred_at;
  for (const Balance& window : windows) {
    const bool is_its = window.begin <= at && at < window.end;
    if (!is_its || window.available() >= grants::Amount()) continue;
    return absl::StrCat("TRESSeconds: got ", own.transfer.amount,
                        ", want no more than is available: that of grant ", own.from, " is ",
                        window.available().ToDecimal(), " TRES-seconds with it");
  }
  return "";
}

}  // namespace

std::vector<std::string> WarningsOfTransfers(const GrantBook& book, const OwnObjects& objects,
                                             absl::Span<const OwnTransfer* const> added,
                                             const OwnImport& how) {
  if (how.time == absl::InfinitePast()) return {};
  PlacesByName places;
  for (size_t i = 0; i < book.grants.size(); ++i) places[book.grants[i].row.name] = i;
  std::set<size_t> givers;
  for (const OwnTransfer* own : added) givers.insert(places.at(own->from));
  const grants::GrantWindows windows = WindowsOfGivers(book, givers, how);
  std::vector<std::string> warnings;
  for (const OwnTransfer* own : added) {
    const size_t from = places.at(own->from);
    const StoredGrant& to = book.grants[places.at(own->to)];
    std::string fault =
        FaultOfTransferTime(book.grants[from], to, own->transfer.transferred_at, how.time);
    if (fault.empty()) fault = FaultOfTransferAmount(*own, windows[from]);
    if (fault.empty()) continue;
    warnings.push_back(absl::StrCat(slurm::PlaceText(objects.file, own->line), ": ", fault));
  }
  slurm::LimitWarnings(warnings);
  return warnings;
}

}  // namespace priorityd::administration
