// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// lq verify -r: many files, a line for each.
#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <limequat/ensemble.hpp>
#include <limequat/json.hpp>

#include "cli/arguments.hpp"
#include "cli/exit_code.hpp"
#include "cli/progress.hpp"
#include "cli/text.hpp"
#include "cli/verify.hpp"

namespace lq::cli {
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

  // Neither is a question of the file's contents: no permission, or a verdict that is not good enough here.
  static int code_of(const ensemble::VerifiedFile& file) {
    if (file.error) return exit_code_of(*file.error);
    return std::max<int>(differs, exit_code_of(file.verdict));
  }

  void show(const ensemble::VerifiedFile& file) {
    bar_.clear();
    if (!file.verification) {
      session_.out.line(fmt::format("{}: {}", printable(file.path), verdict_word(file.verdict)));
      const bool is_wrong = file.verdict == Verdict::unreadable || file.verdict == Verdict::incomplete;
      session_.out.line(fmt::format("  {}{}", is_wrong ? "error: " : "", without_path(file.problem, file.path)));
      return;
    }
    session_.out.line(fmt::format("{}: {}", printable(file.path), verdict_text(*file.verification)));
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
