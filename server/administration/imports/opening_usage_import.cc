#include "server/administration/imports/opening_usage_import.h"

#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "engine/errors/violations.h"
#include "engine/slurm/words/file_violations.h"
#include "engine/slurm/words/numbers.h"
#include "server/administration/tree/tree_slice.h"
#include "storage/configuration/association_store.h"
#include "storage/ledger/usage_store.h"

namespace priorityd::administration {
namespace {

using Name = std::tuple<std::string, std::string, std::string>;

// Usage by association id.
using Lumps = std::map<int64_t, double>;

// Finds the association of every line.
class Resolution {
 public:
  explicit Resolution(const std::vector<storage::Association>& associations) {
    for (const storage::Association& row : associations) {
      ids_[{row.account, row.user_name, row.partition}] = row.id;
      if (!row.partition.empty()) has_partitions_ = true;
    }
  }

  void Add(const OpeningUsageFile& file) {
    if (has_partitions_ && !file.names_partitions) {
      violations_.Add(file.name,
                      "got no Partition column, want one, as some associations are of one "
                      "partition only (sshare -m)");
      return;
    }
    for (const slurm::OpeningUsage& entry : file.usage) Add(file, entry);
  }

  absl::StatusOr<Lumps> Finish() && {
    if (absl::Status s = violations_.ToStatus(); !s.ok()) return s;
    return std::move(lumps_);
  }

 private:
  void Add(const OpeningUsageFile& file, const slurm::OpeningUsage& entry) {
    const auto found = ids_.find({entry.account, entry.user, entry.partition});
    const std::string where = slurm::PlaceText(file.name, entry.line);
    const std::string name = absl::StrCat(
        "account ", slurm::Quoted(entry.account), " user ", slurm::Quoted(entry.user),
        entry.partition.empty() ? "" : absl::StrCat(" partition ", slurm::Quoted(entry.partition)));
    if (found == ids_.end()) {
      violations_.Add(where, absl::StrCat("got ", name, ", want an association of the cluster"));
    } else if (!lumps_.try_emplace(found->second, entry.usage).second) {
      violations_.Add(where, absl::StrCat("got ", name, " a second time, want it once"));
    }
  }

  absl::flat_hash_map<Name, int64_t> ids_;
  bool has_partitions_ = false;
  Lumps lumps_;
  errors::Violations violations_{"INVALID_FILE"};
};

// Associations without opening usage may have no row, or one of 0.
double ValueOf(const std::map<int64_t, storage::OpeningUsage>& stored, int64_t id) {
  const auto found = stored.find(id);
  return found == stored.end() ? 0 : found->second.value;
}

// `rows` are in the order of ids.
std::string NameOf(int64_t id, const std::vector<storage::Association>& rows) {
  const auto found = absl::c_lower_bound(
      rows, id, [](const storage::Association& row, int64_t wanted) { return row.id < wanted; });
  // Deleted associations keep their row of opening usage.
  if (found == rows.end() || found->id != id) return absl::StrCat("association ", id);
  return ObjectName(*found);
}

void RecordChange(const std::string& association, double before, double value, ImportAudit* audit) {
  const auto attributes = [](double usage) {
    return Attributes{{"OpeningUsage", slurm::DecimalText(usage)}};
  };
  audit->Changed(
      [&](ChangeList* list) { list->Updated(association, attributes(before), attributes(value)); });
}

}  // namespace

absl::StatusOr<Counts> ImportOpeningUsage(storage::Transaction& transaction, int32_t cluster_id,
                                          const std::vector<OpeningUsageFile>& files, bool clean,
                                          absl::Time as_of, ImportAudit* audit) {
  auto associations = storage::AssociationStore(transaction).List(cluster_id);
  if (!associations.ok()) return associations.status();
  Resolution resolution(*associations);
  for (const OpeningUsageFile& file : files) resolution.Add(file);
  absl::StatusOr<Lumps> wanted = std::move(resolution).Finish();
  if (!wanted.ok()) return wanted.status();

  storage::UsageStore store(transaction);
  auto rows = store.ListOpening(cluster_id);
  if (!rows.ok()) return rows.status();
  std::map<int64_t, storage::OpeningUsage> stored;
  for (const storage::OpeningUsage& row : *rows) stored[row.association_id] = row;

  Counts counts;
  std::vector<storage::OpeningUsage> writes;
  const auto record = [&](int64_t id, double before, double value) {
    if (before != value) RecordChange(NameOf(id, *associations), before, value, audit);
  };
  for (const auto& [id, value] : *wanted) {
    const double before = ValueOf(stored, id);
    record(id, before, value);
    ++(before == value ? counts.unchanged : before == 0 ? counts.created : counts.updated);
    if (before != 0 || value != 0) writes.push_back({id, value, as_of});
  }
  // The stored moment stays as long as all entries are the same.
  if (counts.created + counts.updated == 0) writes.clear();
  for (const auto& [id, row] : stored) {
    if (!clean || row.value == 0 || wanted->contains(id)) continue;
    writes.push_back({id, 0, as_of});
    record(id, row.value, 0);
    ++counts.deleted;
  }
  if (writes.empty()) return counts;
  if (absl::Status status = store.SetOpening(cluster_id, writes); !status.ok()) return status;
  return counts;
}

std::string FindOpeningExcess(const std::vector<OpeningUsageFile>& files, double billing,
                              absl::Duration half_life) {
  if (billing == 0 || half_life == absl::InfiniteDuration()) return "";
  double sum = 0;
  for (const OpeningUsageFile& file : files) {
    for (const slurm::OpeningUsage& entry : file.usage) sum += entry.usage;
  }
  // The integral of the decay.
  const double most = billing * absl::ToDoubleSeconds(half_life) / std::log(2.0);
  if (sum <= most) return "";
  return absl::StrCat("opening usage: got ", sum, " billing seconds in all, want at most ", most,
                      ", what is left after decay of a cluster that was always used as far as "
                      "UsageHeadroom allows; it is imported as it is");
}

}  // namespace priorityd::administration
