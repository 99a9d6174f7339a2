// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// lq index, lq find, lq scrub, lq report: the index of an ensemble.
#include <algorithm>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <limequat/ensemble.hpp>

#include "base/text.hpp"
#include "cli/arguments.hpp"
#include "cli/command.hpp"
#include "cli/exit_code.hpp"
#include "cli/progress.hpp"
#include "cli/text.hpp"

namespace lq::cli {
namespace {

using ensemble::Assessment;
using ensemble::CatalogueOptions;
using ensemble::IndexReport;
using ensemble::ScrubReport;

constexpr std::size_t most_lines = 60;  // of one kind; --json shows all, -v lists them below another line

template <class Things, class Line>
void lines(Session& session, const Things& things, const Line& line, bool is_below = false) {
  const std::string_view indent = is_below ? "    " : "  ";
  std::size_t count = 0;
  for (const auto& thing : things) {
    if (++count > most_lines && !(is_below && session.verbose)) {
      const std::string_view all = is_below ? "-v" : "--json";
      return session.out.line(fmt::format("{}... and {} more; {} lists them", indent, things.size() - most_lines, all));
    }
    session.out.line(fmt::format("{}{}", indent, line(thing)));
  }
}

std::string numbers_text(const ensemble::Gaps& gaps) {
  constexpr std::size_t shown = 12;
  std::string text;
  for (std::size_t k = 0; k < std::min(gaps.missing.size(), shown); ++k) {
    text += fmt::format("{}{}", k > 0 ? ", " : "", gaps.missing[k]);
  }
  return text + (gaps.count > shown ? ", ..." : "");
}

void show(Session& session, const Assessment& assessment) {
  lines(session, assessment.gaps, [](const ensemble::Gaps& gaps) {
    return fmt::format("missing in {}: {} of {} to {} in steps of {}: {}", printable(gaps.series),
                       count(gaps.count, "number"), gaps.first, gaps.last, gaps.step, numbers_text(gaps));
  });
  lines(session, assessment.duplicates, [](const ensemble::Duplicates& same) {
    constexpr std::size_t shown = 4;
    std::vector<std::string> paths;
    for (const std::string& path : same.paths) {
      if (paths.size() < shown) paths.push_back(printable(path));
    }
    const std::size_t more = same.paths.size() - paths.size();
    return fmt::format("the same data: {}{}", fmt::join(paths, ", "),
                       more > 0 ? fmt::format(" and {} more", more) : "");
  });
  lines(session, assessment.outliers, [](const ensemble::Outlier& outlier) {
    return fmt::format("outlier: {}: plaquette {:.8f}, {:.1f} standard deviations from {:.8f}", printable(outlier.path),
                       outlier.plaquette, outlier.deviation, outlier.median);
  });
}

void show_remarks(Session& session, const Assessment& assessment) {
  lines(session, assessment.remarks, [](const ensemble::Remark& remark) {
    return fmt::format("{}: {}", remark.rule, base::printable(remark.sentence, 2000));
  });
}

// As of the same files by verify -r.
template <class Report>
int exit_code_for(const Report& report, bool has_problems) {
  int code = has_problems ? differs : fine;
  if (report.unreadable > 0) code = worse(code, exit_code_of(Verdict::unreadable));
  if (report.incomplete > 0) code = worse(code, exit_code_of(Verdict::incomplete));
  return code;
}

struct Index {
  std::vector<std::string> folders;
  CatalogueOptions options;

  int run(Session& session) const {
    const IndexReport report = with_bar(session, "indexing", options,
                                        [&](const CatalogueOptions& how) { return ensemble::index(folders, how); });
    if (session.json) {
      session.out.line(to_json(report));
    } else if (!session.quiet) {
      show(session, report);
    }
    for (const std::string& warning : report.warnings) session.complain("warning: " + warning);
    const bool is_unreadable = std::ranges::any_of(
        report.problems, [](const ensemble::Problem& one) { return one.state == "unreadable"; });  // also a folder
    const int code = exit_code_for(report, !report.problems.empty());
    return is_unreadable ? worse(code, exit_code_of(Verdict::unreadable)) : code;
  }

  static void show(Session& session, const IndexReport& report) {
    session.out.line(fmt::format("{}: {}, {}: {} new, {} changed, {} unchanged", report.db, count(report.files, "file"),
                                 base::human_bytes(report.bytes), report.added, report.changed, report.unchanged));
    const char* const measured = report.measured == 1 ? "gauge field measured (lq find --json charge)"
                                                      : "gauge fields measured (lq find --json charge)";
    const std::pair<std::uint64_t, const char*> kinds[] = {
        {report.damaged, "damaged (lq find damaged)"},
        {report.incomplete, "incomplete (lq find incomplete)"},
        {report.unreadable, "unreadable (lq find unreadable)"},
        {report.missing, "missing (lq find missing)"},
        {report.left_out, "left out by --exclude (--exclude , ends it)"},
        {report.forgotten, "forgotten"},
        {report.being_written, "being written"},
        {report.leftovers, "left behind by interrupted writers"},
        {report.measured, measured},
        {report.others, "no lattice file or part of one"}};
    for (const auto& [number, what] : kinds) {
      if (number > 0) session.out.line(fmt::format("  {} {}", number, what));
    }
    const auto problem_line = [](const ensemble::Problem& one) {
      return fmt::format("{}: {}{}{}", printable(one.path, 4096), one.state, one.problem.empty() ? "" : ": ",
                         base::printable(one.problem, 2000));
    };
    lines(session, report.problems, problem_line, true);
    const auto stranger_line = [](const ensemble::Stranger& one) {
      return fmt::format("{}: {}", printable(one.path, 4096), one.what);
    };
    lines(session, report.strangers, stranger_line, true);
    cli::show(session, report.assessment);
    show_remarks(session, report.assessment);
  }
};

struct Find {
  std::vector<std::string> words;
  bool only_paths = false;
  bool ends_with_nul = false;
  CatalogueOptions options;

  int run(Session& session) const {
    const std::string expression = fmt::format("{}", fmt::join(words, " "));
    if (!session.json && !ends_with_nul && !only_paths) return show_table(session, expression);
    const auto print = [&](const ensemble::Entry& entry) {
      if (session.json) {
        session.out.line(to_json(entry));
      } else if (ends_with_nul) {
        session.out.write_data(entry.path + '\0', true);
      } else {
        session.out.line(entry.path);
      }
    };
    ensemble::find(expression, print, options);
    return fine;
  }

  int show_table(Session& session, const std::string& expression) const {
    constexpr std::size_t at_once = 10'000;  // rows whose columns are equally wide
    Table table({"FILE", "FORMAT", "KIND", "LATTICE", "PRECISION", ">TRAJECTORY", ">PLAQUETTE", "STATE"});
    const auto shown = [](const std::string& text) { return text.empty() ? std::string("-") : printable(text); };
    std::size_t count = 0;
    const auto add = [&](const ensemble::Entry& entry) {
      table.row({printable(entry.path), shown(entry.format), shown(entry.kind), shown(entry.lattice),
                 shown(entry.precision), entry.trajectory ? std::to_string(*entry.trajectory) : "-",
                 entry.plaquette ? fmt::format("{:.8f}", *entry.plaquette) : "-", entry.state});
      if (++count % at_once == 0) session.out.write(table.take());
    };
    ensemble::find(expression, add, options);
    if (!table.empty()) session.out.write(table.take());
    if (count == 0) session.note("no file of the catalogue matches the expression");
    return fine;
  }
};

struct Scrub {
  std::vector<std::string> words;
  CatalogueOptions options;

  // Folders and files among the words, and an expression made of the remaining ones.
  static std::string which_of(const std::vector<std::string>& words) {
    std::string places, rest;
    for (const std::string& word : words) {
      std::error_code failure;
      if (!std::filesystem::exists(std::filesystem::symlink_status(word, failure))) {
        rest += (rest.empty() ? "" : " ") + word;
      } else if (words.size() == 1) {
        return word;
      } else {
        const char quote = word.find('"') == std::string::npos ? '"' : '\'';
        places += fmt::format("{}below={}{}{}", places.empty() ? "" : " or ", quote, word, quote);
      }
    }
    if (places.empty() || rest.empty()) return places + rest;
    return fmt::format("({}) ({})", places, rest);
  }

  int run(Session& session) const {
    const ScrubReport report =
        with_bar(session, "verifying", options, [&](const CatalogueOptions& how) { return ensemble::scrub(how); });
    if (session.json) {
      session.out.line(to_json(report));
    } else {
      for (const ensemble::Scrubbed& file : report.failed) {
        if (session.quiet && file.verdict == "replaced") continue;
        session.out.line({{printable(file.path) + ": "},
                          {file.verdict, file.verdict == "replaced" ? Style::warning : Style::bad},
                          {fmt::format(": {}", without_path(file.sentence, file.path))}});
        for (const Finding& finding : file.verification.findings) {
          if (finding.severity == Severity::error) session.out.line("  " + finding_line(file.path, finding));
        }
      }
      if (!session.quiet) session.out.line(summary(report));
    }
    return exit_code_for(report, !report.ok());
  }

  static std::string summary(const ScrubReport& report) {
    const std::pair<std::uint64_t, std::string_view> kinds[] = {{report.sound, "sound"},
                                                                {report.consistent, "consistent"},
                                                                {report.replaced, "of them replaced since"},
                                                                {report.unproven, "unproven"},
                                                                {report.bit_rot, "with bit rot"},
                                                                {report.damaged, "damaged"},
                                                                {report.incomplete, "incomplete"},
                                                                {report.missing, "missing"},
                                                                {report.unreadable, "unreadable"}};
    std::string text = count(report.due, "file") + " verified";
    const char* between = ": ";
    for (const auto& [number, what] : kinds) {
      if (number > 0) text += fmt::format("{}{} {}", std::exchange(between, ", "), number, what);
    }
    return text;
  }
};

struct ReportPage {
  std::vector<std::string> folders;
  std::string page;
  CatalogueOptions options;

  int run(Session& session) const {
    const ensemble::PageReport report = with_bar(session, "indexing", options, [&](const CatalogueOptions& how) {
      return ensemble::report_page(folders, page, how);
    });
    if (session.json) {
      session.out.line(to_json(report));
    } else if (!session.quiet) {
      session.out.line(fmt::format("{}: {}, a page of {}", report.path, count(report.files, "file"),
                                   base::human_bytes(report.bytes)));
    }
    return fine;
  }
};

template <class Verb>
Run by_root(const std::shared_ptr<Verb>& verb) {
  return [verb](Session& session) { return at_root(session, [&] { return verb->run(session); }); };
}

}  // namespace

Run declare_index(Arguments& arguments) {
  const auto verb = std::make_shared<Index>();
  arguments.optional_files("DIR", verb->folders, "folders to search (default: the folders of the previous run)");
  declare_options(arguments, "index", "CatalogueOptions", verb->options);
  arguments.join("--exclude", verb->options.exclude, ',');
  return by_root(verb);
}

Run declare_find(Arguments& arguments) {
  const auto verb = std::make_shared<Find>();
  arguments.optional_words("EXPR", verb->words, "condition on the files: 'beta=6.0 trajectory>=1000 not damaged'");
  arguments.flag("--paths", verb->only_paths, "print paths only, one per line");
  arguments.flag("-0,--null", verb->ends_with_nul, "print paths only, each terminated by a NUL, for xargs -0");
  declare_options(arguments, "find", "CatalogueOptions", verb->options);
  return by_root(verb);
}

Run declare_scrub(Arguments& arguments) {
  const auto verb = std::make_shared<Scrub>();
  arguments.optional_words("EXPR|DIR", verb->words,
                           "what to verify: folders, files, and a condition as for find (default: all)");
  declare_options(arguments, "scrub", "CatalogueOptions", verb->options);
  return [verb](Session& session) {
    return at_root(session, [&] {
      verb->options.which = verb->which_of(verb->words);
      return verb->run(session);
    });
  };
}

Run declare_report(Arguments& arguments) {
  const auto verb = std::make_shared<ReportPage>();
  arguments.optional_files("DIR", verb->folders, "folders to report on (default: all of the catalogue)");
  arguments.text("-o,--output", "OUT.html", verb->page, "page to write");
  declare_options(arguments, "report", "CatalogueOptions", verb->options);
  arguments.join("--exclude", verb->options.exclude, ',');
  return [verb](Session& session) {
    if (verb->page.empty()) throw UsageError("which page? --output OUT.html");
    return at_root(session, [&] { return verb->run(session); });
  };
}

}  // namespace lq::cli
