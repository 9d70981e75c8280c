#include "server/api/administration/convert_administration.h"

#include <string>
#include <vector>

#include "server/administration/tree/association_attributes.h"

namespace priorityd::rpc {
namespace {

namespace v1 = ::priority::v1;

std::vector<std::string> ToVector(const google::protobuf::RepeatedPtrField<std::string>& names) {
  return {names.begin(), names.end()};
}

}  // namespace

administration::AssociationFilter ToFilter(const v1::AssociationFilter& where) {
  return {.accounts = ToVector(where.accounts()),
          .users = ToVector(where.users()),
          .partitions = ToVector(where.partitions()),
          .parents = ToVector(where.parents()),
          .qos = ToVector(where.qos()),
          .default_qos = ToVector(where.default_qos()),
          .with_sub_accounts = where.with_sub_accounts(),
          .only_defaults = where.only_defaults()};
}

administration::UserFilter ToFilter(const v1::UserFilter& where) {
  return {.names = ToVector(where.names()),
          .accounts = ToVector(where.accounts()),
          .default_accounts = ToVector(where.default_accounts()),
          .admin_levels = ToVector(where.admin_levels()),
          .coordinated_accounts = ToVector(where.coordinated_accounts())};
}

administration::Creation ToCreation(const v1::CreateAssociationsRequest& request) {
  administration::Creation creation;
  creation.allow_existing = request.allow_existing();
  creation.associations.reserve(request.associations_size());
  for (const v1::NewAssociation& wanted : request.associations()) {
    creation.associations.push_back(
        {wanted.account(), wanted.user(), wanted.partition(), wanted.parent_account()});
  }
  return creation;
}

void ToProto(const administration::TreeSlice& tree, const storage::Association& row,
             v1::Association* proto) {
  proto->set_id(row.id);
  proto->set_account(row.account);
  proto->set_user(row.user_name);
  proto->set_partition(row.partition);
  if (const storage::Association* parent = tree.Parent(row)) {
    proto->set_parent_account(parent->account);
  }
  for (const auto& [name, value] : administration::AttributesOf(row)) {
    (*proto->mutable_attributes())[name] = value;
  }
  for (const auto& [name, value] : administration::InheritedBy(tree, row)) {
    (*proto->mutable_inherited())[name] = value;
  }
}

void ToProto(const storage::ClusterUser& user, const authorization::Visibility& sees,
             v1::ClusterUser* proto) {
  const auto shown = [&](const std::string& account) {
    return sees.sees_all() || sees.SeesShares(user.name, account);
  };
  proto->set_name(user.name);
  if (shown(user.default_account)) proto->set_default_account(user.default_account);
  proto->set_admin_level(user.admin_level.empty() ? "None" : user.admin_level);
  for (const std::string& account : user.coordinated) {
    if (shown(account)) proto->add_coordinated_accounts(account);
  }
}

}  // namespace priorityd::rpc
