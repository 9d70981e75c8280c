#include "client/prioctl/usage/share_picture.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "client/pictures/svg.h"
#include "client/prioctl/text/text.h"
#include "client/prioctl/usage/share_pie.h"
#include "client/prioctl/usage/share_tree.h"
#include "engine/numbers/whole_number.h"

namespace priorityd::prioctl {
namespace {

using pictures::Svg;
using pictures::SvgAnchor;
using pictures::SvgCut;

using ::priority::v1::AssociationShare;
using ::priority::v1::ListSharesResponse;

constexpr double kCanvasWidth = 960, kHeight = 560;
constexpr double kCanvasMargin = 20, kGap = 24;
constexpr double kIcicleTop = 92;   // Where the icicles begin.
constexpr double kLeastSeen = 1.5;  // Pixels; what is thinner is left out.
constexpr double kLeastNamed = 13;
constexpr double kLabelSize = 11;
constexpr double kService = 3;  // Of log2: eight times is as far as colours go.
constexpr double kHalf = (kCanvasWidth - 2 * kCanvasMargin - kGap) / 2;

// From over-served to under-served; distinct for readers who do not distinguish red and green.
constexpr const char* kColours[] = {"#b35806", "#e08214", "#fdb863", "#fee0b6", "#f0f0f0",
                                    "#d1e5f0", "#92c5de", "#4393c3", "#2166ac"};
constexpr int kSteps = 4;  // On each side of the middle.

int StepOf(double service) {
  return kSteps + static_cast<int>(numbers::RoundedWhole(service * kSteps));
}

// Whether white is easier to read on it.
bool IsDark(int step) { return step < 1 || step > 2 * kSteps - 2; }

std::string KeyOf(const AssociationShare& share) {
  return share.user().empty() ? share.account() : "";
}

// `above`: that of the level above.
double AllocatedOf(const AssociationShare& share, double above) {
  if (share.parent_shares()) return above;
  return share.level_shares() > 0 ? above * share.raw_shares() / share.level_shares() : 0;
}

// Divides the width of a part among those below it.
void Divide(const std::vector<int>& children, const std::vector<double>& own, double width,
            std::vector<SharePart>* parts) {
  double sum = 0;
  for (const int child : children) sum += own[child];
  for (const int child : children) {
    (*parts)[child].width =
        width * (sum > 0 ? own[child] / sum : 1 / static_cast<double>(children.size()));
  }
}

// `times`: how many times as large the shares are as the usage; not a number where both are 0.
double ServiceOfTimes(double times) {
  return std::isnan(times) ? 0 : std::clamp(std::log2(times) / kService, -1.0, 1.0);
}

// Of an association that has a LevelFS: sshare prints none of `parent` shares.
void SetLevel(const AssociationShare& share, SharePart* part) {
  if (share.parent_shares()) return;
  const double level = share.level_fs_infinite() ? HUGE_VAL : share.level_fs();
  part->standing_text = absl::StrFormat("LevelFS %f", level);
  part->standing = ServiceOfTimes(level);
}

void SetStanding(const AssociationShare& share, SharePart* part) {
  if (share.has_level_fs() || share.level_fs_infinite()) return SetLevel(share, part);
  if (!share.has_fair_share()) return;
  part->standing_text = absl::StrFormat("FairShare %f", share.fair_share());
  part->standing = ServiceOfTimes(1 / std::log2(1 / share.fair_share()));
}

SharePart PartOf(const AssociationShare& share, double whole) {
  SharePart part;
  part.account = share.account();
  part.user = share.user();
  part.partition = share.partition();
  part.used = whole > 0 ? share.raw_usage() / whole : 0;
  part.norm_shares = share.norm_shares();
  part.effective = share.effective_usage();
  SetStanding(share, &part);
  return part;
}

// One of the two icicles: a column for each depth, the first on the left.
class Icicle {
 public:
  Icicle(const std::vector<SharePart>& parts, const ShareSide& side, double x, Svg* svg)
      : parts_(parts), side_(side), x_(x), svg_(*svg) {
    for (const SharePart& part : parts_) levels_ = std::max(levels_, part.depth + 1);
  }

  void Draw() {
    const double whole = parts_.empty() ? 0 : parts_[0].*side_.length;
    const double height = kHeight - kIcicleTop - kCanvasMargin;
    std::vector<double> begins(parts_.size(), kIcicleTop), next(parts_.size(), kIcicleTop);
    for (size_t i = 0; i < parts_.size(); ++i) {
      const SharePart& part = parts_[i];
      const double length = whole > 0 ? height * (part.*side_.length) / whole : 0;
      if (part.parent >= 0) {
        begins[i] = next[part.parent];
        next[part.parent] += length;
      }
      next[i] = begins[i];
      if (length >= kLeastSeen) DrawPart(part, begins[i], length);
    }
  }

 private:
  void DrawPart(const SharePart& part, double y, double height) {
    const double width = kHalf / levels_;
    const double x = x_ + part.depth * width;
    const double service = ServiceOf(part);
    svg_.Rect({x, y, width - 1, height - 0.5}, ColourOf(service), AboutText(part));
    if (height < kLeastNamed) return;
    const std::string name = SvgCut(absl::StrCat(part.name(), " ", PercentText(part.*side_.figure)),
                                    width - 8, kLabelSize);
    svg_.Text(x + 4, y + kLabelSize + 1, name, {.size = kLabelSize, .fill = InkOf(service)});
  }

  const std::vector<SharePart>& parts_;
  const ShareSide side_;
  const double x_;
  Svg& svg_;
  int levels_ = 1;
};

void DrawScale(Svg* svg) {
  constexpr double kStep = 18, kY = 42;
  const double x = kCanvasWidth - kCanvasMargin - kStep * std::size(kColours) - 78;
  svg->Text(x - 6, kY + 10, "over-served", {.size = kLabelSize, .anchor = SvgAnchor::kEnd});
  for (size_t i = 0; i < std::size(kColours); ++i) {
    svg->Rect({x + kStep * static_cast<double>(i), kY, kStep - 1, 12}, kColours[i]);
  }
  svg->Text(kCanvasWidth - kCanvasMargin, kY + 10, "under-served",
            {.size = kLabelSize, .anchor = SvgAnchor::kEnd});
}

// Allocated on the left, used on the right.
void DrawSides(const std::vector<SharePart>& parts, ShareForm form, const pictures::SvgBox& box,
               Svg* svg) {
  const double right = box.x + kHalf + kGap;
  svg->Text(box.x, box.y - 10, "allocated", {.size = 13, .bold = true});
  svg->Text(right, box.y - 10, "used, with decay", {.size = 13, .bold = true});
  if (form == ShareForm::kPies) {
    DrawSharePie(parts, kAllocatedSide, {box.x, box.y, kHalf, box.height}, svg);
    DrawSharePie(parts, kUsedSide, {right, box.y, kHalf, box.height}, svg);
  } else {
    Icicle(parts, kAllocatedSide, box.x, svg).Draw();
    Icicle(parts, kUsedSide, right, svg).Draw();
  }
  if (parts.empty() || parts[0].used <= 0) svg->Text(right, box.y + 20, "nothing yet");
}

}  // namespace

std::vector<SharePart> SharePartsOf(const ListSharesResponse& shares) {
  std::vector<SharePart> parts;
  std::vector<int> rows;  // Of the answer, by part.
  std::map<std::string, int> accounts;
  std::vector<std::vector<int>> children;
  const double whole = shares.shares_size() == 0 ? 0 : shares.shares(0).raw_usage();
  for (int row = 0; row < shares.shares_size(); ++row) {
    const AssociationShare& share = shares.shares(row);
    const auto above =
        accounts.find(share.user().empty() ? share.parent_account() : share.account());
    if (!parts.empty() && above == accounts.end()) continue;
    SharePart part = PartOf(share, whole);
    if (!parts.empty()) {
      part.parent = above->second;
      part.depth = parts[part.parent].depth + 1;
      children[part.parent].push_back(static_cast<int>(parts.size()));
    }
    if (!KeyOf(share).empty()) accounts[KeyOf(share)] = static_cast<int>(parts.size());
    parts.push_back(std::move(part));
    rows.push_back(row);
    children.emplace_back();
  }
  if (parts.empty()) return parts;
  parts[0].allocated = parts[0].width = 1;
  for (size_t i = 1; i < parts.size(); ++i) {
    parts[i].allocated =
        AllocatedOf(shares.shares(rows[i]), parts[static_cast<size_t>(parts[i].parent)].allocated);
  }
  std::vector<double> own(parts.size(), 0);  // By shares of their own.
  for (size_t i = parts.size(); i-- > 1;) {
    if (!shares.shares(rows[i]).parent_shares()) own[i] = parts[i].allocated;
    const auto parent = static_cast<size_t>(parts[i].parent);
    if (shares.shares(rows[parent]).parent_shares()) own[parent] += own[i];
  }
  for (size_t i = 0; i < parts.size(); ++i) Divide(children[i], own, parts[i].width, &parts);
  return parts;
}

double ServiceOf(const SharePart& part) { return ServiceOfTimes(part.allocated / part.used); }

absl::string_view ServedText(double service) {
  return service > 0.04 ? ", under-served" : service < -0.04 ? ", over-served" : "";
}

std::string AboutText(const SharePart& part) {
  return absl::StrCat(part.name(), ": allocated ", PercentText(part.allocated), ", used ",
                      PercentText(part.used), ServedText(ServiceOf(part)));
}

absl::string_view ColourOf(double service) { return kColours[StepOf(service)]; }

absl::string_view InkOf(double service) { return IsDark(StepOf(service)) ? "#ffffff" : "#1b1f24"; }

std::string PercentText(double part) { return absl::StrFormat("%.2f%%", 100 * part); }

std::string SharePicture(const ListSharesResponse& shares, const std::vector<SharePart>& parts,
                         ShareForm form) {
  const std::string title = absl::StrCat("Shares of ", shares.snapshot().cluster());
  const double width =
      form == ShareForm::kTree ? std::max(kCanvasWidth, ShareTreeWidth(parts)) : kCanvasWidth;
  Svg svg(width, kHeight, title);
  svg.Text(kCanvasMargin, 32, title, {.size = 18, .bold = true});
  svg.Text(
      kCanvasMargin, 52,
      absl::StrCat("recalculated ",
                   TimeText(shares.snapshot().computed_at(), shares.snapshot().has_computed_at()),
                   ", ", absl::StrReplaceAll(shares.fair_share_algorithm(), {{"_", " "}})),
      {.size = kLabelSize, .fill = "#57606a"});
  DrawScale(&svg);
  const pictures::SvgBox box = {kCanvasMargin, kIcicleTop, width - 2 * kCanvasMargin,
                                kHeight - kIcicleTop - kCanvasMargin};
  if (form == ShareForm::kTree) {
    DrawShareTree(parts, box, &svg);
  } else {
    DrawSides(parts, form, box, &svg);
  }
  return std::move(svg).Finish();
}

}  // namespace priorityd::prioctl
