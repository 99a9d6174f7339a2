// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// lq verify: a verdict per file, and where it is damaged.
#include "cli/verify.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <limequat/ensemble.hpp>
#include <limequat/file.hpp>
#include <limequat/inspect.hpp>
#include <limequat/json.hpp>

#include "base/ordered_results.hpp"
#include "cli/arguments.hpp"
#include "cli/below.hpp"
#include "cli/command.hpp"
#include "cli/exit_code.hpp"
#include "cli/progress.hpp"
#include "cli/session.hpp"
#include "cli/text.hpp"
#include "comm/alone.hpp"
#include "comm/team.hpp"
#include "io/new_file.hpp"
#include "sets/checkpoint/repair.hpp"
#include "storage/listed_folders.hpp"

namespace lq::cli {
namespace {

// "scidac, scidac of slices, weighted of slices": which sums were compared; some detect more than others.
std::string compared_text(const FieldVerdict& field) {
  std::vector<std::string> names;
  for (const SumName& name : field.compared) names.push_back(to_string(name));
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string checksum_text(const FieldVerdict& field) {
  const bool is_scidac = std::ranges::find(field.compared, SumKind::scidac, &SumName::kind) != field.compared.end();
  switch (field.status) {
    case ChecksumStatus::ok:
      return fmt::format("checksum ok{}, compared: {}",
                         is_scidac ? fmt::format(" ({})", to_string(field.computed)) : std::string(),
                         compared_text(field));
    case ChecksumStatus::absent:
      return fmt::format("no checksum stored (the data have {})", to_string(field.computed));
    case ChecksumStatus::mismatch:
      if (!is_scidac) return fmt::format("checksum MISMATCH, compared: {}", compared_text(field));
      return fmt::format("checksum MISMATCH: {} computed, {} stored", to_string(field.computed),
                         field.stored ? to_string(*field.stored) : "another");
    case ChecksumStatus::unchecked:
      break;
  }
  return "checksum not compared";
}

std::string physics_text(const Physics& physics) {
  const Plaquette& plaquette = physics.plaquette;
  return fmt::format(
      "plaquette {:.10f} (spatial {:.10f}, temporal {:.10f}), link trace {:.10f}, "
      "distance from unitarity {:.2g}{}",
      plaquette.average, plaquette.spatial, plaquette.temporal, physics.link_trace, physics.unitarity.largest,
      physics.not_finite > 0 ? fmt::format(", {} numbers NaN or infinite", physics.not_finite) : "");
}

// Lines for what was measured beyond the plaquette.
std::vector<std::string> observables_lines(const Observables& measured) {
  std::vector<std::string> all, temporal, lines;
  for (const WilsonLoop& loop : measured.wilson_loops) {
    if (loop.r <= loop.s) all.push_back(fmt::format("{}x{} {:.10f}", loop.r, loop.s, loop.average));
    temporal.push_back(fmt::format("{}x{} {:.10f}", loop.r, loop.s, loop.temporal));
  }
  lines.push_back(fmt::format("Wilson loops {}", fmt::join(all, ", ")));
  lines.push_back(fmt::format("Wilson loops in space and time {}", fmt::join(temporal, ", ")));
  if (measured.open_boundary) {
    lines.push_back("open boundaries in time: loops inside alone; Polyakov loop, charge and energy are not defined");
  }
  if (const auto& loop = measured.polyakov_loop) {
    lines.push_back(fmt::format("Polyakov loop {:.10f} {:+.10f} i", loop->real(), loop->imag()));
  }
  const auto point_text = [](const FlowPoint& point) {
    return fmt::format("{}energy {:.10g} of the clover, {:.10g} of the plaquette",
                       point.charge ? fmt::format("charge {:.8f}, ", *point.charge) : "", point.energy,
                       point.energy_plaquette);
  };
  if (!measured.flow.empty()) lines.push_back("without flow: " + point_text(measured.flow.front()));
  if (measured.flow.size() < 2) return lines;
  const FlowPoint& last = measured.flow.back();
  lines.push_back(fmt::format("at flow time {:g}: {}", last.time, point_text(last)));
  const auto scale = [](const std::optional<double>& value) {
    return value ? fmt::format("{:.6f}", *value) : std::string("not reached");
  };
  if (last.charge) {
    lines.push_back(fmt::format("t0/a^2 {}, w0/a {} (energy of the clover); {}, {} (of the plaquette)",
                                scale(measured.t0), scale(measured.w0), scale(measured.t0_plaquette),
                                scale(measured.w0_plaquette)));
  }
  return lines;
}

// "gauge: scidac (exact sum) agrees, bytes 1816 to 6423"; "xlf-info: covered by no checksum, bytes 872 to 1003".
std::string claim_line(const Claim& claim) {
  std::string text = printable(claim.of) + ": ";
  text += claim.outcome == Outcome::uncovered
              ? "covered by no checksum"
              : fmt::format("{} ({}) {}", printable(claim.name), name(claim.evidence), name(claim.outcome));
  if (claim.offset && claim.length.value_or(0) > 0) {
    text += fmt::format(", bytes {} to {}", *claim.offset, *claim.offset + *claim.length - 1);
  }
  return text;
}

// "no exact checksum is stored, compared: nersc, plaquette".
std::string why_consistent(const Verification& verification) {
  std::vector<std::string> compared;
  for (const Claim& claim : verification.claims) {
    const bool speaks = claim.outcome == Outcome::agrees && claim.evidence <= Evidence::check_value;
    if (speaks && std::ranges::find(compared, claim.name) == compared.end()) compared.push_back(claim.name);
  }
  if (compared.empty()) {
    return verification.fields.empty() ? "structure; no checksum is stored" : "no checksum is stored";
  }
  return fmt::format("not all content has an exact checksum; compared: {}", fmt::join(compared, ", "));
}

}  // namespace

std::string verdict_word(Verdict verdict) {
  if (verdict == Verdict::damaged) return "FAILED";
  std::string capitals(name(verdict));
  std::ranges::transform(capitals, capitals.begin(), [](char c) { return c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c; });
  return capitals;
}

std::string verdict_text(const Verification& verification) {
  if (verification.verdict == Verdict::consistent) {
    return fmt::format("{} (consistent: {})", verification.ok ? "OK" : "NOT SOUND", why_consistent(verification));
  }
  if (verification.verdict != Verdict::sound) return verdict_word(verification.verdict);
  if (verification.chunks_checked + verification.fields_checked == 0) return "OK";
  const std::string fields =
      verification.fields_checked > 0 ? " and " + count(verification.fields_checked, "field") : "";
  return fmt::format("OK (checksums of {}{})", count(verification.chunks_checked, "chunk"), fields);
}

namespace {

Style style_of(Verdict verdict) {
  if (verdict == Verdict::sound || verdict == Verdict::consistent) return Style::good;
  return verdict == Verdict::foreign || verdict == Verdict::being_written ? Style::plain : Style::bad;
}

Piece styled_verdict(const Verification& verification) {
  return {verdict_text(verification), verification.ok                                 ? Style::good
                                      : style_of(verification.verdict) == Style::good ? Style::warning
                                                                                      : style_of(verification.verdict)};
}

struct VerifyArguments {
  std::vector<std::string> files;
  bool below = false;
  VerifyOptions options;

  // A single process takes several files at a time; ranks share each file, one after the other.
  int run(Session& session) const {
    const int threads = comm::count_or_cores(options.threads);
    const int at_once = session.communicator.size() > 1 ? 1 : std::min(threads, static_cast<int>(files.size()));
    if (at_once <= 1) {
      return for_each_file(session, files, [&](const std::string& path) {
        const auto verify = [&](const VerifyOptions& how) { return lq::verify(path, session.communicator, how); };
        return tell_verdict(session, path, with_bar(session, path, options, verify));
      });
    }
    VerifyOptions how = options;
    how.threads = std::max(threads / at_once, 1);
    storage::CrowdedFolders folders;
    folders.add_crowded(files);
    const auto verify = [&](std::uint64_t i) {
      const std::string& path = files[static_cast<std::size_t>(i)];
      return comm::alone([&] {
        return folders.with(path, [&](storage::Transport& from) { return sets::verify_file(from, path, {}, how); });
      });
    };
    base::OrderedResults<Verification, decltype(verify)> verified(files.size(), at_once, verify);
    return for_each_file(session, files,
                         [&](const std::string& path) { return tell_verdict(session, path, verified.take()); });
  }

  static int tell_verdict(Session& session, const std::string& path, const Verification& verification) {
    const int code = at_root(session, [&] {
      if (session.json) {
        session.out.line(to_json(verification));
      } else if (!session.quiet || !verification.ok) {
        show(session, verification);
      }
      return worse(exit_code_of(verification), compare_with_catalogue(session, path, verification));
    });
    return worse(code, judge_file(session, path, code == fine));
  }

  // The values in a catalogue for an unchanged file must equal those measured now.
  static int compare_with_catalogue(Session& session, const std::string& path, const Verification& verification) {
    if (verification.fields.empty() || !verification.fields.front().observables) return fine;
    constexpr double tolerance = 1e-9;  // allows for other machines
    const auto measured = ensemble::observable_values(*verification.fields.front().observables);
    std::vector<std::pair<std::string, double>> kept;
    try {
      kept = ensemble::catalogued_observables(path);
    } catch (const Error& error) {  // this is not a fault of the file
      session.complain(fmt::format("warning: {}: not compared with the catalogue: {}", printable(path), error.what()));
    }
    const auto value_of = [](const auto& values, std::string_view name) -> std::optional<double> {
      const auto found = std::ranges::find(values, name, [](const auto& one) { return std::string_view(one.first); });
      return found == values.end() ? std::nullopt : std::optional(found->second);
    };
    const bool is_same_flow = value_of(measured, "flow_time") == value_of(kept, "flow_time");
    int compared = 0, code = fine;
    for (const auto& [name, value] : kept) {
      const auto now = value_of(measured, name);
      const bool is_of_flow = name.starts_with("flow_") || name == "t0" || name == "w0";
      if (!now || (is_of_flow && !is_same_flow)) continue;
      ++compared;
      if (std::abs(*now - value) <= tolerance * std::max(1.0, std::abs(value))) continue;
      session.complain(
          fmt::format("{}: {} is {:.12g}, and {:.12g} in the catalogue, although size and time stamp of the "
                      "file are unchanged",
                      printable(path), name, *now, value));
      code = differs;
    }
    if (compared > 0 && code == fine && !session.json && !session.quiet) {
      session.out.line(fmt::format("  {} as in the catalogue", count(static_cast<std::uint64_t>(compared), "value")));
    }
    return code;
  }

  static void show(Session& session, const Verification& verification) {
    const std::string& path = verification.path;
    session.out.line({{path + ": "}, styled_verdict(verification)});
    for (const FieldVerdict& field : verification.fields) {
      const std::string index = field.index > 0 ? fmt::format(":{}", field.index) : "";
      std::vector<std::string> lines = {checksum_text(field)};
      if (field.physics) lines.push_back(physics_text(*field.physics));
      if (field.observables) std::ranges::move(observables_lines(*field.observables), std::back_inserter(lines));
      if (!field.damaged_slices.empty()) {
        lines.push_back(fmt::format("damaged time slices {}", fmt::join(field.damaged_slices, ", ")));
      }
      for (const std::string& line : lines) {
        session.out.line(fmt::format("  {}{}: {}", printable(field.name), index, line));
      }
    }
    if (session.verbose) {
      for (const Claim& claim : verification.claims) session.out.line("  " + claim_line(claim));
    }
    for (const Finding& finding : verification.findings) {
      if (finding.severity != Severity::note || session.verbose) session.out.line("  " + finding_line(path, finding));
    }
  }
};

}  // namespace

int judge_file(Session& session, const std::string& path, bool is_sound) {
  int code = fine;
  if (!is_sound) code = exit_code_of(inspect(path, session.communicator));
  if (!io::is_leftover(path)) return code;
  session.complain(fmt::format("{}: this is the temporary name of a file that its writer has not completed", path));
  return worse(code, incomplete);
}

Run declare_verify(Arguments& arguments) {
  const auto verify = std::make_shared<VerifyArguments>();
  arguments.files("FILE", verify->files, "files to verify");
  arguments.reads_contents();
  arguments.flag("-r,--recursive", verify->below,
                 "print one line for each lattice file below folders, and a summary (the default if FILE is a folder)");
  declare_options(arguments, "verify", "VerifyOptions", verify->options);
  return [verify](Session& session) {
    const bool is_alone = session.communicator.size() == 1;
    if (verify->below || (is_alone && std::ranges::any_of(verify->files, is_directory)))
      return verify_below(session, verify->files, verify->options.threads, verify->options);
    return verify->run(session);
  };
}

// lq verify -r: many files, a line for each.

namespace {

// "time slices 3, 4", "bytes 1024 to 2047": where the first damage is.
std::string place_of(const Verification& verification) {
  for (const FieldVerdict& field : verification.fields) {
    if (!field.damaged_slices.empty()) return fmt::format("time slices {}", fmt::join(field.damaged_slices, ", "));
  }
  for (const Finding& finding : verification.findings) {
    if (finding.severity != Severity::error || !finding.offset) continue;
    return finding.length && *finding.length > 0
               ? fmt::format("bytes {} to {}", *finding.offset, *finding.offset + *finding.length - 1)
               : fmt::format("byte {}", *finding.offset);
  }
  return {};
}

class Below {
 public:
  explicit Below(Session& session) : session_(session), bar_(session, "verifying") {}

  Progress progress() {
    return [this](std::uint64_t done, std::uint64_t files) { bar_.show(done, files); };
  }

  void tell(const ensemble::VerifiedFile& file) {
    const bool is_passed_over = file.is_stranger(), is_fine = file.ok() && !is_passed_over;
    counts_.add(file.verdict);
    if (!file.ok()) {
      code_ = worse(code_, code_of(file));
      keep_name(file);
    }
    if (session_.json) {
      if (!is_passed_over || session_.verbose) session_.out.line(to_json(file));
    } else if (is_fine ? !session_.quiet : !is_passed_over || session_.verbose) {
      show(file);
    }
  }

  int finish() {
    bar_.clear();
    if (session_.json) {
      session_.out.line(fmt::format(R"({{"summary":{}}})", to_json(counts_)));
    } else if (!session_.quiet || code_ != fine) {
      session_.out.line(summary());
    }
    return code_;
  }

 private:
  static constexpr std::array all = {Verdict::sound,      Verdict::consistent, Verdict::unproven,
                                     Verdict::damaged,    Verdict::incomplete, Verdict::being_written,
                                     Verdict::unreadable, Verdict::foreign};

  // These are not about the file's contents: no permission, or a verdict that is not sufficient here.
  static int code_of(const ensemble::VerifiedFile& file) {
    if (file.error) return exit_code_of(*file.error);
    return std::max<int>(differs, exit_code_of(file.verdict));
  }

  void show(const ensemble::VerifiedFile& file) {
    bar_.clear();
    if (!file.verification) {
      session_.out.line({{printable(file.path) + ": "}, {verdict_word(file.verdict), style_of(file.verdict)}});
      const bool is_wrong = file.verdict == Verdict::unreadable || file.verdict == Verdict::incomplete;
      session_.out.line(fmt::format("  {}{}", is_wrong ? "error: " : "", without_path(file.problem, file.path)));
      return;
    }
    session_.out.line({{printable(file.path) + ": "}, styled_verdict(*file.verification)});
    for (const Finding& finding : file.verification->findings) {
      const bool is_told =
          finding.severity == Severity::error || (!file.verification->ok && finding.severity == Severity::warning);
      if (is_told) session_.out.line("  " + finding_line(file.path, finding));
    }
  }

  void keep_name(const ensemble::VerifiedFile& file) {
    std::vector<std::string>& names = names_[static_cast<std::size_t>(file.verdict)];
    if (names.size() >= most_names) return;
    const std::string place = file.verification ? place_of(*file.verification) : std::string();
    names.push_back(place.empty() ? printable(file.path) : fmt::format("{} ({})", printable(file.path), place));
  }

  // "3 sound, 1 damaged: run/conf.7.lime (time slices 2); 1 foreign".
  std::string summary() const {
    std::string text = fmt::format("{} sound", counts_[Verdict::sound]);
    for (const Verdict verdict : all) {
      const std::uint64_t number = counts_[verdict];
      if (number == 0 || verdict == Verdict::sound) continue;
      const std::vector<std::string>& names = names_[static_cast<std::size_t>(verdict)];
      text += fmt::format("{} {} {}", verdict == Verdict::foreign ? ";" : ",", number, name(verdict));
      if (!names.empty()) text += fmt::format(": {}{}", fmt::join(names, ", "), number > names.size() ? ", ..." : "");
    }
    return text;
  }

  static constexpr std::size_t most_names = 10;  // of each verdict, in the summary

  Session& session_;
  ProgressBar bar_;
  ensemble::VerdictCounts counts_;
  std::array<std::vector<std::string>, all.size()> names_;
  int code_ = fine;
};

}  // namespace

int verify_below(Session& session, const std::vector<std::string>& paths, int threads, const VerifyOptions& options) {
  if (session.communicator.size() > 1) {
    throw UsageError("-r: many files are shared among the threads of lq; lq-mpi shares each FILE among its ranks");
  }
  Below below(session);
  VerifyOptions how = options;
  how.progress = below.progress();
  ensemble::verify_below(paths, threads, how, [&](const ensemble::VerifiedFile& file) { below.tell(file); });
  return below.finish();
}

}  // namespace lq::cli
