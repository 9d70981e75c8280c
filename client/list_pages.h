// Joins the pages of a list into one answer. `list` returns one page of a request.
#ifndef PRIORITYD_CLIENT_LIST_PAGES_H_
#define PRIORITYD_CLIENT_LIST_PAGES_H_

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"

namespace priorityd::client {

// The state of FirstOf.
inline constexpr uint32_t kMostOfPage = 1000;
// The state of AllPagesOfOne.
inline constexpr int kListAttempts = 3;

// Every page in one answer.
template <typename Request, typename List>
auto AllPages(Request request, const List& list) -> decltype(list(request)) {
  request.clear_page_token();
  typename decltype(list(request))::value_type all;
  do {
    auto page = list(request);
    if (!page.ok()) return page.status();
    request.set_page_token(page->next_page_token());
    all.MergeFrom(*page);
  } while (!request.page_token().empty());
  all.clear_next_page_token();
  return all;
}

// The pages with the first `limit` items (0 = all) in one answer. `count` counts the items of an
// answer.
template <typename Request, typename List, typename Count>
auto FirstOf(uint32_t limit, Request request, const List& list, Count count)
    -> decltype(list(request)) {
  if (limit == 0) return AllPages(std::move(request), list);
  request.clear_page_token();
  typename decltype(list(request))::value_type all;
  do {
    const uint32_t wanted = limit - static_cast<uint32_t>(count(all));
    request.set_page_size(static_cast<int32_t>(std::min(wanted, kMostOfPage)));
    auto page = list(request);
    if (!page.ok()) return page.status();
    request.set_page_token(page->next_page_token());
    all.MergeFrom(*page);
  } while (!request.page_token().empty() && static_cast<uint32_t>(count(all)) < limit);
  all.clear_next_page_token();
  return all;
}

// AllPages, with the etag of the first page: a change between pages makes it stale.
template <typename Request, typename List>
auto AllConfigurationPages(Request request, const List& list) -> decltype(list(request)) {
  std::string etag;
  auto all = AllPages(std::move(request), [&](const Request& page) {
    auto answer = list(page);
    if (answer.ok() && etag.empty()) etag = answer->etag();
    return answer;
  });
  if (all.ok()) all->set_etag(etag);
  return all;
}

// AllPages, all of one snapshot: starts again when a new one is published before the last page.
template <typename Request, typename List>
auto AllPagesOfOne(const Request& request, const List& list) -> decltype(list(request)) {
  decltype(list(request)) all;
  for (int attempt = 0; attempt < kListAttempts; ++attempt) {
    std::optional<int64_t> generation;
    all = AllPages(request, [&](const Request& page) -> decltype(list(request)) {
      auto answer = list(page);
      if (!answer.ok()) return answer;
      const int64_t of_page = answer->snapshot().generation();
      if (generation.value_or(of_page) == of_page) {
        generation = of_page;
        return answer;
      }
      return absl::AbortedError("the list: a recalculation ran between its pages; retry");
    });
    if (!absl::IsAborted(all.status())) break;
  }
  return all;
}

}  // namespace priorityd::client

#endif  // PRIORITYD_CLIENT_LIST_PAGES_H_
