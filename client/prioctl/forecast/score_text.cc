#include "client/prioctl/forecast/score_text.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/prioctl/input/json_lines.h"
#include "client/prioctl/text/table.h"
#include "client/prioctl/text/text.h"
#include "engine/forecast/job_class.h"
#include "engine/forecast/score.h"
#include "google/protobuf/struct.pb.h"

namespace priorityd::prioctl {
namespace {

using forecast::Score;

// Scores by what a row of the table says, in the order of that.
using ScoresByName = std::map<std::pair<double, std::string>, Score>;

std::string PartText(int64_t part, int64_t all) {
  if (all == 0) return "-";
  return absl::StrFormat("%.1f %%", 100 * static_cast<double>(part) / static_cast<double>(all));
}

std::string LossText(double loss, int64_t count) {
  return count == 0 ? "-" : absl::StrFormat("%.4f", loss / static_cast<double>(count));
}

std::string RatioText(double loss, double reference) {
  return reference > 0 ? absl::StrFormat("%.3f", loss / reference) : "-";
}

void AddRow(const std::string& name, const Score& score, Table* table) {
  table->AddRow({name, CountText(score.count), PartText(score.below, score.count),
                 PartText(score.above, score.count), LossText(score.loss, score.count),
                 LossText(score.table_loss, score.count), LossText(score.qbets_loss, score.count),
                 RatioText(score.loss, score.table_loss), RatioText(score.loss, score.qbets_loss)});
}

void AddRows(const ScoresByName& scores, Table* table) {
  for (const auto& [name, score] : scores) AddRow(name.second, score, table);
}

std::pair<double, std::string> UserClass(int64_t jobs_before) {
  if (jobs_before < 10) return {0, "user's first 10 jobs"};
  if (jobs_before < 100) return {1, "user's next 90 jobs"};
  return {2, "user's later jobs"};
}

// All scores of a backtest.
struct Scores {
  Score all;
  std::vector<Score> quarters = std::vector<Score>(4);
  ScoresByName sizes;
  ScoresByName limits;
  ScoresByName users;
};

Scores ScoresOf(absl::Span<const forecast::RecordedJob> history,
                absl::Span<const forecast::BacktestLine> lines) {
  Scores scores;
  const size_t first = lines.size() / 10;
  std::map<std::string, int64_t> jobs_of_user;
  std::map<std::string, double> least_cpus, least_limit;
  for (const forecast::BacktestLine& line : lines) {
    const forecast::Job& job = history[line.job].job;
    least_cpus.try_emplace(forecast::SizeClass(job), job.cpus);
    least_limit.try_emplace(forecast::LimitClass(job), job.limit);
  }
  for (size_t i = 0; i < lines.size(); ++i) {
    const forecast::Job& job = history[lines[i].job].job;
    const int64_t jobs_before = jobs_of_user[job.user]++;
    if (i < first || !lines[i].scored.has_value()) continue;
    Score score;
    score.Add(*lines[i].scored);
    const std::string size = forecast::SizeClass(job), limit = forecast::LimitClass(job);
    scores.all += score;
    scores.quarters[(i - first) * 4 / (lines.size() - first)] += score;
    scores.sizes[{least_cpus[size], size}] += score;
    scores.limits[{least_limit[limit], limit}] += score;
    scores.users[UserClass(jobs_before)] += score;
  }
  return scores;
}

}  // namespace

void PrintScore(absl::Span<const forecast::RecordedJob> history,
                absl::Span<const forecast::BacktestLine> lines, std::ostream& out) {
  const Scores scores = ScoresOf(history, lines);
  const Score& all = scores.all;
  out << CountedText(static_cast<int64_t>(lines.size()), "job") << ", " << CountText(all.count)
      << " scored: those after the first tenth that started\nstarted by";
  for (size_t i = 0; i < forecast::kLevels.size(); ++i) {
    out << absl::StrFormat(" q%.0f: ", 100 * forecast::kLevels[i])
        << PartText(all.held[i], all.count);
  }
  out << "\n\n";
  Table table({{"FORECASTS"},
               {"SCORED", true},
               {"BEFORE q10", true},
               {"AFTER q90", true},
               {"LOSS", true},
               {"TABLE", true},
               {"QBETS", true},
               {"OF TABLE", true},
               {"OF QBETS", true}});
  AddRow("all", all, &table);
  for (size_t i = 0; i < scores.quarters.size(); ++i) {
    AddRow(absl::StrCat("quarter ", i + 1), scores.quarters[i], &table);
  }
  AddRows(scores.sizes, &table);
  AddRows(scores.limits, &table);
  AddRows(scores.users, &table);
  table.Print(out);
  out << "\nLOSS: mean pinball loss at q10, q50 and q90 of log(1 + wait / 60 s); less is better\n";
}

std::string LineJson(const forecast::RecordedJob& job, const forecast::BacktestLine& line) {
  google::protobuf::Value id;
  id.set_string_value(job.job.id);
  std::string text =
      absl::StrCat("{\"jobId\":", ToJson(id), ",\"submitTime\":", job.job.submit_time);
  for (size_t i = 0; i < forecast::kLevels.size(); ++i) {
    absl::StrAppendFormat(&text, ",\"q%.0f\":%.1f", 100 * forecast::kLevels[i], line.waits[i]);
  }
  return absl::StrCat(
      text, ",\"startTime\":", job.start.has_value() ? absl::StrCat(*job.start) : "null", "}");
}

}  // namespace priorityd::prioctl
