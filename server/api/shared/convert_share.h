// Converts one row of sshare.
#ifndef PRIORITYD_SERVER_API_SHARED_CONVERT_SHARE_H_
#define PRIORITYD_SERVER_API_SHARED_CONVERT_SHARE_H_

#include "engine/explanation/explanation.h"
#include "engine/priority/fair_share/association_tree.h"
#include "engine/priority/snapshot/snapshot.h"
#include "priority/v1/share.pb.h"

namespace priorityd::rpc {

void ToProto(const priority::Snapshot& snapshot, priority::AssociationIndex i,
             const explanation::SiblingRank& rank, ::priority::v1::AssociationShare* proto);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_API_SHARED_CONVERT_SHARE_H_
