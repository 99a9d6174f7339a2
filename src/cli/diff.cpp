// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// lq diff: the fields of two files, number by number.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <limequat/inspect.hpp>
#include <limequat/json.hpp>

#include "base/json_writer.hpp"
#include "cli/arguments.hpp"
#include "cli/checkpoint.hpp"
#include "cli/command.hpp"
#include "cli/exit_code.hpp"
#include "cli/progress.hpp"
#include "cli/text.hpp"

namespace lq::cli {
namespace {

struct Diff {
  std::string a, b;
  DiffOptions options;

  int compare(Session& session) const {
    Difference difference;
    {
      ProgressBar bar(session, "comparing");
      DiffOptions how = options;
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

  // " of field "gauge"", " of 3 fields"; the names of many are in the JSON.
  static std::string of_fields(const Difference& difference) {
    const std::vector<std::string>& fields = difference.fields;
    if (fields.size() == 1) return fmt::format(" of field \"{}\"", printable(fields.front()));
    constexpr std::size_t few = 6;
    std::string names;
    for (std::size_t k = 0; k < std::min(fields.size(), few); ++k) {
      names += fmt::format("{}\"{}\"", k == 0 ? "" : ", ", printable(fields[k]));
    }
    if (fields.size() > few) names += ", ...";
    return fmt::format(" of {} fields ({})", fields.size(), names);
  }

  void show(Session& session, const Difference& difference) const {
    Output& out = session.out;
    if (session.quiet && difference.same) return;
    const std::string within = options.tolerance > 0 ? fmt::format(" by more than {:g}", options.tolerance) : "";
    const std::string all = count(difference.compared_numbers, "number") + of_fields(difference);
    out.line(difference.differing_numbers == 0
                 ? fmt::format("{} and {}: none of {} differs{}", a, b, all, within)
                 : fmt::format("{} and {}: {} of {} differ{}", a, b, difference.differing_numbers, all, within));
    for (const std::string& field : difference.unpaired) out.line("  not compared: " + printable(field));
    if (difference.largest_absolute != 0) {
      out.line(fmt::format("  largest absolute difference  {:.6g}", difference.largest_absolute));
      out.line(fmt::format("    {}at site ({}), number {}: {:.17g} and {:.17g}",
                           difference.fields.size() > 1 ? fmt::format("of \"{}\" ", printable(difference.field)) : "",
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
