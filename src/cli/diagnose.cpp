// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// lq diagnose: what is wrong with a file, in words, and the evidence for it.
#include <limequat/diagnose.hpp>

#include <memory>

#include <fmt/format.h>
#include <limequat/json.hpp>

#include "cli/arguments.hpp"
#include "cli/command.hpp"
#include "cli/exit_code.hpp"
#include "cli/progress.hpp"
#include "cli/text.hpp"

namespace lq::cli {
namespace {

std::string letters_of(const std::vector<int>& directions) {
  std::string text;
  for (const int d : directions) text += directions.size() == 4 ? std::string(1, "xyzt"[d]) : fmt::format("{}", d);
  return text.empty() ? "by process" : text;
}

// If numbers are distributed over arrays, the order of all their axes describes them.
bool is_dealt(const Reading& reading) {
  return !reading.sites.empty() && !reading.axes.empty() &&
         std::string_view("xyzt0123").find(reading.axes.front()) == std::string_view::npos;
}

std::string bytes_text(const Reading& reading) {
  return fmt::format("{}{}{}{}{}", reading.byte_order == ByteOrder::big ? "big" : "little",
                     reading.halves_exchanged ? ", words exchanged" : "",
                     reading.parts == ComplexParts::interleaved ? ""
                     : reading.parts == ComplexParts::exchanged ? ", im re"
                                                                : ", re and im apart",
                     reading.third_rows_missing ? ", two rows" : "", reading.record_marks > 0 ? ", in records" : "") +
         (is_dealt(reading) ? fmt::format(", {}", reading.axes) : "");
}

std::string sites_text(const Reading& reading, const Extents& lattice) {
  return letters_of(reading.sites) + (reading.parity.empty() ? "" : fmt::format(", {} first", reading.parity)) +
         (reading.lattice == lattice ? "" : fmt::format(" of {}", to_string(reading.lattice)));
}

std::string plaquette_text(const Reading& reading) {
  if (!reading.plaquette) return "-";
  if (reading.plaquette_error == 0) return fmt::format("{:.10f}", *reading.plaquette);
  return fmt::format("{:.4f} +- {:.4f}", *reading.plaquette, reading.plaquette_error);
}

struct DiagnoseArguments {
  std::vector<std::string> files;
  DiagnoseOptions options;

  int look_at(Session& session, const std::string& path) const {
    return at_root(session, [&] {
      DiagnoseOptions how = options;
      const NumberedName wanted = parse_numbered_name(options.field);
      how.field = wanted.name;
      how.index = wanted.index;
      const Diagnosis diagnosis =
          with_bar(session, path, how, [&](const DiagnoseOptions& with) { return diagnose(path, with); });
      if (session.json) {
        session.out.line(to_json(diagnosis));
      } else if (!session.quiet || !diagnosis.ok) {
        show(session, diagnosis);
      }
      return diagnosis.ok ? fine : differs;
    });
  }

  static void show(Session& session, const Diagnosis& diagnosis) {
    Output& out = session.out;
    out.line(fmt::format("{}: {}", diagnosis.path, diagnosis.ok ? "nothing is wrong" : "WRONG"));
    for (const std::string& sentence : split(diagnosis.verdict, '\n')) out.line("  " + sentence);
    for (const Finding& one : diagnosis.findings) {
      if (one.severity == Severity::warning || (one.severity == Severity::note && session.verbose)) {
        out.line(fmt::format("  {}: {}", name(one.severity), one.message));
      }
    }
    if (diagnosis.rewritten) {
      out.line(fmt::format("  written: {}, checksum {}", diagnosis.rewritten->path,
                           to_string(diagnosis.rewritten->checksum)));
    } else if (!diagnosis.remedy.empty()) {
      out.line("  what to do: " + in_arguments(diagnosis.remedy));
    }
    show_evidence(out, diagnosis);
  }

  static void show_evidence(Output& out, const Diagnosis& diagnosis) {
    if (diagnosis.plaquette) out.line(fmt::format("  plaquette stated: {:.10g}", *diagnosis.plaquette));
    if (diagnosis.stored) out.line(fmt::format("  checksum stated: {}", to_string(*diagnosis.stored)));
    if (diagnosis.computed) out.line(fmt::format("  checksum of the data: {}", to_string(*diagnosis.computed)));
    if (diagnosis.grid) {
      out.line(fmt::format("  site orders compared with the checksum: {} in {}", diagnosis.grid->tried,
                           human_seconds(diagnosis.grid->seconds)));
    }
    if (diagnosis.readings.empty()) return;
    Table table({"  READING", "BYTES", ">FROM BYTE", "SITES", "LINKS", "ROWS, COLUMNS", ">|U U+ - 1|", ">|DET - 1|",
                 ">PLAQUETTE"});
    int number = 0;
    for (const Reading& one : diagnosis.readings) {
      table.row({fmt::format("  {} {}{}", ++number, name(one.precision), one.is_declared ? ", as stated" : ""),
                 bytes_text(one), std::to_string(one.offset), sites_text(one, diagnosis.extents), letters_of(one.links),
                 one.is_transposed ? "exchanged" : "as usual", fmt::format("{:.1e}", one.unitarity),
                 fmt::format("{:.1e}", one.determinant), plaquette_text(one)});
    }
    out.write(table.text());
  }
};

}  // namespace

Run declare_diagnose(Arguments& arguments) {
  const auto diagnose = std::make_shared<DiagnoseArguments>();
  arguments.files("FILE", diagnose->files, "files to examine");
  arguments.reads_contents();
  declare_options(arguments, "diagnose", "DiagnoseOptions", diagnose->options);
  return [diagnose](Session& session) {
    return for_each_file(session, diagnose->files,
                         [&](const std::string& path) { return diagnose->look_at(session, path); });
  };
}

}  // namespace lq::cli
