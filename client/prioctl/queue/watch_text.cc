#include "client/prioctl/queue/watch_text.h"

#include <map>
#include <sstream>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "client/prioctl/queue/ranked_table.h"
#include "client/prioctl/text/text.h"

namespace priorityd::prioctl {
namespace {

namespace v1 = ::priority::v1;

constexpr char kHome[] = "\x1b[H";
constexpr char kClearRestOfLine[] = "\x1b[K";
constexpr char kReverse[] = "\x1b[7m";
constexpr char kPlain[] = "\x1b[m";
constexpr char kClearRest[] = "\x1b[J";

std::string Summary(const v1::WatchRankingResponse& answer, const client::WatchedTop& top) {
  const std::string ineligible = answer.ineligible_total() == 0
                                     ? ""
                                     : absl::StrCat(", ", top.ineligible().size(), " of ",
                                                    answer.ineligible_total(), " not eligible");
  return absl::StrCat(top.ranked().size(), " of ", answer.ranked_total(), " rows in start order",
                      ineligible, "; as of ", TimeText(answer.as_of(), answer.has_as_of()),
                      StaleText(answer.snapshot()));
}

std::string WhyText(const v1::IneligibleJob& job) {
  return job.message().empty() ? job.reason()
                               : absl::StrCat(job.reason(), ": ", SentenceText(job.message()));
}

// `17 in main under normal`
template <typename Row>
std::string NameText(const Row& row) {
  return absl::StrCat(row.job_id(), row.partition().empty() ? "" : " in ", row.partition(),
                      row.qos().empty() ? "" : " under ", row.qos());
}

std::string PreviousPriorityText(const v1::RankChange& change) {
  return change.has_previous_priority() ? absl::StrCat(change.previous_priority()) : "-";
}

bool HasMoved(const v1::RankChange& change) {
  return change.previous_rank() != change.row().rank();
}

bool HasOtherPriority(const v1::RankChange& change) {
  return PreviousPriorityText(change) != PriorityText(change.row());
}

std::string ChangeLine(const v1::RankChange& change) {
  const v1::RankedJob& row = change.row();
  const std::string rank = absl::StrCat("rank ", change.previous_rank(), " -> ", row.rank());
  const std::string priority =
      absl::StrCat("priority ", PreviousPriorityText(change), " -> ", PriorityText(row));
  if (HasMoved(change)) {
    return absl::StrCat("moved ", NameText(row), ": ", rank,
                        HasOtherPriority(change) ? absl::StrCat(", ", priority) : "");
  }
  return absl::StrCat("changed ", NameText(row), ": ",
                      HasOtherPriority(change) ? priority : "rank and priority are the same");
}

std::vector<std::string> DeltaLines(const v1::RankingDelta& delta) {
  std::vector<std::string> lines;
  for (const v1::RankedRow& row : delta.left()) lines.push_back("left " + NameText(row));
  for (const v1::RankedJob& row : delta.entered()) {
    lines.push_back(absl::StrCat("entered ", NameText(row), ": rank ", row.rank(), ", priority ",
                                 PriorityText(row)));
  }
  for (const v1::RankChange& change : delta.changed()) lines.push_back(ChangeLine(change));
  for (const v1::IneligibleJob& job : delta.ineligible()) {
    lines.push_back(absl::StrCat("not eligible ", NameText(job), ": ", WhyText(job)));
  }
  for (const std::string& job_id : delta.no_longer_ineligible()) {
    lines.push_back("no longer ineligible " + job_id);
  }
  return lines;
}

// `new`, `up 3`, `down 1`, `+20`, in a word or two.
std::string ShortChange(const v1::RankChange& change) {
  const int64_t up = int64_t{change.previous_rank()} - change.row().rank();
  if (up > 0) return absl::StrCat("up ", up);
  if (up < 0) return absl::StrCat("down ", -up);
  const int64_t more = int64_t{change.row().priority()} - change.previous_priority();
  if (more == 0) return "";
  return absl::StrCat(more > 0 ? "+" : "", more);
}

// By rank.
std::map<uint32_t, std::string> ShortChanges(const v1::RankingDelta& delta) {
  std::map<uint32_t, std::string> changes;
  for (const v1::RankedJob& row : delta.entered()) changes[row.rank()] = "new";
  for (const v1::RankChange& change : delta.changed()) {
    changes[change.row().rank()] = ShortChange(change);
  }
  return changes;
}

}  // namespace

std::string JournalText(const v1::WatchRankingResponse& answer, const client::WatchedTop& top,
                        bool explain) {
  std::ostringstream text;
  if (answer.has_state()) {
    text << Summary(answer, top) << '\n';
    PrintRanked(top.ranked(), explain, text);
    PrintIneligible(top.ineligible(), text);
    return text.str();
  }
  for (const std::string& line : DeltaLines(answer.delta())) {
    text << TimeText(answer.as_of(), answer.has_as_of()) << ' ' << line << '\n';
  }
  return text.str();
}

std::string NoticeText(const std::string& notice) {
  return absl::StrCat(kHome, kReverse, notice, kPlain, kClearRestOfLine);
}

std::string FrameText(const v1::WatchRankingResponse& answer, const client::WatchedTop& top,
                      bool explain, int lines) {
  const std::map<uint32_t, std::string> changes = ShortChanges(answer.delta());
  const MoreColumn change{"CHANGE", [&](const v1::RankedJob& row) -> std::string {
                            const auto found = changes.find(row.rank());
                            return found == changes.end() ? "" : found->second;
                          }};
  std::ostringstream text;
  text << Summary(answer, top) << '\n' << SnapshotText(answer.snapshot()) << "\n\n";
  PrintRanked(top.ranked(), explain, text, &change);
  PrintIneligible(top.ineligible(), text);
  std::string frame = kHome;
  int line_number = 0;
  const std::string all = text.str();
  for (const absl::string_view line : absl::StrSplit(all, '\n')) {
    if (++line_number >= lines) break;
    absl::StrAppend(&frame, line, kClearRestOfLine, "\r\n");
  }
  return frame + kClearRest;
}

}  // namespace priorityd::prioctl
