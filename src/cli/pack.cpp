// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// lq pack: files as the logical files of a multifile.
#include <memory>

#include "cli/command.hpp"
#include "cli/repack_arguments.hpp"

namespace lq::cli {
namespace {

struct Pack {
  std::string to;
  std::vector<std::string> inputs;
  RepackArguments how;

  int run(Session& session) const {
    return how.carry_out(session, to, "packed",
                         [&](const RepackOptions& options) { return lq::pack(to, inputs, options); });
  }
};

}  // namespace

Run declare_pack(Arguments& arguments) {
  const auto pack = std::make_shared<Pack>();
  arguments.file("OUT", pack->to, "multifile to write");
  arguments.files("IN", pack->inputs, "files, each of which becomes a logical file");
  pack->how.declare(arguments, "pack");
  return [pack](Session& session) {
    return for_each_file(session, {pack->to}, [&](const std::string&) { return pack->run(session); });
  };
}

}  // namespace lq::cli
