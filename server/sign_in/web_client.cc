#include "server/sign_in/web_client.h"

#include <curl/curl.h>

#include <memory>

#include "absl/base/call_once.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace priorityd::sign_in {
namespace {

constexpr absl::Duration kMostConnectTime = absl::Seconds(3);

struct FreeTransfer {
  void operator()(CURL* transfer) const { curl_easy_cleanup(transfer); }
};
struct FreeUrl {
  void operator()(CURLU* url) const { curl_url_cleanup(url); }
};
struct FreeText {
  void operator()(char* text) const { curl_free(text); }
};
using Transfer = std::unique_ptr<CURL, FreeTransfer>;
using Url = std::unique_ptr<CURLU, FreeUrl>;
using Text = std::unique_ptr<char, FreeText>;

// libcurl ends the transfer where fewer bytes are taken than it has.
size_t Take(const char* bytes, size_t one, size_t count, void* body) {
  auto* taken = static_cast<std::string*>(body);
  if (taken->size() + count > kMostAnswerBytes) return 0;
  taken->append(bytes, one * count);
  return count;
}

std::string PartOf(const Url& url, CURLUPart part) {
  char* text = nullptr;
  if (curl_url_get(url.get(), part, &text, 0) != CURLUE_OK) return "";
  return Text(text).get();
}

bool IsThisHost(absl::string_view host) {
  return host == "localhost" || host == "127.0.0.1" || host == "[::1]";
}

void Prepare(const WebRequest& request, const std::string& ca_file, CURL* transfer) {
  curl_easy_setopt(transfer, CURLOPT_URL, request.url.c_str());
  curl_easy_setopt(transfer, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(transfer, CURLOPT_FOLLOWLOCATION, 0L);
  curl_easy_setopt(transfer, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(transfer, CURLOPT_CONNECTTIMEOUT_MS,
                   static_cast<long>(absl::ToInt64Milliseconds(kMostConnectTime)));  // NOLINT
  curl_easy_setopt(transfer, CURLOPT_TIMEOUT_MS,
                   static_cast<long>(absl::ToInt64Milliseconds(kMostAnswerTime)));  // NOLINT
  if (!ca_file.empty()) curl_easy_setopt(transfer, CURLOPT_CAINFO, ca_file.c_str());
  if (!request.name.empty()) {
    curl_easy_setopt(transfer, CURLOPT_HTTPAUTH, CURLAUTH_BASIC);
    curl_easy_setopt(transfer, CURLOPT_USERNAME, request.name.c_str());
    curl_easy_setopt(transfer, CURLOPT_PASSWORD, request.password.c_str());
  }
}

}  // namespace

std::string PercentEncoded(absl::string_view text) {
  if (text.empty()) return "";  // 0 would be the length up to a NUL.
  const Text encoded(curl_easy_escape(nullptr, text.data(), static_cast<int>(text.size())));
  return encoded == nullptr ? "" : encoded.get();
}

std::string FormOf(const Fields& fields) {
  return absl::StrJoin(fields, "&", [](std::string* out, const auto& field) {
    absl::StrAppend(out, PercentEncoded(field.first), "=", PercentEncoded(field.second));
  });
}

std::string ValueIn(absl::string_view query, absl::string_view name) {
  for (absl::string_view field : absl::StrSplit(query, '&')) {
    if (!absl::ConsumePrefix(&field, name) || !absl::ConsumePrefix(&field, "=")) continue;
    if (field.empty()) return "";  // As above.
    int size = 0;
    const Text text(
        curl_easy_unescape(nullptr, field.data(), static_cast<int>(field.size()), &size));
    return text == nullptr ? "" : std::string(text.get(), static_cast<size_t>(size));
  }
  return "";
}

absl::Status CheckUrl(absl::string_view text) {
  const Url url(curl_url());
  const std::string given(text);
  const bool is_url = curl_url_set(url.get(), CURLUPART_URL, given.c_str(), 0) == CURLUE_OK;
  const std::string scheme = is_url ? PartOf(url, CURLUPART_SCHEME) : "";
  const bool is_safe =
      scheme == "https" || (scheme == "http" && IsThisHost(PartOf(url, CURLUPART_HOST)));
  const bool is_plain = PartOf(url, CURLUPART_USER).empty() && !absl::StrContains(text, '?') &&
                        !absl::StrContains(text, '#');
  if (is_safe && is_plain) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "got ", text, ", want https://HOST[:PORT][/PATH], or http:// of this host itself"));
}

WebClient::WebClient(std::string ca_file) : ca_file_(std::move(ca_file)) {
  static absl::once_flag once;
  absl::call_once(once, [] { curl_global_init(CURL_GLOBAL_DEFAULT); });
}

absl::StatusOr<WebAnswer> WebClient::Ask(const WebRequest& request) const {
  const Transfer transfer(curl_easy_init());
  if (transfer == nullptr) return absl::UnavailableError("got no memory for a request");
  Prepare(request, ca_file_, transfer.get());
  const std::string form = FormOf(request.form);
  if (!form.empty()) curl_easy_setopt(transfer.get(), CURLOPT_POSTFIELDS, form.c_str());
  WebAnswer answer;
  curl_easy_setopt(transfer.get(), CURLOPT_WRITEFUNCTION, Take);
  curl_easy_setopt(transfer.get(), CURLOPT_WRITEDATA, &answer.body);
  const CURLcode code = curl_easy_perform(transfer.get());
  if (code == CURLE_WRITE_ERROR) {
    return absl::UnavailableError(
        absl::StrCat(request.url, ": want an answer of at most ", kMostAnswerBytes, " bytes"));
  }
  if (code != CURLE_OK) {
    return absl::UnavailableError(absl::StrCat(request.url, ": ", curl_easy_strerror(code)));
  }
  long status = 0;  // NOLINT: libcurl's type.
  curl_easy_getinfo(transfer.get(), CURLINFO_RESPONSE_CODE, &status);
  answer.status = static_cast<int>(status);
  return answer;
}

}  // namespace priorityd::sign_in
