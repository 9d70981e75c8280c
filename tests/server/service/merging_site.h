// A small site in which a person has two users.
#ifndef PRIORITYD_TESTS_SERVER_SERVICE_MERGING_SITE_H_
#define PRIORITYD_TESTS_SERVER_SERVICE_MERGING_SITE_H_

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "priority/v1/user_merge.pb.h"
#include "tests/server/service/aliased_site.h"

namespace priorityd::rpc {

// Account a also has a.smith with 3 shares. Calls must succeed unless `status` is given.
class MergingSite : public AliasedSite {
 protected:
  MergingSite() { AddUser("a.smith", {"a"}, {"Fairshare=3"}); }

  v1::ChangeResponse Merge(const std::string& from, const std::string& into,
                           grpc::Status* status = nullptr, const v1::ChangeOptions& options = {}) {
    v1::MergeUsersRequest request;
    request.set_from_user(from);
    request.set_into_user(into);
    *request.mutable_options() = options;
    return Changed(request, status);
  }
  v1::ChangeResponse Unmerge(const std::string& from, grpc::Status* status = nullptr,
                             const v1::ChangeOptions& options = {}) {
    v1::UnmergeUsersRequest request;
    request.set_from_user(from);
    *request.mutable_options() = options;
    return Changed(request, status);
  }
  v1::ListUserMergesResponse Merges() {
    return Called<v1::ListUserMergesResponse>(v1::ListUserMergesRequest(), nullptr);
  }

  // The rows at the time of the last recalculation, each as a text with all its numbers.
  static std::vector<std::string> RowsOf(TestService& service) {
    std::vector<std::string> rows;
    const v1::ListSharesResponse response = ListShares(service);
    for (v1::AssociationShare share : response.shares()) {
      share.clear_association_id();
      rows.push_back(absl::StrCat(share.account(), "/", share.user(), ": ",
                                  share.SerializeAsString().size(), " ", share.ShortDebugString()));
    }
    return rows;
  }
};

}  // namespace priorityd::rpc

#endif  // PRIORITYD_TESTS_SERVER_SERVICE_MERGING_SITE_H_
