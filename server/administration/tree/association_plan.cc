#include "server/administration/tree/association_plan.h"

#include <algorithm>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "engine/errors/error_details.h"
#include "engine/errors/violations.h"
#include "engine/slurm/dump/sacctmgr_dump.h"
#include "engine/slurm/words/file_violations.h"
#include "engine/slurm/words/name.h"
#include "server/administration/settings/from_storage.h"
#include "server/administration/settings/to_storage.h"
#include "server/administration/tree/association_attributes.h"

namespace priorityd::administration {
namespace {

using Row = storage::Association;

absl::Status BadField(const std::string& field, absl::string_view description) {
  return errors::BadRequestError("INVALID_FIELD", {{field, std::string(description)}});
}

std::string Field(size_t i, const char* name) {
  return absl::StrCat("associations[", i, "]", name);
}

absl::Status TooDeep(const std::string& field, const std::string& parent) {
  return BadField(field, absl::StrCat("got ", slurm::Quoted(parent), ", want at most ",
                                      slurm::kMaxAccountDepth, " accounts from root down"));
}

absl::Status CheckForm(const NewAssociation& wanted, size_t i) {
  errors::Violations violations;
  const auto check = [&](const char* name, const std::string& value) {
    absl::Status s = slurm::CheckName(value);
    if (!s.ok()) violations.Add(Field(i, name), s.message());
    if (value == absl::StripAsciiWhitespace(value)) return;
    violations.Add(Field(i, name), absl::StrCat("got ", slurm::Quoted(value),
                                                ", want a name without blanks around it"));
  };
  if (wanted.account.empty()) violations.Add(Field(i, ".account"), "got none, want an account");
  check(".account", wanted.account);
  check(".user", wanted.user);
  check(".partition", wanted.partition);
  check(".parent_account", wanted.parent_account);
  if (wanted.user.empty() && !wanted.partition.empty()) {
    violations.Add(Field(i, ".partition"), "got one of an account, want it of a user only");
  }
  if (!wanted.user.empty() && !wanted.parent_account.empty()) {
    violations.Add(Field(i, ".parent_account"), "got one of a user, want it of an account only");
  }
  return violations.ToStatus();
}

bool Allows(const std::optional<NameList>& list, const std::string& qos) {
  return qos.empty() || !list.has_value() || list->empty() || absl::c_linear_search(*list, qos);
}

bool MayUseHerDefault(const TreeSlice& tree, const Row& row) {
  return Allows(tree.QosListOf(row), tree.DefaultQosOf(row));
}

// Checks after a change that `row` may use its default QOS.
absl::Status CheckDefaultQos(const TreeSlice& tree, const Row& row, const TreeSettings& settings) {
  if (MayUseHerDefault(tree, row)) return absl::OkStatus();
  const std::string want =
      absl::StrCat("want one that ", ObjectName(row),
                   " may use: ", absl::StrJoin(tree.QosListOf(row).value_or(NameList()), ", "));
  const std::string field = settings.FieldOf("DefaultQOS");
  const std::string got = absl::StrCat("got ", slurm::Quoted(tree.DefaultQosOf(row)), ", ", want);
  if (!field.empty()) return BadField(field, got);
  return absl::FailedPreconditionError(absl::StrCat("DefaultQOS: ", got));
}

// One creation of many associations.
class CreationPlan {
 public:
  CreationPlan(TreeState state, const Creation& creation, const TreeSettings& settings,
               const TreeRights& rights, absl::Span<const int64_t> ids, ChangeList* list)
      : state_(std::move(state)),
        creation_(creation),
        settings_(settings),
        rights_(rights),
        ids_(ids),
        list_(list) {}

  absl::StatusOr<TreePlan> Make() {
    for (size_t i = 0; i < creation_.associations.size(); ++i) {
      if (absl::Status s = Add(i); !s.ok()) return s;
    }
    for (const std::string& user : users_in_order_) {
      if (absl::Status s = AddUser(user); !s.ok()) return s;
    }
    return std::move(plan_);
  }

 private:
  absl::Status Add(size_t i) {
    const NewAssociation& wanted = creation_.associations[i];
    if (absl::Status s = CheckForm(wanted, i); !s.ok()) return s;
    const std::string& above = ParentName(wanted);
    const Row* parent = state_.tree.Account(above);
    if (absl::Status s = rights_.CheckParent(state_.tree, parent, above); !s.ok()) return s;
    if (const Row* there = state_.tree.Find(wanted.account, wanted.user, wanted.partition)) {
      return Existing(*there, i);
    }
    if (parent == nullptr) return UnknownParent(wanted, i);
    if (wanted.user.empty() && state_.tree.DepthOf(*parent) >= slurm::kMaxAccountDepth) {
      return TooDeep(Field(i, ".parent_account"), above);
    }
    return Insert(wanted, *parent);
  }

  // An association of an earlier entry exists too and must not be created twice.
  absl::Status Existing(const Row& row, size_t i) {
    if (!ids_.empty() && row.id >= ids_.front()) {
      return BadField(Field(i, ""), absl::StrCat("got ", ObjectName(row), " twice, want it once"));
    }
    absl::Status may = rights_.CheckExisting(state_.tree, row);
    if (may.ok() && creation_.allow_existing) list_->Unchanged();
    if (!may.ok() || creation_.allow_existing) return may;
    return absl::AlreadyExistsError(
        absl::StrCat(Field(i, ""), ": got ", ObjectName(row), ", which exists, want a new one"));
  }

  static const std::string& ParentName(const NewAssociation& wanted) {
    static const auto* const root = new std::string(kRootAccount);
    if (!wanted.user.empty()) return wanted.account;
    return wanted.parent_account.empty() ? *root : wanted.parent_account;
  }

  static absl::Status UnknownParent(const NewAssociation& wanted, size_t i) {
    const bool is_user = !wanted.user.empty();
    return BadField(
        Field(i, is_user ? ".account" : ".parent_account"),
        absl::StrCat("got ", slurm::Quoted(is_user ? wanted.account : wanted.parent_account),
                     ", want an existing account or one earlier in the list"));
  }

  absl::Status Insert(const NewAssociation& wanted, const Row& parent) {
    Row row;
    row.id = ids_[plan_.inserts.size()];
    row.cluster_id = state_.cluster_id;
    row.parent_id = parent.id;
    row.account = wanted.account;
    row.user_name = wanted.user;
    row.partition = wanted.partition;
    row.raw_shares = 1;
    if (wanted.user.empty()) {
      row.description = wanted.account;
      row.organization = parent.account;
    }
    absl::StatusOr<Row> made = WithWords(state_.tree, row, settings_);
    if (!made.ok()) return made.status();
    state_.tree.Put(*made);
    if (absl::Status s = rights_.CheckWords(state_.tree, settings_, *made); !s.ok()) return s;
    const bool sets_qos =
        !settings_.FieldOf("QOS").empty() || !settings_.FieldOf("DefaultQOS").empty();
    if (sets_qos) {
      if (absl::Status s = CheckDefaultQos(state_.tree, *made, settings_); !s.ok()) return s;
    }
    list_->Created(ObjectName(*made), WithParent(state_.tree, *made));
    plan_.inserts.push_back(*std::move(made));
    if (wanted.user.empty()) return absl::OkStatus();
    if (first_account_.emplace(wanted.user, wanted.account).second) {
      users_in_order_.push_back(wanted.user);
    }
    return absl::OkStatus();
  }

  absl::Status AddUser(const std::string& name) {
    const auto stored = state_.users.find(name);
    storage::ClusterUser before;
    before.cluster_id = state_.cluster_id;
    before.name = name;
    if (stored != state_.users.end()) before = stored->second;
    const bool is_new = before.default_account.empty();
    storage::ClusterUser after = WithSettings(before, settings_);
    if (after.default_account.empty()) after.default_account = first_account_[name];
    // First, so that a refusal does not report which accounts and memberships exist.
    absl::Status may = rights_.CheckUser(state_.tree, before, after, is_new);
    if (may.ok()) may = CheckSettings(after);
    if (!may.ok()) return may;
    if (stored == state_.users.end()) {
      list_->Created(absl::StrCat("user ", name), AttributesOf(after));
    } else if (!(after == before)) {
      list_->Updated(absl::StrCat("user ", name), AttributesOf(before), AttributesOf(after));
    }
    if (stored == state_.users.end() || !(after == before)) plan_.users.push_back(after);
    return absl::OkStatus();
  }

  absl::Status CheckSettings(const storage::ClusterUser& user) {
    if (settings_.coordinators.has_value()) {
      for (const std::string& account : settings_.coordinators->names) {
        if (state_.tree.Account(account) != nullptr) continue;
        return BadField(settings_.FieldOf("Coordinators"),
                        absl::StrCat("got ", slurm::Quoted(account), ", want accounts"));
      }
    }
    if (!settings_.default_account.has_value() || IsIn(user.name, user.default_account)) {
      return absl::OkStatus();
    }
    return BadField(settings_.FieldOf("DefaultAccount"),
                    absl::StrCat("got ", slurm::Quoted(user.default_account),
                                 ", want an account in which user ", user.name, " is"));
  }

  // Whether a user has an association with an account, for a partition or not.
  bool IsIn(const std::string& user, const std::string& account) {
    if (memberships_.empty()) {
      for (const auto& [id, row] : state_.tree.rows()) {
        memberships_.emplace(row.user_name, row.account);
      }
    }
    return memberships_.count({user, account}) > 0;
  }

  TreeState state_;
  const Creation& creation_;
  const TreeSettings& settings_;
  const TreeRights& rights_;
  const absl::Span<const int64_t> ids_;
  ChangeList* const list_;
  TreePlan plan_;
  std::map<std::string, std::string> first_account_;
  std::vector<std::string> users_in_order_;
  std::set<std::pair<std::string, std::string>> memberships_;  // (User, account); built on demand.
};

// One change of many associations.
class UpdatePlan {
 public:
  UpdatePlan(const TreeState& state, const TreeSettings& settings, const TreeRights& rights,
             ChangeList* list)
      : before_(state.tree),
        after_(state.tree),
        settings_(settings),
        rights_(rights),
        list_(list) {}

  absl::StatusOr<TreePlan> Make(const std::vector<int64_t>& ids) {
    for (const int64_t id : ids) {
      if (absl::Status s = Change(*before_.ById(id)); !s.ok()) return s;
    }
    for (const int64_t id : ids) {
      const Row& row = *after_.ById(id);
      if (absl::Status s = rights_.CheckWords(after_, settings_, row); !s.ok()) return s;
      Attributes attributes = WithParent(after_, row);
      if (settings_.resets_usage) attributes["RawUsage"] = "0";
      list_->Updated(ObjectName(row), WithParent(before_, *before_.ById(id)), attributes);
      list_->Meant(KeyOf(row));
    }
    if (absl::Status s = CheckDefaults(ids); !s.ok()) return s;
    if (absl::Status s = CheckMoved(); !s.ok()) return s;
    return std::move(plan_);
  }

 private:
  absl::Status Change(const Row& row) {
    if (absl::Status s = rights_.CheckRow(before_, row); !s.ok()) return s;
    absl::StatusOr<Row> changed = WithWords(before_, row, settings_);
    if (!changed.ok()) return changed.status();
    if (settings_.parent.has_value()) {
      if (absl::Status s = Move(&*changed); !s.ok()) return s;
    }
    if (*changed == row) return absl::OkStatus();
    after_.Put(*changed);
    plan_.updates.push_back(*std::move(changed));
    return absl::OkStatus();
  }

  // In the tree after earlier moves of the same request.
  absl::Status Move(Row* row) {
    const std::string field = settings_.FieldOf("Parent");
    if (!row->user_name.empty()) {
      return BadField(field, absl::StrCat("got it of ", ObjectName(*row), ", want accounts only"));
    }
    if (IsRoot(*row)) return absl::FailedPreconditionError("account root: it cannot be moved");
    const Row* parent = after_.Account(*settings_.parent);
    if (absl::Status s = rights_.CheckParent(after_, parent, *settings_.parent); !s.ok()) return s;
    const std::string got = absl::StrCat("got ", slurm::Quoted(*settings_.parent));
    if (parent == nullptr) return BadField(field, absl::StrCat(got, ", want an existing account"));
    if (after_.IsAtOrBelow(*parent, {row->account})) {
      return BadField(field, absl::StrCat(got, ", want one that is not account ", row->account,
                                          " itself and is not below it"));
    }
    if (after_.DepthOf(*parent) + 1 + HeightOf(*row) > slurm::kMaxAccountDepth) {
      return TooDeep(field, *settings_.parent);
    }
    row->parent_id = parent->id;
    return absl::OkStatus();
  }

  // The depth of the accounts below it.
  int HeightOf(const Row& account) const {
    int deepest = 0;
    for (const int64_t id : after_.WithBelow({account.id})) {
      deepest = std::max(deepest, after_.DepthOf(*after_.ById(id)));
    }
    return std::max(0, deepest - after_.DepthOf(*after_.ById(account.id)));
  }

  // The moved accounts, and all below them, at the new place.
  absl::Status CheckMoved() const {
    for (const int64_t id : after_.WithBelow(before_.MovedAmong(plan_.updates))) {
      if (absl::Status s = rights_.CheckLimits(after_, *after_.ById(id)); !s.ok()) return s;
    }
    return absl::OkStatus();
  }

  // Also checked below the changed rows; rows that were invalid before are not reported.
  absl::Status CheckDefaults(const std::vector<int64_t>& ids) const {
    const bool may_differ = settings_.parent.has_value() || !settings_.FieldOf("QOS").empty() ||
                            !settings_.FieldOf("DefaultQOS").empty();
    if (!may_differ) return absl::OkStatus();
    for (const int64_t id : after_.WithBelow(ids)) {
      const Row& row = *after_.ById(id);
      if (MayUseHerDefault(after_, row) || !MayUseHerDefault(before_, *before_.ById(id))) continue;
      return CheckDefaultQos(after_, row, settings_);
    }
    return absl::OkStatus();
  }

  const TreeSlice& before_;
  TreeSlice after_;
  const TreeSettings& settings_;
  const TreeRights& rights_;
  ChangeList* const list_;
  TreePlan plan_;
};

}  // namespace

absl::StatusOr<Row> WithWords(const TreeSlice& tree, const Row& before,
                              const TreeSettings& settings) {
  slurm::DumpAssociation line = FromStorage(before);
  errors::Violations violations;
  for (const WordSetting& setting : settings.words) {
    if (!setting.word->IsOn(KindOf(before))) {
      violations.Add(absl::StrCat("settings[", setting.place, "].name"),
                     absl::StrCat("got ", setting.word->name, " of ", ObjectName(before),
                                  ", want a word that it has"));
      continue;
    }
    const absl::Status s = Apply(setting, tree.InheritedQosList(before), &line);
    if (!s.ok()) violations.Add(ValueField(setting.place), s.message());
  }
  if (!violations.empty()) return violations.ToStatus();
  Row after = ToStorage(before.cluster_id, line);
  after.id = before.id;
  after.parent_id = before.parent_id;
  return after;
}

int64_t CountNew(const TreeSlice& tree, const Creation& creation) {
  return absl::c_count_if(creation.associations, [&](const NewAssociation& wanted) {
    return tree.Find(wanted.account, wanted.user, wanted.partition) == nullptr;
  });
}

absl::StatusOr<TreePlan> PlanCreation(TreeState state, const Creation& creation,
                                      const TreeSettings& settings, const TreeRights& rights,
                                      absl::Span<const int64_t> ids, ChangeList* list) {
  return CreationPlan(std::move(state), creation, settings, rights, ids, list).Make();
}

absl::StatusOr<TreePlan> PlanUpdate(const TreeState& state, const std::vector<int64_t>& ids,
                                    const TreeSettings& settings, const TreeRights& rights,
                                    ChangeList* list) {
  return UpdatePlan(state, settings, rights, list).Make(ids);
}

absl::Status CheckQosNames(const TreeSettings& settings, const std::set<std::string>& qos) {
  errors::Violations violations;
  const auto check = [&](const WordSetting& setting, const std::string& name) {
    if (qos.count(name) > 0) return;
    violations.Add(ValueField(setting.place),
                   absl::StrCat("got ", slurm::Quoted(name), ", want QOS of the cluster"));
  };
  for (const WordSetting& setting : settings.words) {
    if (setting.word->kind == slurm::WordKind::kQosName && !setting.value.empty()) {
      check(setting, setting.value);
    }
    for (const ListChange& change : setting.changes) {
      if (change.op == SettingOperator::kRemove) continue;
      for (const std::string& name : change.names) check(setting, name);
    }
  }
  return violations.ToStatus();
}

}  // namespace priorityd::administration
