// Reads document_commands.txt: what the documents ask their readers to type, and
// what happens here.
#ifndef PRIORITYD_TESTS_SLURM_DOCUMENT_COMMANDS_H_
#define PRIORITYD_TESTS_SLURM_DOCUMENT_COMMANDS_H_

#include <string>
#include <vector>

namespace priorityd {

// What a command must print; document_commands.txt says what each `kind` means.
struct PrintedCheck {
  std::string kind;
  std::string text;
};

// A command that is run, and what it prints.
struct OurCommand {
  std::string site;
  std::string command;
  std::string in;
  std::vector<PrintedCheck> checks;
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
