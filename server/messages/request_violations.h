// Collects the violations of a request, by field.
#ifndef PRIORITYD_SERVER_MESSAGES_REQUEST_VIOLATIONS_H_
#define PRIORITYD_SERVER_MESSAGES_REQUEST_VIOLATIONS_H_

#include <google/protobuf/duration.pb.h>
#include <google/protobuf/repeated_ptr_field.h>
#include <google/protobuf/timestamp.pb.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "engine/errors/bounds.h"
#include "engine/errors/violations.h"
#include "priority/v1/ranking.pb.h"
#include "server/messages/convert_time.h"

namespace priorityd::rpc {

// Bounds of a time window in a request.
inline constexpr absl::Duration kLeastWindow = absl::Minutes(1);
inline constexpr absl::Duration kMostWindow = absl::Hours(24 * 366);

// The violations of one request; each Check adds one if its field is invalid.
class RequestViolations : public errors::Violations {
 public:
  // More than an answer has room for.
  RequestViolations() : Violations("INVALID_FIELD", /*most=*/100) {}

  void CheckText(const std::string& field, const std::string& text,
                 size_t most = errors::kMaxTextBytes) {
    if (text.size() > most) {
      Add(field, absl::StrCat("got ", text.size(), " bytes, want at most ", most));
    } else if (text.find('\0') != std::string::npos) {
      Add(field, "got a NUL character, want text without");
    }
  }

  // The names of a filter.
  void CheckTexts(const std::string& field,
                  const google::protobuf::RepeatedPtrField<std::string>& texts) {
    if (static_cast<size_t>(texts.size()) > errors::kMaxFilterNames) {
      return Add(field, absl::StrCat("got ", texts.size(), " names, want at most ",
                                     errors::kMaxFilterNames));
    }
    for (int i = 0; i < texts.size(); ++i) CheckText(absl::StrCat(field, "[", i, "]"), texts[i]);
  }

  void CheckClusterName(const std::string& field, const std::string& name) {
    CheckText(field, name, errors::kMaxNameBytes);
  }

  // The page fields of any list.
  template <typename Request>
  void CheckPage(const Request& request) {
    CheckText("page_token", request.page_token());
    if (request.page_size() >= 0) return;
    Add("page_size", absl::StrCat("got ", request.page_size(), ", want at least 0"));
  }

  // The ends of a period, each optional.
  template <typename Request>
  void CheckTimes(const Request& request) {
    if (request.has_start_time()) CheckTime("start_time", request.start_time());
    if (request.has_end_time()) CheckTime("end_time", request.end_time());
  }

  // The version of the policy on which a change is based.
  template <typename Request>
  void CheckExpectedVersion(const Request& request) {
    if (request.expected_version() >= 0) return;
    Add("expected_version", absl::StrCat("got ", request.expected_version(), ", want at least 0"));
  }

  void CheckTime(const std::string& field, const google::protobuf::Timestamp& time) {
    if (!IsValid(time)) Add(field, "got a time out of range, want the years 1 to 9999");
  }

  void CheckCount(const std::string& field, int count, int most) {
    if (count > most) Add(field, absl::StrCat("got ", count, ", want at most ", most, " a call"));
  }

  // The number of jobs, and of their rows in a ranking. Violations of single jobs are reported with
  // the job.
  void CheckInlineJobs(const ::priority::v1::InlineJobs& jobs, int max_jobs) {
    CheckCount("jobs.jobs", jobs.jobs_size(), max_jobs);
    size_t pairs = 0;
    for (const ::priority::v1::Job& job : jobs.jobs()) {
      pairs += static_cast<size_t>(std::max(1, job.partitions_size())) *
               static_cast<size_t>(std::max(1, job.qos_size()));
    }
    const size_t most = static_cast<size_t>(max_jobs) * errors::kMaxPairsPerJob;
    if (pairs <= most) return;
    Add("jobs.jobs",
        absl::StrCat("got ", pairs, " pairs of partition and QOS, want at most ", most, " a call"));
  }

  void CheckView(::priority::v1::RankView view) {
    if (::priority::v1::RankView_IsValid(view)) return;
    Add("view",
        absl::StrCat("got ", static_cast<int>(view), ", want RANK_VIEW_BASIC or RANK_VIEW_FULL"));
  }

  void CheckDuration(const std::string& field, const google::protobuf::Duration& duration,
                     absl::Duration least, absl::Duration most) {
    if (IsValid(duration) && ToDuration(duration) >= least && ToDuration(duration) <= most) return;
    Add(field, absl::StrCat("got ", duration.seconds(), " s and ", duration.nanos(),
                            " ns, want at least ", absl::FormatDuration(least),
                            most == absl::InfiniteDuration()
                                ? ""
                                : absl::StrCat(" and at most ", absl::FormatDuration(most))));
  }

  void CheckAmount(const std::string& field, double amount) {
    if (!std::isfinite(amount) || amount < 0) {
      Add(field, absl::StrCat("got ", amount, ", want a finite number of at least 0"));
    }
  }
};

// The complete check of some requests.
template <typename Request>
absl::Status CheckCluster(const Request& request) {
  RequestViolations violations;
  violations.CheckClusterName("cluster", request.cluster());
  return violations.ToStatus();
}

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_MESSAGES_REQUEST_VIOLATIONS_H_
