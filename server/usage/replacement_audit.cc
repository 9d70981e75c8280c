#include "server/usage/replacement_audit.h"

#include <tuple>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "storage/configuration/audit_store.h"
#include "storage/configuration/principal_store.h"
#include "storage/database/clock.h"

namespace priorityd::usage {
namespace {

constexpr absl::Duration kBetweenEvents = absl::Minutes(1);

using OwnerNames = std::map<int32_t, std::string>;

absl::StatusOr<OwnerNames> OwnersOf(storage::Transaction& transaction,
                                    const std::vector<ByAnother>& by_another) {
  OwnerNames names;
  for (const ByAnother& one : by_another) names[*one.target->recorded_by];
  std::vector<int32_t> ids;
  for (const auto& [id, name] : names) ids.push_back(id);
  auto known = storage::PrincipalStore(transaction).NamesOf(ids);
  if (!known.ok()) return known.status();
  for (auto& [id, name] : names) {
    const auto found = known->find(id);
    name = found == known->end() ? absl::StrCat("principal ", id) : found->second;
  }
  return names;
}

// Replacements by one principal of another's records, with one verdict: the first one and their
// number.
struct ReplacementEvent {
  storage::AuditEvent event;
  size_t records = 0;
};

std::string NameIn(const storage::SubmittedUsage& usage, const std::string& record_id) {
  return absl::StrCat(usage.source, "/", record_id);
}

storage::AuditEvent EventOf(int32_t cluster_id, const Recorder& sender, const std::string& owner,
                            const storage::SubmittedUsage& usage, bool allowed) {
  storage::AuditEvent event;
  event.cluster_id = cluster_id;
  event.principal = sender.described.empty() ? sender.name : sender.described;
  event.action = kReplaceUsage;
  event.object = absl::StrCat("usage recorded by ", owner, allowed ? "" : ", refused");
  event.before = NameIn(usage, usage.replaces_record_id);
  event.after = allowed ? NameIn(usage, usage.record_id) : event.before;
  return event;
}

absl::StatusOr<bool> HasEventSince(storage::Transaction& transaction, absl::Time time,
                                   const storage::AuditEvent& event) {
  const std::string name = event.principal.substr(0, event.principal.find(" ("));
  auto events = storage::AuditStore(transaction)
                    .List(*event.cluster_id, 0, 1,
                          {.principals = {name},
                           .actions = {event.action},
                           .object_contains = event.object,
                           .start = time});
  if (!events.ok()) return events.status();
  return !events->empty();
}

absl::Status AppendEvents(
    storage::Transaction& transaction,
    const std::map<std::tuple<std::string, std::string, bool>, ReplacementEvent>& events) {
  const auto now = storage::ReadClock(transaction);
  if (!now.ok()) return now.status();
  std::vector<storage::AuditEvent> rows;
  for (const auto& [key, of] : events) {
    const auto there = HasEventSince(transaction, *now - kBetweenEvents, of.event);
    if (!there.ok()) return there.status();
    if (*there) continue;
    rows.push_back(of.event);
    rows.back().comment =
        absl::StrCat("records of this commit: ", of.records, "; at most one event a minute");
  }
  return storage::AuditStore(transaction).Append(rows);
}

}  // namespace

absl::StatusOr<std::map<size_t, std::string>> AuditReplacements(
    storage::Transaction& transaction, int32_t cluster_id, RecordSpan records,
    const std::vector<ByAnother>& by_another,
    const std::function<const Recorder&(size_t place)>& sender_of) {
  std::map<size_t, std::string> refused;
  if (by_another.empty()) return refused;
  const auto owners = OwnersOf(transaction, by_another);
  if (!owners.ok()) return owners.status();
  std::map<std::tuple<std::string, std::string, bool>, ReplacementEvent> events;
  for (const ByAnother& one : by_another) {
    const Recorder& sender = sender_of(one.place);
    const std::string& owner = owners->at(*one.target->recorded_by);
    ReplacementEvent& event = events[{sender.name, owner, one.allowed}];
    if (event.records++ == 0) {
      event.event = EventOf(cluster_id, sender, owner, records[one.place]->submitted, one.allowed);
    }
    if (one.allowed) continue;
    refused[one.place] =
        absl::StrCat("got a record of ", owner, ", from ", sender.name,
                     "; want one of your own, or UsageReplacement=collectors in the policy");
  }
  if (absl::Status s = AppendEvents(transaction, events); !s.ok()) return s;
  return refused;
}

}  // namespace priorityd::usage
