#include "server/gateway/kept_page.h"

#include <memory>
#include <string>
#include <utility>

#include "server/gateway/answers.h"

namespace priorityd::gateway {
namespace {

struct Kept {
  std::string tag;
  http::Response plain;
  http::Response packed;
};

}  // namespace

http::Page KeptPage(http::Response page) {
  http::Response packed = page;
  packed.body = Gzip(page.body);
  packed.headers.emplace_back("Content-Encoding", "gzip");
  std::string tag = DigestOf(page.body);
  const auto kept =
      std::make_shared<const Kept>(Kept{std::move(tag), std::move(page), std::move(packed)});
  return [kept](const http::Request& request) {
    return Tagged(request, kept->tag, AcceptsGzip(request) ? kept->packed : kept->plain);
  };
}

}  // namespace priorityd::gateway
