// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// lq cat: the bytes of one record.
#include <memory>

#include <limequat/inspect.hpp>

#include "cli/arguments.hpp"
#include "cli/command.hpp"
#include "cli/exit_code.hpp"

namespace lq::cli {
namespace {

// The reader of our output has gone; thrown through read_record to stop it.
struct NobodyReads {};

struct Cat {
  std::string file;
  std::string name;

  int print(Session& session) const {
    const NumberedName wanted = parse_numbered_name(name);
    const auto sink = [&](const void* data, std::uint64_t bytes) {
      session.out.write_data({static_cast<const char*>(data), static_cast<std::size_t>(bytes)}, session.mpi != "none");
      if (!session.out.wants_more()) throw NobodyReads();
    };
    return at_root(session, [&] {
      try {
        read_record(file, wanted.name, wanted.index, sink);
      } catch (const NobodyReads&) {
        // Whether that is an error, run() decides.
      }
      return fine;
    });
  }
};

}  // namespace

Run declare_cat(Arguments& arguments) {
  const auto cat = std::make_shared<Cat>();
  arguments.file("FILE", cat->file, "file to read");
  arguments.word("NAME", cat->name, "type of the record, NAME:N is number N of it, from 0; or field of a checkpoint");
  return [cat](Session& session) {
    return for_each_file(session, {cat->file}, [&](const std::string&) { return cat->print(session); });
  };
}

}  // namespace lq::cli
