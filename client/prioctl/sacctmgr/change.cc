#include "client/prioctl/sacctmgr/change.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/time/time.h"
#include "client/prioctl/sacctmgr/field_words.h"
#include "client/rpc_error.h"
#include "client/slurm/tables/policy_zone.h"
#include "client/visible_text.h"

namespace priorityd::sacctmgr {
namespace {

namespace v1 = ::priority::v1;

int64_t Changes(const v1::ChangeResponse& response) {
  return response.created() + response.updated() + response.deleted();
}

// Text of other users, on one line.
std::string OneLine(absl::string_view text) {
  return absl::StrReplaceAll(client::WithVisibleControls(text), {{"\n", "\\n"}});
}

using Etags = std::map<std::string, std::string>;  // By cluster.

// The changes that the calls would make, or made.
struct Outcome {
  std::vector<v1::ChangeResponse> responses;  // Of a call without anything to do: empty.
  int64_t changes = 0;
  int64_t unchanged = 0;
  std::string why;  // The service's reason for nothing to do; may be empty.
  Etags etags;
};

// `settings[1].value: got ...` as `MaxJobs: got ...`.
absl::Status InWords(const absl::Status& status, const std::vector<v1::Setting>& settings) {
  std::string text = client::Describe(status);
  for (size_t i = 0; i < settings.size(); ++i) {
    const std::string place = absl::StrCat("settings[", i, "]");
    for (const char* part : {".name", ".operator", ".value", ""}) {
      text = absl::StrReplaceAll(text, {{absl::StrCat(place, part), settings[i].name()}});
    }
  }
  return client::Retold(status, text);
}

absl::StatusOr<Outcome> CallAll(const Change& change, bool validate_only, Etags etags) {
  Outcome outcome;
  outcome.etags = std::move(etags);
  for (const ChangeCall& call : change.calls) {
    v1::ChangeOptions options;
    options.set_validate_only(validate_only);
    std::string& etag = outcome.etags[call.cluster];
    options.set_etag(etag);
    absl::StatusOr<v1::ChangeResponse> response = call.call(options);
    if (absl::IsNotFound(response.status()) && change.nothing != kNothingAdded) {
      outcome.why = FieldsInWords(client::Describe(response.status()));
      response = v1::ChangeResponse();
    }
    if (!response.ok()) return InWords(response.status(), call.settings);
    outcome.changes += Changes(*response);
    outcome.unchanged += response->unchanged();
    if (!response->etag().empty()) etag = response->etag();
    outcome.responses.push_back(*std::move(response));
  }
  return outcome;
}

void PrintChange(const Change& change, const Outcome& outcome, const Settings& settings,
                 Terminal& terminal) {
  for (size_t i = 0; i < outcome.responses.size(); ++i) {
    const v1::ChangeResponse& response = outcome.responses[i];
    if (settings.json) {
      terminal.PrintJson(response);
      continue;
    }
    for (const std::string& warning : response.warnings()) {
      terminal.Print(absl::StrCat(" Warning: ", OneLine(warning), "\n"));
    }
    if (Changes(response) == 0) continue;
    terminal.Print(absl::StrCat(change.calls[i].heading, "\n", ChangeLines(response)));
  }
}

// From when sshare and the ranking go by it, in the zone in which the service wrote the changes.
void PrintEffect(const Change& change, const Outcome& made, const client::PriorityClient& client,
                 const Settings& settings, Terminal& terminal) {
  if (settings.json || made.changes == 0) return;
  absl::Time effect = absl::InfinitePast();
  bool waits = false;
  for (const v1::ChangeResponse& response : made.responses) {
    // A cluster that is gone has none, and waits for nothing.
    waits |= !response.etag().empty();
    if (!response.has_takes_effect_at()) continue;
    const absl::Time at = absl::FromUnixSeconds(response.takes_effect_at().seconds()) +
                          absl::Nanoseconds(response.takes_effect_at().nanos());
    // A list computed in that second has it, or not.
    effect = std::max(effect, absl::FromUnixSeconds(absl::ToUnixSeconds(at + absl::Seconds(1))));
  }
  if (effect == absl::InfinitePast()) {
    if (waits) terminal.Print(" Takes effect when recalculated: prioctl recalculate\n");
    return;
  }
  const absl::TimeZone zone = tables::PolicyZone(client, change.calls.front().cluster);
  terminal.Print(
      absl::StrCat(" Takes effect by ", absl::FormatTime("%Y-%m-%dT%H:%M:%S", effect, zone), "\n"));
}

absl::Status PrintNothing(const Change& change, const Outcome& outcome, const Settings& settings,
                          Terminal& terminal) {
  if (settings.json) PrintChange(change, outcome, settings, terminal);
  const bool is_as_wanted = outcome.unchanged > 0 && change.nothing == kNothingModified;
  if (!is_as_wanted) {
    const std::string why = outcome.why.empty() ? "" : absl::StrCat("\n  ", outcome.why);
    return NothingDone(settings.json ? "" : absl::StrCat(change.nothing, why), terminal);
  }
  if (!settings.json) terminal.Print(" Already as wanted, nothing modified\n");
  return absl::OkStatus();
}

}  // namespace

absl::Status Make(const Change& change, const client::PriorityClient& client,
                  const Settings& settings, Terminal& terminal) {
  // One call that nobody is asked about need not be checked before.
  const bool is_one_go = settings.immediate && change.calls.size() == 1;
  const absl::StatusOr<Outcome> expected = CallAll(change, !is_one_go, {});
  if (!expected.ok()) return expected.status();
  if (expected->changes == 0) return PrintNothing(change, *expected, settings, terminal);
  if (!settings.json || is_one_go) PrintChange(change, *expected, settings, terminal);
  if (is_one_go) {
    PrintEffect(change, *expected, client, settings, terminal);
    return absl::OkStatus();
  }
  const absl::StatusOr<bool> go_on = MayGoOn(settings, kCommitQuestion, terminal);
  if (!go_on.ok() || !*go_on) return go_on.status();
  const absl::StatusOr<Outcome> made = CallAll(change, false, expected->etags);
  if (!made.ok()) return made.status();
  if (settings.json) PrintChange(change, *made, settings, terminal);
  PrintEffect(change, *made, client, settings, terminal);
  return absl::OkStatus();
}

absl::StatusOr<bool> MayGoOn(const Settings& settings, const std::string& question,
                             Terminal& terminal) {
  if (settings.immediate) return true;
  const absl::StatusOr<bool> yes = terminal.Confirm(question);
  if (yes.ok() && !*yes) terminal.Print(" Changes Discarded\n");
  return yes;
}

absl::Status NothingDone(const std::string& text, Terminal& terminal) {
  if (!text.empty()) terminal.Print(absl::StrCat(text, "\n"));
  terminal.SetExitCode(1);
  return absl::OkStatus();
}

std::string ChangeLines(const v1::ChangeResponse& response) {
  std::string lines;
  for (const v1::ConfigurationChange& change : response.changes()) {
    std::string line =
        absl::StrCat("  ", change.cluster(), change.cluster().empty() ? "" : ": ", change.object());
    const bool differs = change.kind() == v1::CHANGE_KIND_UPDATED;
    if (differs) absl::StrAppend(&line, ": ", change.before(), " -> ", change.after());
    if (change.kind() == v1::CHANGE_KIND_CREATED && !change.after().empty()) {
      absl::StrAppend(&line, ": ", change.after());
    }
    absl::StrAppend(&lines, OneLine(line), "\n");
  }
  const int64_t more = Changes(response) - response.changes_size();
  if (more > 0) absl::StrAppend(&lines, "  and ", more, " more\n");
  return lines;
}

}  // namespace priorityd::sacctmgr
