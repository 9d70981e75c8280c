#include "server/api/aliases/administer_merges.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "server/administration/changes/configuration_change.h"
#include "server/administration/tree/domain_merges.h"
#include "server/administration/tree/merge_change.h"
#include "server/api/aliases/validate_aliases.h"
#include "server/api/shared/convert_change.h"
#include "server/messages/convert_time.h"
#include "storage/configuration/user_merge_store.h"

namespace priorityd::rpc {
namespace {

namespace v1 = ::priority::v1;

using administration::ChangeList;
using administration::Reach;

struct MergeList {
  std::vector<storage::UserMerge> merges;
  std::string etag;
};

absl::StatusOr<MergeList> ReadMerges(storage::Transaction& transaction,
                                     const std::string& cluster) {
  auto found = administration::FindWithEtag(transaction, cluster);
  if (!found.ok()) return found.status();
  auto merges = storage::UserMergeStore(transaction).List(found->cluster.id);
  if (!merges.ok()) return merges.status();
  return MergeList{*std::move(merges), std::move(found->etag)};
}

void MergeToProto(const storage::UserMerge& merge, v1::UserMerge* proto) {
  proto->set_from_user(merge.from_user);
  proto->set_into_user(merge.into_user);
  ToProto(merge.merged_at, proto->mutable_merged_at());
  proto->set_merged_by(merge.merged_by);
  proto->set_comment(merge.comment);
  proto->set_of_domain(merge.of_domain);
}

// `call` outlives it.
administration::MemberCalls MemberCallsOf(const AdministrationCall& call) {
  return {[&call](const std::string& member) {
            return call.boundary->CheckCluster(call.rpc, call.caller, member);
          },
          [&call](const std::string& cluster) { return ClockOf(call, cluster); }};
}

}  // namespace

absl::Status ListUserMerges(const AdministrationCall& call,
                            const v1::ListUserMergesRequest& request,
                            v1::ListUserMergesResponse* response) {
  if (absl::Status s = Validate(request); !s.ok()) return s;
  const auto list = call.database.Read(
      [&](storage::Transaction& transaction) { return ReadMerges(transaction, call.cluster); });
  if (!list.ok()) return list.status();
  for (const storage::UserMerge& merge : list->merges) {
    MergeToProto(merge, response->add_merges());
  }
  response->set_cluster(call.cluster);
  response->set_etag(list->etag);
  return absl::OkStatus();
}

absl::Status MergeUsers(const AdministrationCall& call, const v1::MergeUsersRequest& request,
                        v1::ChangeResponse* response) {
  if (absl::Status s = Validate(request); !s.ok()) return s;
  administration::ChangeFrame frame = FrameOf(call, request.options());
  const storage::UserMerge merge = {.from_user = request.from_user(),
                                    .into_user = request.into_user(),
                                    .merged_at = frame.context.now,
                                    .merged_by = frame.context.principal,
                                    .comment = frame.comment,
                                    .of_domain = request.with_members()};
  frame.others = [&](storage::Transaction& transaction, const storage::Cluster& cluster) {
    return administration::MembersOfMerge(transaction, cluster, merge, MemberCallsOf(call));
  };
  const auto result = MakeChange(
      call.database, frame, Reach::kTree,
      [&](storage::Transaction& transaction, const storage::Cluster& cluster, ChangeList* list) {
        return administration::MergeUsers(transaction, cluster, merge, MemberCallsOf(call), list);
      });
  response->set_with_members(merge.of_domain);
  return Answer(call, request.options(), result, response);
}

absl::Status UnmergeUsers(const AdministrationCall& call, const v1::UnmergeUsersRequest& request,
                          v1::ChangeResponse* response) {
  if (absl::Status s = Validate(request); !s.ok()) return s;
  administration::ChangeFrame frame = FrameOf(call, request.options());
  frame.others = [&](storage::Transaction& transaction, const storage::Cluster& cluster) {
    return administration::MembersOfUnmerge(transaction, cluster, request.from_user(),
                                            MemberCallsOf(call));
  };
  const auto result = MakeChange(
      call.database, frame, Reach::kTree,
      [&](storage::Transaction& transaction, const storage::Cluster& cluster, ChangeList* list) {
        return administration::UnmergeUsers(transaction, cluster, request.from_user(),
                                            MemberCallsOf(call), list);
      });
  return Answer(call, request.options(), result, response);
}

}  // namespace priorityd::rpc
