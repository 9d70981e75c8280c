#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "client/prioctl/command/options.h"
#include "client/prioctl/input/json_lines.h"
#include "client/prioctl/jobs/job_text.h"
#include "client/prioctl/sacctmgr/change.h"
#include "client/prioctl/site/commands.h"
#include "client/prioctl/text/console.h"
#include "client/prioctl/text/table.h"
#include "client/prioctl/text/text.h"
#include "client/priority_client.h"
#include "client/slurm/tables/policy_zone.h"

namespace priorityd::prioctl {
namespace {

namespace v1 = ::priority::v1;

// `prioctl domain list [DOMAIN]`
struct DomainListOptions {
  std::string domain;
  bool json = false;
};

// `prioctl domain join|leave DOMAIN CLUSTER...`
struct DomainChangeOptions {
  std::string domain;
  std::vector<std::string> clusters;
  std::map<std::string, double> prices;
  std::string comment;
  bool validate_only = false;
  bool json = false;
};

std::string PricesText(const v1::DomainMember& member) {
  const std::map<std::string, double> prices(member.prices().begin(), member.prices().end());
  std::vector<std::string> texts;
  for (const auto& [tres, price] : prices) {
    texts.push_back(absl::StrCat(tres, "=", NumberText(price)));
  }
  return texts.empty() ? "billing=1" : absl::StrJoin(texts, ",");
}

// One line for each domain that stands still.
void PrintStandstills(const v1::ListDomainsResponse& list, Console& console) {
  std::set<std::string> printed;
  for (const v1::DomainMember& member : list.members()) {
    const bool is_still = member.standstill() != v1::DOMAIN_STANDSTILL_NONE;
    if (!is_still || !printed.insert(member.domain()).second) continue;
    const std::string domain = jobs::Visible(member.domain());
    console.out << domain << ": stands still: ";
    if (member.standstill() == v1::DOMAIN_STANDSTILL_MANUAL_CLOCK) {
      console.out << "it is on a manual clock; `prioctl --cluster=" << domain << " recalculate`\n";
    } else {
      console.out << "its recalculation is overdue by " << DurationText(member.overdue_by())
                  << "; the leader's log states the reason\n";
    }
  }
}

// States that an operator has to examine, one line each.
void PrintNotes(const v1::DomainMember& member, Console& console) {
  const std::string who = absl::StrCat(jobs::Visible(member.cluster()), ": ");
  if (member.refused_records() > 0) {
    console.out << who << CountedText(member.refused_records(), "record")
                << " refused; the last: " << jobs::Visible(member.refused_why()) << '\n';
  }
  if (member.missing_associations() > 0) {
    std::vector<std::string> missing;
    for (const std::string& name : member.missing()) missing.push_back(jobs::Visible(name));
    const bool more = member.missing_associations() > member.missing_size();
    console.out << who << CountedText(member.missing_associations(), "association")
                << " that the domain lacks, with fair-share 0: " << absl::StrJoin(missing, " ")
                << (more ? " ..." : "") << '\n';
  }
}

absl::Status ListDomains(const DomainListOptions& options, const client::PriorityClient& client,
                         Console& console) {
  v1::ListDomainsRequest request;
  request.set_domain(options.domain);
  const auto list = client.ListDomains(std::move(request));
  if (!list.ok()) return list.status();
  if (options.json) return PrintJson(*list, console.out);
  if (list->members().empty()) {
    console.out << "no usage domains; `prioctl domain join` makes one\n";
    return absl::OkStatus();
  }
  Table table({{"DOMAIN"},
               {"MEMBER"},
               {"PRICES"},
               {"RECORDS", true},
               {"REFUSED", true},
               {"NEWEST RECORD"},
               {"COUNTS FROM"}});
  for (const v1::DomainMember& member : list->members()) {
    table.AddRow({member.domain(), member.cluster(), PricesText(member),
                  absl::StrCat(member.counted_records()), absl::StrCat(member.refused_records()),
                  member.has_newest_end_time() ? TimeText(member.newest_end_time()) : "none",
                  member.has_counts_from() ? TimeText(member.counts_from()) : "ever"});
  }
  table.Print(console.out);
  if (table.empty()) console.out << "no domains\n";
  PrintStandstills(*list, console);
  for (const v1::DomainMember& member : list->members()) PrintNotes(member, console);
  return absl::OkStatus();
}

absl::Status Change(const DomainChangeOptions& options, v1::UpdateDomainRequest request,
                    const client::PriorityClient& client, Console& console) {
  request.set_cluster(options.domain);
  request.mutable_options()->set_validate_only(options.validate_only);
  request.mutable_options()->set_comment(options.comment);
  const auto response = client.UpdateDomain(std::move(request));
  if (!response.ok()) return response.status();
  if (options.json) return PrintJson(*response, console.out);
  console.err << WarningLines(response->warnings());
  console.out << (options.validate_only ? "valid: would change domain " : "changed domain ")
              << jobs::Visible(options.domain) << '\n'
              << sacctmgr::ChangeLines(*response);
  if (!options.validate_only && response->has_takes_effect_at()) {
    console.out << "takes effect at "
                << TimeText(response->takes_effect_at(), tables::PolicyZone(client, options.domain))
                << '\n';
  }
  return absl::OkStatus();
}

absl::Status Join(const DomainChangeOptions& options, const client::PriorityClient& client,
                  Console& console) {
  v1::UpdateDomainRequest request;
  request.mutable_join()->Assign(options.clusters.begin(), options.clusters.end());
  request.mutable_prices()->insert(options.prices.begin(), options.prices.end());
  return Change(options, std::move(request), client, console);
}

absl::Status Leave(const DomainChangeOptions& options, const client::PriorityClient& client,
                   Console& console) {
  v1::UpdateDomainRequest request;
  request.mutable_leave()->Assign(options.clusters.begin(), options.clusters.end());
  return Change(options, std::move(request), client, console);
}

std::map<std::string, double> ParsePrices(const std::string& text) {
  std::map<std::string, double> prices;
  for (const absl::string_view item : absl::StrSplit(text, ',', absl::SkipWhitespace())) {
    const std::vector<absl::string_view> parts = absl::StrSplit(item, absl::MaxSplits('=', 1));
    double price = 0;
    if (parts.size() != 2 || parts[0].empty() || !absl::SimpleAtod(parts[1], &price) ||
        !prices.emplace(parts[0], price).second) {
      throw CLI::ValidationError(
          "--prices",
          absl::StrCat("got \"", item, "\", want TRES=PRICE, each once, such as gres/gpu=10"));
    }
  }
  return prices;
}

void AddDomainListOptions(CLI::App* app, CommandLine& line) {
  auto options = Adopt<DomainListOptions>(app, line, ListDomains);
  AddClusterName(app, line, "DOMAIN", options->domain, "Only this usage domain");
  AddJson(app, options->json);
}

std::shared_ptr<DomainChangeOptions> AddMembers(CLI::App* app, CommandLine& line,
                                                Runner<DomainChangeOptions> run) {
  auto options = Adopt<DomainChangeOptions>(app, line, run);
  AddClusterName(app, line, "DOMAIN", options->domain,
                 "The cluster whose account tree the domain has")
      ->required();
  app->add_option("CLUSTER", options->clusters, "The members")->required()->type_name("");
  app->add_option("--comment", options->comment, "Why, for the record")->type_name("TEXT");
  AddValidateOnly(app, options->validate_only);
  AddJson(app, options->json);
  return options;
}

void AddDomainJoinOptions(CLI::App* app, CommandLine& line) {
  const auto options = AddMembers(app, line, Join);
  app->add_option_function<std::string>(
         "--prices", [options](const std::string& text) { options->prices = ParsePrices(text); },
         "What a second of a TRES is worth in the domain, in billing-seconds; default billing=1")
      ->type_name("TRES=PRICE,...");
}

void AddDomainLeaveOptions(CLI::App* app, CommandLine& line) { AddMembers(app, line, Leave); }

constexpr Command kDomainCommands[] = {
    {"list", "The members of usage domains", AddDomainListOptions},
    {"join", "Count the usage of clusters in a domain, which gives them their fair-share",
     AddDomainJoinOptions},
    {"leave", "Give clusters their own fair-share again; past usage stays in the domain",
     AddDomainLeaveOptions},
};

void AddDomainGroup(CLI::App* app, CommandLine& line) { AddCommands(kDomainCommands, app, line); }

}  // namespace

const Command kDomainCommand = {"domain", "Usage domains: clusters that share one fair-share",
                                AddDomainGroup};

}  // namespace priorityd::prioctl
