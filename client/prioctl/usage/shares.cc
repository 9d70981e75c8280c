#include "client/prioctl/usage/shares.h"

#include <string>

#include "absl/status/status.h"
#include "client/prioctl/command/options.h"
#include "client/prioctl/input/json_lines.h"
#include "client/prioctl/text/console.h"
#include "client/prioctl/text/table.h"
#include "client/prioctl/usage/commands.h"
#include "client/priority_client.h"

namespace priorityd::prioctl {
namespace {

// `prioctl shares`
struct SharesOptions {
  bool accounts_only = false;
  PictureOptions picture;  // Empty = a table.
  ShareForm form = ShareForm::kIcicle;
  bool json = false;
};

using ::priority::v1::ListSharesRequest;
using ::priority::v1::ListSharesResponse;

ListSharesRequest MakeRequest(const SharesOptions& options) {
  ListSharesRequest request;
  request.set_accounts_only(options.accounts_only);
  return request;
}

absl::Status Run(const SharesOptions& options, const client::PriorityClient& client,
                 Console& console) {
  if (absl::Status checked = CheckPicture(options.picture); !checked.ok()) return checked;
  const absl::StatusOr<ListSharesResponse> shares = client.ListAllShares(MakeRequest(options));
  if (!shares.ok()) return shares.status();
  if (options.json) return PrintJson(*shares, console.out);
  const std::vector<SharePart> parts = SharePartsOf(*shares);
  if (options.picture.any()) {
    return WritePicture(options.picture, SharePicture(*shares, parts, options.form), console.out);
  }
  PrintShareParts(parts, console.out);
  return absl::OkStatus();
}

void AddSharesOptions(CLI::App* app, CommandLine& line) {
  auto options = Adopt<SharesOptions>(app, line, Run);
  app->add_flag("--accounts-only", options->accounts_only, "Without the users");
  AddPicture(app, options->picture);
  app->add_option("--form", options->form, "The form of the picture: icicle, pies or tree")
      ->transform(OneOf({{"icicle", static_cast<int>(ShareForm::kIcicle)},
                         {"pies", static_cast<int>(ShareForm::kPies)},
                         {"tree", static_cast<int>(ShareForm::kTree)}}))
      ->type_name("FORM");
  AddJson(app, options->json);
}

}  // namespace

void PrintShareParts(const std::vector<SharePart>& parts, std::ostream& out) {
  Table table({{"ACCOUNT"}, {"USER"}, {"ALLOCATED", true}, {"USED", true}});
  for (const SharePart& part : parts) {
    table.AddRow({std::string(part.depth - (part.user.empty() ? 0 : 1), ' ') + part.account,
                  part.user, PercentText(part.allocated), PercentText(part.used)});
  }
  table.Print(out);
}

const Command kSharesCommand = {
    "shares", "The share of each account and user beside its usage; as a picture too",
    AddSharesOptions};

}  // namespace priorityd::prioctl
