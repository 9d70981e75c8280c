#include "server/api/site_factor/site_factor_source.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "server/api/site_factor/printable_reason.h"
#include "server/messages/convert_time.h"

namespace priorityd::rpc {
namespace {

std::string Sentence(const storage::SiteFactorSource& source, bool answered, absl::TimeZone zone) {
  std::string text =
      answered
          ? absl::StrCat("Its site factor is what the site's service at ", source.plugin, " said")
          : absl::StrCat("Its site factor is its frontend's: the site's service at ", source.plugin,
                         " has not answered for it");
  if (source.answered_at.has_value()) {
    absl::StrAppend(&text, answered ? "; it last answered on " : "; for any job it last did on ",
                    absl::FormatTime("%Y-%m-%d %H:%M:%S %Z", *source.answered_at, zone));
  }
  if (!source.failure.empty()) {
    absl::StrAppend(&text, ". The last call failed: ", source.failure,
                    "; until it answers, jobs keep the factors they have");
  }
  return absl::StrCat(text, ".");
}

}  // namespace

void SetSiteFactorSource(const storage::SiteFactorSource& source, bool answered,
                         absl::TimeZone zone, ::priority::v1::ExplainPriorityResponse* response) {
  ::priority::v1::SiteFactorSource* proto = response->mutable_site_factor_source();
  proto->set_plugin(source.plugin);
  if (source.answered_at.has_value()) {
    ToProto(*source.answered_at, proto->mutable_answered_at());
  }
  proto->set_failure(source.failure);
  response->add_sentences(Sentence(source, answered, zone));
}

void AddSiteFactorReason(const queue::SiteFactor& reason, int64_t counts,
                         ::priority::v1::ExplainPriorityResponse* response) {
  std::string text = absl::StrCat("The service's reason: ", PrintableReason(reason.reason), ".");
  if (reason.site_factor != counts) {
    absl::StrAppend(&text, " It now gives ", reason.site_factor, " instead of ", counts,
                    ", which counts after the next recalculation.");
  }
  response->add_sentences(text);
}

}  // namespace priorityd::rpc
