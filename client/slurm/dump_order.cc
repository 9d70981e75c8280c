#include "client/slurm/dump_order.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "engine/slurm/dump/sacctmgr_dump.h"
#include "engine/slurm/dump/sacctmgr_dump_writer.h"
#include "engine/slurm/tables/pipe_table.h"
#include "engine/slurm/words/file_violations.h"

namespace priorityd::slurm_frontend {
namespace {

// Account, user, partition.
using Key = std::tuple<std::string, std::string, std::string>;

std::string Cell(const slurm::PipeRow& row, int column) {
  return std::string(absl::StripAsciiWhitespace(row.cell(column)));
}

absl::StatusOr<std::map<Key, int64_t>> ReadIds(const std::string& associations) {
  const slurm::SourceFile file{"sacctmgr show assoc", associations};
  slurm::FileViolations violations;
  slurm::PipeTableReader reader(file, violations, "sacctmgr -P show assoc");
  const int id = reader.RequiredColumn("ID");
  const int account = reader.RequiredColumn("Account");
  const int user = reader.RequiredColumn("User");
  const int partition = reader.ColumnIndex({"Partition"});
  std::map<Key, int64_t> ids;
  slurm::PipeRow row;
  while (violations.empty() && reader.Next(row)) {
    int64_t number = 0;
    if (!absl::SimpleAtoi(row.cell(id), &number)) {
      violations.Add(file.name, row.line, "ID: got no number");
    }
    ids[{Cell(row, account), Cell(row, user), Cell(row, partition)}] = number;
  }
  if (!violations.empty()) return violations.ToStatus();
  return ids;
}

// Accounts before their children: by depth, then by id.
std::map<std::string, int> Depths(const slurm::SacctmgrDump& dump) {
  std::map<std::string, int> depths = {{"root", 0}};
  for (const slurm::DumpAssociation& one : dump.associations) {
    if (!one.association.user.empty()) continue;
    depths[one.association.account] = depths[one.parent_account] + 1;
  }
  return depths;
}

}  // namespace

absl::StatusOr<std::string> InOrderOfIds(const std::string& dump, const std::string& associations) {
  const auto ids = ReadIds(associations);
  if (!ids.ok()) return ids.status();
  auto parsed = slurm::ParseSacctmgrDump({"sacctmgr dump", dump});
  if (!parsed.ok()) return parsed.status();
  const std::map<std::string, int> depths = Depths(*parsed);
  const auto place = [&](const slurm::DumpAssociation& one) {
    const auto& association = one.association;
    const auto id = ids->find({association.account, association.user, association.partition});
    const int depth = depths.at(association.account) + (association.user.empty() ? 0 : 1);
    return std::pair(depth, id == ids->end() ? std::numeric_limits<int64_t>::max() : id->second);
  };
  std::stable_sort(parsed->associations.begin(), parsed->associations.end(),
                   [&](const auto& a, const auto& b) { return place(a) < place(b); });
  return slurm::WriteSacctmgrDump(*parsed);
}

}  // namespace priorityd::slurm_frontend
