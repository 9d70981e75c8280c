#include "client/examples/batch_frontend/draw.h"

#include <cstdio>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"

namespace priorityd::batch_frontend {
namespace {

// In gnuplot's quotes.
std::string Quoted(const std::string& text) {
  return absl::StrCat("'", absl::StrReplaceAll(text, {{"'", "''"}}), "'");
}

// A line for each sample: days since the first, the average due share of the users, the usage
// share of each.
std::string Data(const std::vector<ShareSample>& samples, const Summary& summary) {
  std::string data;
  for (const ShareSample& sample : samples) {
    if (sample.time > summary.fairness.at) break;
    double usage = 0, of_these = 0;
    for (const auto& [name, user] : sample.users) usage += user.usage;
    std::string shares;
    for (const auto& [name, unused] : summary.fairness.users) {
      const auto user = sample.users.find(name);
      const double share =
          user == sample.users.end() || usage == 0 ? 0 : user->second.usage / usage;
      of_these += share;
      absl::StrAppendFormat(&shares, " %.3f", 100 * share);
    }
    absl::StrAppendFormat(&data, "%.3f %.3f%s\n",
                          absl::ToDoubleHours(sample.time - samples.front().time) / 24,
                          100 * of_these / summary.fairness.users.size(), shares);
  }
  return data;
}

std::string Script(const std::vector<ShareSample>& samples, const Summary& summary,
                   const std::string& file) {
  std::string script = absl::StrCat(
      "set terminal svg size 900,480 dynamic font 'sans-serif,13' background 'white'\n",
      "set output ", Quoted(file), "\n",
      "set xlabel 'days'\nset ylabel 'part of the decayed usage, %'\n"
      "set yrange [0:*]\nset key outside right top\nset grid lc rgb '#dddddd'\n"
      "$shares << END\n",
      Data(samples, summary), "END\nplot ");
  int column = 3;
  for (const auto& [name, unused] : summary.fairness.users) {
    absl::StrAppend(&script, "$shares using 1:", column++, " with lines lw 1.5 title ",
                    Quoted(name), " noenhanced, ");
  }
  return absl::StrCat(
      script, "$shares using 1:2 with lines lw 3 dt 2 lc rgb 'black' title 'due, on average'\n");
}

}  // namespace

absl::Status Draw(const std::vector<ShareSample>& samples, const Summary& summary,
                  const std::string& file) {
  if (summary.fairness.users.empty()) {
    return absl::FailedPreconditionError("picture: no user has enough demand to be drawn");
  }
  const std::string script = Script(samples, summary, file);
  FILE* gnuplot = popen("gnuplot", "w");
  if (gnuplot == nullptr) return absl::UnavailableError("gnuplot: cannot be started");
  const bool written = std::fwrite(script.data(), 1, script.size(), gnuplot) == script.size();
  if (pclose(gnuplot) == 0 && written) return absl::OkStatus();
  return absl::UnavailableError(
      absl::StrCat("gnuplot did not draw ", file, " (Debian package gnuplot-nox)"));
}

}  // namespace priorityd::batch_frontend
