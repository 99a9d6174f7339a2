// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// lq protect: sidecars with parity written, or compared with their files.
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <limequat/json.hpp>
#include <limequat/protect.hpp>

#include "base/text.hpp"
#include "cli/arguments.hpp"
#include "cli/command.hpp"
#include "cli/exit_code.hpp"
#include "cli/progress.hpp"
#include "cli/text.hpp"

namespace lq::cli {
namespace {

struct Protect {
  std::vector<std::string> paths;
  ProtectOptions options;

  int run(Session& session) const {
    return for_each_file(session, {paths.front()}, [&](const std::string& first) {
      const ProtectReport report =
          with_bar(session, options.check ? "checking" : "protecting", options,
                   [&](const ProtectOptions& how) { return protect(paths, session.communicator, how); });
      if (session.json) {
        session.out.line(to_json(report));
      } else if (options.check) {
        tell_checked(session, report);
      } else if (!session.quiet) {
        tell_written(session, report);
      }
      cli::tell(session, first, report.findings);
      return report.ok ? fine : differs;
    });
  }

  static void tell_written(Session& session, const ProtectReport& report) {
    for (const std::string& sidecar : report.sidecars) session.out.line(printable(sidecar));
    const double share =
        report.bytes == 0 ? 0 : static_cast<double>(report.sidecar_bytes) / static_cast<double>(report.bytes);
    session.out.line(fmt::format("{} of {} protected by {}, {:.1f} % of their size", count(report.files.size(), "file"),
                                 base::human_bytes(report.bytes), count(report.sidecars.size(), "sidecar"),
                                 100 * share));
  }

  // The findings report what is wrong.
  static void tell_checked(Session& session, const ProtectReport& report) {
    for (const ProtectedFile& file : report.files) {
      if (session.quiet && file.state == ProtectedState::intact) continue;
      session.out.line(
          fmt::format("{}: {}{}", printable(file.path), file.is_missing ? "missing, " : "",
                      file.state == ProtectedState::damaged ? "damaged; all of it can be restored" : name(file.state)));
    }
  }
};

}  // namespace

Run declare_protect(Arguments& arguments) {
  const auto protect = std::make_shared<Protect>();
  arguments.files("FILE", protect->paths, "files, and folders with all their contents");
  declare_options(arguments, "protect", "ProtectOptions", protect->options);
  return [protect](Session& session) { return protect->run(session); };
}

}  // namespace lq::cli
