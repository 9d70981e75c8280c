// A list as slurmrestd has it, made of the pages that an RPC answers.
#ifndef PRIORITYD_SERVER_GATEWAY_SLURM_LIST_H_
#define PRIORITYD_SERVER_GATEWAY_SLURM_LIST_H_

#include <google/protobuf/message.h>
#include <grpcpp/support/status.h>

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "server/gateway/slurm_shapes.h"

namespace priorityd::gateway {

// Rows of one answer; a list that has more is refused.
inline constexpr size_t kMostRowBytes = 128 << 20;

// What a path of slurmrestd names: `/slurm/v0.0.42/job/17`.
struct SlurmPath {
  int version = 0;       // 42.
  std::string resource;  // `job`.
  std::string name;      // `17`, decoded; empty = all.
};

// Thread-compatible.
class SlurmList {
 public:
  // Null where slurmrestd has nothing there, or the service has not.
  static std::unique_ptr<SlurmList> For(absl::string_view path);
  virtual ~SlurmList() = default;

  // The parameters of a query, by slurmrestd's names; `cluster` besides. INVALID_ARGUMENT
  // (INVALID_PARAMETER) names one that is unknown or cannot be.
  absl::Status SetParameters(absl::string_view query);

  // `/priority.v1.PriorityService/ListShares`, and the request for the next page.
  virtual const char* method() const = 0;
  virtual const google::protobuf::Message& request() const = 0;
  // Where the answer goes.
  virtual google::protobuf::Message* response() = 0;

  // Takes the rows of the answer. True where there is a further page, which request() asks for.
  // OUT_OF_RANGE (LIST_TOO_LONG) beyond kMostRowBytes; NOT_FOUND (NO_SUCH_ROW) where the path names
  // one that is not there.
  absl::StatusOr<bool> TakePage();

  // All rows taken, as JSON; `client` is who asks.
  std::string Body(const std::string& client) const;
  // An answer without rows that says what was wrong.
  std::string ErrorBody(const std::string& client, const grpc::Status& status) const;

 protected:
  explicit SlurmList(SlurmPath path) : path_(std::move(path)) {}

  const SlurmPath& path() const { return path_; }
  // INVALID_ARGUMENT: what is wanted instead.
  virtual absl::Status SetParameter(const std::string& name, const std::string& value) = 0;
  // Adds the rows of response(), and asks for the next page; false = there is none.
  virtual bool AddPage() = 0;
  virtual std::string Cluster() const = 0;
  // What is around the rows: `{"jobs":[`, and `],"last_update":...` without the last brace.
  virtual std::string Open() const = 0;
  virtual std::string Close() const { return "]"; }

  void AddRow(const Json& row);
  size_t rows() const { return count_; }
  // Said with the answer, once.
  void Warn(const std::string& warning);

 private:
  std::string Whole(const std::string& client, const std::string& rows, const Json& errors) const;

  const SlurmPath path_;
  std::string rows_;  // Joined by commas.
  size_t count_ = 0;
  std::vector<std::string> warnings_;
};

}  // namespace priorityd::gateway

#endif  // PRIORITYD_SERVER_GATEWAY_SLURM_LIST_H_
