#include "client/slurm/tables/sacct_resources.h"

#include <optional>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "client/slurm/tables/gres.h"

namespace priorityd::tables {
namespace {

using priority::v1::UsageRecord;

bool IsGres(absl::string_view name) { return absl::StartsWith(name, "gres/"); }

bool HasGres(const UsageRecord& record) {
  for (const auto& [name, count] : record.tres()) {
    if (IsGres(name)) return true;
  }
  return false;
}

// Energy is no allocation.
absl::Status SetAllocated(const SlurmRow& row, UsageRecord* record) {
  const auto tres = row.Tres({"AllocTRES"});
  if (!tres.ok()) return tres.status();
  for (const auto& [name, count] : *tres) {
    if (name == "billing") {
      record->set_billing(count);
    } else if (name != "energy") {
      (*record->mutable_tres())[name] = count;
    }
  }
  return absl::OkStatus();
}

absl::Status SetCounted(const SlurmRow& row, UsageRecord* record) {
  const auto cpus = row.Number({"AllocCPUS", "NCPUS"});
  if (!cpus.ok()) return cpus.status();
  const auto nodes = row.Number({"AllocNodes", "NNodes", "allocation_nodes"});
  if (!nodes.ok()) return nodes.status();
  if (cpus->value_or(0) > 0) (*record->mutable_tres())["cpu"] = **cpus;
  if (nodes->value_or(0) > 0) (*record->mutable_tres())["node"] = **nodes;
  return absl::OkStatus();
}

absl::Status At(const SlurmRow& row, absl::string_view column, const absl::Status& status) {
  return absl::InvalidArgumentError(
      absl::StrCat(row.place(), ": ", column, ": ", status.message()));
}

// Of a job without AllocTRES and without a column AllocGRES.
absl::StatusOr<std::optional<GresCounts>> RequestedGres(const SlurmRow& row,
                                                        const UsageRecord& record) {
  const auto asked = row.Tres({"ReqTRES"});
  if (!asked.ok()) return asked.status();
  GresCounts counts;
  for (const auto& [name, count] : *asked) {
    if (IsGres(name) && count > 0) counts[name] = count;
  }
  if (!counts.empty()) return std::optional(counts);
  const auto found = record.tres().find("node");
  std::optional<double> nodes;
  if (found != record.tres().end()) nodes = found->second;
  auto of_nodes = ReadRequestedGres(row.Text({"ReqGRES"}), nodes);
  if (!of_nodes.ok()) return At(row, "ReqGRES", of_nodes.status());
  return of_nodes;
}

absl::StatusOr<std::optional<GresCounts>> GresOf(const SlurmRow& row, const UsageRecord& record) {
  if (row.HasColumn({"AllocGRES"})) {
    const auto allocated = ReadAllocatedGres(row.Text({"AllocGRES"}));
    if (!allocated.ok()) return At(row, "AllocGRES", allocated.status());
    return std::optional(*allocated);
  }
  if (!row.Text({"AllocTRES"}).empty()) return std::optional<GresCounts>(GresCounts{});
  return RequestedGres(row, record);
}

absl::Status AddGres(const SlurmRow& row, TableLosses* losses, UsageRecord* record) {
  if (HasGres(*record)) return absl::OkStatus();
  const auto counts = GresOf(row, *record);
  if (!counts.ok()) return counts.status();
  if (!counts->has_value()) {
    losses->Add("GPUs are not charged: ReqGRES has those of a node, and no column the nodes",
                row.place());
    return absl::OkStatus();
  }
  for (const auto& [name, count] : **counts) (*record->mutable_tres())[name] = count;
  return absl::OkStatus();
}

void AddMissingColumns(const SlurmRow& row, TableLosses* losses) {
  if (row.HasColumn({"AllocTRES"})) return;
  const bool has_gpus = row.HasColumn({"AllocGRES", "ReqTRES", "ReqGRES"});
  losses->Add(absl::StrCat("no column AllocTRES, so neither memory nor ",
                           has_gpus ? "" : "GPUs nor ", "billing are known"),
              row.place());
}

}  // namespace

absl::Status SetResources(const SlurmRow& row, TableLosses* losses, UsageRecord* record) {
  AddMissingColumns(row, losses);
  if (absl::Status s = SetAllocated(row, record); !s.ok()) return s;
  if (record->tres().empty() && !record->has_billing()) {
    absl::Status counted = SetCounted(row, record);
    if (!counted.ok() || record->tres().empty()) return counted;
  }
  return AddGres(row, losses, record);
}

}  // namespace priorityd::tables
