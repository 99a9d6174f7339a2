// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// lq modes: sets of vectors with eigenvalues listed, described, verified and converted.
#include <algorithm>
#include <iterator>
#include <memory>
#include <type_traits>

#include <fmt/format.h>
#include <limequat/inspect.hpp>
#include <limequat/json.hpp>
#include <limequat/modes.hpp>

#include "base/json_writer.hpp"
#include "cli/command.hpp"
#include "cli/exit_code.hpp"
#include "cli/progress.hpp"
#include "cli/text.hpp"
#include "cli/verify.hpp"

namespace lq::cli {
namespace {

using modes::Description;
using modes::Mode;

std::string complex_text(std::complex<double> number) {
  return number.imag() == 0 ? fmt::format("{}", number.real()) : fmt::format("{} {:+}i", number.real(), number.imag());
}

std::string value_text(const modes::Value& value) {
  return std::visit(
      [](const auto& held) {
        if constexpr (std::is_same_v<std::remove_cvref_t<decltype(held)>, std::complex<double>>) {
          return complex_text(held);
        } else if constexpr (std::is_same_v<std::remove_cvref_t<decltype(held)>, std::string>) {
          return printable(held);
        } else {
          return fmt::format("{}", held);
        }
      },
      value);
}

// "spinor, 3 colors, 4 spins, on the even sites, Ls 12"
std::string site_text(const Description& description) {
  const FieldSpec& site = description.site;
  std::string text(name(site.kind));
  if (site.kind == FieldKind::generic) {
    text += fmt::format(", {} {} numbers", site.numbers, site.is_complex ? "complex" : "real");
  } else {
    text += fmt::format(", {} colors, {} spins", site.colors, site.spins);
  }
  if (description.parity != modes::Parity::both) text += fmt::format(", on the {} sites", name(description.parity));
  if (description.ls > 1) text += fmt::format(", Ls {}", description.ls);
  return text;
}

void put(base::JsonWriter& json, const Description& description) {
  const FieldSpec& site = description.site;
  json.member("lattice", to_string(description.lattice)).member("sites", to_string(description.sites()));
  json.member("kind", name(site.kind)).member("colors", site.colors).member("spins", site.spins);
  json.member("numbers", site.numbers).member("storage", name(description.storage));
  json.member("parity", name(description.parity)).member("ls", description.ls);
  json.member("operator", description.operator_name);
  if (description.coherence.basis > 0) {
    const auto& coherence = description.coherence;
    json.member("basis", coherence.basis).member("block", to_string(coherence.block));
    json.member("tolerance", coherence.tolerance);
  }
  json.key("parameters").begin_array();
  for (const modes::Parameter& parameter : description.parameters) {
    json.begin_object().member("name", parameter.name).key("value");
    std::visit(
        [&](const auto& held) {
          if constexpr (std::is_same_v<std::remove_cvref_t<decltype(held)>, std::complex<double>>) {
            json.begin_array().value(held.real()).value(held.imag()).end_array();
          } else {
            json.value(held);
          }
        },
        parameter.value);
    json.end_object();
  }
  json.end_array();
}

struct ModesArguments {
  std::string what;
  std::vector<std::string> files;
  std::string storage, format, parity, lattice, strategy;
  Extents block;
  std::uint64_t first = 0, last = ~std::uint64_t{0};
  std::uint64_t ls = 1, basis = 0;
  double tolerance = modes::Coherence{}.tolerance;
  bool overwrite = false;

  modes::Unsaid unsaid() const {
    modes::Unsaid unsaid{.ls = static_cast<std::int64_t>(ls)};
    if (!parity.empty()) unsaid.parity = parity == "odd" ? modes::Parity::odd : modes::Parity::even;
    if (!lattice.empty()) unsaid.lattice = parse_extents(lattice);
    return unsaid;
  }

  int run(Session& session) const {
    if (what == "convert") return convert(session);
    return for_each_file(session, files, [&](const std::string& path) {
      if (what == "verify") return verify(session, path);
      const modes::Set set(path, session.communicator, {}, unsaid());
      int code = fine;
      for (std::uint64_t k = 0; k < set.file_count(); ++k) {
        const Catalog& catalog = set.file(k).catalog();
        tell(session, catalog.path, catalog.findings);
        code = worse(code, exit_code_of(catalog));
      }
      return worse(code, at_root(session, [&] {
                     if (session.json) {
                       session.out.line(json_of(set));
                     } else {
                       what == "ls" ? list(session, set) : describe(session, set);
                     }
                     return fine;
                   }));
    });
  }

  std::string json_of(const modes::Set& set) const {
    base::JsonWriter json;
    json.begin_object().member("path", path_of(set)).member("count", set.size()).member("family", set.family());
    put(json, set.description());
    if (what == "ls") {
      json.key("modes").begin_array();
      for (std::size_t k = 0; k < set.size(); ++k) {
        const Mode& mode = set.modes()[k];
        const FieldEntry& field = set.field(k);
        json.begin_object().key("eigenvalue").begin_array();
        json.value(mode.eigenvalue.real()).value(mode.eigenvalue.imag()).end_array().member("residual", mode.residual);
        if (mode.error) json.member("error", *mode.error);
        json.member("offset", field.payload.offset).member("length", field.payload.length);
        json.member("checksum", to_string(field.sums.checksum().value_or(Checksum{}))).end_object();
      }
      json.end_array();
    }
    return json.end_object().take();
  }

  static void list(Session& session, const modes::Set& set) {
    session.out.line(fmt::format("{}: {}", path_of(set), count(set.size(), "mode")));
    if (set.size() == 0) return;
    const bool has_errors = set.description().coherence.basis > 0;
    Table table({">mode", ">eigenvalue", ">residual", has_errors ? ">error" : "", ">offset", "checksum"});
    for (std::size_t k = 0; k < set.size(); ++k) {
      const Mode& mode = set.modes()[k];
      const FieldEntry& field = set.field(k);
      const auto small = [](std::optional<double> number) {
        return number ? fmt::format("{:.3g}", *number) : std::string("-");
      };
      const std::optional<Checksum> stored = field.sums.checksum();
      table.row({std::to_string(k), complex_text(mode.eigenvalue), small(mode.residual), small(mode.error),
                 std::to_string(field.payload.offset), stored ? to_string(*stored) : "-"});
    }
    session.out.write(table.text());
  }

  static void describe(Session& session, const modes::Set& set) {
    const Description& description = set.description();
    session.out.line(fmt::format("{}: {}", path_of(set), count(set.size(), "mode")));
    const auto fact = [&](std::string_view key, const std::string& value) {
      session.out.line(fmt::format("  {:<10}  {}", key, value));
    };
    fact("lattice", to_string(description.lattice));
    fact("vectors", site_text(description));
    fact("storage", std::string(name(description.storage)));
    if (const modes::Coherence& coherence = description.coherence; coherence.basis > 0) {
      fact("coherence", fmt::format("{} whole, of the others coefficients for blocks of {}, wrong by at most {}",
                                    count(coherence.basis, "mode"), to_string(coherence.block), coherence.tolerance));
    }
    std::uint64_t bytes = 0;
    for (std::uint64_t k = 0; k < set.file_count(); ++k) bytes += set.file(k).catalog().file_bytes;
    if (set.family() != "modes") fact("written by", std::string(set.family()));
    fact("file", fmt::format("{} bytes", bytes));
    if (!description.operator_name.empty()) fact("operator", printable(description.operator_name));
    for (const modes::Parameter& parameter : description.parameters) {
      fact("parameter", fmt::format("{} = {}", printable(parameter.name), value_text(parameter.value)));
    }
    if (set.size() == 0) return;
    fact("modes", fmt::format("{} to {}", complex_text(set.modes().front().eigenvalue),
                              complex_text(set.modes().back().eigenvalue)));
  }

  // The file, or the folder of its files.
  static std::string path_of(const modes::Set& set) {
    const std::string& first = set.file().catalog().path;
    return set.file_count() == 1 ? first : first.substr(0, first.rfind('/'));
  }

  int verify(Session& session, const std::string& path) const {
    const modes::Set set(path, session.communicator, {}, unsaid());
    Verification verification = with_bar(session, path, VerifyOptions{}, [&](const VerifyOptions& how) {
      return modes::verify(set, session.communicator, how);
    });
    verification.path = path;
    return at_root(session, [&] {
      if (session.json) {
        session.out.line(to_json(verification));
      } else {
        show(session, path, set.size(), verification);
      }
      return verification.ok ? fine : differs;
    });
  }

  static void show(Session& session, const std::string& path, std::uint64_t modes, const Verification& verification) {
    session.out.line(fmt::format("{}: {} ({})", path, verification.ok ? "OK" : verdict_word(verification.verdict),
                                 count(modes, "mode")));
    for (const FieldVerdict& field : verification.fields) {
      if (field.status != ChecksumStatus::mismatch) continue;
      session.out.line(fmt::format("  mode {}: damaged{}", field.index,
                                   field.damaged_slices.empty()
                                       ? std::string()
                                       : fmt::format(", time slices {}", fmt::join(field.damaged_slices, ", "))));
    }
    for (const Finding& finding : verification.findings) {
      if (finding.severity != Severity::note || session.verbose) session.out.line("  " + finding_line(path, finding));
    }
  }

  int convert(Session& session) const {
    if (files.size() != 2) throw UsageError("convert takes two files: the set, and the file to write");
    modes::ConvertOptions options{
        .first = first, .last = last, .overwrite = overwrite, .unsaid = unsaid(), .format = format};
    if (!storage.empty()) options.storage = modes::parse_storage(storage);
    if (!strategy.empty()) options.route.strategy = parse_strategy(strategy);
    if (basis > 0) {
      if (block.size() == 0) throw UsageError("--basis needs --block, the sites of one block: --block 4x4x4x4");
      options.coherence = modes::Coherence{.basis = basis, .block = block, .tolerance = tolerance};
    }
    Report report;
    const EndsBySignals ending;
    const std::uint64_t modes = modes::convert(files[0], files[1], session.communicator, options, &report);
    return at_root(session, [&] {
      if (session.json) {
        session.out.object("path", files[1], "count", modes, "warnings", report.warnings);
      } else if (!session.quiet) {
        session.out.line(fmt::format("{}: {}", files[1], count(modes, "mode")));
      }
      for (const std::string& warning : report.warnings) session.complain("warning: " + warning);
      return fine;
    });
  }
};

}  // namespace

Run declare_modes(Arguments& arguments) {
  const auto modes = std::make_shared<ModesArguments>();
  arguments.word("WHAT", modes->what,
                 "ls: list every mode; info: show common properties of the modes; verify: check all checksums and show "
                 "where damage is; convert: SET OUT, write a new set of some modes, or in another number format",
                 {"ls", "info", "verify", "convert"});
  arguments.files("SET", modes->files, "sets of modes");
  arguments.reads_contents();
  arguments.text("--storage", "HOW", modes->storage, "convert: number format of the new set (default: unchanged)",
                 {"double", "single", "fixed16"});
  arguments.number("--first", modes->first, "convert: the first mode, from 0");
  arguments.number("--last", modes->last, "convert: the mode after the last one");
  arguments.text("--format", "NAME", modes->format, "convert: format of the new set (default: modes)",
                 {"modes", "quda", "milc", "grid", "grid-folder", "mod"});
  arguments.number("--basis", modes->basis,
                   "convert: number of modes stored whole; all later modes are stored as their coefficients in each "
                   "block of sites (default 0: store every mode whole)");
  arguments.extents("--block", "XxYxZxT", modes->block, "convert: with --basis, the sites of a block");
  arguments.number("--tolerance", modes->tolerance,
                   "convert: with --basis, the largest error of a mode relative to its norm; modes with larger errors "
                   "are stored whole (default 0.01)");
  arguments.text("--strategy", "S", modes->strategy, "convert: how the ranks of lq-mpi write (default auto)",
                 {"auto", "direct", "shared", "messages"});
  arguments.number("--ls", modes->ls, "extent of the fifth dimension, which QUDA files do not state (default 1)");
  arguments.text("--parity", "P", modes->parity,
                 "parity of vectors on half of the sites, which Grid files do not state", {"even", "odd"});
  arguments.text("--lattice", "XxYxZxT", modes->lattice, "extents, which folders of eigen-comp do not always state");
  arguments.flag("--overwrite,--force", modes->overwrite, "convert: replace an existing file");
  return [modes](Session& session) { return modes->run(session); };
}

}  // namespace lq::cli
