// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Fields are written, perhaps over older ones, meet a fault, are read on other ranks, verified, converted, squeezed and
// restored, damaged and repaired.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include <limequat/error.hpp>
#include <limequat/file.hpp>
#include <limequat/inspect.hpp>
#include <limequat/repack.hpp>
#include <limequat/squeeze.hpp>

#include "support/file_contents.hpp"
#include "support/tiled_format.hpp"
#include "torture/damage.hpp"
#include "torture/field_case.hpp"
#include "torture/trials.hpp"

namespace lq::torture {
namespace {

namespace fs = std::filesystem;

const format::Format& tiled_format() {
  static const testing::TiledFormat tiled;
  static constexpr std::array<std::string_view, 1> suffixes{".tiled"};
  static const format::Format format{
      {.name = "tiled", .holds = "one field", .begins = "\"tiled 1\"", .suffixes = suffixes}, &tiled, &tiled, &tiled};
  return format;
}

bool is_error(const std::string& sentence, Code code) {
  return sentence.starts_with(fmt::format("{}: ", static_cast<int>(code)));
}

class FieldTrial {
 public:
  FieldTrial(Draw& draw, const FieldCase& drawn, const std::string& directory)
      : draw_(draw), c_(drawn), directory_(directory) {}

  void run() {
    if (c_.replaces) must_succeed(c_.writer.crew, writing(without_cancelling(), path_, 0));
    const std::vector<std::string> before = testing::files_in(directory_);
    const bool failed = write();
    const bool is_there = look_at_outcome(failed);
    if (c_.while_writing.kind != Fault::Kind::kill && c_.while_writing.kind != Fault::Kind::network) {
      require_nothing_left_behind(before, is_there);
    }
    if (!is_there) return;
    const int index = static_cast<int>(draw_.below(static_cast<std::uint64_t>(c_.fields)));
    VersionsRead seen(c_.reader.crew);
    (void)fails_by_fault(c_.reader.crew, c_.while_reading, reading(c_, {.path = path_, .index = index}, seen));
    look_through(index);
    if (!c_.is_tiled() && draw_.once_in(3)) squeeze_and_restore(index);
    if (!c_.is_tiled() && draw_.once_in(2)) look_at_damaged(index);
  }

 private:
  const FieldCase& without_cancelling() {
    older_ = c_;
    older_.cancels = false;
    older_.options.overwrite = false;
    return older_;
  }

  bool write() {
    const RankWork work = writing(c_, path_, 1);
    if (c_.while_writing.kind != Fault::Kind::kill) return fails_by_fault(c_.writer.crew, c_.while_writing, work);
    return dies_in_process([&] { (void)outcome_of(c_.writer.crew, c_.while_writing, work); });
  }

  // Whatever became of the write: at the path there is the older version, the new one, or nothing if there was nothing.
  // Whether the new one is there.
  bool look_at_outcome(bool failed) {
    const bool must_be_there = !failed && !c_.cancels;
    if (!fs::exists(path_)) {
      if (c_.replaces) throw Failure("the older file is gone");
      if (must_be_there) throw Failure("a write succeeded, but there is no file");
      return false;
    }
    const std::vector<int> versions = c_.replaces ? std::vector<int>{0, 1} : std::vector<int>{1};
    int version = -1;
    for (int index = 0; index < c_.fields; ++index) {
      VersionsRead seen(c_.reader.crew);
      must_succeed(c_.reader.crew,
                   reading(c_, {.path = path_, .index = index, .whole = true, .versions = versions}, seen));
      if (index > 0 && seen.version() != version) throw Failure("fields of a file are of different versions");
      version = seen.version();
    }
    if (must_be_there && version != 1) throw Failure("a write succeeded, but the older file is there");
    if (c_.cancels && version != 0) throw Failure("a write was cancelled, but the new file is there");
    return version == 1;
  }

  void require_nothing_left_behind(const std::vector<std::string>& before, bool is_there) const {
    std::vector<std::string> now = testing::files_in(directory_);
    if (is_there && !c_.replaces) {
      std::erase(now, fs::path(path_).filename().string());
      if (c_.is_tiled()) std::erase(now, fs::path(path_).filename().string() + ".odd");
    }
    if (now != before) throw Failure(fmt::format("files were left behind: {}", fmt::join(now, ", ")));
  }

  // The numbers of a trial are no links of a group; if they have no checksum, they cannot be told from damaged ones.
  static bool has_damaged_links_alone(const Verification& found) {
    return std::ranges::all_of(found.findings, [](const Finding& one) {
      return one.severity != Severity::error || one.rule == "damaged-links";
    });
  }

  // Verified, or converted and compared, by ranks of which one may fail.
  void look_through(int index) {
    const Fault fault = draw_fault_of_ranks(draw_, c_.reader.crew.ranks);
    const std::string other = directory_ + "/converted";
    ConvertOptions options;
    options.write.format = "scidac";
    options.write.precision = Precision::double_;
    options.write.overwrite = draw_.once_in(2);
    const bool converts = draw_.once_in(2);
    const bool failed = fails_by_fault(c_.reader.crew, fault, [&](const Rank& rank) -> Work {
      return [&, &all = rank.all] {
        if (converts) {
          convert(path_, other, all, options);
          return;
        }
        const Verification found = verify(path_, all);
        if (found.ok || (c_.options.verify == Verify::none && has_damaged_links_alone(found))) return;
        throw Failure(fmt::format("verify finds that a file is {} that is not: {}", name(found.verdict),
                                  found.findings.empty() ? "no finding" : found.findings.front().message));
      };
    });
    if (!converts || !fs::exists(other)) {
      if (converts && !failed) throw Failure("a conversion succeeded, but there is no file");
      return;
    }
    must_succeed(c_.reader.crew, [&](const Rank& rank) -> Work {
      return [&, &all = rank.all] {
        const Difference difference = diff(path_, other, all, {.index = static_cast<std::uint64_t>(index)});
        if (!difference.same) throw Failure("a converted file has other numbers");
      };
    });
    VersionsRead seen(c_.reader.crew);
    must_succeed(c_.reader.crew, reading(c_, {.path = other, .index = index}, seen));
    fs::remove(other);
  }

  // Archives hold what they were made of and give it back, or a fault leaves nothing; a damaged one is refused, or what
  // comes out of it is the original.
  void squeeze_and_restore(int index) {
    const std::string archive = directory_ + "/archive.sqz", restored = directory_ + "/restored";
    const Crew& crew = draw_.once_in(2) ? c_.reader.crew : c_.writer.crew;
    if (!goes_through(crew, archive, [&](const Communicator& all) { squeeze(path_, archive, all); })) return;
    VersionsRead seen(c_.reader.crew);
    must_succeed(c_.reader.crew, reading(c_, {.path = archive, .index = index}, seen));
    if (goes_through(crew, restored, [&](const Communicator& all) { unsqueeze(archive, restored, all); })) {
      require_original(restored);
    }
    const std::string kept = testing::contents(path_);
    fs::remove(path_);
    const Damage damage = damage_one_file(draw_, directory_);
    testing::put_contents(path_, kept);
    const Outcome outcome = outcome_of(crew, {}, [&](const Rank& rank) -> Work {
      return [&, &all = rank.all] { unsqueeze(archive, restored, all); };
    });
    if (outcome.error.empty() != fs::exists(restored)) {
      throw Failure(words(damage) + ": a file under its final name, and an error: " + outcome.error);
    }
    if (outcome.error.empty()) require_original(restored);
    fs::remove(archive);
  }

  // Under a fault of a rank: whether there is a file now, as there must be if nothing failed.
  template <class Call>
  bool goes_through(const Crew& crew, const std::string& made, Call call) {
    const bool failed = fails_by_fault(crew, draw_fault_of_ranks(draw_, crew.ranks),
                                       [&](const Rank& rank) -> Work { return [&, &all = rank.all] { call(all); }; });
    if (!failed && !fs::exists(made)) throw Failure("an archive was to be made or restored, but there is no file");
    return fs::exists(made);
  }

  void require_original(const std::string& restored) const {
    if (testing::contents(restored) != testing::contents(path_)) throw Failure("an archive restores another file");
    fs::remove(restored);
  }

  // A damaged file is refused, or what it delivers is right; so is what repair makes of it.
  void look_at_damaged(int index) {
    const Payload payload = inspect(path_).field({}, static_cast<std::uint64_t>(index)).payload;
    const Damage damage = damage_one_file(draw_, directory_);
    const bool is_of_data = damage.touches(payload.offset, payload.offset + payload.length);
    try {
      look_at(damage, index, is_of_data);
    } catch (const Failure& failure) {
      throw Failure(words(damage) + ": " + failure.what());
    }
  }

  void look_at(const Damage& damage, int index, bool is_of_data) {
    const bool is_checked = c_.options.verify != Verify::none;
    const ReadRequest request{
        .path = path_, .index = index, .whole = true, .may_be_damaged = is_of_data && !is_checked};
    VersionsRead seen(c_.reader.crew);
    const std::string error = outcome_of(c_.reader.crew, {}, reading(c_, request, seen)).error;
    const bool is_refused = !error.empty();
    if (damage.kind == Damage::Kind::removed) {
      if (!is_refused) throw Failure("a file that is not there was read");
      return;
    }
    // A text that states another lattice, kind or name is as good as any, and a record of a type that nobody knows is
    // passed over: only who knows what was written is surprised.
    const bool is_of_another_kind = is_error(error, Code::invalid_argument) || is_error(error, Code::no_such_record);
    if (is_refused && !is_of_another_kind && !damage_is_told())
      throw Failure("verify finds nothing in a file that is refused with \"" + error + "\"");
    const std::string mended = directory_ + "/mended";
    try {
      repair(path_, mended);
    } catch (const Error&) {
      return;  // not everything can be mended
    }
    ReadRequest after = request;
    after.path = mended;
    after.sums_are_new = true;
    // Zeros over data and their sums at once leave nothing by which the data could be judged.
    after.may_be_damaged |= is_of_data && damage.kind == Damage::Kind::zeros;
    (void)outcome_of(c_.reader.crew, {}, reading(c_, after, seen));
  }

  bool damage_is_told() const {
    try {
      const Verification found = verify(path_);
      return !found.ok || found.fields.size() < static_cast<std::size_t>(c_.fields);
    } catch (const Error&) {
      return true;
    }
  }

  Draw& draw_;
  const FieldCase& c_;
  FieldCase older_;
  std::string directory_;
  std::string path_ = directory_ + "/a file with a name that is longer than a small string.lime";
};

}  // namespace

void torture_fields(Draw& draw, const std::string& directory, const Tell& tell) {
  const FieldCase drawn = draw_field_case(draw);
  tell(words(drawn));
  const format::AddedFormat added(tiled_format());
  FieldTrial(draw, drawn, directory).run();
}

}  // namespace lq::torture
