#include "client/prioctl/grants/grant_changes.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "client/prioctl/grants/grant_text.h"
#include "client/prioctl/input/json_lines.h"
#include "client/prioctl/jobs/entity_words.h"
#include "client/prioctl/sacctmgr/change.h"
#include "client/prioctl/sacctmgr/words.h"
#include "client/prioctl/text/option_error.h"
#include "client/prioctl/text/question.h"
#include "client/prioctl/text/text.h"
#include "client/rpc_error.h"
#include "client/slurm/tables/policy_zone.h"
#include "engine/grants/amount.h"
#include "engine/grants/setting_values.h"

namespace priorityd::prioctl {
namespace {

namespace v1 = ::priority::v1;

v1::ChangeOptions ToMessage(const GrantChangeOptions& options) {
  v1::ChangeOptions message;
  message.set_validate_only(options.validate_only);
  message.set_comment(options.comment);
  return message;
}

absl::StatusOr<v1::UpdateGrantsRequest> RequestOf(const GrantSettingsOptions& options) {
  v1::UpdateGrantsRequest request;
  request.add_names(options.name);
  for (const std::string& text : options.settings) {
    const sacctmgr::Word word = sacctmgr::ReadWord(text);
    if (!word.has_value) {
      return OptionError(absl::StrCat("got \"", text, "\", want NAME=VALUE, such as Amount=2000h"));
    }
    v1::Setting& setting = *request.add_settings();
    setting.set_name(word.name);
    setting.set_operator_(word.op);
    setting.set_value(word.value);
  }
  *request.mutable_options() = ToMessage(options.change);
  return request;
}

// The time from which the ranking follows it, in the zone in which the service wrote the changes.
std::string EffectText(const v1::ChangeResponse& response, const client::PriorityClient& client) {
  if (response.has_takes_effect_at()) {
    return absl::StrCat("takes effect at ",
                        TimeText(response.takes_effect_at(), tables::PolicyZone(client)), "\n");
  }
  return "takes effect when recalculated: prioctl recalculate\n";
}

struct GrantVerb {
  const char* done;
  const char* would;
  bool lists_changes = true;  // Otherwise the first line has all of it.
};

constexpr GrantVerb kCreateVerb = {"created", "create"};
constexpr GrantVerb kUpdateVerb = {"changed", "change"};
constexpr GrantVerb kTransferVerb = {"moved", "move", false};
constexpr GrantVerb kRevokeVerb = {"revoked", "revoke"};

// `created grant chem`, or `valid: would create grant chem`, and what changed below.
absl::Status PrintGrantChange(const v1::ChangeResponse& response, const GrantChangeOptions& options,
                              const GrantVerb& verb, const std::string& what,
                              const client::PriorityClient& client, Console& console) {
  if (options.json) return PrintJson(response, console.out);
  console.err << WarningLines(response.warnings());
  if (response.created() + response.updated() + response.deleted() == 0) {
    console.out << what << ": already as wanted, nothing changed\n";
    return absl::OkStatus();
  }
  console.out << (options.validate_only ? absl::StrCat("valid: would ", verb.would) : verb.done)
              << ' ' << what << '\n';
  if (verb.lists_changes) console.out << sacctmgr::ChangeLines(response);
  if (!options.validate_only) console.out << EffectText(response, client);
  return absl::OkStatus();
}

// The error of a call in the words of the command line: `settings[0].value: Amount: got ...` as
// `Amount: got ...`.
absl::Status InGrantWords(const absl::Status& status, int settings = 0) {
  return jobs::InWords(status, "NAME", settings);
}

std::string GrantNamed(const std::string& name) { return absl::StrCat("grant ", name); }

// OK if no grant, not even a revoked one, has the name.
absl::Status CheckIsNew(const std::string& name, const client::PriorityClient& client) {
  v1::ListGrantsRequest request;
  request.add_names(name);
  request.set_include_past(true);
  const auto found = client.ListGrants(std::move(request));
  if (absl::IsNotFound(found.status())) return absl::OkStatus();
  if (!found.ok()) return found.status();
  if (found->grants().empty()) return absl::OkStatus();
  const v1::GrantState state = found->grants(0).state();
  if (state == v1::GRANT_STATE_REVOKED) {
    return absl::AlreadyExistsError(
        absl::StrCat("NAME: got \"", name, "\", which was revoked, want a name never used before"));
  }
  return absl::AlreadyExistsError(absl::StrCat("NAME: got \"", name, "\", which exists (",
                                               GrantStateText(state), "), want a new name; `grant ",
                                               "update ", name, "` changes it"));
}

absl::Status AskToRevoke(const GrantRevokeOptions& options, const client::PriorityClient& client,
                         Console& console) {
  v1::ListGrantsRequest request;
  request.add_names(options.name);
  const auto found = client.ListGrants(std::move(request));
  if (!found.ok()) return InGrantWords(found.status());
  std::string left;
  for (const v1::Grant& grant : found->grants()) {
    if (!grant.has_balance()) continue;
    const GrantLayout layout = GrantLayout().Of(grant);
    left =
        absl::StrCat(" with ", GrantAmountText(grant.balance().left_minutes(), layout), " of ",
                     GrantAmountText(grant.balance().available_minutes(), layout), " ",
                     layout.money ? layout.unit() : SettingOf(grant, "TRES") + "-minutes", " left");
  }
  return Ask(absl::StrCat("Revoke ", GrantNamed(options.name), "? It ends now", left,
                          ". It cannot be undone."),
             options.yes, console);
}

}  // namespace

absl::Status CreateGrant(const GrantSettingsOptions& options, const client::PriorityClient& client,
                         Console& console) {
  auto request = RequestOf(options);
  if (!request.ok()) return request.status();
  request->set_allow_missing(true);
  request->mutable_options()->set_validate_only(true);
  auto response = client.UpdateGrants(*request);
  absl::Status is_new = CheckIsNew(options.name, client);
  if (!is_new.ok()) return is_new;
  if (response.ok() && !options.change.validate_only) {
    request->mutable_options()->set_validate_only(false);
    // Nobody creates it meanwhile: the check was made after this etag.
    request->mutable_options()->set_etag(response->etag());
    response = client.UpdateGrants(*request);
  }
  if (!response.ok()) return InGrantWords(response.status(), request->settings_size());
  return PrintGrantChange(*response, options.change, kCreateVerb, GrantNamed(options.name), client,
                          console);
}

absl::Status UpdateGrant(const GrantSettingsOptions& options, const client::PriorityClient& client,
                         Console& console) {
  const auto request = RequestOf(options);
  if (!request.ok()) return request.status();
  const auto response = client.UpdateGrants(*request);
  if (!response.ok()) return InGrantWords(response.status(), request->settings_size());
  return PrintGrantChange(*response, options.change, kUpdateVerb, GrantNamed(options.name), client,
                          console);
}

absl::Status TransferGrant(const GrantTransferOptions& options,
                           const client::PriorityClient& client, Console& console) {
  v1::ListGrantsRequest asked;
  asked.add_names(options.from);
  asked.set_include_past(true);
  const auto found = client.ListGrants(std::move(asked));
  if (!found.ok()) return InGrantWords(found.status());
  const GrantLayout layout =
      found->grants().empty() ? GrantLayout() : GrantLayout().Of(found->grants(0));
  const auto amount =
      layout.money ? grants::ReadMoney(options.amount) : grants::ReadAmount(options.amount);
  if (!amount.ok()) return OptionError(absl::StrCat("--amount: ", amount.status().message()));
  v1::TransferGrantRequest request;
  request.set_from(options.from);
  request.set_to(options.to);
  if (layout.money) {
    request.set_amount_tres_seconds(amount->ToDecimal());
  } else {
    request.set_amount_minutes(amount->minutes());
  }
  *request.mutable_options() = ToMessage(options.change);
  const auto response = client.TransferGrant(std::move(request));
  if (!response.ok()) {
    const std::string text = client::Describe(response.status());
    return client::Retold(response.status(),
                          absl::StrReplaceAll(text, {{"amount_minutes: ", "--amount: "},
                                                     {"amount_tres_seconds: ", "--amount: "}}));
  }
  const std::string what = absl::StrCat(
      layout.money ? grants::MoneyText(*amount) : GrantAmountText(amount->minutes(), {}), " ",
      layout.unit(), " from ", GrantNamed(options.from), " to ", GrantNamed(options.to));
  return PrintGrantChange(*response, options.change, kTransferVerb, what, client, console);
}

absl::Status RevokeGrant(const GrantRevokeOptions& options, const client::PriorityClient& client,
                         Console& console) {
  if (!options.change.validate_only && !options.yes) {
    absl::Status asked = AskToRevoke(options, client, console);
    if (!asked.ok()) return asked;
  }
  v1::RevokeGrantsRequest request;
  request.add_names(options.name);
  *request.mutable_options() = ToMessage(options.change);
  const auto response = client.RevokeGrants(std::move(request));
  if (!response.ok()) return InGrantWords(response.status());
  return PrintGrantChange(*response, options.change, kRevokeVerb, GrantNamed(options.name), client,
                          console);
}

}  // namespace priorityd::prioctl
