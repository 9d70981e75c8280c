#include "server/metrics/pages.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "server/metrics/exposition.h"

namespace priorityd::metrics {
namespace {

http::Response Page(int status, std::string body) {
  http::Response response;
  response.status = status;
  response.body = std::move(body);
  return response;
}

http::Response MetricsPage(ServiceMetrics& metrics, const http::Request& request) {
  Exposition exposition = Expose(metrics.Collect(), request.Header("accept"));
  http::Response response;
  response.content_type = std::move(exposition.content_type);
  response.body = std::move(exposition.text);
  return response;
}

http::Response ReadinessPage(const std::vector<HealthPart>& parts) {
  std::string reasons;
  for (const HealthPart& part : parts) {
    if (!part.is_well) absl::StrAppend(&reasons, part.name, ": ", part.reason, "\n");
  }
  return reasons.empty() ? Page(200, "ready\n") : Page(503, reasons);
}

}  // namespace

std::map<std::string, http::Page> PagesOf(ServiceMetrics* metrics,
                                          std::function<std::vector<HealthPart>()> health) {
  return {
      {"/metrics",
       [metrics](const http::Request& request) { return MetricsPage(*metrics, request); }},
      {"/healthz", [](const http::Request&) { return Page(200, "alive\n"); }},
      {"/readyz",
       [health = std::move(health)](const http::Request&) { return ReadinessPage(health()); }},
  };
}

}  // namespace priorityd::metrics
