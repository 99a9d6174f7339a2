// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A set of streams and fields: made, replaced, gone on with, and repaired after what went wrong. A set that was closed
// has all that was written; of one that was gone on with, what there was before is left, and what was flushed since
// unless the power has failed.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <vector>

#include <limequat/error.hpp>

#include "base/path.hpp"
#include "comm/agree.hpp"
#include "sets/checkpoint/repair.hpp"
#include "simulation/item.hpp"
#include "torture/set_case.hpp"

namespace lq::simulation {
namespace {

using torture::SetModel;
using torture::SetRound;

class Checkpoint final : public Item {
 public:
  Checkpoint(Draw& draw, Machine& machine, std::string path) : draw_(draw), machine_(machine), path_(std::move(path)) {}

  void step(const Tell& tell) override {
    SetRound round = torture::draw_round(draw_, now_ ? now_->number : ++last_number_, fmt::format("r{}.", ++rounds_));
    round.crew.delays = 0;
    round.appends = now_ && draw_.once_in(2);
    if (now_ && !round.appends) round.number = ++last_number_;
    if (!draw_.once_in(6)) round.options.sync = Sync::full;
    round.side.route.threads = std::min(round.side.route.threads, 1);
    const Trouble trouble = draw_trouble(draw_, round.crew.ranks);
    tell(fmt::format("{}: {}, sync {}, {}", path_, torture::words(round), static_cast<int>(round.options.sync),
                     words(trouble)));
    diary_.start_anew();
    before_ = now_;
    const Outcome outcome = machine_.run(round.crew, trouble, torture::writing(round, path_, *diary_));
    tell(words(outcome));
    require_place(outcome.error);
    const bool is_cut = outcome.has_ended && trouble.kind == Trouble::Kind::power;
    if (!is_cut) is_synced_ = is_synced_ && round.options.sync == Sync::full;
    const bool promises_nothing = round.options.sync == Sync::none && !round.appends;
    if (is_cut && (promises_nothing || (before_ && !is_synced_))) return start_anew();
    if (outcome.error.empty() && !outcome.has_ended) {
      is_synced_ = round.options.sync == Sync::full && (is_synced_ || !round.appends);
      if (!round.appends) has_sums_ = round.options.checksums;
      look_at_closed(round);
    } else if (round.appends) {
      look_at_interrupted(round, is_cut);
    } else {
      look_at_unfinished(round);
      // A failure tells nothing of whether the disk knows what is seen.
      const bool is_new = now_ && now_->number == round.number;
      if (is_new) is_synced_ = is_cut;
    }
  }

  void after_power_failure() override {
    if (now_ && !is_synced_) start_anew();
  }

  void check() override {
    if (!now_) {
      if (machine_.has(path_)) throw Failure(path_ + ": there is a set that nobody has finished");
      return;
    }
    require_equal(read(now_->number), *now_);
    machine_.must_succeed({}, [&](const Rank&) -> Work {
      return [&] {
        if (!verify_multifile(path_).is_sound()) throw Failure(path_ + ": a set that was closed is not sound");
      };
    });
  }

 private:
  SetModel read(int number, bool is_lossy = false) {
    SetModel found;
    const Crew crew = reader();
    torture::SetReading how{path_, number, torture::draw_side(draw_, 4, crew)};
    how.side.route.threads = std::min(how.side.route.threads, 1);
    how.is_lossy = is_lossy;
    machine_.must_succeed(crew, torture::reading(how, found));
    return found;
  }
  Crew reader() {
    Crew crew = torture::draw_crew(draw_, 5);
    crew.delays = 0;
    return crew;
  }

  void require_equal(const SetModel& found, const SetModel& expected) const {
    if (found.streams == expected.streams && found.fields == expected.fields) return;
    throw Failure(fmt::format("{}: streams of {} bytes and fields {}; expected: {} bytes and fields {}", path_,
                              fmt::join(found.streams, ", "), fmt::join(found.fields, ", "),
                              fmt::join(expected.streams, ", "), fmt::join(expected.fields, ", ")));
  }

  // An error that says where the data are is right.
  void require_place(const std::string& error) const {
    static constexpr std::string_view words = "the data written so far are in ";
    const std::size_t begin = error.find(words);
    if (begin == std::string::npos) return;
    const std::string place = error.substr(begin + words.size(), error.find(';', begin) - begin - words.size());
    if (!machine_.has(place)) throw Failure(path_ + ": there is no file that is said to have the data: " + error);
  }

  void look_at_closed(const SetRound& round) {
    const SetModel found = read(round.number);
    SetModel expected{round.number, std::vector<std::uint64_t>(found.streams.size()), {}};
    if (round.appends) expected = *before_;
    expected.streams.resize(found.streams.size());
    const auto tasks = static_cast<std::size_t>(round.crew.ranks * round.options.streams);
    for (std::size_t task = 0; task < tasks; ++task) expected.streams.at(task) = diary_->written[task];
    expected.fields.insert(expected.fields.end(), round.fields.begin(), round.fields.end());
    require_equal(found, expected);
    now_ = found;
    check();
  }

  // What was there before, and a beginning of what was added.
  void look_at_interrupted(const SetRound& round, bool is_cut) {
    if (!machine_.has(path_)) throw Failure(path_ + ": the set is gone");
    const RepairReport report = repair(path_);
    if (!report.lost.empty() && !is_cut && !is_of_unfinished_fields(report, round)) {
      throw Failure(path_ + ": repair speaks of damage: " + report.lost.front().what);
    }
    // What was written last may be refused then, and is right all the same as far as it is there.
    const bool is_lossy = is_cut && !report.lost.empty();
    if (is_cut && !has_sums_) return start_anew();  // nobody can tell
    const SetModel found = read(before_->number, is_lossy);
    for (std::size_t task = 0; task < torture::most_tasks; ++task) {
      const std::uint64_t old = task < before_->streams.size() ? before_->streams[task] : 0;
      const std::uint64_t synced = diary_->synced[task].load();
      const std::uint64_t least = std::max(old, is_cut ? synced : diary_->kept[task].load());
      const std::uint64_t there = task < found.streams.size() ? found.streams[task] : 0;
      if (there < least) {
        throw Failure(fmt::format("{}: task {} has {} bytes, {} were kept; {} before; {}", path_, task, there, least,
                                  old, to_json(report)));
      }
    }
    if (is_lossy) return start_anew();
    std::vector<std::string> least = before_->fields;
    if (!is_cut) {
      least.insert(least.end(), round.fields.begin(),
                   round.fields.begin() + static_cast<std::ptrdiff_t>(diary_->fields.load()));
    }
    if (found.fields.size() < least.size() || !std::equal(least.begin(), least.end(), found.fields.begin())) {
      throw Failure(
          fmt::format("{}: fields {}, kept were {}", path_, fmt::join(found.fields, ", "), fmt::join(least, ", ")));
    }
    now_ = found;
  }

  // The older set, or all of the new one.
  void look_at_unfinished(const SetRound& round) {
    if (!machine_.has(path_)) {
      if (before_) throw Failure(path_ + ": the older set is gone");
      return;
    }
    const std::optional<SetModel> old = before_ ? read_if_it_is(before_->number) : std::nullopt;
    if (old && old->streams == before_->streams) return;
    now_ = read_if_it_is(round.number);
    if (!now_)
      throw Failure(fmt::format("{}: neither set {} nor the one before, but {}", path_, round.number, which()));
    has_sums_ = round.options.checksums;
    // Of its names some may be missing, which readers do without.
    (void)repair(path_);
    require_equal(read(round.number), *now_);
  }

  bool is_of_unfinished_fields(const RepairReport& report, const SetRound& round) const {
    const auto begin = round.fields.begin() + static_cast<std::ptrdiff_t>(diary_->fields.load());
    return std::ranges::all_of(report.lost, [&](const ChunkDamage& lost) {
      const bool is_named = std::find(begin, round.fields.end(), lost.field) != round.fields.end();
      return lost.task < 0 && begin != round.fields.end() && (lost.field.empty() || is_named);
    });
  }

  // Nothing: its bytes are not those of that set.
  std::optional<SetModel> read_if_it_is(int number) {
    try {
      return read(number);
    } catch (const Failure&) {
      return std::nullopt;
    }
  }
  std::string which() {
    for (int number = 1; number <= last_number_; ++number) {
      if (const auto found = read_if_it_is(number)) {
        return fmt::format("set {} with streams of {} bytes", number, fmt::join(found->streams, ", "));
      }
    }
    try {
      (void)read(0);
    } catch (const Failure& failure) {
      return failure.what();
    }
    return {};
  }

  RepairReport repair(const std::string& path) {
    RepairReport report;
    machine_.must_succeed({}, [&](const Rank&) -> Work { return [&] { report = repair_multifile(path); }; });
    return report;
  }

  // Nothing was promised of it.
  void start_anew() {
    now_.reset();
    is_synced_ = true;
    const std::string name = path_.substr(folder.size());
    for (const auto& [path, bytes] : machine_.files()) {
      if (path.find(name) != std::string::npos) machine_.remove(path);
    }
  }

  Draw& draw_;
  Machine& machine_;
  std::string path_;
  torture::SharedDiary diary_;
  int last_number_ = 0, rounds_ = 0;
  std::optional<SetModel> now_, before_;
  bool is_synced_ = true, has_sums_ = true;
};

}  // namespace

std::unique_ptr<Item> make_checkpoint(Draw& draw, Machine& machine, const std::string& path) {
  return std::make_unique<Checkpoint>(draw, machine, path);
}

}  // namespace lq::simulation
