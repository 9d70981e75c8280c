// Reads document_commands.txt: what the documents ask their readers to type, and
// what happens here.
#ifndef PRIORITYD_TESTS_SLURM_DOCUMENT_COMMANDS_H_
#define PRIORITYD_TESTS_SLURM_DOCUMENT_COMMANDS_H_

#include <string>
#include <vector>

namespace priorityd {

// A command that is run, and pieces of what it prints.
struct OurCommand {
  std::string command;
  std::string in;
  std::vector<std::string> prints;
};

struct DocumentCommand {
  std::string document;
  std::string typed;
  std::vector<OurCommand> here;
  std::string not_ours;  // Why; empty = it is ours.
};

std::vector<DocumentCommand> ReadDocumentCommands();

}  // namespace priorityd

#endif  // PRIORITYD_TESTS_SLURM_DOCUMENT_COMMANDS_H_
