// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "torture/set_case.hpp"

#include <fmt/format.h>

#include <memory>

#include <limequat/error.hpp>

#include "sets/checkpoint/new_set.hpp"
#include "sets/checkpoint/open_set.hpp"
#include "support/streams.hpp"
#include "torture/numbers.hpp"

namespace lq::torture {
namespace {

// All fields of all sets.
const Extents lattice_of_sets{4, 3, 2, 5};
constexpr std::uint64_t numbers_of_sets = 6;

FieldSpec spec_of(const FieldSide& side) { return generic_spec(side.precision, numbers_of_sets, false); }

// Bytes of another set are other bytes.
std::uint64_t stream_id(std::int64_t task, int number) {
  return static_cast<std::uint64_t>(task) + 1000 * static_cast<std::uint64_t>(number);
}
// ... and so are the numbers of another field.
double shift_of(const std::string& name, int number) {
  double shift = 1000 * (number + 1);
  for (const char c : name) shift += c;
  return shift;
}

void write_streams(sets::NewSet& set, const SetRound& round, const std::function<void()>& own_code, Diary& diary) {
  for (const auto& stream : set.streams()) {
    const auto task = static_cast<std::size_t>(stream->task());
    Draw draw(round.seed + task);
    diary.kept[task] = stream->size();
    for (std::uint64_t steps = draw.below(6); steps > 0; --steps) {
      own_code();
      const std::uint64_t bytes = draw.size_up_to(draw.once_in(5) ? 100'000 : 3000);
      stream->write(testing::stream_bytes(stream_id(stream->task(), round.number), stream->size(), bytes));
      if (draw.once_in(2)) continue;
      const bool for_good = draw.once_in(8);
      for_good ? stream->sync() : stream->flush();
      diary.kept[task] = stream->size();
      if (for_good) diary.synced[task] = stream->size();
    }
  }
}

// The error of one rank's own part is that of all, and the set is left as it is.
template <class Part>
void run_part(const Communicator& all, const Part& part) {
  std::exception_ptr failure;
  try {
    part();
  } catch (...) {
    failure = std::current_exception();
  }
  all.agree(failure);
}

void write_set(const SetRound& round, const std::string& path, const Rank& rank, const std::vector<Field>& fields,
               const Grid& grid, Diary& diary) {
  const auto set = round.appends ? sets::append_to_set(rank.storage, path, rank.all, round.options)
                                 : sets::create_set(rank.storage, path, rank.all, round.options);
  run_part(rank.all, [&] { write_streams(*set, round, rank.own_code, diary); });
  WriteOptions options;
  options.route = round.side.route;
  options.block_bytes = round.side.block_bytes;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    set->write_field(round.fields[i], grid, fields[i], options);
    if (rank.all.is_root()) ++diary.fields;
  }
  if (round.discards) return set->discard();
  set->close();
  for (const auto& stream : set->streams()) diary.written[static_cast<std::size_t>(stream->task())] = stream->size();
}

// Tasks that were dealt to this rank.
void read_tasks(const sets::OpenSet& set, int number, std::vector<std::uint64_t>& sizes) {
  const std::int64_t first = set.share().first;
  for (std::size_t k = 0; k < set.share().dealt.size(); ++k) {
    const std::int64_t task = first + static_cast<std::int64_t>(k);
    const auto bytes = InStream(set.task(task)).read_all();
    const std::uint64_t right = testing::first_wrong(bytes, stream_id(task, number));
    if (right != bytes.size()) throw Failure(fmt::format("task {}: byte {} of {} is wrong", task, right, bytes.size()));
    sizes[static_cast<std::size_t>(task)] = bytes.size();
  }
}

// This rank's part of all streams one behind the other, of which `sizes` are known.
void read_window(const sets::OpenSet& set, int number, const std::vector<std::uint64_t>& sizes) {
  const auto bytes = InStream(set.window()).read_all();
  std::uint64_t begin = 0, at = set.share().window_begin;
  const std::uint64_t end = at + bytes.size();
  for (std::size_t task = 0; task < sizes.size() && at < end; begin += sizes[task++]) {
    const std::uint64_t task_end = std::min(begin + sizes[task], end);
    if (at >= task_end) continue;
    const auto piece = std::span(bytes).subspan(at - set.share().window_begin, task_end - at);
    const std::uint64_t right =
        testing::first_wrong(piece, stream_id(static_cast<std::int64_t>(task), number), at - begin);
    if (right != piece.size()) throw Failure(fmt::format("window: byte {} of task {} is wrong", right, task));
    at = task_end;
  }
  if (at != end) throw Failure("a window reaches beyond the streams");
}

void read_fields(const sets::OpenSet& set, const SetReading& how, const Rank& rank, const Grid& grid,
                 std::vector<std::string>& names) {
  ReadOptions options;
  options.route = how.side.route;
  options.block_bytes = how.side.block_bytes;
  std::vector<MultifileField> fields;
  run_part(rank.all, [&] { fields = set.fields(); });
  for (const MultifileField& field : fields) {
    const FieldSpec spec = spec_of(how.side);
    Numbers numbers, expected;
    MutableField memory;
    run_part(rank.all, [&] {
      numbers = zeros(spec.precision, grid.local_volume() * spec.numbers);
      memory = field_of(numbers, spec, how.side.order);
      expected = model(grid, spec, how.side.order, shift_of(field.name, how.number), {}, {});
    });
    set.read_field(field.name, grid, memory, options);
    if (numbers != expected) throw Failure(fmt::format("field \"{}\" has wrong numbers", field.name));
    run_part(rank.all, [&] {
      if (rank.all.is_root()) names.push_back(field.name);
    });
  }
  run_part(rank.all, [&] {
    if (fields.size() == set.info().fields) return;
    throw Error(Code::truncated, fmt::format("{} fields of {}", fields.size(), set.info().fields));
  });
}

}  // namespace

SetRound draw_round(Draw& draw, int number, const std::string& prefix) {
  SetRound round;
  round.number = number;
  round.crew = draw_crew(draw, 4);
  MultifileOptions& options = round.options;
  options.streams = static_cast<std::int32_t>(draw.between(1, 3));
  options.files = static_cast<std::int32_t>(draw.between(0, round.crew.ranks));
  options.expected_bytes = draw.one_of<std::uint64_t>({0, 1, 3000, 200'000});
  options.buffer_bytes = draw.one_of<std::uint64_t>({256 * 1024, 4096, 800});
  const Compression compression = draw.one_of({Compression::none, Compression::lz4, Compression::zstd});
  if (is_available(compression)) options.compression = compression;
  options.checksums = !draw.once_in(5);
  options.sync = draw.one_of({Sync::none, Sync::full});
  options.overwrite = true;
  round.seed = draw.number();
  round.side = draw_side(draw, lattice_of_sets.size(), round.crew);
  for (std::uint64_t i = draw.below(3); i > 0; --i) round.fields.push_back(fmt::format("{}{}", prefix, i));
  return round;
}

std::string words(const SetRound& round) {
  return fmt::format(
      "{} set {}: {}, {} streams a rank, {} files, expected {}, buffer {}, {}, checksums {}, {} fields of grid {}, {}",
      round.appends    ? "going on with"
      : round.discards ? "discarding"
                       : "writing",
      round.number, words(round.crew), round.options.streams, round.options.files, round.options.expected_bytes,
      round.options.buffer_bytes, name(round.options.compression), round.options.checksums, round.fields.size(),
      to_string(round.side.processes), name(round.side.route.strategy));
}

RankWork writing(const SetRound& round, const std::string& path, Diary& diary) {
  return [&round, path, &diary](const Rank& rank) -> Work {
    const Grid grid = round.side.grid(rank.all, lattice_of_sets);
    const auto numbers = std::make_shared<std::vector<Numbers>>();
    const FieldSpec spec = spec_of(round.side);
    for (const std::string& field : round.fields) {
      numbers->push_back(model(grid, spec, round.side.order, shift_of(field, round.number), {}, {}));
    }
    std::vector<Field> fields;
    for (Numbers& one : *numbers) {
      fields.push_back(round.side.by_function ? field_by_function(one, spec, grid.local_box(), rank.own_code)
                                              : Field(field_of(one, spec, round.side.order)));
    }
    return [&round, &rank, &diary, path, grid, numbers, fields] { write_set(round, path, rank, fields, grid, diary); };
  };
}

RankWork reading(const SetReading& how, SetModel& found) {
  return [how, &found](const Rank& rank) -> Work {
    const Grid grid = how.side.grid(rank.all, lattice_of_sets);
    return [how, grid, &rank, &found] {
      const auto set = sets::OpenSet::open(rank.storage, how.path, rank.all,
                                           {.verify = how.is_lossy ? Verify::none : Verify::checksum});
      run_part(rank.all, [&] {
        if (!rank.all.is_root()) return;
        found = {how.number, std::vector<std::uint64_t>(static_cast<std::size_t>(set->info().tasks)), {}};
      });
      run_part(rank.all, [&] { read_tasks(*set, how.number, found.streams); });
      run_part(rank.all, [&] { read_window(*set, how.number, found.streams); });
      if (!how.is_lossy) read_fields(*set, how, rank, grid, found.fields);
    };
  };
}

}  // namespace lq::torture
