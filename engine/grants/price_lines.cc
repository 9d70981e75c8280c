#include "engine/grants/price_lines.h"

#include <map>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "engine/priority/site/tres_sum.h"
#include "engine/slurm/words/line_reader.h"
#include "engine/slurm/words/zone_name.h"

namespace priorityd::grants {
namespace {

using slurm::DumpOption;
using slurm::Unexpected;

// The versions of a book by begin.
struct BookLines {
  std::string currency;
  std::map<absl::Time, PriceVersion> versions;
};

class PriceReader {
 public:
  explicit PriceReader(const slurm::SourceFile& file) : file_(file) {}

  absl::StatusOr<PriceBooks> Read() && {
    slurm::LineReader lines(file_, violations_);
    slurm::TextLine text;
    while (lines.Next(text)) {
      const absl::string_view trimmed = absl::StripAsciiWhitespace(text.text);
      if (trimmed.empty() || trimmed[0] == '#') continue;
      const auto line = slurm::SplitDumpLine(trimmed);
      const absl::Status status = line.ok() ? ReadLine(*line) : line.status();
      if (!status.ok()) violations_.Add(file_.name, text.number, status.message());
    }
    if (!violations_.empty()) return violations_.ToStatus();
    return Books();
  }

 private:
  absl::Status ReadLine(const slurm::DumpLine& line) {
    if (absl::EqualsIgnoreCase(line.kind, "Price")) return ReadPrice(line);
    version_ = nullptr;
    if (!absl::EqualsIgnoreCase(line.kind, "PriceBook")) return absl::OkStatus();
    if (++count_ > kMaxPriceVersions) {
      return absl::InvalidArgumentError(
          absl::StrCat("PriceBook: got more than ", kMaxPriceVersions, ", want at most that"));
    }
    return ReadBook(line);
  }

  absl::Status ReadBook(const slurm::DumpLine& line) {
    if (absl::Status s = CheckBookName(line.name); !s.ok()) return Named("PriceBook", s);
    const std::string currency = OptionOf(line, "Currency");
    if (absl::Status s = CheckCurrency(currency); !s.ok()) return Named("Currency", s);
    const auto zone = ReadPriceZone(OptionOf(line, "TimeZone"));
    if (!zone.ok()) return Named("TimeZone", zone.status());
    const std::string text = OptionOf(line, "Begin");
    const auto begin = ReadPriceTime(text);
    if (!begin.ok()) return Named("Begin", begin.status());
    BookLines& book = books_[line.name];
    if (!book.currency.empty() && book.currency != currency) {
      return Named("Currency", Unexpected(currency, absl::StrCat(book.currency, ", that of ",
                                                                 "the other versions")));
    }
    book.currency = currency;
    const auto [version, is_new] = book.versions.try_emplace(*begin);
    if (!is_new) return Named("Begin", Unexpected(text, "each begin of a price book once"));
    version->second.begin = *begin;
    version->second.zone = *zone;
    version_ = &version->second;
    return absl::OkStatus();
  }

  absl::Status ReadPrice(const slurm::DumpLine& line) {
    auto rule = RuleOfLine(line.name, line.options);
    if (!rule.ok()) return rule.status();
    if (version_ == nullptr) {
      return absl::InvalidArgumentError("got a Price, want it after its PriceBook");
    }
    if (version_->rules.size() == kMaxPriceRules) {
      return absl::InvalidArgumentError(
          absl::StrCat("Price: want at most ", kMaxPriceRules, " of a price book"));
    }
    version_->rules.push_back(*std::move(rule));
    return absl::OkStatus();
  }

  absl::StatusOr<PriceBooks> Books() {
    PriceBooks books;
    for (auto& [name, lines] : books_) {
      std::vector<PriceVersion> versions;
      for (auto& [begin, version] : lines.versions) {
        if (version.rules.empty()) {
          violations_.Add(
              file_.name, 0,
              absl::StrCat("PriceBook ", name, ": got no Price lines ", "after it, want some"));
        }
        versions.push_back(std::move(version));
      }
      books.try_emplace(absl::StrCat(priority::kPricePrefix, name), std::move(versions),
                        lines.currency);
    }
    if (!violations_.empty()) return violations_.ToStatus();
    return books;
  }

  static std::string OptionOf(const slurm::DumpLine& line, absl::string_view name) {
    const auto found = absl::c_find_if(line.options, [name](const DumpOption& option) {
      return absl::EqualsIgnoreCase(option.name, name);
    });
    return found == line.options.end() ? "" : found->value;
  }

  static absl::Status Named(absl::string_view name, const absl::Status& status) {
    return absl::InvalidArgumentError(absl::StrCat(name, ": ", status.message()));
  }

  const slurm::SourceFile& file_;
  slurm::FileViolations violations_;
  std::map<std::string, BookLines> books_;
  PriceVersion* version_ = nullptr;  // The version to which a Price belongs.
  size_t count_ = 0;
};

}  // namespace

std::string PriceLine(const PriceRule& rule) {
  std::string text = absl::StrCat("Price - ", slurm::DumpQuoted(rule.tres));
  for (const auto& [name, value] : CellsOf(rule)) {
    absl::StrAppend(&text, ":", name, "=", slurm::DumpQuoted(value));
  }
  return text;
}

absl::StatusOr<PriceRule> RuleOfLine(absl::string_view tres,
                                     const std::vector<DumpOption>& options) {
  std::map<std::string, std::string> cells;
  for (const DumpOption& option : options) {
    cells[std::string(RuleCellName(option.name))] = option.value;
  }
  return ReadPriceRule(tres, cells);
}

absl::Status CheckCurrency(absl::string_view text) {
  if (text.size() == 3 && absl::c_all_of(text, absl::ascii_isupper)) return absl::OkStatus();
  return Unexpected(text, "three letters, such as EUR");
}

absl::StatusOr<absl::TimeZone> ReadPriceZone(absl::string_view name) {
  absl::TimeZone zone = absl::UTCTimeZone();
  if (name.empty() || slurm::FindZone(name, &zone)) return zone;
  return Unexpected(name, "an IANA name, such as Europe/Berlin");
}

absl::StatusOr<PriceBooks> ReadPriceBooks(const slurm::SourceFile& file) {
  return PriceReader(file).Read();
}

}  // namespace priorityd::grants
