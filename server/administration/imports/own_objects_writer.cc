#include <string>

#include "absl/strings/str_cat.h"
#include "engine/grants/setting_values.h"
#include "engine/grants/settings.h"
#include "engine/slurm/dump/dump_line.h"
#include "server/administration/imports/own_objects.h"

namespace priorityd::administration {
namespace {

constexpr char kHead[] =
    "# Price books, grants, leases, merged users and aliases, for Import of priorityd.\n";

// Builds a line option by option; empty values are left out.
class OwnLine {
 public:
  OwnLine(absl::string_view kind, absl::string_view name)
      : text_(absl::StrCat(kind, " - ", slurm::DumpQuoted(name))) {}

  OwnLine& Add(absl::string_view name, absl::string_view value) {
    if (!value.empty()) absl::StrAppend(&text_, ":", name, "=", slurm::DumpQuoted(value));
    return *this;
  }
  OwnLine& Add(absl::string_view name, absl::Time time) {
    return Add(name, grants::TimeText(time));
  }
  void AppendTo(std::string* text) const { absl::StrAppend(text, text_, "\n"); }

 private:
  std::string text_;
};

void Write(const OwnPriceBook& own, std::string* text) {
  OwnLine("PriceBook", own.book.name)
      .Add("Currency", own.book.currency)
      .Add("TimeZone", own.book.time_zone)
      .Add("Begin", own.book.begin_time)
      .Add("By", own.book.changed_by)
      .Add("Comment", own.book.comment)
      .AppendTo(text);
  for (const std::string& rule : own.book.rules) absl::StrAppend(text, rule, "\n");
}

void Write(const OwnGrant& grant, std::string* text) {
  OwnLine line("Grant", grant.name);
  auto cells = grants::Cells(grant.settings);
  cells.erase("Amount");
  for (const auto& [name, value] : cells) line.Add(name, value);
  if (grant.revoked_at.has_value()) line.Add("Revoked", *grant.revoked_at);
  if (grant.by_coordinator) line.Add("ByCoordinator", "yes");
  line.AppendTo(text);
  for (const storage::GrantVersion& version : grant.versions) {
    OwnLine("Amount", version.amount)
        .Add("Effective", version.effective_at)
        .Add("By", version.changed_by)
        .Add("Comment", version.comment)
        .AppendTo(text);
  }
}

void Write(const OwnTransfer& own, std::string* text) {
  OwnLine("Transfer", own.from)
      .Add("To", own.to)
      .Add("TRESSeconds", own.transfer.amount)
      .Add("Time", own.transfer.transferred_at)
      .Add("By", own.transfer.changed_by)
      .Add("Comment", own.transfer.comment)
      .AppendTo(text);
}

void Write(const OwnLease& own, std::string* text) {
  const storage::Lease& lease = own.lease;
  OwnLine("Lease", lease.kind)
      .Add("Account", lease.account)
      .Add("User", lease.user_name)
      .Add("Partition", lease.partition)
      .Add("QOS", lease.qos)
      .Add("Begin", lease.begin_time)
      .Add("End", lease.end_time)
      .Add("By", lease.created_by)
      .Add("Comment", lease.comment)
      .AppendTo(text);
  for (size_t i = 0; i < lease.setting_names.size(); ++i) {
    OwnLine("Setting", lease.setting_names[i])
        .Add("Operator", lease.setting_operators[i])
        .Add("Value", lease.setting_values[i])
        .AppendTo(text);
  }
}

void Write(const OwnMerge& own, std::string* text) {
  OwnLine("Merge", own.merge.from_user)
      .Add("Into", own.merge.into_user)
      .Add("Time", own.merge.merged_at)
      .Add("By", own.merge.merged_by)
      .Add("Comment", own.merge.comment)
      .AppendTo(text);
}

void Write(const OwnAlias& own, std::string* text) {
  OwnLine("Alias", own.alias.alias)
      .Add("User", own.alias.user_name)
      .Add("Source", own.alias.source)
      .AppendTo(text);
}

template <typename Objects>
void WriteAll(const Objects& objects, std::string* text) {
  for (const auto& object : objects) Write(object, text);
}

}  // namespace

bool OwnObjects::empty() const {
  return price_books.empty() && grants.empty() && transfers.empty() && leases.empty() &&
         merges.empty() && aliases.empty();
}

std::string WriteOwnObjects(const OwnObjects& objects) {
  std::string text = kHead;
  WriteAll(objects.price_books, &text);
  WriteAll(objects.grants, &text);
  WriteAll(objects.transfers, &text);
  WriteAll(objects.leases, &text);
  WriteAll(objects.merges, &text);
  WriteAll(objects.aliases, &text);
  return text;
}

}  // namespace priorityd::administration
