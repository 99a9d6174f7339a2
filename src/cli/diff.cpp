// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// lq diff: two fields, number by number.
#include <memory>

#include <fmt/format.h>
#include <limequat/inspect.hpp>
#include <limequat/json.hpp>

#include "base/json_writer.hpp"
#include "cli/checkpoint.hpp"
#include "cli/command.hpp"
#include "cli/exit_code.hpp"
#include "cli/numbered_name.hpp"
#include "cli/progress.hpp"
#include "cli/text.hpp"

namespace lq::cli {
namespace {

struct Diff {
  std::string a, b;
  double tolerance = 0;
  std::string field;

  int compare(Session& session) const {
    if (!(tolerance >= 0)) throw UsageError("--tol: the tolerance must not be negative");
    const NumberedName wanted = parse_numbered_name(field);
    Difference difference;
    {
      ProgressBar bar(session, "comparing");
      difference =
          lq::diff(with_fields(a, session.communicator), with_fields(b, session.communicator), session.communicator,
                   {.tolerance = tolerance, .field = wanted.name, .index = wanted.index, .progress = bar.callback()});
    }
    if (session.json) {
      base::JsonWriter json;
      json.begin_object().raw_members(to_json(difference));
      json.member("path", a).member("other", b).member("tolerance", tolerance).end_object();
      session.out.line(json.take());
    } else {
      show(session, difference);
    }
    return difference.same ? fine : differs;
  }

  void show(Session& session, const Difference& difference) const {
    Output& out = session.out;
    if (session.quiet && difference.same) return;
    const std::string within = tolerance > 0 ? fmt::format(" by more than {:g}", tolerance) : "";
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
  arguments.number("--tol", diff->tolerance, "absolute differences up to X are none (default 0)");
  arguments.text("--field", "NAME", diff->field, "which field; NAME:N is number N of that name (default: the first)");
  return [diff](Session& session) { return diff->compare(session); };
}

}  // namespace lq::cli
