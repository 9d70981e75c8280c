// The coordinators of each account and of all accounts below it.
#ifndef PRIORITYD_CLIENT_PRIOCTL_SACCTMGR_COORDINATORS_H_
#define PRIORITYD_CLIENT_PRIOCTL_SACCTMGR_COORDINATORS_H_

#include <map>
#include <set>
#include <string>

#include "priority/v1/administration.pb.h"

namespace priorityd::sacctmgr {

class Coordinators {
 public:
  // `accounts`: all accounts of the cluster. Both are read here only.
  Coordinators(const google::protobuf::RepeatedPtrField<::priority::v1::ClusterUser>& users,
               const google::protobuf::RepeatedPtrField<::priority::v1::Association>& accounts);

  // Names divided by commas, in alphabetical order.
  std::string OfAccount(const std::string& account) const;
  std::string AccountsOf(const std::string& user) const;

 private:
  std::map<std::string, std::set<std::string>> users_;     // By account.
  std::map<std::string, std::set<std::string>> accounts_;  // By user.
};

}  // namespace priorityd::sacctmgr

#endif  // PRIORITYD_CLIENT_PRIOCTL_SACCTMGR_COORDINATORS_H_
