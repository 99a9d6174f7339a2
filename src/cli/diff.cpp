// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// lq diff: two fields, number by number.
#include <memory>

#include <fmt/format.h>
#include <limequat/inspect.hpp>
#include <limequat/json.hpp>

#include "base/json_writer.hpp"
#include "cli/arguments.hpp"
#include "cli/checkpoint.hpp"
#include "cli/command.hpp"
#include "cli/exit_code.hpp"
#include "cli/option_arguments.hpp"
#include "cli/progress.hpp"
#include "cli/text.hpp"

namespace lq::cli {
namespace {

struct Diff {
  std::string a, b;
  DiffOptions options;

  int compare(Session& session) const {
    const NumberedName wanted = parse_numbered_name(options.field);
    Difference difference;
    {
      ProgressBar bar(session, "comparing");
      DiffOptions how = options;
      how.field = wanted.name;
      how.index = wanted.index;
      how.progress = bar.callback();
      difference = lq::diff(with_fields(a, session.communicator, how.limits),
                            with_fields(b, session.communicator, how.limits), session.communicator, how);
    }
    if (session.json) {
      base::JsonWriter json;
      json.begin_object().raw_members(to_json(difference));
      json.member("path", a).member("other", b).member("tolerance", options.tolerance).end_object();
      session.out.line(json.take());
    } else {
      show(session, difference);
    }
    return difference.same ? fine : differs;
  }

  void show(Session& session, const Difference& difference) const {
    Output& out = session.out;
    if (session.quiet && difference.same) return;
    const std::string within = options.tolerance > 0 ? fmt::format(" by more than {:g}", options.tolerance) : "";
    const std::string all = count(difference.compared_numbers, "number");
    out.line(difference.same
                 ? fmt::format("{} and {}: none of {} differs{}", a, b, all, within)
                 : fmt::format("{} and {}: {} of {} differ{}", a, b, difference.differing_numbers, all, within));
    if (difference.largest_absolute != 0) {
      out.line(fmt::format("  largest absolute difference  {:.6g}", difference.largest_absolute));
      out.line(fmt::format("    at site ({}), number {}: {:.17g} and {:.17g}",
                           fmt::join(difference.site.begin(), difference.site.end(), ","), difference.number,
                           difference.a, difference.b));
      out.line(fmt::format("  largest relative difference  {:.6g}", difference.largest_relative));
    }
    if (session.quiet) return;
    for (const std::string& sentence : difference.metadata) out.line("  metadata: " + printable(sentence));
  }
};

}  // namespace

Run declare_diff(Arguments& arguments) {
  const auto diff = std::make_shared<Diff>();
  arguments.file("A", diff->a, "a file, or a checkpoint, of which the fields are meant");
  arguments.file("B", diff->b, "another, of any format and precision");
  declare_options(arguments, "diff", "DiffOptions", diff->options);
  return [diff](Session& session) { return diff->compare(session); };
}

}  // namespace lq::cli
