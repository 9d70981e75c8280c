// What the user asked prioctl to do with policy versions, the audit and clusters.
#ifndef PRIORITYD_CLIENT_PRIOCTL_ADMINISTRATION_OPTIONS_H_
#define PRIORITYD_CLIENT_PRIOCTL_ADMINISTRATION_OPTIONS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"

namespace priorityd::prioctl {

// `prioctl policy versions`
struct PolicyVersionsOptions {
  uint32_t limit = 0;  // 0 = all
  bool json = false;
};

// `prioctl policy rollback VERSION`
struct PolicyRollbackOptions {
  int64_t version = 0;
  int64_t expected_version = -1;  // -1 = whatever the newest is.
  std::string comment;
  bool validate_only = false;
  bool json = false;
};

// `prioctl audit`
struct AuditOptions {
  std::vector<std::string> users;
  std::vector<std::string> actions;
  std::string object;
  std::optional<absl::Time> start;
  std::optional<absl::Time> end;
  uint32_t limit = 100;  // 0 = all
  bool json = false;
};

// `prioctl cluster list [NAME...]` and `cluster show NAME`
struct ClusterListOptions {
  std::vector<std::string> names;
  bool must_be_there = false;
  bool json = false;
};

// `prioctl cluster delete NAME`
struct ClusterDeleteOptions {
  std::string name;
  bool yes = false;  // without a question
  bool validate_only = false;
  bool json = false;
};

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_ADMINISTRATION_OPTIONS_H_
