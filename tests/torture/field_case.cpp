// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "torture/field_case.hpp"

#include <fmt/format.h>

#include <memory>

#include <limequat/async.hpp>

#include "comm/agree.hpp"
#include "io/transfer.hpp"
#include "torture/numbers.hpp"

namespace lq::torture {
namespace {

FieldSpec draw_spec(Draw& draw, int dimensions) {
  if (dimensions == 4 && draw.once_in(2)) {
    const int colors = draw.one_of({3, 3, 3, 2, 4});
    if (draw.once_in(2)) return gauge_spec(Precision::double_, colors, 4);
    return draw.once_in(5) ? propagator_spec(Precision::double_, 2) : spinor_spec(Precision::double_, colors);
  }
  return generic_spec(Precision::double_, draw.size_up_to(40) + 1, false);
}

RouteOptions draw_route(Draw& draw) {
  RouteOptions route;
  route.strategy =
      draw.one_of({Strategy::automatic, Strategy::direct, Strategy::shared, Strategy::pull, Strategy::messages});
  if (draw.once_in(2)) route.chunk_bytes = 4096 * (draw.below(16) + 1);
  if (draw.once_in(4)) route.aggregators = draw.below(4) + 1;
  if (draw.once_in(4)) route.alignment = draw.one_of<std::uint64_t>({512, 4096, 65536});
  if (draw.once_in(4)) route.threads = static_cast<int>(draw.between(1, 2));
  return route;
}

std::string format_for(Draw& draw, const FieldSpec& spec, int dimensions) {
  const bool may_be_ildg = spec.kind == FieldKind::gauge && spec.colors == 3;
  if (may_be_ildg && draw.once_in(2)) return "ildg";
  const bool may_be_tiled = spec.kind == FieldKind::generic && dimensions > 1;
  return may_be_tiled && draw.once_in(4) ? "tiled" : "scidac";
}

WriteOptions draw_options(Draw& draw) {
  WriteOptions options;
  if (draw.once_in(2)) options.precision = draw.one_of({Precision::single, Precision::double_});
  options.verify = draw.one_of({Verify::checksum, Verify::checksum, Verify::read_back, Verify::none});
  options.sync = draw.one_of({Sync::none, Sync::data, Sync::full});
  options.slice_checksums = !draw.once_in(4);
  options.measure = draw.once_in(6);
  options.metadata = {{"torture", fmt::format("a text that is longer than a small string, {}", draw.number())}};
  return options;
}

Box draw_region(Draw& draw, const Extents& lattice) {
  Box region = whole(lattice);
  for (int d = 0; d < lattice.size(); ++d) {
    region.lower[d] = draw.once_in(2) ? 0 : draw.between(0, lattice[d] - 1);
    const std::int64_t rest = lattice[d] - region.lower[d];
    region.extents[d] = draw.once_in(2) ? rest : draw.between(1, rest);
  }
  return region;
}

std::string words(const char* who, const FieldSide& side) {
  return fmt::format(
      "{}: {}, grid {} by {}, {}, order {}, {}{}, {} chunk {} aggregators {} alignment {} threads {}, block {}", who,
      words(side.crew), to_string(side.processes), fmt::join(side.rank_order, ""), name(side.precision),
      fmt::join(side.order, ""), side.by_function ? "function" : "memory",
      side.in_background ? " in the background" : "", name(side.route.strategy), side.route.chunk_bytes,
      side.route.aggregators, side.route.alignment, side.route.threads, side.block_bytes);
}

FieldSpec spec_of(const FieldCase& c, const FieldSide& side) {
  FieldSpec spec = c.spec;
  spec.precision = side.precision;
  return spec;
}

// Of several fields: where one is lost, their numbers shift.
std::string name_of(std::size_t index) { return fmt::format("f{}", index); }

// All that a rank needs to write; borrowed by the fields.
struct WriteMemory {
  Grid grid;
  std::vector<Numbers> numbers;
  std::vector<Field> fields;
};

void write_all(const FieldCase& c, const std::string& path, const Rank& rank, const WriteMemory& memory) {
  const WriteOptions& options = c.options;
  if (memory.fields.size() > 1) {
    const auto writer = comm::agree(
        rank.all.engine(), [&] { return std::make_unique<io::FieldWriter>(rank.storage, rank.all, path, options); });
    for (std::size_t i = 0; i < memory.fields.size(); ++i) {
      io::append_field(*writer, rank.storage, memory.grid, path, name_of(i), memory.fields[i], options.metadata,
                       options);
    }
    Report report;
    return writer->commit(report);
  }
  if (!c.writer.in_background) {
    io::write_field(rank.storage, path, memory.grid, memory.fields.front(), options);
    return;
  }
  Pending pending = write_async(path, memory.grid, memory.fields.front(), options);
  pending.test();
  if (c.cancels) return pending.cancel();
  pending.wait();
}

}  // namespace

FieldSide draw_side(Draw& draw, int dimensions, const Crew& crew) {
  FieldSide side;
  side.crew = crew;
  side.processes = draw.processes(dimensions, crew.ranks);
  side.rank_order = draw.order(dimensions);
  side.precision = draw.one_of({Precision::single, Precision::double_});
  side.by_function = draw.once_in(6);
  if (!side.by_function) side.order = draw.order(dimensions);
  side.route = draw_route(draw);
  // Neighbours read rows as they lie in memory.
  const bool is_as_in_file = !side.by_function && side.order.empty();
  if (side.route.strategy == Strategy::pull && !is_as_in_file) side.route.strategy = Strategy::shared;
  side.block_bytes = draw.one_of<std::uint64_t>({512 * 1024, 4096, 1});
  return side;
}

FieldCase draw_field_case(Draw& draw, std::int64_t largest) {
  FieldCase drawn;
  const int dimensions = draw.one_of({4, 4, 4, 4, 1, 2, 3, 5});
  drawn.lattice = draw.extents(dimensions, dimensions < 3 ? 5 * largest : largest);
  drawn.spec = draw_spec(draw, dimensions);
  drawn.writer = draw_side(draw, dimensions, draw_crew(draw, 6));
  drawn.reader = draw_side(draw, dimensions, draw_crew(draw, 6));
  drawn.options = draw_options(draw);
  drawn.options.format = format_for(draw, drawn.spec, dimensions);
  drawn.while_writing = draw_fault(draw, drawn.writer.crew.ranks);
  drawn.while_reading = draw_survivable_fault(draw, drawn.reader.crew.ranks);
  if (drawn.options.format == "scidac" && draw.once_in(4)) drawn.fields = static_cast<int>(draw.between(2, 3));
  // The calls in the background know one storage.
  drawn.writer.in_background = drawn.fields == 1 && !is_of_storage(drawn.while_writing.kind) && draw.once_in(2);
  drawn.reader.in_background = !is_of_storage(drawn.while_reading.kind) && draw.once_in(3);
  // Whoever gives a transfer up is told of no failure.
  const bool may_cancel = drawn.writer.in_background && drawn.while_writing.kind != Fault::Kind::program;
  drawn.cancels = may_cancel && draw.once_in(4);
  drawn.replaces = draw.once_in(2);
  if (draw.once_in(4)) drawn.region = draw_region(draw, drawn.lattice);
  if (drawn.is_tiled()) {
    // Whole tiles are encoded, and several files of one field get their names one after the other.
    drawn.writer.route = {.strategy = draw.one_of({Strategy::shared, Strategy::messages})};
    drawn.reader.route.strategy = Strategy::automatic;
    drawn.replaces = false;
    if (drawn.while_writing.kind == Fault::Kind::kill) drawn.while_writing = {};
  }
  drawn.options.overwrite = drawn.replaces || draw.once_in(2);
  drawn.options.route = drawn.writer.route;
  drawn.options.block_bytes = drawn.writer.block_bytes;
  return drawn;
}

std::string words(const FieldCase& c) {
  return fmt::format(
      "{} {} of {} numbers on {} as {}, {}, verify {}, slices {}, measure {}{}{}\n  {}, {}\n  {}{}, {}", c.fields,
      name(c.spec.kind), c.spec.numbers, to_string(c.lattice), c.options.format,
      c.options.precision ? std::string(name(*c.options.precision)) : "as in memory",
      static_cast<int>(c.options.verify), c.options.slice_checksums, c.options.measure, c.replaces ? ", replacing" : "",
      c.cancels ? ", cancelled" : "", words("writer", c.writer), words(c.while_writing), words("reader", c.reader),
      c.region ? fmt::format(", region {} at {}", to_string(c.region->extents), to_string(c.region->lower)) : "",
      words(c.while_reading));
}

RankWork writing(const FieldCase& c, const std::string& path, int version) {
  return [&c, path, version](const Rank& rank) -> Work {
    const auto memory = std::make_shared<WriteMemory>(WriteMemory{c.writer.grid(rank.all, c.lattice), {}, {}});
    const FieldSpec spec = spec_of(c, c.writer);
    memory->numbers.reserve(static_cast<std::size_t>(c.fields));
    for (int i = 0; i < c.fields; ++i) {
      memory->numbers.push_back(model(memory->grid, spec, c.writer.order, shift_of(version, i), {}, {}));
      Numbers& numbers = memory->numbers.back();
      memory->fields.push_back(c.writer.by_function
                                   ? field_by_function(numbers, spec, memory->grid.local_box(), rank.own_code)
                                   : Field(field_of(numbers, spec, c.writer.order)));
    }
    return [&c, &rank, path, memory] { write_all(c, path, rank, *memory); };
  };
}

int VersionsRead::version() const {
  int version = -1;
  for (const int read : of_rank) {
    if (version >= 0 && read >= 0 && read != version) throw Failure("ranks have read different versions of a file");
    version = std::max(version, read);
  }
  return version;
}

RankWork reading(const FieldCase& c, const ReadRequest& request, VersionsRead& seen) {
  return [&c, request, &seen](const Rank& rank) -> Work {
    const bool in_part = c.region && !request.whole;
    const Grid grid = c.reader.grid(rank.all, in_part ? c.region->extents : c.lattice);
    const FieldSpec spec = spec_of(c, c.reader);
    std::vector<Numbers> expected;
    for (const int version : request.versions) {
      expected.push_back(model(grid, spec, c.reader.order, shift_of(version, request.index), c.lattice,
                               in_part ? c.region->lower : Coord{}));
    }
    ReadOptions options;
    if (c.fields > 1) options.field = name_of(static_cast<std::size_t>(request.index));
    if (in_part) options.region = c.region;
    options.route = c.reader.route;
    options.block_bytes = c.reader.block_bytes;
    const auto numbers = std::make_shared<Numbers>(zeros(spec.precision, grid.local_volume() * spec.numbers));
    const MutableField field = c.reader.by_function
                                   ? field_into_function(*numbers, spec, grid.local_box(), rank.own_code)
                                   : field_of(*numbers, spec, c.reader.order);
    return [=, &c, &rank, &seen, request = request] {
      Report report;
      if (c.reader.in_background) {
        Pending pending = read_async(request.path, grid, field, options);
        pending.test();
        report = pending.wait();
      } else {
        report = io::read_field(rank.storage, request.path, grid, field, options);
      }
      if (grid.local_volume() == 0) return;
      for (std::size_t i = 0; i < expected.size(); ++i) {
        if (*numbers != expected[i]) continue;
        seen.of_rank[static_cast<std::size_t>(rank.all.rank())] = request.versions[i];
        return;
      }
      if (!request.may_be_damaged || (report.status == ChecksumStatus::ok && !request.sums_are_new)) {
        throw Failure("a read succeeded and delivered other numbers than were written");
      }
    };
  };
}

}  // namespace lq::torture
