#include "client/prioctl/administration_command_line.h"

#include "client/prioctl/options.h"

namespace priorityd::prioctl {
namespace {

void AddRollback(CLI::App& policy, CommandLine& line) {
  CLI::App* app = policy.add_subcommand("rollback", "Apply an older version again, as a new one");
  auto options = Adopt<PolicyRollbackOptions>(app, line);
  app->add_option("VERSION", options->version, "The version to be as")
      ->required()
      ->check(WholeNumber(1))
      ->type_name("");
  AddExpectedVersion(app, options->expected_version);
  app->add_option("--comment", options->comment, "Why, for the record")->type_name("TEXT");
  AddValidateOnly(app, options->validate_only);
  AddJson(app, options->json);
}

void AddDelete(CLI::App& cluster, CommandLine& line) {
  CLI::App* app = cluster.add_subcommand(
      "delete", "Delete a cluster with its tree, policy, queue, usage and ledger");
  auto options = Adopt<ClusterDeleteOptions>(app, line);
  app->add_option("NAME", options->name, "The cluster")->required()->type_name("");
  app->add_flag("-y,--yes", options->yes, "Do not ask before what cannot be undone");
  app->add_flag("--validate-only", options->validate_only, "Tell what would be gone");
  AddJson(app, options->json);
}

void AddUsageVoid(CLI::App& usage, CommandLine& line) {
  CLI::App* app = usage.add_subcommand(
      "void", "Take usage records out of what counts; without --yes it says which, and asks");
  auto options = Adopt<UsageVoidOptions>(app, line);
  AddList(app, "--source", options->sources, "Only what these sources sent");
  AddList(app, "--job", options->jobs, "Only of these jobs");
  AddList(app, "-u,--user", options->users, "Only of these users");
  AddList(app, "-A,--account", options->accounts, "Only what these accounts were charged");
  AddTime(app, "--from", options->from, "Only what ended from this time on");
  AddTime(app, "--to", options->to, "Only what ended before this time");
  AddTime(app, "--recorded-from", options->recorded_from, "Only what was taken from then on");
  AddTime(app, "--recorded-to", options->recorded_to, "Only what was taken before");
  app->add_option("--continue", options->void_id, "Go on with this void, which was interrupted")
      ->check(WholeNumber(1))
      ->type_name("ID");
  app->add_option("--comment", options->comment, "Why, for the record")->type_name("TEXT");
  AddYes(app, options->yes);
  AddValidateOnly(app, options->validate_only);
  AddJson(app, options->json);
}

void AddUsageRestore(CLI::App& usage, CommandLine& line) {
  CLI::App* app = usage.add_subcommand("restore", "Put back what a void took out");
  auto options = Adopt<UsageRestoreOptions>(app, line);
  app->add_option("--void", options->void_id, "The void, as `usage void` and the audit name it")
      ->required()
      ->check(WholeNumber(1))
      ->type_name("ID");
  app->add_option("--comment", options->comment, "Why, for the record")->type_name("TEXT");
  AddJson(app, options->json);
}

}  // namespace

void AddUsage(CLI::App& parent, CommandLine& line) {
  CLI::App* usage = parent.add_subcommand("usage", "Usage records voided and restored");
  usage->require_subcommand(1);
  AddUsageVoid(*usage, line);
  AddUsageRestore(*usage, line);
}

void AddPolicyVersions(CLI::App& policy, CommandLine& line) {
  CLI::App* app = policy.add_subcommand("versions", "Who applied which version, when and why");
  auto options = Adopt<PolicyVersionsOptions>(app, line);
  app->add_option("--limit", options->limit, "Only so many, the newest")->type_name("N");
  AddJson(app, options->json);
  AddRollback(policy, line);
}

void AddAudit(CLI::App& parent, CommandLine& line) {
  CLI::App* app = parent.add_subcommand("audit", "Who changed what, when, and why; newest first");
  auto options = Adopt<AuditOptions>(app, line);
  AddList(app, "-u,--users", options->users, "Only what these did");
  AddList(app, "--actions", options->actions, "Only these, such as ApplyPolicy,Import");
  app->add_option("--object", options->object, "Only things with this text in their names")
      ->type_name("TEXT");
  AddTime(app, "--start", options->start, "From this time on");
  AddTime(app, "--end", options->end, "Before this time");
  app->add_option("--limit", options->limit, "Only so many, the newest; 0 = all")
      ->type_name("N")
      ->capture_default_str();
  AddJson(app, options->json);
}

void AddClusterList(CLI::App& cluster, CommandLine& line) {
  CLI::App* list = cluster.add_subcommand("list", "The clusters there are");
  auto all = Adopt<ClusterListOptions>(list, line);
  AddJson(list, all->json);
  CLI::App* show = cluster.add_subcommand("show", "What a cluster has");
  auto one = Adopt<ClusterListOptions>(show, line);
  one->must_be_there = true;
  show->add_option("NAME", one->names, "The cluster")->required()->expected(1)->type_name("");
  AddJson(show, one->json);
  AddDelete(cluster, line);
}

}  // namespace priorityd::prioctl
