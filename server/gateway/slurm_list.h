// A list of slurmrestd, built from the pages of an RPC.
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

// Maximum size of the rows of one answer; longer lists are refused.
inline constexpr size_t kMostRowBytes = 128 << 20;

// A parsed path of slurmrestd: `/slurm/v0.0.42/job/17`.
struct SlurmPath {
  int version = 0;       // 42.
  std::string resource;  // `job`.
  std::string name;      // `17`, decoded; empty = all.
};

// Thread-compatible.
class SlurmList {
 public:
  // Null if slurmrestd or this service has no such resource.
  static std::unique_ptr<SlurmList> For(absl::string_view path);
  virtual ~SlurmList() = default;

  // Takes the parameters of a query, by slurmrestd's names, and `cluster`. INVALID_ARGUMENT
  // (INVALID_PARAMETER) names an unknown or invalid one.
  absl::Status SetParameters(absl::string_view query);

  // `/priority.v1.PriorityService/ListShares`, and the request for the next page.
  virtual const char* method() const = 0;
  virtual const google::protobuf::Message& request() const = 0;
  // Receives the answer.
  virtual google::protobuf::Message* response() = 0;

  // Takes the rows of the answer. True if there is a further page, for which request() is then
  // ready. OUT_OF_RANGE (LIST_TOO_LONG) beyond kMostRowBytes; NOT_FOUND (NO_SUCH_ROW) if the path
  // names a missing row.
  absl::StatusOr<bool> TakePage();

  // The memory of the rows taken, and of the answer with them.
  size_t bytes() const { return 2 * rows_.size(); }

  // The answer with the rows, which it takes out; `client`: the caller.
  std::string TakeBody(const std::string& client);
  // An answer without rows, with the error.
  std::string ErrorBody(const std::string& client, const grpc::Status& status) const;

 protected:
  explicit SlurmList(SlurmPath path) : path_(std::move(path)) {}

  const SlurmPath& path() const { return path_; }
  // INVALID_ARGUMENT with the accepted values.
  virtual absl::Status SetParameter(const std::string& name, const std::string& value) = 0;
  // Adds the rows of response() and prepares the request for the next page; false = there is none.
  virtual bool AddPage() = 0;
  virtual std::string Cluster() const = 0;
  // The text around the rows: `{"jobs":[`, and `],"last_update":...` without the last brace.
  virtual std::string Open() const = 0;
  virtual std::string Close() const { return "]"; }

  void AddRow(const Json& row);
  size_t rows() const { return count_; }
  // Warnings in the answer, without duplicates.
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
