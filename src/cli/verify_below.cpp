// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// lq verify -r: many files, a line for each.
#include <algorithm>

#include <fmt/format.h>
#include <limequat/ensemble.hpp>
#include <limequat/json.hpp>

#include "base/json_writer.hpp"
#include "cli/arguments.hpp"
#include "cli/exit_code.hpp"
#include "cli/leftovers.hpp"
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
  Below(Session& session, std::uint64_t files) : session_(session), bar_(session, "verifying"), files_(files) {}

  void tell(const ensemble::Verdict& verdict) {
    bar_.show(++done_, files_);
    if (verdict.error) return tell_error(verdict);
    const Verification& verification = *verdict.verification;
    if (verification.ok && !is_leftover(verdict.path)) {
      ++sound_;
      if (session_.json) return session_.out.line(to_json(verification));
      if (!session_.quiet) line(fmt::format("{}: {}", printable(verdict.path), verdict_text(verification)));
      return;
    }
    code_ = worse(code_, worse(verification.ok ? fine : differs, judge_file(session_, verdict.path, verification.ok)));
    fail(verdict.path, ends_early(verification) || verification.ok ? incomplete_ : damaged_, place_of(verification));
    if (session_.json) return session_.out.line(to_json(verification));
    line(fmt::format("{}: {}", printable(verdict.path), verification.ok ? "INCOMPLETE" : verdict_text(verification)));
    for (const Finding& finding : verification.findings) {
      if (finding.severity == Severity::error) line("  " + finding_line(verdict.path, finding));
    }
  }

  int finish() {
    bar_.clear();
    if (session_.json) {
      base::JsonWriter json;
      json.begin_object().key("summary").begin_object().member("sound", sound_);
      json.member("damaged", std::uint64_t{damaged_.size()}).member("incomplete", std::uint64_t{incomplete_.size()});
      json.member("unreadable", std::uint64_t{unreadable_.size()}).member("others", others_).end_object().end_object();
      session_.out.line(json.take());
      return code_;
    }
    if (session_.quiet && code_ == fine) return code_;
    std::string text = fmt::format("{} sound", sound_);
    add(text, damaged_, "damaged");
    add(text, incomplete_, "incomplete");
    add(text, unreadable_, "unreadable");
    if (others_ > 0) text += fmt::format("; {} of no format that is known", others_);
    session_.out.line(text);
    return code_;
  }

 private:
  void line(const std::string& text) {
    bar_.clear();
    session_.out.line(text);
  }

  // Files of other programs are none that fail.
  void tell_error(const ensemble::Verdict& verdict) {
    if (verdict.error->code() == Code::unknown_format) {
      ++others_;
      return;
    }
    bar_.clear();
    unreadable_.push_back(printable(verdict.path));
    code_ = worse(code_, cli::tell(session_, verdict.path, *verdict.error));
  }

  static void fail(const std::string& path, std::vector<std::string>& names, const std::string& place) {
    names.push_back(place.empty() ? printable(path) : fmt::format("{} ({})", printable(path), place));
  }

  static void add(std::string& text, const std::vector<std::string>& names, const char* what) {
    constexpr std::size_t most = 10;
    if (names.empty()) return;
    const auto end = names.begin() + static_cast<std::ptrdiff_t>(std::min(names.size(), most));
    text += fmt::format(", {} {}: {}{}", names.size(), what, fmt::join(names.begin(), end, ", "),
                        names.size() > most ? ", ..." : "");
  }

  Session& session_;
  ProgressBar bar_;
  std::uint64_t files_, done_ = 0, sound_ = 0, others_ = 0;
  std::vector<std::string> damaged_, incomplete_, unreadable_;
  int code_ = fine;
};

}  // namespace

int verify_below(Session& session, const std::vector<std::string>& paths, int threads, const VerifyOptions& options) {
  if (session.communicator.size() > 1) {
    throw UsageError("-r: many files are shared among the threads of lq; lq-mpi shares each FILE among its ranks");
  }
  std::vector<std::string> files;
  int code = fine;
  for (const std::string& path : paths) {
    try {
      const std::vector<std::string> more = ensemble::files_below(path);
      files.insert(files.end(), more.begin(), more.end());
    } catch (const Error& error) {
      code = worse(code, tell(session, path, error));
    }
  }
  Below below(session, files.size());
  ensemble::verify_all(files, threads, options, [&](const ensemble::Verdict& verdict) { below.tell(verdict); });
  return worse(code, below.finish());
}

}  // namespace lq::cli
