#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "client/prioctl/site/alias_csv.h"
#include "tests/client/prioctl/prioctl_fixture.h"

namespace priorityd {
namespace {

using ::testing::HasSubstr;

TEST_F(PrioctlTest, AliasListPrintsTableAndCsv) {
  fake_.list_aliases.Answer([](const auto&, v1::ListAliasesResponse* response) {
    v1::UserAlias* alias = response->add_aliases();
    alias->set_source("k8s");
    alias->set_alias("a,\"b\"");
    alias->set_user("ann");
    response->add_aliases()->set_alias("x");
    return grpc::Status::OK;
  });
  EXPECT_THAT(Output({"alias", "list", "--sources", "k8s", "-u", "ann"}), HasSubstr("(any)"));
  EXPECT_EQ(fake_.list_aliases.requests()[0].sources(0), "k8s");
  EXPECT_EQ(fake_.list_aliases.requests()[0].users(0), "ann");
  EXPECT_EQ(Run({"alias", "list", "--csv"}).out,
            "source,alias,user\nk8s,\"a,\"\"b\"\"\",ann\n,x,\n");
}

TEST_F(PrioctlTest, AliasAddAndRemoveSendWhatIsTyped) {
  fake_.update_aliases.Answer([](const auto&, v1::ChangeResponse* response) {
    response->set_created(1);
    return grpc::Status::OK;
  });
  Run({"alias", "add", "ann", "x@y", "--source", "k8s", "--comment", "why"});
  Run({"alias", "remove", "x@y", "--validate-only"});
  const auto requests = fake_.update_aliases.requests();
  ASSERT_EQ(requests.size(), 2);
  EXPECT_EQ(requests[0].add(0).source(), "k8s");
  EXPECT_EQ(requests[0].add(0).alias(), "x@y");
  EXPECT_EQ(requests[0].add(0).user(), "ann");
  EXPECT_EQ(requests[0].options().comment(), "why");
  EXPECT_EQ(requests[1].remove(0).alias(), "x@y");
  EXPECT_EQ(requests[1].remove(0).source(), "");
  EXPECT_TRUE(requests[1].options().validate_only());
  EXPECT_EQ(Run({"alias", "add"}).exit_code, 2);
}

TEST_F(PrioctlTest, AliasAddSendsAFileInCallsOfAThousand) {
  fake_.update_aliases.Answer(
      [](const v1::UpdateAliasesRequest& request, v1::ChangeResponse* response) {
        response->set_created(request.add_size());
        return grpc::Status::OK;
      });
  const std::string path = absl::StrCat(::testing::TempDir(), "/aliases.csv");
  std::ofstream file(path);
  file << "source,alias,user\n";
  for (int i = 0; i < 1001; ++i) file << "k8s,x" << i << ",ann\n";
  file.close();
  const std::string out = Output({"alias", "add", "--file", path, "--json"});
  const auto requests = fake_.update_aliases.requests();
  ASSERT_EQ(requests.size(), 2);
  EXPECT_EQ(requests[0].add_size(), 1000);
  EXPECT_EQ(requests[1].add(0).alias(), "x1000");
  EXPECT_THAT(out, HasSubstr("1001"));
}

TEST_F(PrioctlTest, AFaultOfAnAliasNamesTheLineOfTheFile) {
  fake_.update_aliases.Answer([](const v1::UpdateAliasesRequest& request, auto*) {
    if (request.add_size() == 1000) return grpc::Status::OK;
    return grpc::Status(grpc::NOT_FOUND, "add[1].user: got \"nosuch\", want a user; add[0]: got x");
  });
  const std::string path = absl::StrCat(::testing::TempDir(), "/faulty.csv");
  std::ofstream file(path);
  file << "\xEF\xBB\xBFsource,alias,user\n# of November\n";
  for (int i = 0; i < 1002; ++i) file << "k8s,x" << i << ",ann\n";
  file.close();
  EXPECT_THAT(Failure(1, {"alias", "add", "--file", path}),
              HasSubstr(absl::StrCat("after 1000 aliases: ", path,
                                     " line 1004: user: got \"nosuch\", "
                                     "want a user; ",
                                     path, " line 1003: got x")));
  EXPECT_EQ(fake_.update_aliases.requests()[0].add(0).source(), "k8s");
}

TEST_F(PrioctlTest, AFileOfRemovedAliasesCanBeSentAgain) {
  fake_.list_aliases.Answer([](const auto&, v1::ListAliasesResponse* response) {
    v1::UserAlias* alias = response->add_aliases();
    alias->set_source("k8s");
    alias->set_alias("b");
    alias->set_user("ann");
    return grpc::Status::OK;
  });
  fake_.update_aliases.Answer([](const v1::UpdateAliasesRequest& request, auto* response) {
    response->set_deleted(request.remove_size());
    return grpc::Status::OK;
  });
  const std::string path = absl::StrCat(::testing::TempDir(), "/gone.csv");
  std::ofstream(path) << "k8s,a,ann\nk8s,b,ann\n,b,ann\n";
  Output({"alias", "remove", "--file", path, "--json"});
  ASSERT_EQ(fake_.update_aliases.requests().size(), 1u);
  ASSERT_EQ(fake_.update_aliases.requests()[0].remove_size(), 1);
  EXPECT_EQ(fake_.update_aliases.requests()[0].remove(0).alias(), "b");
  EXPECT_EQ(fake_.update_aliases.requests()[0].remove(0).source(), "k8s");
  fake_.list_aliases.Answer([](const auto&, auto*) { return grpc::Status::OK; });
  EXPECT_THAT(Run({"alias", "remove", "--file", path}).out, HasSubstr("already as wanted"));
  EXPECT_EQ(fake_.update_aliases.requests().size(), 1u);
}

TEST(AliasCsvTest, CommentsAndAByteOrderMarkAreSkippedAndSourcesOfSuchNamesAreQuoted) {
  const auto aliases = prioctl::ReadAliasCsv(
      "\xEF\xBB\xBF"
      "s1,q3,ann\n#c\n\"#s\",x,ben\n",
      "f");
  ASSERT_TRUE(aliases.ok()) << aliases.status();
  ASSERT_EQ(aliases->size(), 2);
  EXPECT_EQ((*aliases)[0].alias.source(), "s1");
  EXPECT_EQ((*aliases)[1].alias.source(), "#s");
  EXPECT_EQ((*aliases)[1].line, 3);
  google::protobuf::RepeatedPtrField<v1::UserAlias> list;
  *list.Add() = (*aliases)[1].alias;
  EXPECT_EQ(prioctl::ToAliasCsv(list), "source,alias,user\n\"#s\",x,ben\n");
}

// Characters that a terminal would not show, and those that CSV needs.
constexpr const char* kHardTexts[] = {"a\x1b[2Jb",
                                      "\xe2\x80\xae"
                                      "amy",
                                      "a\xe2\x80\x8b"
                                      "b",
                                      "a\nb",
                                      "a\r",
                                      "\r\n",
                                      "#a",
                                      "\"",
                                      "a,\"b\"",
                                      "\\u001b",
                                      " a ",
                                      "\x7f",
                                      "\t",
                                      "\xef\xbb\xbf"
                                      "x"};

void AddHardAliases(google::protobuf::RepeatedPtrField<v1::UserAlias>* list) {
  for (const char* text : kHardTexts) {
    v1::UserAlias* alias = list->Add();
    alias->set_source(text);
    alias->set_alias(text);
    alias->set_user(text);
  }
}

TEST(AliasCsvTest, WhatIsWrittenIsReadBackExactly) {
  google::protobuf::RepeatedPtrField<v1::UserAlias> list;
  AddHardAliases(&list);
  const auto read = prioctl::ReadAliasCsv(prioctl::ToAliasCsv(list), "f");
  ASSERT_TRUE(read.ok()) << read.status();
  ASSERT_EQ(read->size(), static_cast<size_t>(list.size()));
  for (int i = 0; i < list.size(); ++i) {
    EXPECT_EQ((*read)[i].alias.DebugString(), list[i].DebugString());
  }
  EXPECT_EQ((*read)[4].line, 9) << "after three cells of two lines each";
}

TEST_F(PrioctlTest, AListOfAliasesRemovesExactlyThese) {
  fake_.list_aliases.Answer([](const auto&, v1::ListAliasesResponse* response) {
    AddHardAliases(response->mutable_aliases());
    return grpc::Status::OK;
  });
  fake_.update_aliases.Answer([](const auto&, auto*) { return grpc::Status::OK; });
  const Finished list = Run({"alias", "list", "--csv"});
  ASSERT_EQ(list.exit_code, 0) << list.err;
  const Finished removed =
      Run({"alias", "remove", "--file", WriteFile("hard_aliases.csv", list.out)});
  EXPECT_EQ(removed.exit_code, 0) << removed.err;
  const auto requests = fake_.update_aliases.requests();
  ASSERT_EQ(requests.size(), 1u);
  v1::UpdateAliasesRequest wanted;
  AddHardAliases(wanted.mutable_remove());
  ASSERT_EQ(requests[0].remove_size(), wanted.remove_size());
  for (int i = 0; i < wanted.remove_size(); ++i) {
    EXPECT_EQ(requests[0].remove(i).DebugString(), wanted.remove(i).DebugString());
  }
}

// What prioctl prints on a terminal.
std::string ShownOnTerminal(const std::vector<std::string>& arguments) {
  const std::string program = std::filesystem::absolute("client/prioctl");
  std::vector<char*> argv = {const_cast<char*>(program.c_str())};
  for (const std::string& text : arguments) argv.push_back(const_cast<char*>(text.c_str()));
  argv.push_back(nullptr);
  int terminal = -1;
  const pid_t pid = forkpty(&terminal, nullptr, nullptr, nullptr);
  if (pid == 0) {
    execv(program.c_str(), argv.data());
    _exit(127);
  }
  std::string shown;
  char bytes[4096];
  for (ssize_t count = 0; (count = read(terminal, bytes, sizeof bytes)) > 0;) {
    shown.append(bytes, count);
  }
  close(terminal);
  waitpid(pid, nullptr, 0);
  return shown;
}

TEST_F(PrioctlTest, ATerminalIsShownTheHiddenCharactersOfAnAlias) {
  fake_.list_aliases.Answer([](const auto&, v1::ListAliasesResponse* response) {
    response->add_aliases()->set_alias("a\x1b[2Jb");
    response->add_aliases()->set_alias(
        "\xe2\x80\xae"
        "amy");
    return grpc::Status::OK;
  });
  EXPECT_EQ(ShownOnTerminal({"--server", fake_.address(), "alias", "list", "--csv"}),
            "source,alias,user\r\n,a\\u001b[2Jb,\r\n,\\u202eamy,\r\n");
}

TEST(AliasCsvTest, QuotedCellsAreReadBack) {
  const auto aliases = prioctl::ReadAliasCsv("source,alias,user\r\n\n,\"a,\"\"b\"\"\",ann\n", "f");
  ASSERT_TRUE(aliases.ok()) << aliases.status();
  ASSERT_EQ(aliases->size(), 1);
  EXPECT_EQ((*aliases)[0].alias.source(), "");
  EXPECT_EQ((*aliases)[0].alias.alias(), "a,\"b\"");
  EXPECT_EQ((*aliases)[0].alias.user(), "ann");
}

TEST(AliasCsvTest, AWrongLineIsNamed) {
  EXPECT_EQ(prioctl::ReadAliasCsv("k8s,x,ann\nk8s,x\n", "f").status().message(),
            "f line 2: got 2 cells, want source,alias,user");
  EXPECT_EQ(prioctl::ReadAliasCsv("k8s,\"x,ann", "f").status().message(),
            "f line 1: got an open quote, want source,alias,user");
}

}  // namespace
}  // namespace priorityd
