#include "client/prioctl/sreport/report_picture.h"

#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/pictures/svg.h"
#include "client/prioctl/sreport/report_rows.h"
#include "client/prioctl/sreport/report_table.h"
#include "client/prioctl/text/option_error.h"
#include "client/slurm/tables/report_time.h"
#include "engine/numbers/whole_number.h"

namespace priorityd::prioctl {
namespace {

using pictures::Svg;
using pictures::SvgCut;

using ::priority::v1::ReportUsageRequest;
using ::priority::v1::ReportUsageResponse;

constexpr double kWidth = 960, kMargin = 20, kTop = 76;
constexpr double kLabel = 260, kAmount = 130;
constexpr double kBar = kWidth - 2 * kMargin - kLabel - kAmount;
constexpr double kRow = 18, kHeading = 22, kThickness = 13;
constexpr double kTextSize = 12, kIndent = 10;
// Accounts, and what is of one user or one QOS.
constexpr char kOfAccount[] = "#2166ac", kOfOne[] = "#92c5de";
constexpr char kGrey[] = "#57606a";

// The trackable resource that the bars are of.
std::string TresOf(const SreportOptions& options) {
  return options.tres.empty() || options.all_tres() ? "cpu"
                                                    : absl::AsciiStrToLower(options.tres.front());
}

double SecondsOf(const ReportLine& line, const std::string& tres) {
  const auto found = line.used.find(tres);
  return found == line.used.end() ? 0 : found->second;
}

std::string TextOf(const SlurmCell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  if (const auto* whole = std::get_if<uint64_t>(&cell)) return absl::StrCat(*whole);
  if (const auto* whole = std::get_if<WholeAmount>(&cell)) return numbers::WholeText(whole->amount);
  if (const auto* number = std::get_if<double>(&cell)) return absl::StrFormat("%.17g", *number);
  return "";
}

class ReportDrawing {
 public:
  ReportDrawing(const ReportUsageResponse& report, const SreportOptions& options,
                absl::TimeZone zone)
      : report_(report),
        options_(options),
        zone_(zone),
        tres_(TresOf(options)),
        buckets_(LinesOf(report, options)) {
    for (const ReportBucketLines& bucket : buckets_) {
      lines_ += static_cast<int>(bucket.lines.size());
      for (const ReportLine& line : bucket.lines) most_ = std::max(most_, SecondsOf(line, tres_));
    }
  }

  std::string Draw(const std::string& title, const std::string& units) {
    const int shown = std::min(lines_, kMostBars);
    const double headings = options_.buckets.empty() ? 0 : kHeading * Headings();
    Svg svg(kWidth, kTop + headings + kRow * (shown + 1) + kMargin, title);
    svg.Text(kMargin, 32, title, {.size = 18, .bold = true});
    svg.Text(kMargin, 52, units, {.size = kTextSize, .fill = kGrey});
    double y = kTop;
    int drawn = 0;
    for (const ReportBucketLines& bucket : buckets_) {
      if (drawn == kMostBars) break;
      if (!options_.buckets.empty()) y = DrawHeading(bucket, y, &svg);
      for (const ReportLine& line : bucket.lines) {
        if (drawn++ == kMostBars) break;
        DrawLine(bucket, line, y, &svg);
        y += kRow;
      }
    }
    if (lines_ == 0) svg.Text(kMargin, y + kThickness, "nothing was used", {.fill = kGrey});
    if (lines_ > shown) {
      svg.Text(kMargin, y + kThickness, absl::StrCat("and ", lines_ - shown, " more"),
               {.fill = kGrey});
    }
    return std::move(svg).Finish();
  }

 private:
  // Of the buckets that lines are drawn of.
  int Headings() const {
    int headings = 0, lines = 0;
    for (const ReportBucketLines& bucket : buckets_) {
      if (lines >= kMostBars) break;
      lines += static_cast<int>(bucket.lines.size());
      ++headings;
    }
    return headings;
  }

  double DrawHeading(const ReportBucketLines& bucket, double y, Svg* svg) const {
    svg->Text(kMargin, y + kThickness, tables::ReportTimeText(bucket.start, zone_),
              {.size = kTextSize, .bold = true});
    return y + kHeading;
  }

  std::string LabelOf(const ReportLine& line) const {
    const std::string& name = line.user.empty() ? line.qos : line.user;
    if (line.account.empty() && name.empty()) return report_.cluster();
    const bool by_user = options_.report == SlurmReport::kUserUtilizationByAccount ||
                         options_.report == SlurmReport::kTopUsage;
    if (name.empty()) return line.account;
    return by_user ? absl::StrCat(name, " (", line.account, ")") : name;
  }

  SlurmCell Amount(const ReportBucketLines& bucket, double seconds) const {
    const auto total = report_.cluster_tres().find(tres_);
    const double all = total == report_.cluster_tres().end()
                           ? 0
                           : total->second * absl::ToDoubleSeconds(bucket.end - bucket.start);
    return ReportAmount(seconds, all <= 0 ? 0 : 100 * seconds / all, options_);
  }

  void DrawLine(const ReportBucketLines& bucket, const ReportLine& line, double y, Svg* svg) const {
    const double seconds = SecondsOf(line, tres_);
    const double length = most_ > 0 ? kBar * seconds / most_ : 0;
    const double indent = kIndent * line.depth;
    const std::string label = LabelOf(line), amount = TextOf(Amount(bucket, seconds));
    const bool is_one = !line.user.empty() || !line.qos.empty();
    svg->Text(kMargin + indent, y + kThickness - 2, SvgCut(label, kLabel - indent - 8, kTextSize),
              {.size = kTextSize});
    svg->Rect({kMargin + kLabel, y, std::max(length, 0.5), kThickness},
              is_one ? kOfOne : kOfAccount, absl::StrCat(label, ": ", amount));
    svg->Text(kMargin + kLabel + length + 6, y + kThickness - 2, amount, {.size = kTextSize});
  }

  const ReportUsageResponse& report_;
  const SreportOptions& options_;
  const absl::TimeZone zone_;
  const std::string tres_;
  const std::vector<ReportBucketLines> buckets_;
  int lines_ = 0;
  double most_ = 0;
};

}  // namespace

absl::Status CheckReportPicture(const SreportOptions& options) {
  if (!options.picture.any()) return absl::OkStatus();
  if (options.report == SlurmReport::kSizesByAccount) {
    return OptionError("--svg: got it with SizesByAccount, want it with another report");
  }
  return CheckPicture(options.picture);
}

std::string ReportPicture(const ReportUsageRequest& request, const ReportUsageResponse& report,
                          const SreportOptions& options, absl::TimeZone zone) {
  const std::string of = absl::StrCat(TresOf(options), " ");
  return ReportDrawing(report, options, zone)
      .Draw(absl::StrCat("Usage of ", report.cluster(), ", ", ReportPeriodText(request, zone)),
            UnitText(of, options.time_format));
}

}  // namespace priorityd::prioctl
