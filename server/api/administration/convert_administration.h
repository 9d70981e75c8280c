// Converts associations, users and their requests from and to the API.
#ifndef PRIORITYD_SERVER_API_ADMINISTRATION_CONVERT_ADMINISTRATION_H_
#define PRIORITYD_SERVER_API_ADMINISTRATION_CONVERT_ADMINISTRATION_H_

#include "priority/v1/administration.pb.h"
#include "server/administration/changes/user_change.h"
#include "server/administration/tree/association_filter.h"
#include "server/administration/tree/association_plan.h"
#include "server/administration/tree/tree_slice.h"
#include "server/authorization/visibility.h"
#include "storage/configuration/association_store.h"
#include "storage/configuration/cluster_user_store.h"

namespace priorityd::rpc {

administration::AssociationFilter ToFilter(const ::priority::v1::AssociationFilter& where);
administration::UserFilter ToFilter(const ::priority::v1::UserFilter& where);
administration::Creation ToCreation(const ::priority::v1::CreateAssociationsRequest& request);

// `tree` contains everything above the row.
void ToProto(const administration::TreeSlice& tree, const storage::Association& row,
             ::priority::v1::Association* proto);

// Without the names of accounts that the caller may not see.
void ToProto(const storage::ClusterUser& user, const authorization::Visibility& sees,
             ::priority::v1::ClusterUser* proto);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_API_ADMINISTRATION_CONVERT_ADMINISTRATION_H_
