// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// lq diff: the fields of two files, number by number.
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <limequat/ensemble.hpp>
#include <limequat/inspect.hpp>
#include <limequat/json.hpp>

#include "base/json_writer.hpp"
#include "cli/address.hpp"
#include "cli/arguments.hpp"
#include "cli/below.hpp"
#include "cli/checkpoint.hpp"
#include "cli/command.hpp"
#include "cli/conversions.hpp"
#include "cli/exit_code.hpp"
#include "cli/progress.hpp"
#include "cli/text.hpp"
#include "storage/transport.hpp"

namespace lq::cli {
namespace {

namespace fs = std::filesystem;

struct Diff {
  std::string a, b;
  DiffOptions options;

  int run(Session& session) const {
    const int folders = (is_folder(session, a) ? 1 : 0) + (is_folder(session, b) ? 1 : 0);
    if (folders == 0) return compare(session);
    if (folders == 2) return compare_folders(session);
    at_root(session, [&] {
      const std::string& file = is_directory(a) ? b : a;
      (void)storage::resolve(file).open_read(file);  // the error if it does not exist
      return fine;
    });
    throw UsageError("one of them is a folder and the other is not; name two folders, or a file in the folder");
  }

 private:
  int compare(Session& session) const {
    const Difference difference = with_bar(session, "comparing", options, [&](const DiffOptions& how) {
      return lq::diff(with_fields(a, session.communicator, how.limits),
                      with_fields(b, session.communicator, how.limits), session.communicator, how);
    });
    tell(session, a, b, difference);
    return difference.same ? fine : differs;
  }

  void tell(Session& session, const std::string& one, const std::string& other, const Difference& difference) const {
    if (session.json) {
      session.out.object(difference, "path", one, "other", other, "tolerance", options.tolerance);
    } else {
      show(session, one, other, difference);
    }
  }

  // Files of two folders paired by relative path; the remaining ones by path without the suffix of a format.
  struct Pairs {
    std::vector<std::pair<std::string, std::string>> both;
    std::vector<std::string> unpaired;
    std::vector<ensemble::VerifiedFile> unreadable;
  };

  using Places = std::map<std::string, std::string>;  // path by place in the folder

  Places places_in(const Session& session, const std::string& folder, Pairs& pairs) const {
    ensemble::Below below = look_below(session, folder, options.threads, options.limits);
    for (ensemble::VerifiedFile& file : below.others) {
      if (file.verdict == Verdict::unreadable) pairs.unreadable.push_back(std::move(file));
    }
    Places places;
    for (const std::string& path : below.entries)
      places.emplace(fs::path(path).lexically_relative(folder).string(), path);
    return places;
  }

  // Moves the places that both have to `pairs`.
  static void pair(Places& one, Places& other, Pairs& pairs) {
    for (auto entry = one.begin(); entry != one.end();) {
      const auto partner = other.find(entry->first);
      if (partner == other.end()) {
        ++entry;
        continue;
      }
      pairs.both.emplace_back(entry->second, partner->second);
      other.erase(partner);
      entry = one.erase(entry);
    }
  }

  // Names that would coincide keep their suffix.
  static Places without_suffixes(const Places& places) {
    std::map<std::string, int> counts;
    for (const auto& [place, path] : places) ++counts[without_suffix(place)];
    Places result;
    for (const auto& [place, path] : places) {
      const std::string shorter = without_suffix(place);
      result.emplace(counts[shorter] == 1 ? shorter : place, path);
    }
    return result;
  }

  Pairs pairs_of_folders(const Session& session) const {
    Pairs pairs;
    Places one = places_in(session, a, pairs), other = places_in(session, b, pairs);
    pair(one, other, pairs);
    one = without_suffixes(one);
    other = without_suffixes(other);
    pair(one, other, pairs);
    std::ranges::sort(pairs.both);
    for (const Places& rest : {one, other}) {
      for (const auto& [place, path] : rest) pairs.unpaired.push_back(path);
    }
    return pairs;
  }

  struct Compared {
    std::optional<Difference> difference;
    std::optional<Error> error;
  };

  int compare_folders(Session& session) const {
    const Pairs pairs = pairs_of_folders(session);
    const std::size_t number = pairs.both.size();
    const AtOnce at_once(session, number, options.threads);
    DiffOptions how = options;
    how.threads = at_once.threads;
    const auto work = [&](std::size_t k) {
      const auto& [one, other] = pairs.both[k];
      Compared compared;
      try {
        const FoundFile first(one, session.communicator), second(other, session.communicator);
        compared.difference =
            lq::diff(with_fields(first.path(), session.communicator, how.limits),
                     with_fields(second.path(), session.communicator, how.limits), session.communicator, how);
      } catch (const Error& error) {
        compared.error = error;
      }
      return compared;
    };
    int code = fine;
    std::uint64_t same = 0, different = 0, failed = pairs.unreadable.size();
    take_in_order(session, "comparing", number, at_once, work, [&](std::size_t k, const Compared& compared) {
      const auto& [one, other] = pairs.both[k];
      if (compared.error) {
        ++failed;
        code = worse(code, cli::tell(session, one, *compared.error));
      } else {
        const bool is_same = compared.difference->same;
        ++(is_same ? same : different);
        code = worse(code, is_same ? fine : differs);
        if (!is_same || session.json || session.verbose) tell(session, one, other, *compared.difference);
      }
    });
    for (const ensemble::VerifiedFile& file : pairs.unreadable) {
      session.complain(file.problem);
      code = worse(code, exit_code_of(file.verdict));
    }
    if (!pairs.unpaired.empty()) code = worse(code, differs);
    tell_summary(session, pairs, same, different, failed);
    return code;
  }

  void tell_summary(Session& session, const Pairs& pairs, std::uint64_t same, std::uint64_t different,
                    std::uint64_t failed) const {
    if (session.json) {
      base::JsonWriter json;
      json.begin_object().key("summary").begin_object().member("path", a).member("other", b);
      json.member("same", same).member("different", different).member("failed", failed);
      json.key("unpaired").array(pairs.unpaired);
      session.out.line(json.end_object().end_object().take());
      return;
    }
    for (const std::string& path : pairs.unpaired) session.out.line(printable(path) + ": exists only there");
    if (session.quiet && different + failed + pairs.unpaired.size() == 0) return;
    session.out.line(fmt::format("{} and {}: {} of the same numbers, {} different, {} without a partner, {} failed", a,
                                 b, count(same, "pair"), different, pairs.unpaired.size(), failed));
  }

  // " of field "gauge"", " of 3 fields"; the names of many fields are in the JSON only.
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

  void show(Session& session, const std::string& one, const std::string& other, const Difference& difference) const {
    Output& out = session.out;
    if (session.quiet && difference.same) return;
    const std::string within = options.tolerance > 0 ? fmt::format(" by more than {:g}", options.tolerance) : "";
    const std::string all = count(difference.compared_numbers, "number") + of_fields(difference);
    out.line(difference.differing_numbers == 0
                 ? fmt::format("{} and {}: none of {} differs{}", one, other, all, within)
                 : fmt::format("{} and {}: {} of {} differ{}", one, other, difference.differing_numbers, all, within));
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
  arguments.file("A", diff->a, "a file, a checkpoint (its fields are compared) or a folder");
  arguments.reads_contents();
  arguments.file(
      "B", diff->b,
      "another, of any format and precision; or a folder, whose files are compared with files of the same names");
  arguments.reads_contents();
  declare_options(arguments, "diff", "DiffOptions", diff->options);
  return [diff](Session& session) { return diff->run(session); };
}

}  // namespace lq::cli
