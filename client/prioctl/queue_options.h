// The command line of `prioctl queue`.
#ifndef PRIORITYD_CLIENT_PRIOCTL_QUEUE_OPTIONS_H_
#define PRIORITYD_CLIENT_PRIOCTL_QUEUE_OPTIONS_H_

#include <string>
#include <vector>

namespace priorityd::prioctl {

// `prioctl queue sync|update FILE`, `prioctl import squeue FILE`
struct QueueUpdateOptions {
  std::string file;  // `-` = standard input
  std::string source;
  std::string on_behalf_of;  // Empty = nobody.
  bool full_sync = false;
  bool of_squeue = false;  // the file is squeue's
  bool strict = false;     // refuses a file of squeue's of which something would be lost
  bool yes = false;        // an empty file removes all jobs without a question
  bool json = false;
};

// `prioctl queue remove JOBID...`
struct QueueRemoveOptions {
  std::vector<std::string> job_ids;
  std::string on_behalf_of;
  bool json = false;
};

// `prioctl queue list`
struct QueueListOptions {
  std::vector<std::string> users;
  std::vector<std::string> accounts;
  std::vector<std::string> partitions;
  std::vector<std::string> states;  // PENDING, RUNNING, SUSPENDED
  std::vector<std::string> sources;
  bool by_submit_time = false;
  bool json = false;
};

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_QUEUE_OPTIONS_H_
