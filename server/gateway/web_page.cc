#include "server/gateway/web_page.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "server/gateway/embedded_files.h"
#include "server/gateway/kept_page.h"

namespace priorityd::gateway {
namespace {

constexpr char kPolicy[] =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors ";
constexpr char kNobody[] = "'none'";

std::string TypeOf(absl::string_view name) {
  if (absl::EndsWith(name, ".html")) return "text/html; charset=utf-8";
  if (absl::EndsWith(name, ".js")) return "text/javascript; charset=utf-8";
  if (absl::EndsWith(name, ".css")) return "text/css; charset=utf-8";
  if (absl::EndsWith(name, ".svg")) return "image/svg+xml";
  return "application/octet-stream";
}

}  // namespace

void AddWebPage(const std::vector<std::string>& frame_ancestors, http::Routes* routes) {
  const std::string framed =
      frame_ancestors.empty() ? kNobody : absl::StrJoin(frame_ancestors, " ");
  for (const EmbeddedFile& file : WebAssets()) {
    const bool is_card = file.name == "card.html";
    http::Response response;
    response.content_type = TypeOf(file.name);
    response.headers = {
        {"Cache-Control", "no-cache"},
        {"Vary", "Accept-Encoding"},
        {"Content-Security-Policy", absl::StrCat(kPolicy, is_card ? framed : kNobody)},
        {"Referrer-Policy", "no-referrer"}};
    response.body = std::string(file.content);
    const http::Page page = KeptPage(std::move(response));
    routes->pages[absl::StrCat("/", file.name)] = page;
    if (file.name == "index.html") routes->pages["/"] = page;
    if (is_card) routes->pages["/card"] = page;
  }
}

}  // namespace priorityd::gateway
