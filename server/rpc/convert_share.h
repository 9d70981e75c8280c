// Converts one row of sshare.
#ifndef PRIORITYD_SERVER_RPC_CONVERT_SHARE_H_
#define PRIORITYD_SERVER_RPC_CONVERT_SHARE_H_

#include "priority/v1/share.pb.h"
#include "server/explanation/explanation.h"
#include "server/priority/association_tree.h"
#include "server/priority/snapshot.h"

namespace priorityd::rpc {

void ToProto(const priority::Snapshot& snapshot, priority::AssociationIndex i,
             const explanation::SiblingRank& rank, ::priority::v1::AssociationShare* proto);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_RPC_CONVERT_SHARE_H_
