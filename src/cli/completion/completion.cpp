// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// lq completion SHELL: run at build time for the files that are installed, or by the user:
//   source <(lq completion bash)
#include <memory>

#include "cli/command.hpp"
#include "cli/completion/shells.hpp"
#include "cli/exit_code.hpp"

namespace lq::cli {
namespace {

std::vector<VerbArguments> visible_verbs() {
  std::vector<VerbArguments> verbs;
  for (const Command& command : commands()) {
    if (command.hidden) continue;
    Session session("lq", Communicator());
    Arguments arguments;
    declare(command, session, arguments);
    std::vector<Argument> all = arguments.all();
    bool help = false;
    Arguments common;
    common.flag("-h,--help", help, "what the verb takes");
    all.push_back(common.all().front());
    verbs.push_back({std::string(command.name), std::string(command.summary), all});
  }
  return verbs;
}

}  // namespace

Run declare_completion(Arguments& arguments) {
  const auto shell = std::make_shared<std::string>();
  arguments.word("SHELL", *shell, "which shell", {"bash", "zsh", "fish"});
  return [shell](Session& session) {
    const std::vector<VerbArguments> verbs = visible_verbs();
    session.out.write(*shell == "bash"  ? bash_completion(verbs)
                      : *shell == "zsh" ? zsh_completion(verbs)
                                        : fish_completion(verbs));
    return fine;
  };
}

}  // namespace lq::cli
