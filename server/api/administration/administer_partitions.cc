#include "server/api/administration/administer_partitions.h"

#include <set>
#include <string>

#include "absl/algorithm/container.h"
#include "engine/priority/jobs/eligibility.h"
#include "engine/priority/snapshot/snapshot.h"
#include "server/administration/changes/partition_change.h"
#include "server/api/administration/administer_leases.h"
#include "server/api/administration/check_names.h"
#include "server/api/administration/list_named.h"
#include "server/api/administration/provisioning.h"
#include "server/api/administration/validate_administration.h"
#include "server/api/shared/convert_change.h"
#include "storage/configuration/partition_store.h"

namespace priorityd::rpc {
namespace {

namespace v1 = ::priority::v1;

using administration::ChangeList;
using administration::Reach;

// The partitions that a user may use by a snapshot. A merged user has the accounts of the surviving
// one.
class Access {
 public:
  Access(const priority::Snapshot& snapshot, const std::string& user,
         const authorization::Visibility& sees)
      : snapshot_(snapshot), eligibility_(snapshot), user_(user) {
    const priority::AssociationTree& tree = snapshot.tree();
    const absl::string_view survivor = tree.SurvivorOf(user);
    for (priority::AssociationIndex i = 0; i < tree.size(); ++i) {
      if (tree.user(i) != survivor || !sees.SeesShares(user, tree.account(i))) continue;
      accounts_.insert(std::string(tree.account(i)));
    }
  }

  // Fills in the accounts and QOS with which the user may use it; returns whether the user may.
  bool Describe(v1::Partition* proto) const {
    const int partition = snapshot_.FindPartition(proto->name());
    if (partition < 0) return false;
    std::set<std::string> qos;
    for (const std::string& account : accounts_) {
      const auto association = snapshot_.tree().FindUser(account, user_, proto->name());
      const bool taken = association != priority::kNoAssociation &&
                         eligibility_.TakesAccount(association, partition);
      if (!taken) continue;
      proto->add_usable_accounts(account);
      AddQos(association, partition, &qos);
    }
    for (const std::string& name : qos) proto->add_usable_qos(name);
    return proto->usable_accounts_size() > 0 &&
           (!qos.empty() || eligibility_.TakesQos(-1, partition));
  }

 private:
  void AddQos(priority::AssociationIndex association, int partition,
              std::set<std::string>* names) const {
    const auto allowed = snapshot_.tree().allowed_qos(association);
    for (size_t i = 0; i < snapshot_.qos().size(); ++i) {
      const std::string& name = snapshot_.qos()[i].name;
      if (!allowed.empty() && !absl::c_linear_search(allowed, name)) continue;
      if (eligibility_.TakesQos(static_cast<int>(i), partition)) names->insert(name);
    }
  }

  const priority::Snapshot& snapshot_;
  const priority::Eligibility eligibility_;
  const std::string user_;
  std::set<std::string> accounts_;
};

// Keeps the partitions that the user may use.
void KeepUsable(const Access& access, v1::ListPartitionsResponse* response) {
  google::protobuf::RepeatedPtrField<v1::Partition> all;
  all.Swap(response->mutable_partitions());
  for (v1::Partition& partition : all) {
    if (access.Describe(&partition)) response->add_partitions()->Swap(&partition);
  }
}

}  // namespace

absl::Status ListPartitions(const AdministrationCall& call,
                            const v1::ListPartitionsRequest& request,
                            v1::ListPartitionsResponse* response) {
  if (absl::Status s = Validate(request); !s.ok()) return s;
  absl::Status listed = ListNamed<storage::PartitionStore>(
      call, request, response, [response](const storage::Partition& partition) {
        NameAndAttributesToProto(partition.name, administration::AttributesOf(partition),
                                 response->add_partitions());
      });
  if (listed.ok()) listed = AddLeased(call, "partition", response->mutable_partitions());
  if (!listed.ok() || request.user().empty()) return listed;
  const auto snapshot = call.registry.Find(call.cluster);
  if (!snapshot.ok()) return snapshot.status();
  KeepUsable(Access(**snapshot, request.user(), call.caller.sees()), response);
  return absl::OkStatus();
}

absl::Status UpdatePartitions(const AdministrationCall& call,
                              const v1::UpdatePartitionsRequest& request,
                              v1::ChangeResponse* response) {
  if (absl::Status s = Validate(request); !s.ok()) return s;
  const auto change = LeaseOf(call, request.options(), "partition", request.settings());
  if (!change.ok()) return change.status();
  auto result = MakeChange(
      call.database, change->frame, Reach::kTree,
      [&](storage::Transaction& transaction, const storage::Cluster& cluster, ChangeList* list) {
        absl::Status may = CheckProvision(call.caller, request, transaction, cluster);
        if (!may.ok()) return may;
        return administration::UpdatePartitions(transaction, cluster, ToNames(request.names()),
                                                change->settings, request.allow_missing(), list);
      });
  return Answer(call, request.options(), result, response);
}

absl::Status DeletePartitions(const AdministrationCall& call,
                              const v1::DeletePartitionsRequest& request,
                              v1::ChangeResponse* response) {
  if (absl::Status s = Validate(request); !s.ok()) return s;
  auto result = MakeChange(
      call.database, FrameOf(call, request.options()), Reach::kTree,
      [&](storage::Transaction& transaction, const storage::Cluster& cluster, ChangeList* list) {
        return administration::DeletePartitions(transaction, cluster, ToNames(request.names()),
                                                call.now, list);
      });
  return Answer(call, request.options(), result, response);
}

}  // namespace priorityd::rpc
