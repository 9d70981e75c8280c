// The file of the objects for which Slurm's files have no place: price books, grants with their
// amounts and transfers, leases, merged users and aliases. Its lines are as those of a sacctmgr
// dump:
//
//   PriceBook - 'academic':Currency='EUR':TimeZone='Europe/Berlin':Begin='2026-10-01T00:00:00Z'
//   Price - 'cpu':PerHour='0.011':Hours='20-8':Days='mon,tue,wed,thu,fri'
//   Price - 'cpu':PerHour='0.02'
//   Grant - 'chem-2026':Accounts='chem':Begin='2026-10-01T00:00:00Z':TRES='cpu':Window='quarter'
//   Amount - '7200000':Effective='2026-10-01T00:00:00Z':By='root':Comment='call of autumn'
//   Transfer - 'chem-2026':To='phys-2026':TRESSeconds='60':Time='2026-10-02T08:00:00Z':By='root'
//   Lease - 'association':Account='chem':Begin='2026-12-14T09:12:00Z':End='2026-12-18T18:00:00Z'
//   Setting - 'MaxJobs':Operator='=':Value='10'
//   Merge - 'a.smith':Into='amy':Time='2026-11-02T10:00:00Z':By='root'
//   Alias - 'ann@EXAMPLE.ORG':User='ann':Source='k8s'
//
// Amount lines, in TRES-seconds, belong to the Grant before them, oldest first; Setting lines to
// the Lease before them; Price lines, of which the first that fits counts (grants::ReadPriceRule),
// to the version of a PriceBook before them. Times are RFC 3339.
#ifndef PRIORITYD_SERVER_ADMINISTRATION_IMPORTS_OWN_OBJECTS_H_
#define PRIORITYD_SERVER_ADMINISTRATION_IMPORTS_OWN_OBJECTS_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "engine/grants/settings.h"
#include "engine/slurm/words/file_violations.h"
#include "storage/configuration/lease_store.h"
#include "storage/configuration/user_alias_store.h"
#include "storage/configuration/user_merge_store.h"
#include "storage/grants/grant_store.h"
#include "storage/grants/price_book_store.h"

namespace priorityd::administration {

// Of each, `line` is its line in the file, from 1; 0 = it is of none. Ids are 0.
struct OwnGrant {
  int line = 0;
  std::string name;
  grants::Settings settings;  // The versions in it mean nothing.
  std::optional<absl::Time> revoked_at;
  bool by_coordinator = false;
  std::vector<storage::GrantVersion> versions;  // At least one; oldest first.
};

struct OwnPriceBook {
  int line = 0;
  storage::PriceBook book;  // With at least one rule, each as PriceLine writes it.
};

struct OwnTransfer {
  int line = 0;
  std::string from;  // Names of grants, perhaps of none.
  std::string to;
  storage::GrantTransfer transfer;
};

struct OwnLease {
  int line = 0;
  storage::Lease lease;
};

struct OwnMerge {
  int line = 0;
  storage::UserMerge merge;
};

struct OwnAlias {
  int line = 0;
  storage::UserAlias alias;
  std::string fault;  // The error of UpdateAliases for it, see FaultsOfAlias; empty = none.
};

struct OwnObjects {
  std::string file;                    // Its name, for messages.
  std::vector<OwnGrant> grants;        // Each name once.
  std::vector<OwnTransfer> transfers;  // Oldest first.
  std::vector<OwnLease> leases;
  std::vector<OwnMerge> merges;           // Each from_user once.
  std::vector<OwnAlias> aliases;          // Each source and alias once.
  std::vector<OwnPriceBook> price_books;  // Each name and begin once.

  bool empty() const;
};

// Reads such a file without knowing any cluster. INVALID_ARGUMENT (INVALID_FILE) with all
// violations, each at its line: words and options that are not known too.
absl::StatusOr<OwnObjects> ReadOwnObjects(const slurm::SourceFile& file);

// The file from which ReadOwnObjects reads the same, but for line breaks in texts, which become
// blanks. REQUIRES: the settings of grants are what grants::Read returns.
std::string WriteOwnObjects(const OwnObjects& objects);

}  // namespace priorityd::administration

#endif  // PRIORITYD_SERVER_ADMINISTRATION_IMPORTS_OWN_OBJECTS_H_
