#include "client/prioctl/command/tool_options.h"

#include "absl/strings/str_cat.h"
#include "version.h"

namespace priorityd::prioctl {

void AddIgnored(CLI::App* app, const std::string& name, const std::string& why) {
  app->add_flag_callback(
      name, [] {}, why);
}

void AddToolOptions(CLI::App* app, const char* tool) {
  app->set_help_flag("--help,--usage", "Print this help message and exit");
  app->set_version_flag("-V,--version", absl::StrCat(tool, " (priorityd) ", kVersion));
  AddIgnored(app, "-v,--verbose", "Accepted; nothing more is printed");
}

void AddFederation(CLI::App* app) {
  AddIgnored(app, "--federation", "Accepted; priorityd has no federations");
  AddIgnored(app, "--local", "Accepted; only one cluster is shown anyway");
}

void AddClusters(CLI::App* app, CommandLine& line) {
  app->add_option("-M,--clusters", line.cluster, "The cluster, as --cluster")->type_name("NAME");
}

}  // namespace priorityd::prioctl
