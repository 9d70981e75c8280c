#include "server/gateway/slurm_list.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "engine/errors/error_details.h"
#include "server/gateway/slurm_lists.h"
#include "server/gateway/transcoding.h"
#include "version.h"

namespace priorityd::gateway {
namespace {

constexpr size_t kMostQuotedName = 80;

// In slurmrestd's words, which clients may compare.
const char* CodeName(grpc::StatusCode code) {
  switch (code) {
    case grpc::INVALID_ARGUMENT:
      return "INVALID_ARGUMENT";
    case grpc::NOT_FOUND:
      return "NOT_FOUND";
    case grpc::PERMISSION_DENIED:
      return "PERMISSION_DENIED";
    case grpc::UNAUTHENTICATED:
      return "UNAUTHENTICATED";
    case grpc::RESOURCE_EXHAUSTED:
      return "RESOURCE_EXHAUSTED";
    case grpc::UNAVAILABLE:
      return "UNAVAILABLE";
    case grpc::DEADLINE_EXCEEDED:
      return "DEADLINE_EXCEEDED";
    default:
      return "ERROR";
  }
}

// With `<` escaped, as all JSON of the service.
std::string Text(const Json& json) {
  return absl::StrReplaceAll(json.dump(-1, ' ', false, Json::error_handler_t::replace),
                             {{"<", "\\u003c"}});
}

// The longest of the path that an error repeats, as text.
std::string PathText(const SlurmPath& path) {
  return absl::StrCat("v0.0.", path.version, "/", path.resource);
}

// `/slurm/v0.0.42/jobs/`.
std::optional<SlurmPath> Parse(absl::string_view text) {
  std::vector<std::string> parts = absl::StrSplit(text, '/');
  if (!parts.back().empty()) parts.emplace_back();
  absl::string_view version;
  if (parts.size() > 2) version = parts[2];
  SlurmPath path;
  if (parts.size() < 5 || parts.size() > 6 || !absl::ConsumePrefix(&version, "v0.0.") ||
      !absl::SimpleAtoi(version, &path.version) || path.version < kOldestSlurmVersion ||
      path.version > kNewestSlurmVersion) {
    return std::nullopt;
  }
  path.resource = parts[3];
  if (parts.size() == 6) path.name = PercentDecoded(parts[4]);
  return path;
}

Json MetaShape(const SlurmPath& path, const std::string& client, const std::string& cluster) {
  return {{"plugin",
           {{"type", "openapi/priorityd"},
            {"name", "priorityd"},
            {"data_parser", absl::StrCat("data_parser/v0.0.", path.version)},
            {"accounting_storage", "accounting_storage/priorityd"}}},
          {"client", {{"source", client}, {"user", ""}, {"group", ""}}},
          {"command", Json::array()},
          {"slurm",
           {{"version", {{"major", ""}, {"micro", ""}, {"minor", ""}}},
            {"release", absl::StrCat("priorityd ", kVersion)},
            {"cluster", cluster}}}};
}

// Text that a message can have.
std::string ValidText(const std::string& text) {
  return Json::parse(Json(text).dump(-1, ' ', true, Json::error_handler_t::replace));
}

}  // namespace

std::unique_ptr<SlurmList> SlurmList::For(absl::string_view text) {
  std::optional<SlurmPath> path = Parse(text);
  if (!path.has_value()) return nullptr;
  path->name = ValidText(path->name);
  return NewSlurmList(*std::move(path));
}

absl::Status SlurmList::SetParameters(absl::string_view query) {
  const auto parameters = QueryParameters(query);
  if (!parameters.ok()) return parameters.status();
  for (const auto& [name, value] : *parameters) {
    const absl::Status set = SetParameter(name, ValidText(value));
    if (set.ok()) continue;
    return errors::BadRequestError(
        "INVALID_PARAMETER",
        {{ValidText(name.substr(0, kMostQuotedName)), std::string(set.message())}});
  }
  return absl::OkStatus();
}

absl::StatusOr<bool> SlurmList::TakePage() {
  const bool more = AddPage();
  if (rows_.size() > kMostRowBytes) {
    return errors::WithReason(
        absl::OutOfRangeError(absl::StrCat("the list: got more than ", kMostRowBytes >> 20,
                                           " MiB, want fewer rows, or the pages of ", method())),
        "LIST_TOO_LONG");
  }
  if (!more && rows() == 0 && !path_.name.empty()) {
    return errors::WithReason(
        absl::NotFoundError(absl::StrCat("path: got ", path_.name.substr(0, kMostQuotedName),
                                         ", want one that is there")),
        "NO_SUCH_ROW");
  }
  return more;
}

void SlurmList::AddRow(const Json& row) {
  if (count_++ > 0) rows_ += ',';
  rows_ += Text(row);
}

void SlurmList::Warn(const std::string& warning) {
  if (std::find(warnings_.begin(), warnings_.end(), warning) == warnings_.end()) {
    warnings_.push_back(warning);
  }
}

std::string SlurmList::Whole(const std::string& client, const std::string& rows,
                             const Json& errors) const {
  Json warnings = Json::array();
  for (const std::string& warning : warnings_) {
    warnings.push_back({{"description", warning}, {"source", PathText(path_)}});
  }
  return absl::StrCat(Open(), rows, Close(),
                      ",\"meta\":", Text(MetaShape(path_, client, Cluster())),
                      ",\"errors\":", Text(errors), ",\"warnings\":", Text(warnings), "}");
}

std::string SlurmList::TakeBody(const std::string& client) {
  const std::string rows = std::exchange(rows_, "");
  return Whole(client, rows, Json::array());
}

std::string SlurmList::ErrorBody(const std::string& client, const grpc::Status& status) const {
  const Json error = {{"description", status.error_message()},
                      {"error_number", static_cast<int>(status.error_code())},
                      {"error", CodeName(status.error_code())},
                      {"source", PathText(path_)}};
  return Whole(client, "", Json::array({error}));
}

}  // namespace priorityd::gateway
