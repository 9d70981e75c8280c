#include "server/administration/frame/change_list.h"

#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace priorityd::administration {
namespace {

// Longer values are truncated.
constexpr size_t kMostShown = 4096;

std::string Quoted(absl::string_view value) {
  if (value.size() > kMostShown + 3)
    return Quoted(absl::StrCat(value.substr(0, kMostShown), "..."));
  if (value.find_first_of(" \t\"\\") == absl::string_view::npos) return std::string(value);
  std::string quoted = "\"";
  for (const char c : value) {
    if (c == '"' || c == '\\') quoted.push_back('\\');
    quoted.push_back(c);
  }
  quoted.push_back('"');
  return quoted;
}

void Append(absl::string_view name, absl::string_view value, std::string* text) {
  absl::StrAppend(text, text->empty() ? "" : " ", name, "=", Quoted(value));
}

std::string TextOf(const Attributes& attributes) {
  std::string text;
  for (const auto& [name, value] : attributes) Append(name, value, &text);
  return text;
}

// One attribute; empty = unset.
std::string ValueOf(const Attributes& attributes, const std::string& name) {
  const auto found = attributes.find(name);
  return found == attributes.end() ? std::string() : found->second;
}

}  // namespace

std::string TextOf(const ObjectKey& key) {
  if (!key.qos.empty()) return absl::StrCat("qos ", key.qos);
  if (key.kind == "partition") return absl::StrCat("partition ", key.partition);
  if (key.kind == "user") return absl::StrCat("user ", key.user);
  if (key.kind == "job") return absl::StrCat("job ", key.job);
  std::string text = absl::StrCat("account ", key.account);
  if (!key.user.empty()) text = absl::StrCat("user ", key.user, " ", text);
  if (!key.partition.empty()) absl::StrAppend(&text, " partition ", key.partition);
  return text;
}

void ChangeList::Created(std::string object, const Attributes& after) {
  changes_.push_back({ChangeKind::kCreated, std::move(object), "", TextOf(after)});
  ++counts_.created;
}

void ChangeList::Deleted(std::string object, const Attributes& before) {
  changes_.push_back({ChangeKind::kDeleted, std::move(object), TextOf(before), ""});
  ++counts_.deleted;
}

void ChangeList::Updated(std::string object, const Attributes& before, const Attributes& after) {
  if (before == after) return Unchanged();
  std::set<std::string> names;
  for (const Attributes* side : {&before, &after}) {
    for (const auto& [name, value] : *side) names.insert(name);
  }
  Change change{ChangeKind::kUpdated, std::move(object), "", ""};
  for (const std::string& name : names) {
    const std::string was = ValueOf(before, name);
    const std::string is = ValueOf(after, name);
    if (was == is && before.count(name) == after.count(name)) continue;
    Append(name, was, &change.before);
    Append(name, is, &change.after);
  }
  changes_.push_back(std::move(change));
  ++counts_.updated;
}

void ChangeList::Add(Change change) {
  ++(change.kind == ChangeKind::kCreated   ? counts_.created
     : change.kind == ChangeKind::kDeleted ? counts_.deleted
                                           : counts_.updated);
  changes_.push_back(std::move(change));
}

void ChangeList::AddOf(int32_t cluster_id, const std::string& cluster, const ChangeList& list) {
  for (Change change : list.changes()) {
    change.cluster_id = cluster_id;
    change.cluster = cluster;
    Add(std::move(change));
  }
  Unchanged(list.counts().unchanged);
  for (const std::string& warning : list.warnings()) Warn(absl::StrCat(cluster, ": ", warning));
}

absl::Status ChangeList::Audit(storage::Transaction& transaction, const storage::AuditEvent& frame,
                               size_t most) const {
  std::vector<storage::AuditEvent> events;
  const auto written = absl::MakeConstSpan(changes_).subspan(0, most);
  events.reserve(written.size());
  for (const Change& change : written) {
    storage::AuditEvent& event = events.emplace_back(frame);
    if (change.cluster_id != 0) event.cluster_id = change.cluster_id;
    event.object = change.object;
    event.before = change.before;
    event.after = change.after;
  }
  return storage::AuditStore(transaction).Append(events);
}

}  // namespace priorityd::administration
