#include "server/administration/leases/lease_values.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"

namespace priorityd::administration {
namespace {

std::string ValueIn(const Attributes& attributes, const std::string& name) {
  const auto found = attributes.find(name);
  return found == attributes.end() ? std::string() : found->second;
}

Attributes AttributesAt(LeasedRows rows, absl::Span<const storage::Lease> leases,
                        const ObjectKey& key, absl::Time time) {
  FoldLeases(LeasesAt(leases, time), &rows);
  return AttributesOf(rows, key);
}

// The words that differ from `base` at any time of `states`.
std::set<std::string> LeasedWords(const Attributes& base,
                                  const std::map<absl::Time, Attributes>& states) {
  std::set<std::string> words;
  for (const auto& [time, attributes] : states) {
    for (const auto& [name, value] : attributes) {
      if (ValueIn(base, name) != value) words.insert(name);
    }
    for (const auto& [name, value] : base) {
      if (ValueIn(attributes, name) != value) words.insert(name);
    }
  }
  return words;
}

// The last lease at `time` that changes the word; 0 = none does.
int64_t SetterOf(const std::string& word, LeasedRows rows, absl::Span<const storage::Lease> leases,
                 const ObjectKey& key, absl::Time time) {
  int64_t setter = 0;
  std::string value = ValueIn(AttributesOf(rows, key), word);
  for (const storage::Lease* lease : LeasesAt(leases, time)) {
    FoldLeases({lease}, &rows);
    std::string folded = ValueIn(AttributesOf(rows, key), word);
    if (folded != value) setter = lease->id;
    value = std::move(folded);
  }
  return setter;
}

// One begin or end.
struct Boundary {
  absl::Time time;
  bool is_end = false;
  const storage::Lease* lease = nullptr;

  bool operator<(const Boundary& other) const {
    return std::make_tuple(time, !is_end, lease->id) <
           std::make_tuple(other.time, !other.is_end, other.lease->id);
  }
};

std::vector<Boundary> BoundariesUpTo(absl::Time time, absl::Span<const storage::Lease> leases) {
  std::vector<Boundary> boundaries;
  for (const storage::Lease& lease : leases) {
    if (IsCancelled(lease)) continue;
    if (!lease.begin_passed && lease.begin_time <= time) {
      boundaries.push_back({lease.begin_time, false, &lease});
    }
    if (!lease.end_passed && EndOf(lease) <= time)
      boundaries.push_back({EndOf(lease), true, &lease});
  }
  absl::c_sort(boundaries);
  return boundaries;
}

// Texts of objects of two kinds may be equal.
std::string PlaceOf(const storage::Lease& lease) {
  return absl::StrCat(lease.kind, " ", lease.object);
}

// The leases of each object that have begun before the first boundary, in the order of folding.
std::map<std::string, LeasePointers> BegunByObject(absl::Span<const storage::Lease> leases) {
  std::map<std::string, LeasePointers> begun;
  for (const storage::Lease& lease : leases) {
    if (lease.begin_passed && !lease.end_passed) begun[PlaceOf(lease)].push_back(&lease);
  }
  return begun;
}

void InsertInOrder(const storage::Lease* lease, LeasePointers* leases) {
  const auto order = [](const storage::Lease* a, const storage::Lease* b) {
    return std::tie(a->begin_time, a->id) < std::tie(b->begin_time, b->id);
  };
  leases->insert(std::upper_bound(leases->begin(), leases->end(), lease, order), lease);
}

// The leases in effect on the object of `lease`, with those that change the list that it inherits.
LeasePointers InEffectOn(const storage::Lease& lease, const LeasedRows& rows,
                         const std::map<std::string, LeasePointers>& in_effect) {
  const auto own = in_effect.find(PlaceOf(lease));
  LeasePointers leases = own == in_effect.end() ? LeasePointers() : own->second;
  for (const std::string& object : ObjectsAbove(rows, KeyOf(lease))) {
    const auto above = in_effect.find(absl::StrCat(lease.kind, " ", object));
    if (above == in_effect.end()) continue;
    for (const storage::Lease* one : above->second) {
      if (ChangesQosList(*one)) InsertInOrder(one, &leases);
    }
  }
  return leases;
}

// The settings of an object with these leases alone.
Attributes AttributesWith(const LeasePointers& leases, const ObjectKey& key,
                          const LeasedRows& rows) {
  LeasedRows folded = rows;
  FoldLeases(leases, &folded);
  return AttributesOf(folded, key);
}

// The rows that the leases of one object need.
LeasedRows RowsOf(const LeasedRows& rows, const ObjectKey& key) {
  LeasedRows some;
  if (key.kind == "job") {
    const auto job = rows.jobs.find(key.job);
    if (job != rows.jobs.end()) some.jobs.insert(*job);
    return some;
  }
  some.qos = rows.qos;
  if (key.kind == "partition") some.partitions = rows.partitions;
  if (key.kind == "user") some.users = rows.users;
  const auto put = [&](const storage::Association* row) {
    for (; row != nullptr; row = rows.tree.Parent(*row)) some.tree.Put(*row);
  };
  if (key.kind == "association") put(rows.tree.Find(key.account, key.user, key.partition));
  if (key.kind != "user") return some;
  for (const auto& [id, row] : rows.tree.rows()) {
    if (row.user_name == key.user) put(&row);
  }
  return some;
}

}  // namespace

bool ChangesQosList(const storage::Lease& lease) {
  return absl::c_linear_search(lease.setting_names, "QOS");
}

std::vector<std::string> ObjectsAbove(const LeasedRows& rows, const ObjectKey& key) {
  std::vector<std::string> objects;
  if (key.kind != "association") return objects;
  const storage::Association* row = rows.tree.Find(key.account, key.user, key.partition);
  while (row != nullptr && (row = rows.tree.Parent(*row)) != nullptr) {
    objects.push_back(TextOf({.kind = "association", .account = row->account}));
  }
  return objects;
}

std::vector<LeasedValue> LeasedValues(const LeasedRows& all, const ObjectKey& key,
                                      absl::Span<const storage::Lease> leases, absl::Time time) {
  std::vector<LeasedValue> values;
  const LeasedRows rows = RowsOf(all, key);
  std::map<absl::Time, Attributes> states;
  states[time] = AttributesAt(rows, leases, key, time);
  for (const storage::Lease& lease : leases) {
    for (const absl::Time at : {lease.begin_time, EndOf(lease)}) {
      if (at > time && states.count(at) == 0) states[at] = AttributesAt(rows, leases, key, at);
    }
  }
  for (const std::string& word : LeasedWords(AttributesOf(rows, key), states)) {
    const std::string value = ValueIn(states[time], word);
    const auto next = absl::c_find_if(
        states, [&](const auto& state) { return ValueIn(state.second, word) != value; });
    if (next == states.end()) continue;
    int64_t setter = SetterOf(word, rows, leases, key, time);
    if (setter == 0) setter = SetterOf(word, rows, leases, key, next->first);
    values.push_back({word, value, next->first, ValueIn(next->second, word), setter});
  }
  return values;
}

std::vector<LeasePassage> PassagesUpTo(absl::Time time, absl::Span<const storage::Lease> leases,
                                       const LeasedRows& rows) {
  std::vector<LeasePassage> passages;
  const std::vector<Boundary> boundaries = BoundariesUpTo(time, leases);
  if (boundaries.empty()) return passages;
  std::map<std::string, LeasePointers> in_effect = BegunByObject(leases);
  for (const Boundary& boundary : boundaries) {
    const storage::Lease& lease = *boundary.lease;
    const ObjectKey key = KeyOf(lease);
    const LeasedRows some = RowsOf(rows, key);
    LeasePointers& folded = in_effect[PlaceOf(lease)];
    LeasePassage& passage = passages.emplace_back();
    passage.lease_id = lease.id;
    passage.is_end = boundary.is_end;
    passage.object = lease.object;
    passage.before = AttributesWith(InEffectOn(lease, some, in_effect), key, some);
    if (boundary.is_end) {
      folded.erase(std::remove(folded.begin(), folded.end(), &lease), folded.end());
    } else {
      InsertInOrder(&lease, &folded);
    }
    passage.after = AttributesWith(InEffectOn(lease, some, in_effect), key, some);
    passage.comment =
        absl::StrCat("lease ", lease.id, lease.comment.empty() ? "" : ": ", lease.comment);
  }
  return passages;
}

}  // namespace priorityd::administration
