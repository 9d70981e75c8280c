#include "server/gateway/slurm_lists.h"

#include <set>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "priority/v1/administration.pb.h"
#include "priority/v1/queue.pb.h"
#include "priority/v1/share.pb.h"
#include "server/gateway/slurm_settings.h"

namespace priorityd::gateway {
namespace {

namespace v1 = ::priority::v1;

constexpr int kPageSize = 10'000;
constexpr int kSharesPageSize = 100'000;

using Names = google::protobuf::RepeatedPtrField<std::string>;

// `a,b`; empty names nothing.
absl::Status AddNames(const std::string& value, Names* names) {
  for (const absl::string_view name : absl::StrSplit(value, ',', absl::SkipWhitespace())) {
    names->Add(std::string(absl::StripAsciiWhitespace(name)));
  }
  return absl::OkStatus();
}

absl::Status ReadFlag(const std::string& value, bool* flag) {
  *flag = value.empty() || value == "1" || absl::EqualsIgnoreCase(value, "true") ||
          absl::EqualsIgnoreCase(value, "yes");
  if (*flag || value == "0" || absl::EqualsIgnoreCase(value, "false") ||
      absl::EqualsIgnoreCase(value, "no")) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError("want true or false");
}

// A filter of slurmrestd that the service does not support: ignoring it would return other rows.
absl::Status NoSuchFilter(const std::string& known) {
  return absl::InvalidArgumentError(absl::StrCat("want one of ", known));
}

template <typename Request, typename Response>
class ListBy : public SlurmList {
 public:
  using SlurmList::SlurmList;
  const google::protobuf::Message& request() const override { return request_; }
  google::protobuf::Message* response() override { return &response_; }

 protected:
  // The warning for a parameter that is accepted without effect.
  absl::Status Ignore(const std::string& name, const std::string& why) {
    Warn(absl::StrCat(name, ": ", why));
    return absl::OkStatus();
  }

  // Frees response_ and prepares the request for the page after it; false = there is none.
  bool GoOn() {
    request_.set_page_token(response_.next_page_token());
    response_ = Response();  // Clear would keep the memory.
    return !request_.page_token().empty();
  }

  Request request_;
  Response response_;
};

class Shares : public ListBy<v1::ListSharesRequest, v1::ListSharesResponse> {
 public:
  explicit Shares(SlurmPath path) : ListBy(std::move(path)) {
    request_.set_page_size(kSharesPageSize);
  }
  const char* method() const override { return "/priority.v1.PriorityService/ListShares"; }

 private:
  absl::Status SetParameter(const std::string& name, const std::string& value) override {
    if (name == "accounts") return AddNames(value, request_.mutable_accounts());
    if (name == "users") return AddNames(value, request_.mutable_users());
    if (name != "cluster") return NoSuchFilter("accounts, users, cluster");
    request_.set_cluster(value);
    return absl::OkStatus();
  }

  bool AddPage() override {
    cluster_ = response_.snapshot().cluster();
    for (const v1::AssociationShare& share : response_.shares()) {
      AddRow(ShareShape(path().version, cluster_, share));
    }
    return GoOn();
  }

  std::string Cluster() const override { return cluster_; }
  std::string Open() const override { return R"({"shares":{"shares":[)"; }
  std::string Close() const override { return absl::StrCat(R"(],"total_shares":)", rows(), "}"); }

  std::string cluster_;
};

class Jobs : public ListBy<v1::ListJobsRequest, v1::ListJobsResponse> {
 public:
  explicit Jobs(SlurmPath path) : ListBy(std::move(path)) {
    request_.set_page_size(kPageSize);
    request_.set_with_ranking(true);
    for (int state = v1::JOB_STATE_PENDING; state <= v1::JobState_MAX; ++state) {
      request_.add_states(static_cast<v1::JobState>(state));
    }
    if (!this->path().name.empty()) request_.add_job_ids(this->path().name);
  }
  const char* method() const override { return "/priority.v1.PriorityService/ListJobs"; }

 private:
  absl::Status SetParameter(const std::string& name, const std::string& value) override {
    if (name == "update_time") return Ignore(name, "all jobs are listed, changed since or not");
    if (name == "flags") return absl::OkStatus();
    if (name != "cluster") return NoSuchFilter("update_time, flags, cluster");
    request_.set_cluster(value);
    return absl::OkStatus();
  }

  bool AddPage() override {
    for (const v1::TrackedJob& job : response_.jobs()) {
      const Json row = JobShape(response_.snapshot().cluster(), job);
      if (row["job_id"] == 0)
        Warn("jobs whose id is no number have job_id 0, and their id in extra");
      AddRow(row);
    }
    snapshot_ = response_.snapshot();
    return GoOn();
  }

  std::string Cluster() const override { return snapshot_.cluster(); }
  std::string Open() const override { return R"({"jobs":[)"; }
  std::string Close() const override {
    const Json computed =
        snapshot_.has_computed_at() ? SetNumber(snapshot_.computed_at().seconds()) : UnsetNumber();
    return absl::StrCat(R"(],"last_backfill":)", UnsetNumber().dump(), R"(,"last_update":)",
                        computed.dump());
  }

  v1::Snapshot snapshot_;
};

class Associations : public ListBy<v1::ListAssociationsRequest, v1::ListAssociationsResponse> {
 public:
  explicit Associations(SlurmPath path) : ListBy(std::move(path)) {
    request_.set_page_size(kPageSize);
  }
  const char* method() const override { return "/priority.v1.AdminService/ListAssociations"; }

 private:
  absl::Status SetParameter(const std::string& name, const std::string& value) override {
    v1::AssociationFilter& where = *request_.mutable_where();
    if (name == "account") return AddNames(value, where.mutable_accounts());
    if (name == "user") return AddNames(value, where.mutable_users());
    if (name == "partition") return AddNames(value, where.mutable_partitions());
    if (name == "parent_account") return AddNames(value, where.mutable_parents());
    if (name == "qos") return AddNames(value, where.mutable_qos());
    if (name == "default_qos") return AddNames(value, where.mutable_default_qos());
    if (name == "cluster") {
      request_.set_cluster(value);
      return absl::OkStatus();
    }
    if (name == "id") return SetIds(value);
    return SetFlag(name, value);
  }

  // In v0.0.42, flags are named by their descriptions.
  absl::Status SetFlag(const std::string& name, const std::string& value) {
    bool flag = false;
    if (name == "format" || name == "with_raw_qos" || name == "Include the raw QOS or delta_qos" ||
        name == "without_parent_info" || name == "Exclude parent id/name") {
      return absl::OkStatus();
    }
    if (name == "usage_start" || name == "usage_end") {
      return Ignore(name, "accounting is empty; ReportUsage has usage");
    }
    if (absl::Status read = ReadFlag(value, &flag); !read.ok()) return read;
    if (name == "with_sub_accts" || name == "Include sub acct information") {
      request_.mutable_where()->set_with_sub_accounts(flag);
    } else if (name == "only_defaults" || name == "Filter to only defaults") {
      request_.mutable_where()->set_only_defaults(flag);
    } else if (name == "without_parent_limits" || name == "Exclude limits from parents") {
      with_inherited_ = !flag;
    } else if (name == "with_usage" || name == "Include usage") {
      return flag ? Ignore(name, "accounting is empty; ReportUsage has usage") : absl::OkStatus();
    } else if (name == "with_deleted" || name == "Include deleted associations") {
      return flag ? Ignore(name, "deleted associations are not listed") : absl::OkStatus();
    } else {
      return NoSuchFilter(
          "account, user, partition, parent_account, qos, default_qos, id, cluster, "
          "with_sub_accts, only_defaults, without_parent_limits");
    }
    return absl::OkStatus();
  }

  absl::Status SetIds(const std::string& value) {
    for (const absl::string_view text : absl::StrSplit(value, ',', absl::SkipWhitespace())) {
      int64_t id = 0;
      if (!absl::SimpleAtoi(text, &id)) return absl::InvalidArgumentError("want whole numbers");
      ids_.insert(id);
    }
    return absl::OkStatus();
  }

  bool AddPage() override {
    cluster_ = response_.cluster();
    for (const v1::Association& association : response_.associations()) {
      if (!ids_.empty() && ids_.count(association.id()) == 0) continue;
      AddRow(AssociationShape(path().version, cluster_, association, with_inherited_));
    }
    return GoOn();
  }

  std::string Cluster() const override { return cluster_; }
  std::string Open() const override { return R"({"associations":[)"; }

  std::set<int64_t> ids_;
  bool with_inherited_ = true;
  std::string cluster_;
};

class QosList : public ListBy<v1::ListQosRequest, v1::ListQosResponse> {
 public:
  explicit QosList(SlurmPath path) : ListBy(std::move(path)) {
    if (!this->path().name.empty()) request_.add_names(this->path().name);
  }
  const char* method() const override { return "/priority.v1.AdminService/ListQos"; }

 private:
  absl::Status SetParameter(const std::string& name, const std::string& value) override {
    if (name == "name" && path().name.empty()) return AddNames(value, request_.mutable_names());
    if (name == "format") return absl::OkStatus();
    if (name == "with_deleted" || name == "Include deleted QOS") {
      bool flag = false;
      absl::Status read = ReadFlag(value, &flag);
      if (!read.ok() || !flag) return read;
      return Ignore(name, "deleted QOS are not listed");
    }
    if (name != "cluster") return NoSuchFilter("name, cluster");
    request_.set_cluster(value);
    return absl::OkStatus();
  }

  bool AddPage() override {
    for (const v1::Qos& qos : response_.qos()) AddRow(QosShape(qos));
    return false;
  }

  std::string Cluster() const override { return response_.cluster(); }
  std::string Open() const override { return R"({"qos":[)"; }
};

}  // namespace

std::unique_ptr<SlurmList> NewSlurmList(SlurmPath path) {
  const std::string& resource = path.resource;
  const bool is_named = !path.name.empty();
  if (resource == "shares" && !is_named) return std::make_unique<Shares>(std::move(path));
  if (resource == (is_named ? "job" : "jobs")) return std::make_unique<Jobs>(std::move(path));
  if (resource == "qos") return std::make_unique<QosList>(std::move(path));
  if ((resource == "associations" || resource == "association") && !is_named) {
    return std::make_unique<Associations>(std::move(path));
  }
  return nullptr;
}

}  // namespace priorityd::gateway
