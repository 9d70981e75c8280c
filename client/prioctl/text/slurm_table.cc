#include "client/prioctl/text/slurm_table.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "client/prioctl/jobs/job_text.h"
#include "engine/numbers/whole_number.h"

namespace priorityd::prioctl {
namespace {

// Characters of an exponent form beside its decimals: `1.` and `e+04`.
constexpr int kExponentOverhead = 6;

std::string Pad(const std::string& text, const SlurmField& field) {
  return field.left ? absl::StrFormat("%-*s", field.width, text)
                    : absl::StrFormat("%*s", field.width, text);
}

}  // namespace

std::string Shorten(const std::string& text, int width) {
  if (text.size() <= static_cast<size_t>(width)) return text;
  return absl::StrCat(text.substr(0, width - 1), "+");
}

std::string SlurmTable::Number(double value, int width) const {
  if (std::isinf(value)) return "inf";
  if (full_precision_) return absl::StrFormat("%.17g", value);
  const std::string text = absl::StrFormat("%f", value);
  if (layout_ != SlurmLayout::kFixedWidth || text.size() <= static_cast<size_t>(width)) {
    return text;
  }
  return absl::StrFormat("%.*e", std::max(0, width - kExponentOverhead), value);
}

std::string SlurmTable::Text(const SlurmCell& cell, int width) const {
  if (const auto* text = std::get_if<std::string>(&cell)) {
    const std::string visible = jobs::Visible(*text);
    return layout_ == SlurmLayout::kFixedWidth ? Shorten(visible, width) : visible;
  }
  if (const auto* whole = std::get_if<uint64_t>(&cell)) return absl::StrCat(*whole);
  if (const auto* whole = std::get_if<WholeAmount>(&cell)) return numbers::WholeText(whole->amount);
  if (const auto* number = std::get_if<double>(&cell)) return Number(*number, width);
  return "";
}

void SlurmTable::PrintLine(const std::vector<std::string>& texts) {
  switch (layout_) {
    case SlurmLayout::kFixedWidth:
      for (size_t i = 0; i < texts.size(); ++i) *out_ << Pad(texts[i], fields_[i]) << ' ';
      break;
    case SlurmLayout::kParsable:
      *out_ << absl::StrJoin(texts, "|") << '|';
      break;
    case SlurmLayout::kParsable2:
      *out_ << absl::StrJoin(texts, "|");
      break;
  }
  *out_ << '\n';
}

void SlurmTable::PrintHeader() {
  const bool fixed = layout_ == SlurmLayout::kFixedWidth;
  std::vector<std::string> names;
  std::vector<std::string> dashes;
  for (const SlurmField& field : fields_) {
    names.push_back(fixed ? field.name.substr(0, field.width) : field.name);
    dashes.push_back(std::string(field.width, '-'));
  }
  PrintLine(names);
  if (fixed) PrintLine(dashes);
}

void SlurmTable::PrintRow(const std::vector<SlurmCell>& cells) {
  std::vector<std::string> texts;
  for (size_t i = 0; i < cells.size(); ++i) texts.push_back(Text(cells[i], fields_[i].width));
  PrintLine(texts);
}

}  // namespace priorityd::prioctl
