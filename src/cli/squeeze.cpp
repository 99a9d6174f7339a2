// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// lq squeeze, lq unsqueeze: a file compressed to half its size, and back.
#include <memory>

#include <fmt/format.h>
#include <limequat/json.hpp>
#include <limequat/squeeze.hpp>

#include "base/text.hpp"
#include "cli/arguments.hpp"
#include "cli/command.hpp"
#include "cli/exit_code.hpp"
#include "cli/progress.hpp"
#include "cli/text.hpp"

namespace lq::cli {
namespace {

struct Squeezing {
  bool restores = false;
  std::string from, to;
  SqueezeOptions options;

  int run(Session& session) const {
    return for_target(session, to, [&](const std::string& target) {
      const auto work = restores ? &unsqueeze : &squeeze;
      tell(session,
           with_bar(session, restores ? "restoring" : "squeezing", options,
                    [&](const SqueezeOptions& how) { return work(from, target, session.communicator, how); }),
           target);
      return fine;
    });
  }

  void tell(Session& session, const SqueezeReport& report, const std::string& target) const {
    if (session.json) {
      session.out.object("path", target, report);
    } else if (!session.quiet) {
      const std::string original = base::human_bytes(report.original_bytes);
      const std::string archive = base::human_bytes(report.archive_bytes);
      const double share = static_cast<double>(report.archive_bytes) / static_cast<double>(report.original_bytes);
      session.out.line(restores ? fmt::format("{}: {}, {} restored out of {}", target, report.format, original, archive)
                                : fmt::format("{}: {} squeezed into {}, {:.3f} of the size of the {} file", target,
                                              original, archive, share, report.format));
    }
  }
};

Run declare(Arguments& arguments, const char* verb, bool restores) {
  const auto squeezing = std::make_shared<Squeezing>();
  squeezing->restores = restores;
  arguments.file(restores ? "ARCHIVE" : "FILE", squeezing->from, restores ? "archive" : "file to squeeze");
  arguments.reads_contents();
  arguments.file(restores ? "FILE" : "ARCHIVE", squeezing->to, "file to write");
  declare_options(arguments, verb, "SqueezeOptions", squeezing->options);
  return [squeezing](Session& session) { return squeezing->run(session); };
}

}  // namespace

Run declare_squeeze(Arguments& arguments) { return declare(arguments, "squeeze", false); }
Run declare_unsqueeze(Arguments& arguments) { return declare(arguments, "unsqueeze", true); }

}  // namespace lq::cli
