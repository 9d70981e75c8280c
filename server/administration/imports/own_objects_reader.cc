#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "engine/errors/bounds.h"
#include "engine/errors/error_details.h"
#include "engine/grants/amount.h"
#include "engine/grants/price_lines.h"
#include "engine/grants/price_rule.h"
#include "engine/grants/settings.h"
#include "engine/slurm/dump/dump_line.h"
#include "engine/slurm/words/line_reader.h"
#include "engine/slurm/words/name.h"
#include "server/administration/changes/alias_change.h"
#include "server/administration/frame/change_list.h"
#include "server/administration/grants/grant_change.h"
#include "server/administration/imports/own_objects.h"
#include "server/administration/imports/own_options.h"
#include "server/administration/leases/lease_change.h"
#include "server/administration/tree/merge_change.h"

namespace priorityd::administration {
namespace {

using grants::Amount;
using slurm::DumpLine;
using slurm::DumpOption;
using slurm::Quoted;
using slurm::Unexpected;

constexpr size_t kMaxSettingsOfLease = 100;
constexpr size_t kMaxOwnLeases = 4 * kMaxLeases;  // Of four kinds.

constexpr char kOwnKinds[] =
    "PriceBook, Price, Grant, Amount, Transfer, Lease, Setting, Merge or Alias";
// The expected value in errors of the reader of a dump's lines.
constexpr char kDumpKinds[] = "Cluster, Parent, Account, User or QOS";

// TRES-seconds; above 0, at most what an Amount may be.
absl::StatusOr<std::string> ReadOwnAmount(absl::string_view text) {
  const auto amount = Amount::FromDecimal(text);
  if (!amount.ok()) return amount.status();
  if (*amount > Amount() && *amount <= Amount::FromMinutes(grants::kMaxMinutes)) {
    return amount->ToDecimal();
  }
  return Unexpected(text, absl::StrCat("more than 0 and at most ", grants::kMaxMinutes * 60));
}

class OwnReader {
 public:
  explicit OwnReader(const slurm::SourceFile& file) : file_(file) { objects_.file = file.name; }

  absl::StatusOr<OwnObjects> Read() && {
    slurm::LineReader lines(file_, violations_);
    slurm::TextLine text;
    while (lines.Next(text)) {
      const absl::string_view trimmed = absl::StripAsciiWhitespace(text.text);
      if (trimmed.empty() || trimmed[0] == '#') continue;
      auto line = slurm::SplitDumpLine(trimmed);
      if (line.ok()) {
        if (!ReadLine(text.number, *std::move(line))) return violations_.ToStatus();
      } else {
        violations_.Add(file_.name, text.number,
                        absl::StrReplaceAll(line.status().message(), {{kDumpKinds, kOwnKinds}}));
      }
    }
    CheckParts();
    if (!violations_.empty()) return violations_.ToStatus();
    return std::move(objects_);
  }

 private:
  // The object of Price, Amount and Setting lines; kSame: a line does not change it.
  enum class Within { kNothing, kPriceBook, kGrant, kLease, kSame };
  using ReadFunction = void (OwnReader::*)(int number, const std::string& name,
                                           OwnOptions& options);
  struct Word {
    const char* kind;
    ReadFunction read;
    Within within;                    // After the line.
    size_t most = std::string::npos;  // Lines of a file.
  };
  static constexpr size_t kWords = 9;
  static const Word* Words();

  // False if there are too many lines of that kind.
  bool ReadLine(int number, DumpLine line) {
    OwnOptions options(file_, number, std::move(line.options), &violations_);
    const Word* const end = Words() + kWords;
    const Word* const word = std::find_if(Words(), end, [&](const Word& known) {
      return absl::EqualsIgnoreCase(known.kind, line.kind);
    });
    if (word == end) {
      options.Fault("line", Unexpected(line.kind, kOwnKinds));
      return true;
    }
    if (++lines_[word - Words()] > word->most) {
      options.Add(absl::StrCat(word->kind, ": got more than ", word->most, ", want at most that"));
      return false;
    }
    (this->*word->read)(number, line.name, options);
    options.Finish();
    if (word->within != Within::kSame) within_ = word->within;
    if (!violations_.empty()) KeepLast();
    return true;
  }

  // The objects of a file with faults are unusable, and can be many times as large as the file.
  void KeepLast() {
    const auto keep_last = [](auto* objects) {
      if (objects->size() > 1) objects->erase(objects->begin(), objects->end() - 1);
    };
    keep_last(&objects_.price_books);
    keep_last(&objects_.grants);
    keep_last(&objects_.transfers);
    keep_last(&objects_.leases);
    keep_last(&objects_.merges);
    keep_last(&objects_.aliases);
  }

  void ReadPriceBook(int number, const std::string& name, OwnOptions& options) {
    OwnPriceBook& own = objects_.price_books.emplace_back();
    own.line = number;
    storage::PriceBook& book = own.book;
    book.name = name;
    options.Fault("PriceBook", grants::CheckBookName(name));
    book.currency = options.Required("Currency");
    if (!book.currency.empty()) options.Fault("Currency", grants::CheckCurrency(book.currency));
    book.time_zone = options.Text("TimeZone");
    if (book.time_zone.empty()) book.time_zone = "UTC";
    options.Fault("TimeZone", grants::ReadPriceZone(book.time_zone).status());
    const std::string begin = options.Required("Begin");
    const auto time = grants::ReadPriceTime(begin);
    if (!begin.empty()) options.Fault("Begin", time.status());
    book.begin_time = time.value_or(absl::UnixEpoch());
    ReadAuthor(options, &book.changed_by, &book.comment);
    if (!price_books_.emplace(name, book.begin_time).second) {
      options.Fault("Begin", Unexpected(begin, "each begin of a price book once"));
    }
  }

  void ReadPrice(int, const std::string& name, OwnOptions& options) {
    const auto rule = grants::RuleOfLine(name, options.Rest());
    if (!rule.ok()) return options.Add(rule.status().message());
    if (within_ != Within::kPriceBook)
      return options.Add("got a Price, want it after its PriceBook");
    std::vector<std::string>& rules = objects_.price_books.back().book.rules;
    if (rules.size() == grants::kMaxPriceRules) {
      return options.Add(
          absl::StrCat("Price: want at most ", grants::kMaxPriceRules, " of a price book"));
    }
    rules.push_back(grants::PriceLine(*rule));
  }

  void ReadGrant(int number, const std::string& name, OwnOptions& options) {
    OwnGrant& grant = objects_.grants.emplace_back();
    grant.line = number;
    grant.name = name;
    options.Fault("Grant", slurm::CheckName(name));
    if (name.find_first_of(", ") != std::string::npos) {
      options.Fault("Grant", Unexpected(name, "the name of one grant"));
    }
    if (!grants_.insert(name).second) options.Fault("Grant", Unexpected(name, "each grant once"));
    grant.revoked_at = options.OptionalTime("Revoked");
    const std::string by = options.Text("ByCoordinator");
    if (!by.empty() && by != "yes") options.Fault("ByCoordinator", Unexpected(by, "yes"));
    grant.by_coordinator = by == "yes";
    ReadSettings(&grant, options);
  }

  static void ReadSettings(OwnGrant* grant, OwnOptions& options) {
    std::map<std::string, std::string> cells = {{"Amount", "1"}};  // See Amount lines.
    bool has_amount = false;
    for (DumpOption& option : options.Rest()) {
      const auto setting = grants::FindSetting(option.name);
      if (!setting.ok()) return options.Fault("options", setting.status());
      has_amount |= *setting == "Amount";
      cells[std::string(*setting)] = std::move(option.value);
    }
    if (has_amount) return options.Add("Amount: got one of the grant, want lines of it");
    const auto begin = ReadOwnTime(cells["Begin"]);
    if (!begin.ok()) return options.Fault("Begin", begin.status());
    const auto settings = grants::Read(cells, absl::UTCTimeZone(), *begin);
    if (settings.ok()) grant->settings = *settings;
    for (const errors::FieldViolation& violation : errors::ViolationsOf(settings.status())) {
      options.Add(violation.description);
    }
  }

  void ReadAmount(int, const std::string& name, OwnOptions& options) {
    storage::GrantVersion version;
    const auto amount = ReadOwnAmount(name);
    options.Fault("Amount", amount.status());
    version.amount = amount.value_or("");
    version.effective_at = options.Time("Effective");
    ReadAuthor(options, &version.changed_by, &version.comment);
    if (within_ != Within::kGrant) return options.Add("got an Amount, want it after its Grant");
    std::vector<storage::GrantVersion>& versions = objects_.grants.back().versions;
    if (!versions.empty() && versions.back().effective_at > version.effective_at) {
      options.Add("Effective: got a time before that of the Amount above, want them in order");
    }
    versions.push_back(std::move(version));
  }

  void ReadTransfer(int number, const std::string& name, OwnOptions& options) {
    OwnTransfer& own = objects_.transfers.emplace_back();
    own.line = number;
    own.from = name;
    own.to = options.Required("To");
    if (own.to == own.from) options.Fault("To", Unexpected(own.to, "another grant"));
    const std::string text = options.Required("TRESSeconds");
    const auto amount = ReadOwnAmount(text);
    if (!text.empty()) options.Fault("TRESSeconds", amount.status());
    own.transfer.amount = amount.value_or("");
    own.transfer.transferred_at = options.Time("Time");
    ReadAuthor(options, &own.transfer.changed_by, &own.transfer.comment);
  }

  void ReadLease(int number, const std::string& name, OwnOptions& options) {
    OwnLease& own = objects_.leases.emplace_back();
    own.line = number;
    storage::Lease& lease = own.lease;
    lease.kind = name;
    lease.account = options.Text("Account");
    lease.user_name = options.Text("User");
    lease.partition = options.Text("Partition");
    lease.qos = options.Text("QOS");
    lease.begin_time = options.Time("Begin");
    lease.end_time = options.Time("End");
    ReadAuthor(options, &lease.created_by, &lease.comment);
    if (lease.end_time <= lease.begin_time) {
      options.Add("End: got a time that is not after Begin, want a later one");
    }
    CheckObject(lease, options);
    const ObjectKey key = {lease.kind, lease.account, lease.user_name, lease.partition, lease.qos};
    lease.object = TextOf(key);
  }

  // Checks that the object of a lease has the parts of its kind and no others.
  static void CheckObject(const storage::Lease& lease, OwnOptions& options) {
    const bool a = !lease.account.empty();
    const bool u = !lease.user_name.empty();
    const bool p = !lease.partition.empty();
    const bool q = !lease.qos.empty();
    if (lease.kind == "association" && a && !q && (u || !p)) return;
    if (lease.kind == "user" && u && !a && !p && !q) return;
    if (lease.kind == "qos" && q && !a && !u && !p) return;
    if (lease.kind == "partition" && p && !a && !u && !q) return;
    options.Fault("Lease", Unexpected(lease.kind,
                                      "association with Account, perhaps User and Partition; user "
                                      "with User; qos with QOS; partition with Partition"));
  }

  void ReadSetting(int, const std::string& name, OwnOptions& options) {
    const std::string op = options.Text("Operator");
    const std::string value = options.Text("Value", errors::kMaxTextBytes * 4);
    if (op != "=" && op != "+=" && op != "-=") {
      options.Fault("Operator", Unexpected(op, "=, += or -="));
    }
    if (within_ != Within::kLease) return options.Add("got a Setting, want it after its Lease");
    storage::Lease& lease = objects_.leases.back().lease;
    if (lease.setting_names.size() == kMaxSettingsOfLease) {
      return options.Add(
          absl::StrCat("Setting: want at most ", kMaxSettingsOfLease, " of a lease"));
    }
    options.Fault("Setting", CheckLength(name, errors::kMaxNameBytes));
    lease.setting_names.push_back(name);
    lease.setting_operators.push_back(op);
    lease.setting_values.push_back(value);
  }

  void ReadMerge(int number, const std::string& name, OwnOptions& options) {
    OwnMerge& own = objects_.merges.emplace_back();
    own.line = number;
    own.merge.from_user = name;
    own.merge.into_user = options.Required("Into");
    own.merge.merged_at = options.Time("Time");
    ReadAuthor(options, &own.merge.merged_by, &own.merge.comment);
    options.Fault("Merge", slurm::CheckName(name));
    options.Fault("Into", slurm::CheckName(own.merge.into_user));
    if (own.merge.into_user == name) options.Fault("Into", Unexpected(name, "another user"));
    if (!merged_.insert(name).second) options.Fault("Merge", Unexpected(name, "each user once"));
  }

  void ReadAlias(int number, const std::string& name, OwnOptions& options) {
    OwnAlias& own = objects_.aliases.emplace_back();
    own.line = number;
    own.alias.alias = name;
    own.alias.user_name = options.Required("User");
    own.alias.source = options.Text("Source", kMaxAliasBytes);
    options.Fault("Alias", CheckLength(name, kMaxAliasBytes));
    const std::vector<AliasFault> faults = FaultsOfAlias(own.alias);
    if (!faults.empty()) own.fault = absl::StrCat(faults[0].field, ": ", faults[0].message);
    // As files have them: texts that differ in line breaks are written the same.
    const std::string written = slurm::DumpQuoted(name);
    if (slurm::DumpQuoted(own.alias.user_name) == written) {
      options.Fault("User", Unexpected(name, "another name"));
    }
    if (!aliases_.emplace(slurm::DumpQuoted(own.alias.source), written).second) {
      options.Fault("Alias", Unexpected(name, "each alias of a source once"));
    }
  }

  static void ReadAuthor(OwnOptions& options, std::string* who, std::string* why) {
    *who = options.Text("By", errors::kMaxTextBytes);
    *why = options.Text("Comment", errors::kMaxCommentBytes);
  }

  // Price books without a price, grants without an amount, and leases without a setting.
  void CheckParts() {
    for (const OwnPriceBook& own : objects_.price_books) {
      if (!own.book.rules.empty()) continue;
      violations_.Add(file_.name, own.line, "PriceBook: got no Price lines after it, want some");
    }
    for (const OwnGrant& grant : objects_.grants) {
      if (!grant.versions.empty()) continue;
      violations_.Add(file_.name, grant.line, "Grant: got no Amount lines after it, want some");
    }
    for (const OwnLease& own : objects_.leases) {
      if (!own.lease.setting_names.empty()) continue;
      violations_.Add(file_.name, own.line, "Lease: got no Setting lines after it, want some");
    }
    std::stable_sort(objects_.transfers.begin(), objects_.transfers.end(),
                     [](const OwnTransfer& a, const OwnTransfer& b) {
                       return a.transfer.transferred_at < b.transfer.transferred_at;
                     });
  }

  const slurm::SourceFile& file_;
  slurm::FileViolations violations_;
  OwnObjects objects_;
  Within within_ = Within::kNothing;
  size_t lines_[kWords] = {};  // By word.
  std::set<std::pair<std::string, absl::Time>> price_books_;
  std::set<std::string> grants_;
  std::set<std::string> merged_;
  std::set<std::pair<std::string, std::string>> aliases_;
};

const OwnReader::Word* OwnReader::Words() {
  static constexpr Word kAll[kWords] = {
      {"PriceBook", &OwnReader::ReadPriceBook, Within::kPriceBook, grants::kMaxPriceVersions},
      {"Price", &OwnReader::ReadPrice, Within::kSame},
      {"Grant", &OwnReader::ReadGrant, Within::kGrant, kMaxGrantsEver},
      {"Amount", &OwnReader::ReadAmount, Within::kSame},
      {"Transfer", &OwnReader::ReadTransfer, Within::kNothing},
      {"Lease", &OwnReader::ReadLease, Within::kLease, kMaxOwnLeases},
      {"Setting", &OwnReader::ReadSetting, Within::kSame},
      {"Merge", &OwnReader::ReadMerge, Within::kNothing, static_cast<size_t>(kMaxMerges)},
      {"Alias", &OwnReader::ReadAlias, Within::kNothing, static_cast<size_t>(kMaxAliases)}};
  return kAll;
}

}  // namespace

absl::StatusOr<OwnObjects> ReadOwnObjects(const slurm::SourceFile& file) {
  return OwnReader(file).Read();
}

}  // namespace priorityd::administration
