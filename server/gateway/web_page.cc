#include "server/gateway/web_page.h"

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "server/gateway/answers.h"
#include "server/gateway/embedded_files.h"

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

// A file ready to send.
struct Asset {
  std::string type;
  std::string policy;
  std::string plain;
  std::string packed;
  std::string tag;
};

http::Response ResponseOf(const http::Request& request, const Asset& asset) {
  http::Response response;
  response.content_type = asset.type;
  response.headers = {{"Cache-Control", "no-cache"},
                      {"Vary", "Accept-Encoding"},
                      {"Content-Security-Policy", asset.policy},
                      {"Referrer-Policy", "no-referrer"}};
  const bool packs = AcceptsGzip(request);
  response = Tagged(request, asset.tag, std::move(response));
  if (response.status == 304) return response;
  response.body = packs ? asset.packed : asset.plain;
  if (packs) response.headers.emplace_back("Content-Encoding", "gzip");
  return response;
}

}  // namespace

void AddWebPage(const std::vector<std::string>& frame_ancestors, http::Routes* routes) {
  const std::string framed =
      frame_ancestors.empty() ? kNobody : absl::StrJoin(frame_ancestors, " ");
  for (const EmbeddedFile& file : WebAssets()) {
    const bool is_card = file.name == "card.html";
    const auto asset = std::make_shared<const Asset>(
        Asset{TypeOf(file.name), absl::StrCat(kPolicy, is_card ? framed : kNobody),
              std::string(file.content), Gzip(file.content), DigestOf(file.content)});
    const http::Page page = [asset](const http::Request& request) {
      return ResponseOf(request, *asset);
    };
    routes->pages[absl::StrCat("/", file.name)] = page;
    if (file.name == "index.html") routes->pages["/"] = page;
    if (is_card) routes->pages["/card"] = page;
  }
}

}  // namespace priorityd::gateway
