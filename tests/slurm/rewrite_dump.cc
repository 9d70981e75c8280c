// Reads what `sacctmgr dump` wrote and prints it as priorityd writes dumps; README.md says what
// for.
#include <fstream>
#include <iostream>
#include <sstream>

#include "engine/slurm/dump/sacctmgr_dump.h"
#include "engine/slurm/dump/sacctmgr_dump_writer.h"

int main(int argc, char** argv) {
  std::stringstream text;
  if (argc == 2) text << std::ifstream(argv[1]).rdbuf();
  const auto dump = priorityd::slurm::ParseSacctmgrDump({"dump", text.str()});
  if (!dump.ok()) {
    std::cerr << dump.status() << '\n';
    return 1;
  }
  std::cout << priorityd::slurm::WriteSacctmgrDump(*dump);
  return 0;
}
