// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// lq dump: the numbers of one site, laid out by kind, or of a box of sites.
#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <limequat/file.hpp>
#include <limequat/inspect.hpp>

#include "base/bytes.hpp"
#include "cli/arguments.hpp"
#include "cli/command.hpp"
#include "cli/conversions.hpp"
#include "cli/exit_code.hpp"
#include "cli/text.hpp"
#include "io/new_file.hpp"
#include "lattice/region_text.hpp"
#include "storage/transport.hpp"

namespace lq::cli {

// lq cat: the bytes of one record.

namespace {

// The reader of the output has gone; thrown through read_record to stop it.
struct ReaderGone {};

struct Cat {
  std::string file;
  std::string name;

  int print(Session& session) const {
    const NumberedName wanted = parse_numbered_name(name);
    const auto sink = [&](const void* data, std::uint64_t bytes) {
      session.out.write_data({static_cast<const char*>(data), static_cast<std::size_t>(bytes)}, session.mpi != "none");
      if (!session.out.wants_more()) throw ReaderGone();
    };
    return at_root(session, [&] {
      try {
        read_record(file, wanted.name, wanted.index, sink);
      } catch (const ReaderGone&) {
        // run() decides whether this is an error.
      }
      return fine;
    });
  }
};

}  // namespace

Run declare_cat(Arguments& arguments) {
  const auto cat = std::make_shared<Cat>();
  arguments.file("FILE", cat->file, "file to read");
  arguments.reads_contents();
  arguments.word("NAME", cat->name, "type of the record (NAME:N: occurrence N, from 0), or field of a checkpoint");
  return [cat](Session& session) {
    return for_each_file(session, {cat->file}, [&](const std::string&) { return cat->print(session); });
  };
}

namespace {

Coord parse_site(const std::string& text) {
  std::vector<std::int64_t> values;
  for (const std::string& part : split(text, ',')) {
    std::int64_t value = 0;
    const char* end = part.data() + part.size();
    const auto [stop, failure] = std::from_chars(part.data(), end, value);
    if (failure != std::errc() || stop != end || values.size() == max_dimensions) {
      throw UsageError(fmt::format("--site: \"{}\" is not a site; write x,y,z,t such as 0,0,0,3", printable(text)));
    }
    values.push_back(value);
  }
  return Coord(values);
}

// Matrices one below the other: their headings, and the rows and columns of each.
struct Blocks {
  std::vector<std::string> headings;
  int rows = 1;
  int columns = 1;
};

std::string direction(int mu, int links) {
  constexpr std::string_view names = "xyzt";
  return links == 4 ? fmt::format("U_{}", names[static_cast<std::size_t>(mu)]) : fmt::format("U_{}", mu);
}

Blocks blocks_of(const FieldSpec& spec) {
  Blocks blocks;
  switch (spec.kind) {
    case FieldKind::gauge:
      for (int mu = 0; mu < spec.links; ++mu) blocks.headings.push_back(direction(mu, spec.links));
      blocks.rows = blocks.columns = spec.colors;
      break;
    case FieldKind::spinor:
      blocks.headings = {"spin by color"};
      blocks.rows = spec.spins;
      blocks.columns = spec.colors;
      break;
    case FieldKind::propagator:
      for (int i = 0; i < spec.spins * spec.spins; ++i) {
        blocks.headings.push_back(fmt::format("sink spin {}, source spin {}", i / spec.spins, i % spec.spins));
      }
      blocks.rows = blocks.columns = spec.colors;
      break;
    case FieldKind::generic:
      blocks.headings = {""};
      blocks.rows = static_cast<int>(spec.is_complex ? spec.numbers / 2 : spec.numbers);
      break;
  }
  return blocks;
}

std::vector<int> shape_of(const FieldSpec& spec) {
  const Blocks blocks = blocks_of(spec);
  std::vector<int> shape;
  if (spec.kind == FieldKind::gauge) shape.push_back(spec.links);
  if (spec.kind == FieldKind::propagator) shape.insert(shape.end(), 2, spec.spins);
  shape.push_back(blocks.rows);
  if (spec.kind != FieldKind::generic) shape.push_back(blocks.columns);
  if (spec.is_complex) shape.push_back(2);
  return shape;
}

// The header of a numpy file, padded so that the numbers begin at a multiple of 64 bytes.
std::string npy_header(const FieldSpec& spec, const std::vector<std::int64_t>& shape) {
  const bool is_single = spec.precision == Precision::single;
  const char order = std::endian::native == std::endian::little ? '<' : '>';
  std::string text =
      fmt::format("{{'descr': '{}{}{}', 'fortran_order': False, 'shape': ({},), }}", order, spec.is_complex ? 'c' : 'f',
                  (is_single ? 4 : 8) * (spec.is_complex ? 2 : 1), fmt::join(shape, ", "));
  constexpr std::size_t before = 10, unit = 64;
  text.append(unit - 1 - (before + text.size()) % unit, ' ');
  text += '\n';
  const std::string magic("\x93NUMPY\x01\x00", 8);
  const char length[] = {static_cast<char>(text.size() & 0xff), static_cast<char>(text.size() >> 8)};
  return magic + std::string(length, sizeof length) + text;
}

struct Dump {
  std::string file, site, box, output;
  bool overwrite = false;
  ReadOptions options;

  int print(Session& session) const {
    if (site.empty() && box.empty()) {
      throw UsageError("--site is missing: which site? For example --site 0,0,0,3 (x,y,z,t)");
    }
    if (!site.empty() && !box.empty()) {
      throw UsageError("which sites? --site 0,0,0,3 (x,y,z,t), or a part of the lattice: --box t=5,x=0:4");
    }
    if (box.empty() && !output.empty()) throw UsageError("--output requires --box");
    return box.empty() ? print_site(session) : print_box(session);
  }

  // The numbers as lq::read() returns them, compared with the checksums that cover them.
  int print_box(Session& session) const {
    const NumberedName wanted = parse_numbered_name(options.field);
    return at_root(session, [&] {
      const File opened = lq::open(file, {}, options.limits);
      opened.catalog().require_sound();
      const FieldEntry& entry = opened.catalog().field(wanted.name, wanted.index);
      const FieldSpec& spec = entry.payload.spec;
      const Box part = lattice::region_of(file, box, entry.payload.extents);
      std::vector<std::byte> numbers(static_cast<std::size_t>(part.volume() * spec.site_bytes()));
      ReadOptions how = options;
      how.field = wanted.name;
      how.index = wanted.index;
      if (part != whole(entry.payload.extents)) how.region = part;
      const MutableField memory{.spec = spec, .data = numbers.data(), .available = part.volume() * spec.numbers};
      (void)opened.read(Grid(part.extents), memory, how);
      if (!output.empty()) {
        write_npy(session, spec, part, numbers);
      } else if (session.json) {
        print_json_box(session, entry, part, numbers);
      } else {
        print_text_box(session, entry, part, numbers);
      }
      return fine;
    });
  }

  // Time is the slowest axis, as in Python arrays.
  static std::vector<std::int64_t> array_shape(const FieldSpec& spec, const Box& part) {
    std::vector<std::int64_t> shape(part.extents.begin(), part.extents.end());
    std::ranges::reverse(shape);
    for (const int extent : shape_of(spec)) shape.push_back(extent);
    if (spec.is_complex) shape.pop_back();
    return shape;
  }

  void write_npy(Session& session, const FieldSpec& spec, const Box& part,
                 const std::vector<std::byte>& numbers) const {
    const std::string header = npy_header(spec, array_shape(spec, part));
    storage::Transport& transport = storage::resolve(output);
    io::NewFile made(transport, {}, output);
    made.keep_other_data("an array", "");
    made.create(overwrite, header.size() + numbers.size());
    if (&storage::resolve(file) == &transport) transport.keep_private(file, made.temporary_path());
    made.named([&] {
      made.file().write_at(0, base::as_bytes(header));
      made.file().write_at(header.size(), numbers);
    });
    made.finish(Sync::data);
    made.publish(Sync::data);
    if (session.json) {
      session.out.object("path", output, "shape", array_shape(spec, part), "bytes",
                         std::uint64_t{header.size() + numbers.size()});
    } else if (!session.quiet) {
      session.out.line(fmt::format("{}: an array of shape {}", output, fmt::join(array_shape(spec, part), " x ")));
    }
  }

  static double number_at(const FieldSpec& spec, const std::vector<std::byte>& numbers, std::uint64_t index) {
    const auto at = static_cast<std::size_t>(index);
    if (spec.precision == Precision::double_) {
      double value = 0;
      std::memcpy(&value, numbers.data() + at * sizeof value, sizeof value);
      return value;
    }
    float value = 0;
    std::memcpy(&value, numbers.data() + at * sizeof value, sizeof value);
    return static_cast<double>(value);
  }

  // Calls `tell` for each site, x fastest.
  template <class Tell>
  static void for_each_site(const Box& part, const Tell& tell) {
    Coord x = part.lower;
    for (std::uint64_t k = 0; k < part.volume(); ++k) {
      tell(x, k);
      for (int d = 0; d < part.extents.size(); ++d) {
        if (++x[d] < part.lower[d] + part.extents[d]) break;
        x[d] = part.lower[d];
      }
    }
  }

  // A line for each site, in columns.
  void print_text_box(Session& session, const FieldEntry& entry, const Box& part,
                      const std::vector<std::byte>& numbers) const {
    const FieldSpec& spec = entry.payload.spec;
    const int digits = spec.precision == Precision::single ? 8 : 16;
    session.out.line(fmt::format("# {}: \"{}\" ({}, {} precision): coordinates, then {} numbers of the site", file,
                                 printable(entry.name), describe(spec), name(spec.precision), spec.numbers));
    for_each_site(part, [&](const Coord& x, std::uint64_t k) {
      if (!session.out.wants_more()) return;
      std::string line = fmt::format("{}", fmt::join(x.begin(), x.end(), " "));
      for (std::uint64_t n = 0; n < spec.numbers; ++n) {
        line += fmt::format(" {: .{}e}", number_at(spec, numbers, k * spec.numbers + n), digits);
      }
      session.out.line(line);
    });
  }

  void print_json_box(Session& session, const FieldEntry& entry, const Box& part,
                      const std::vector<std::byte>& numbers) const {
    const FieldSpec& spec = entry.payload.spec;
    std::vector<double> values;
    for (std::uint64_t n = 0; n < part.volume() * spec.numbers; ++n) values.push_back(number_at(spec, numbers, n));
    std::vector<std::int64_t> shape = array_shape(spec, part);
    if (spec.is_complex) shape.push_back(2);
    session.out.object("path", file, "field", entry.name, "kind", name(spec.kind), "precision", name(spec.precision),
                       "lower", part.lower, "extents", part.extents, "shape", shape, "numbers", values);
  }

  int print_site(Session& session) const {
    const Coord where = parse_site(site);
    const NumberedName wanted = parse_numbered_name(options.field);
    return at_root(session, [&] {
      const File opened = lq::open(file, {}, options.limits);
      opened.catalog().require_sound();
      const FieldEntry& entry = opened.catalog().field(wanted.name, wanted.index);
      const std::vector<double> numbers = opened.read_site(where, {.field = wanted.name, .index = wanted.index});
      if (session.json) {
        const FieldSpec& spec = entry.payload.spec;
        session.out.object("path", file, "field", entry.name, "kind", name(spec.kind), "precision",
                           name(spec.precision), "site", where, "shape", shape_of(spec), "numbers", numbers);
      } else {
        print_text(session, entry, where, numbers);
      }
      return fine;
    });
  }

  void print_text(Session& session, const FieldEntry& entry, const Coord& where,
                  const std::vector<double>& numbers) const {
    const FieldSpec& spec = entry.payload.spec;
    Output& out = session.out;
    out.line(fmt::format("{}: \"{}\" ({}, {} precision) at site ({})", file, printable(entry.name), describe(spec),
                         name(spec.precision), fmt::join(where.begin(), where.end(), ",")));
    // Enough digits to restore the number in the file.
    const int digits = spec.precision == Precision::single ? 8 : 16;
    const Blocks blocks = blocks_of(spec);
    std::size_t next = 0;
    for (const std::string& heading : blocks.headings) {
      if (!heading.empty()) out.line(heading);
      for (int row = 0; row < blocks.rows; ++row) {
        std::string line;
        for (int column = 0; column < blocks.columns; ++column) {
          line += fmt::format("{}{: .{}e}", column > 0 ? "   " : "  ", numbers.at(next++), digits);
          if (spec.is_complex) line += fmt::format(" {: .{}e}i", numbers.at(next++), digits);
        }
        out.line(line);
      }
    }
  }
};

}  // namespace

Run declare_dump(Arguments& arguments) {
  const auto dump = std::make_shared<Dump>();
  arguments.file("FILE", dump->file, "file to read");
  arguments.reads_contents();
  arguments.text("--site", "x,y,z,t", dump->site, "coordinates of the site, from 0");
  arguments.text("--box", "AXIS=N|FIRST:END,...", dump->box,
                 "all sites of a part of the lattice, as in t=5,x=0:4: a line for each");
  arguments.text("-o,--output", "OUT.npy", dump->output, "the box as an array of numpy, [t, z, y, x, ...]");
  arguments.flag("--overwrite,--force", dump->overwrite, "replace an existing file");
  declare_options(arguments, "dump", "ReadOptions", dump->options);
  return [dump](Session& session) {
    return for_each_file(session, {dump->file}, [&](const std::string&) { return dump->print(session); });
  };
}

}  // namespace lq::cli
