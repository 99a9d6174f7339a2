// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// lq dump: the numbers of one site, laid out as what they are.
#include <charconv>
#include <memory>

#include <fmt/format.h>
#include <limequat/file.hpp>
#include <limequat/inspect.hpp>

#include "base/json_writer.hpp"
#include "cli/arguments.hpp"
#include "cli/command.hpp"
#include "cli/exit_code.hpp"
#include "cli/text.hpp"

namespace lq::cli {

// lq cat: the bytes of one record.

namespace {

// The reader of our output has gone; thrown through read_record to stop it.
struct NobodyReads {};

struct Cat {
  std::string file;
  std::string name;

  int print(Session& session) const {
    const NumberedName wanted = parse_numbered_name(name);
    const auto sink = [&](const void* data, std::uint64_t bytes) {
      session.out.write_data({static_cast<const char*>(data), static_cast<std::size_t>(bytes)}, session.mpi != "none");
      if (!session.out.wants_more()) throw NobodyReads();
    };
    return at_root(session, [&] {
      try {
        read_record(file, wanted.name, wanted.index, sink);
      } catch (const NobodyReads&) {
        // Whether that is an error, run() decides.
      }
      return fine;
    });
  }
};

}  // namespace

Run declare_cat(Arguments& arguments) {
  const auto cat = std::make_shared<Cat>();
  arguments.file("FILE", cat->file, "file to read");
  arguments.word("NAME", cat->name, "type of the record, NAME:N is number N of it, from 0; or field of a checkpoint");
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

// Matrices one below the other: their headings, and rows and columns of each.
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

struct Dump {
  std::string file, site;
  ReadOptions options;

  int print(Session& session) const {
    if (site.empty()) throw UsageError("--site is missing: which site? For example --site 0,0,0,3 (x,y,z,t)");
    const Coord where = parse_site(site);
    const NumberedName wanted = parse_numbered_name(options.field);
    return at_root(session, [&] {
      const File opened = lq::open(file, {}, options.limits);
      opened.catalog().require_sound();
      const FieldEntry& entry = opened.catalog().field(wanted.name, wanted.index);
      const std::vector<double> numbers = opened.read_site(where, {.field = wanted.name, .index = wanted.index});
      if (session.json) {
        print_json(session, entry, where, numbers);
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
    // Digits that give back the number of the file.
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

  void print_json(Session& session, const FieldEntry& entry, const Coord& where,
                  const std::vector<double>& numbers) const {
    base::JsonWriter json;
    json.begin_object()
        .member("path", file)
        .member("field", entry.name)
        .member("kind", name(entry.payload.spec.kind))
        .member("precision", name(entry.payload.spec.precision));
    json.key("site").array(where).key("shape").array(shape_of(entry.payload.spec));
    json.key("numbers").array(numbers).end_object();
    session.out.line(json.take());
  }
};

}  // namespace

Run declare_dump(Arguments& arguments) {
  const auto dump = std::make_shared<Dump>();
  arguments.file("FILE", dump->file, "file to read");
  arguments.text("--site", "x,y,z,t", dump->site, "coordinates of the site, from 0");
  declare_options(arguments, "dump", "ReadOptions", dump->options);
  return [dump](Session& session) {
    return for_each_file(session, {dump->file}, [&](const std::string&) { return dump->print(session); });
  };
}

}  // namespace lq::cli
