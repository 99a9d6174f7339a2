// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// lq unpack: the records of a file as files.
#include <memory>

#include "cli/command.hpp"
#include "cli/repack_arguments.hpp"

namespace lq::cli {
namespace {

struct Unpack {
  std::string from;
  std::string folder = ".";
  RepackArguments how;

  int run(Session& session) const {
    return how.carry_out(session, from, "unpacked",
                         [&](const RepackOptions& options) { return lq::unpack(from, folder, options); });
  }
};

}  // namespace

Run declare_unpack(Arguments& arguments) {
  const auto unpack = std::make_shared<Unpack>();
  arguments.file("FILE", unpack->from, "file to unpack");
  arguments.text("-d,--directory", "DIR", unpack->folder,
                 "where the files go (default: here); made if it is not there");
  unpack->how.declare(arguments, "unpack");
  return [unpack](Session& session) {
    return for_each_file(session, {unpack->from}, [&](const std::string&) { return unpack->run(session); });
  };
}

}  // namespace lq::cli
