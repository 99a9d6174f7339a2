// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Checkpoints are written, replaced or gone on with, meet a fault, are repaired, gone on with again, written anew, read
// on other ranks, and damaged.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include <limequat/error.hpp>
#include <limequat/repack.hpp>

#include "comm/agree.hpp"
#include "sets/checkpoint/repair.hpp"
#include "sets/repack/repair.hpp"
#include "support/file_contents.hpp"
#include "support/scratch_directory.hpp"
#include "torture/damage.hpp"
#include "torture/set_case.hpp"
#include "torture/trials.hpp"

namespace lq::torture {
namespace {

namespace fs = std::filesystem;

struct SetCase {
  std::optional<SetRound> older;  // what was there before
  SetRound round;
  Fault fault;
  FieldSide reader;
  Fault while_reading;
};

SetCase draw_set_case(Draw& draw) {
  SetCase drawn;
  if (draw.once_in(2)) drawn.older = draw_round(draw, 0, "old");
  drawn.round = draw_round(draw, 1, "new");
  drawn.round.appends = drawn.older && draw.once_in(2);
  if (drawn.round.appends) drawn.round.number = 0;
  drawn.round.discards = !drawn.round.appends && draw.once_in(12);
  drawn.fault = draw_fault(draw, drawn.round.crew.ranks);
  const Crew readers = draw_crew(draw, 5);
  drawn.reader = draw_side(draw, 4, readers);
  drawn.while_reading = draw_survivable_fault(draw, readers.ranks);
  return drawn;
}

std::string words(const SetCase& c) {
  return fmt::format("{}{}, {}\n  read by {}, {}", c.older ? words(*c.older) + "\n  " : "", words(c.round),
                     words(c.fault), words(c.reader.crew), words(c.while_reading));
}

// The first file of a set that was not finished.
std::string part_in(const std::string& directory) {
  for (const std::string& name : testing::files_in(directory)) {
    if (testing::is_temporary(name) && name.find(".fields.") == std::string::npos) return directory + "/" + name;
  }
  return {};
}

class SetTrial {
 public:
  SetTrial(Draw& draw, const SetCase& drawn, const std::string& directory)
      : draw_(draw), c_(drawn), directory_(directory) {
    diary_.start_anew();
  }

  void run() {
    if (c_.older) {
      must_succeed(c_.older->crew, writing(*c_.older, path_, *diary_));
      before_ = must_hold_all_that_was_written(*c_.older, {});
    }
    diary_.start_anew();
    const bool failed = write();
    if (failed) {
      look_after_failure();
      remove_parts();
    } else if (c_.round.discards) {
      look_after_discarding();
    } else {
      now_ = must_hold_all_that_was_written(c_.round, before_);
    }
    if (!now_) return;
    SetModel found;
    (void)fails_by_fault(c_.reader.crew, c_.while_reading, reading({path_, now_->number, c_.reader}, found));
    if (draw_.once_in(3)) go_on();
    if (draw_.once_in(4)) write_anew();
    if (origin().options.checksums && draw_.once_in(2)) look_at_damaged();
  }

 private:
  bool write() {
    const RankWork work = writing(c_.round, path_, *diary_);
    if (c_.fault.kind != Fault::Kind::kill) return fails_by_fault(c_.round.crew, c_.fault, work);
    return dies_in_process([&] { (void)outcome_of(c_.round.crew, c_.fault, work); });
  }

  SetModel read(const std::string& path, int number) {
    SetModel found;
    must_succeed(c_.reader.crew, reading({path, number, c_.reader}, found));
    return found;
  }

  // A set that was closed: to the byte what its writers have written, and what was there before it was gone on with.
  SetModel must_hold_all_that_was_written(const SetRound& round, const std::optional<SetModel>& before) {
    const SetModel found = read(path_, round.number);
    SetModel expected{round.number, std::vector<std::uint64_t>(found.streams.size()), {}};
    if (round.appends) expected = *before;
    expected.streams.resize(found.streams.size());
    const auto tasks = static_cast<std::size_t>(round.crew.ranks * round.options.streams);
    for (std::size_t task = 0; task < tasks; ++task) expected.streams.at(task) = diary_->written[task];
    expected.fields.insert(expected.fields.end(), round.fields.begin(), round.fields.end());
    require_equal(found, expected);
    if (!verify_multifile(path_).is_sound()) throw Failure("a set that was closed is not sound");
    if (!part_in(directory_).empty()) throw Failure("a part was left behind");
    return found;
  }

  static void require_equal(const SetModel& found, const SetModel& expected) {
    if (found.streams != expected.streams) {
      throw Failure(fmt::format("streams have {} bytes, {} were written", fmt::join(found.streams, ", "),
                                fmt::join(expected.streams, ", ")));
    }
    if (found.fields != expected.fields) {
      throw Failure(fmt::format("there are fields {}, {} were written", fmt::join(found.fields, ", "),
                                fmt::join(expected.fields, ", ")));
    }
  }

  // What was flushed, and the fields whose writing had returned, behind those there were.
  void require_kept(const SetModel& found, const SetModel& before) const {
    for (std::size_t task = 0; task < most_tasks; ++task) {
      const std::uint64_t old = task < before.streams.size() ? before.streams[task] : 0;
      const std::uint64_t least = std::max(old, diary_->kept[task].load());
      const std::uint64_t there = task < found.streams.size() ? found.streams[task] : 0;
      if (there < least) throw Failure(fmt::format("task {} has {} bytes, {} were kept", task, there, least));
    }
    std::vector<std::string> least = before.fields;
    const auto end = c_.round.fields.begin() + static_cast<std::ptrdiff_t>(diary_->fields.load());
    least.insert(least.end(), c_.round.fields.begin(), end);
    if (found.fields.size() < least.size() || !std::equal(least.begin(), least.end(), found.fields.begin())) {
      throw Failure(
          fmt::format("there are fields {}, {} were kept", fmt::join(found.fields, ", "), fmt::join(least, ", ")));
    }
  }

  void look_after_failure() {
    if (c_.round.appends) {
      repair_whatever_happens(path_, {});
      now_ = read(path_, 0);
      require_kept(*now_, *before_);
      return;
    }
    if (c_.older && !fs::exists(path_)) throw Failure("the older set is gone");
    if (fs::exists(path_)) {
      now_ = read(path_, is_old() ? 0 : 1);
      if (now_->number == 0) require_equal(*now_, *before_);
    }
    recover_part();
  }

  void recover_part() {
    const std::string part = part_in(directory_);
    const bool has_kept = std::ranges::any_of(diary_->kept, [](const auto& kept) { return kept > 0; });
    // The new set may be complete but for its names.
    const bool is_new = now_ && now_->number == 1;
    if (part.empty() || (!has_kept && !is_new) || c_.round.discards) return;
    repair_whatever_happens(part, {.overwrite = true});
    now_ = read(path_, 1);
    require_kept(*now_, {});
  }

  // Perhaps by one that meets a fault itself, and another one behind it.
  void repair_whatever_happens(const std::string& path, const RepairOptions& options) {
    if (draw_.once_in(3)) {
      const Fault fault = draw_fault(draw_, 1);
      const RankWork work = [&](const Rank& rank) -> Work {
        return [&] { comm::agree(rank.all.engine(), [&] { sets::repair(rank.storage, path, options); }); };
      };
      if (fault.kind == Fault::Kind::kill) {
        (void)dies_in_process([&] { (void)outcome_of({}, fault, work); });
      } else {
        (void)fails_by_fault({}, fault, work);
      }
    }
    const RepairReport report = repair_multifile(fs::exists(path) ? path : path_, options);
    for (const ChunkDamage& lost : report.lost) {
      if (!is_of_unfinished_field(lost)) throw Failure("repair after a crash speaks of damage: " + lost.what);
    }
  }

  bool is_of_unfinished_field(const ChunkDamage& lost) const {
    const auto begin = c_.round.fields.begin() + static_cast<std::ptrdiff_t>(diary_->fields.load());
    const auto end = c_.round.fields.end();
    // Where not even its name was written yet, it has none.
    return lost.task < 0 && begin != end && (lost.field.empty() || std::find(begin, end, lost.field) != end);
  }

  // What is left of a writer whose set was repaired, or could not be.
  void remove_parts() const {
    for (const std::string& name : testing::files_in(directory_)) {
      if (testing::is_temporary(name)) fs::remove(directory_ + "/" + name);
    }
  }

  void look_after_discarding() {
    if (fs::exists(path_) != c_.older.has_value()) throw Failure("discarding has changed what was there");
    const bool may_remove = !is_of_storage(c_.fault.kind);
    if (may_remove && !part_in(directory_).empty()) throw Failure("discarding has left parts");
    if (c_.older) require_equal(read(path_, 0), *before_);
  }

  // Whether the older set is at the path.
  bool is_old() {
    try {
      return c_.older && read(path_, 0).streams == before_->streams;
    } catch (const Failure&) {
      return false;
    }
  }

  const SetRound& origin() const { return now_->number == 0 ? *c_.older : c_.round; }

  // One more writer, whom nothing happens to.
  void go_on() {
    SetRound more = draw_round(draw_, now_->number, "more");
    more.appends = true;
    diary_.start_anew();
    must_succeed(more.crew, writing(more, path_, *diary_));
    now_ = must_hold_all_that_was_written(more, now_);
  }

  // By one process, which may meet a fault.
  void write_anew() {
    const testing::ScratchDirectory directory;
    const std::string to = directory / "written anew.sion";
    RepackOptions options;
    if (draw_.once_in(2)) options.compression = Compression::none;
    const bool in_one = draw_.once_in(2);
    const Fault fault = draw_survivable_fault(draw_, 1);
    const bool failed = fails_by_fault({}, fault, [&](const Rank& rank) -> Work {
      return [&] {
        comm::agree(rank.all.engine(), [&] {
          in_one ? sets::defragment(rank.storage, path_, to, options) : sets::rewrite(rank.storage, path_, to, options);
        });
      };
    });
    if (!failed) require_equal(read(to, now_->number), *now_);
    require_equal(read(path_, now_->number), *now_);
  }

  // A damaged set is refused, or all it delivers is right and all is there; so is what repair makes of it.
  void look_at_damaged() {
    const Damage damage = damage_one_file(draw_, directory_);
    try {
      const std::string mended = path_ + ".mended";
      if (!is_whole(path_, false) && damage_is_not_told())
        throw Failure("verify finds nothing in a set that is refused");
      bool is_told = false;
      try {
        is_told = !repair_multifile(path_, {.output = mended}).lost.empty();
      } catch (const Error&) {
        return;  // not everything can be mended
      }
      if (fs::exists(mended)) (void)is_whole(mended, is_told);
    } catch (const Failure& failure) {
      throw Failure(words(damage) + ": " + failure.what());
    }
  }

  // False: readers refuse it.
  bool is_whole(const std::string& path, bool may_lack_fields) {
    SetModel found;
    if (!outcome_of(c_.reader.crew, {}, reading({path, now_->number, c_.reader}, found)).error.empty()) return false;
    if (may_lack_fields) found.fields = now_->fields;
    require_equal(found, *now_);
    return true;
  }

  bool damage_is_not_told() const {
    try {
      return verify_multifile(path_).is_sound();
    } catch (const Error&) {
      return false;
    }
  }

  Draw& draw_;
  const SetCase& c_;
  std::string directory_;
  std::string path_ = directory_ + "/a set with a name that is longer than a small string.sion";
  SharedDiary diary_;
  std::optional<SetModel> before_, now_;
};

}  // namespace

void torture_sets(Draw& draw, const std::string& directory, const Tell& tell) {
  const SetCase drawn = draw_set_case(draw);
  tell(words(drawn));
  SetTrial(draw, drawn, directory).run();
}

}  // namespace lq::torture
