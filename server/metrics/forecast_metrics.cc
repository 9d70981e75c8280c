#include "server/metrics/forecast_metrics.h"

#include <map>
#include <string>

namespace priorityd::metrics {
namespace {

// Of the clusters with one label.
struct Figures {
  forecasts::Recent recent;
  forecast::Score total;
};

std::map<std::string, Figures> FiguresByLabel(const forecasts::Books& books,
                                              ClusterLabels* labels) {
  std::map<std::string, Figures> by_label;
  for (const auto& [cluster, book] : books.All()) {
    const forecasts::Standing standing = book->standing(false);
    if (standing.total.count == 0) continue;
    Figures& figures = by_label[labels->Of(cluster)];
    figures.recent.count += standing.recent.count;
    figures.recent.held += standing.recent.held;
    figures.recent.above_q90 += standing.recent.above_q90;
    figures.total += standing.total;
  }
  return by_label;
}

}  // namespace

void AddForecasts(const forecasts::Books& books, ClusterLabels* labels, Families* families) {
  Family scored = families->Gauge("priorityd_forecasts_scored",
                                  "Starts of which the forecast was scored, of the kept events");
  Family recent = families->Gauge("priorityd_forecast_recent_ratio",
                                  "Part of the last 1,000 scored forecasts with this outcome");
  Family loss = families->Gauge("priorityd_forecast_loss",
                                "Mean pinball loss of log(1 + wait / 1 min) by method");
  for (const auto& [label, figures] : FiguresByLabel(books, labels)) {
    const auto count = static_cast<double>(figures.recent.count);
    const auto total = static_cast<double>(figures.total.count);
    scored.Add(total, {{"cluster", label}});
    recent.Add(static_cast<double>(figures.recent.held) / count,
               {{"cluster", label}, {"outcome", "held"}});
    recent.Add(static_cast<double>(figures.recent.above_q90) / count,
               {{"cluster", label}, {"outcome", "late"}});
    loss.Add(figures.total.loss / total, {{"cluster", label}, {"method", "published"}});
    loss.Add(figures.total.table_loss / total, {{"cluster", label}, {"method", "table"}});
    loss.Add(figures.total.qbets_loss / total, {{"cluster", label}, {"method", "qbets"}});
  }
}

}  // namespace priorityd::metrics
