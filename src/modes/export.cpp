// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Files of MILC, Grid and QDP++ have a field for each vector. QUDA's have a single one, in which a site holds the
// numbers of all vectors: they are assembled time slice by time slice, each rank reading its own part of the set.
#include "modes/new_set.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "base/xml.hpp"
#include "comm/agree.hpp"
#include "format/scidac/plan.hpp"
#include "format/vectors/vectors.hpp"
#include "io/transfer.hpp"
#include "storage/transport.hpp"

namespace lq::modes {
namespace {

constexpr std::string_view file_text_name = "scidac-file-xml", record_text_name = "scidac-record-xml";
constexpr std::string_view declaration = R"(<?xml version="1.0" encoding="UTF-8"?>)";

Precision precision_of_file(const Description& known, const ConvertOptions& options) {
  return options.storage.value_or(known.storage) == Storage::double_ ? Precision::double_ : Precision::single;
}

WriteOptions how_of(const Description& known, const ConvertOptions& options) {
  WriteOptions how;
  how.format = "scidac";
  how.overwrite = options.overwrite;
  how.route = options.route;
  how.precision = precision_of_file(known, options);
  return how;
}

[[noreturn]] void refuse(const std::string& to, const std::string& sentence) {
  base::fail(Code::unsupported, to, "{}", sentence);
}

// Vectors as fields of a new file, which no user can read who cannot read the set; the report warns if numbers are not
// finite.
class VectorFile {
 public:
  // Collective.
  VectorFile(const Set& source, const std::string& to, const Grid& grid, const WriteOptions& how)
      : to_(to), grid_(grid), how_(how), transport_(storage::resolve(to)) {
    writer_ = comm::agree(comm(), [&] {
      auto made = std::make_unique<io::FieldWriter>(transport_, grid.communicator(), to, how);
      made->keep_private(source.file().catalog().path);
      return made;
    });
  }
  // Collective.
  void write(const Field& field, Report& report, const Metadata& texts = {}) {
    const Metadata all = comm::agree(comm(), [&] {
      Metadata both = how_.metadata;
      both.insert(both.end(), texts.begin(), texts.end());
      return both;
    });
    add_to(comm(), report, io::append_field(*writer_, transport_, grid_, to_, how_.name, field, all, how_, true));
  }
  // Collective.
  void close(Report& report) {
    Report last;
    writer_->commit(last);
    add_to(comm(), report, std::move(last));
  }

 private:
  comm::Comm& comm() const noexcept { return grid_.communicator().engine(); }

  const std::string& to_;
  const Grid& grid_;
  const WriteOptions& how_;
  storage::Transport& transport_;
  std::unique_ptr<io::FieldWriter> writer_ = {};
};

// A vector of this rank in double precision, read again and again.
class Vector {
 public:
  Vector(const Grid& grid, const Description& known) : grid_(grid), spec_(known.field()) {
    spec_.precision = Precision::double_;
    numbers_.resize(static_cast<std::size_t>(base::multiply_or_throw(grid.local_volume(), spec_.numbers, "a vector")));
  }
  void read(const Set& set, std::uint64_t k) { set.read(k, grid_, field()); }
  MutableField field() noexcept { return {spec_, numbers_.data(), numbers_.size(), {}, {}}; }
  const double* site(std::uint64_t number) const noexcept { return numbers_.data() + number * spec_.numbers; }

 private:
  const Grid& grid_;
  FieldSpec spec_;
  std::vector<double> numbers_;
};

// formats/vectors.md 3
void write_milc(const Set& source, const std::string& to, const Grid& grid, std::uint64_t first, std::uint64_t last,
                const ConvertOptions& options, Report& report) {
  const Description& known = source.description();
  comm::Comm& comm = grid.communicator().engine();
  WriteOptions how;
  std::unique_ptr<Vector> vector;
  comm::agree(comm, [&] {
    if (known.ls != 1 || known.field().numbers != 6 || known.parity != Parity::both || known.lattice.size() != 4) {
      refuse(to, "files of MILC hold staggered vectors of three colors on all sites of four dimensions");
    }
    how = how_of(known, options);
    how.metadata.emplace_back(file_text_name,
                              fmt::format("{}<info><title>KS eigenvalues and vectors</title><Nvecs>{}</Nvecs></info>",
                                          declaration, last - first));
    vector = std::make_unique<Vector>(grid, known);
  });
  VectorFile file(source, to, grid, how);
  for (std::uint64_t k = first; k < last; ++k) {
    vector->read(source, k);
    const Metadata texts = comm::agree(comm, [&] {
      const Mode& mode = source.mode(k);
      const std::string residual = mode.residual ? fmt::format("<resid>{:e}</resid>", *mode.residual) : std::string();
      return Metadata{{std::string(record_text_name), fmt::format("{}<info><eigVal>{:.18e}</eigVal>{}</info>",
                                                                  declaration, mode.eigenvalue.real(), residual)}};
    });
    file.write(vector->field(), report, texts);
  }
  file.close(report);
}

// formats/vectors.md 2
std::string quda_text(const Description& known) {
  const int colors = known.site.colors, spins = known.site.spins;
  const std::uint64_t numbers = known.site.numbers;
  const std::string_view kind = numbers == 6 ? "Staggered" : numbers == 24 ? "Wilson" : "MG";
  const std::string root = fmt::format("quda{}ColorSpinorField", kind);
  const char letter = known.storage == Storage::double_ ? 'D' : 'F';
  return fmt::format(
      "{}<{}>\n<version>BETA</version>\n<type>QUDA_{}Ns{}Nc{}_ColorSpinorField</type>\n<info>\n"
      "  <subset>{}</subset>\n  <parity>{}</parity>\n  <nColor>{}</nColor>\n  <nSpin>{}</nSpin>\n</info>\n</{}>\n\n",
      declaration, root, letter, spins, colors, known.parity == Parity::both ? "full" : "parity",
      known.parity == Parity::both ? "full" : name(known.parity), colors, spins, root);
}

// The vectors of this rank on one time slice, interleaved at each site. Read by this rank alone, when the first of its
// sites is requested.
class Slices {
 public:
  Slices(const std::string& path, const Grid& grid, const Description& known, std::uint64_t first, std::uint64_t last)
      : set_(path), box_(grid.local_box()), spec_(known.field()), first_(first), last_(last) {
    spec_.precision = Precision::double_;
    spec_.kind = FieldKind::generic;
    box_.extents[slowest()] = 1;
    const std::uint64_t numbers = base::multiply_or_throw(box_.volume(), spec_.numbers, "a time slice of a vector");
    one_.resize(static_cast<std::size_t>(numbers));
    all_.resize(
        static_cast<std::size_t>(base::multiply_or_throw(numbers, last - first, "a time slice of all vectors")));
  }

  void fetch(const Coord& x, double* site) {
    if (!slice_ || *slice_ != x[slowest()]) load(x[slowest()]);
    std::uint64_t number = 0;
    for (int d = slowest() - 1; d >= 0; --d) {
      number = number * static_cast<std::uint64_t>(box_.extents[d]) + static_cast<std::uint64_t>(x[d] - box_.lower[d]);
    }
    const std::uint64_t numbers = spec_.numbers * (last_ - first_);
    std::memcpy(site, all_.data() + number * numbers, numbers * sizeof(double));
  }

 private:
  int slowest() const noexcept { return box_.extents.size() - 1; }

  void load(std::int64_t t) {
    box_.lower[slowest()] = t;
    const Grid grid(box_.extents);
    const std::uint64_t vectors = last_ - first_, bytes = spec_.numbers * sizeof(double);
    for (std::uint64_t k = 0; k < vectors; ++k) {
      set_.read(first_ + k, grid, {spec_, one_.data(), one_.size(), {}, {}}, {.region = box_});
      for (std::uint64_t i = 0; i < grid.local_volume(); ++i) {
        std::memcpy(all_.data() + (i * vectors + k) * spec_.numbers, one_.data() + i * spec_.numbers, bytes);
      }
    }
    slice_ = t;
  }

  Set set_;
  Box box_;
  FieldSpec spec_;
  std::uint64_t first_, last_;
  std::vector<double> one_, all_;
  std::optional<std::int64_t> slice_;
};

void write_quda(const Set& source, const std::string& to, const Grid& grid, std::uint64_t first, std::uint64_t last,
                const ConvertOptions& options, Report& report) {
  WriteOptions how;
  std::unique_ptr<Slices> slices;
  Field all;
  comm::agree(grid.communicator().engine(), [&] {
    Description known = source.description();
    if (options.storage) known.storage = *options.storage;
    if (known.site.kind != FieldKind::spinor || known.lattice.size() != 4 || first == last) {
      refuse(to, "files of QUDA hold spinors with colors and spins in four dimensions, one at least");
    }
    how = how_of(known, options);
    how.metadata = {{std::string(file_text_name), "Dummy user file XML"},
                    {std::string(record_text_name), quda_text(known)}};
    how.route.threads = 1;  // sites are asked for in the order of the file
    if (grid.local_volume() > 0) {
      slices = std::make_unique<Slices>(source.file().catalog().path, grid, known, first, last);
    }
    all.spec = generic_spec(Precision::double_, known.field().numbers * (last - first), true);
    all.fetch = [&](const Coord& x, void* site) { slices->fetch(x, static_cast<double*>(site)); };
  });
  VectorFile file(source, to, grid, how);
  file.write(all, report);
  file.close(report);
}

// Between semicolons.
std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(';', begin), text.size());
    lines.push_back(base::trim(text.substr(begin, end - begin)));
    begin = end + 1;
  }
  return lines;
}

// formats/mod.md 2: for each vector its weights if the set was made from such a file, else its eigenvalue.
std::string mod_text(const Set& source, std::uint64_t first, std::uint64_t last) {
  const Description& known = source.description();
  const auto kept = std::ranges::find(known.parameters, format::vectors::slice_weights, &Parameter::name);
  std::vector<std::string_view> lines;
  if (kept != known.parameters.end()) lines = lines_of(std::get<std::string>(kept->value));
  std::string weights;
  for (std::uint64_t k = first; k < last; ++k) {
    std::string line;
    if (k < lines.size()) {
      line = lines[static_cast<std::size_t>(k)];
    } else {
      for (std::int64_t t = 0; t < known.lattice[3]; ++t) {
        line += fmt::format("{}{}", t == 0 ? "" : " ", source.mode(k).eigenvalue.real());
      }
    }
    weights += fmt::format("    <elem>\n      <weights>{}</weights>\n    </elem>\n", base::xml::escape(line));
  }
  const auto is_unknown = [](const Parameter& parameter) {
    return parameter.name == format::vectors::unknown_eigenvalues;
  };
  const bool has_weights = !lines.empty() || std::ranges::none_of(known.parameters, is_unknown);
  return fmt::format(
      "<?xml version=\"1.0\"?>\n<MODMetaData>\n  <id>eigenVecsTimeSlice</id>\n  <lattSize>{} {} {} {}</lattSize>\n"
      "  <decay_dir>3</decay_dir>\n  <num_vecs>{}</num_vecs>\n{}</MODMetaData>\n",
      known.lattice[0], known.lattice[1], known.lattice[2], known.lattice[3], last - first,
      has_weights ? fmt::format("  <Weights>\n{}  </Weights>\n", weights) : std::string());
}

void write_mod(const Set& source, const std::string& to, const Grid& grid, std::uint64_t first, std::uint64_t last,
               const ConvertOptions& options, Report& report) {
  const Description& known = source.description();
  comm::Comm& comm = grid.communicator().engine();
  WriteOptions how;
  std::unique_ptr<Vector> vector;
  Metadata text;
  const Metadata nothing;
  comm::agree(comm, [&] {
    if (known.ls != 1 || known.field().numbers != 6 || known.parity != Parity::both || known.lattice.size() != 4 ||
        first == last) {
      refuse(to, "object files of QDP++ hold vectors of three colors on all sites of four dimensions, one at least");
    }
    how = how_of(known, options);
    how.format = "mod";
    text = {{"mod-metadata", mod_text(source, first, last)}};
    vector = std::make_unique<Vector>(grid, known);
  });
  VectorFile file(source, to, grid, how);
  for (std::uint64_t k = first; k < last; ++k) {
    vector->read(source, k);
    file.write(vector->field(), report, k == first ? text : nothing);
  }
  file.close(report);
}

Extents with_first(std::int64_t first, const Extents& others) {
  Extents all = Coord::filled(others.size() + 1, first);
  for (int d = 0; d < others.size(); ++d) all[d + 1] = others[d];
  return all;
}

// Collective. With Ls five dimensions, s first (formats/vectors.md 4); the bytes of a site are unchanged.
Grid grid_with_s(const Grid& grid, const Description& known) {
  if (known.ls == 1) return grid;
  return Grid(grid.communicator(), with_first(known.ls, grid.extents()),
              GridOptions{.processes = with_first(1, grid.processes())});
}

// Vectors as fields on that grid.
class GridFields {
 public:
  // Local.
  GridFields(const Grid& grid, const Description& known, Precision precision)
      : is_five_(known.ls > 1), vector_(grid, known), box_(grid.local_box()) {
    const Extents whole_lattice = is_five_ ? with_first(known.ls, known.lattice) : known.lattice;
    field_.spec = known.site;
    field_.spec.precision = Precision::double_;
    numbers_ = known.site.numbers;
    field_.fetch = [this](const Coord& x, void* site) { fetch(x, static_cast<double*>(site)); };
    header_ = known.parity == Parity::both ? std::string() : format::scidac::grid_header(whole_lattice, precision);
  }
  const std::string& header() const noexcept { return header_; }  // empty: as the field is
  const Field& read(const Set& set, std::uint64_t k) {
    vector_.read(set, k);
    return field_;
  }

 private:
  void fetch(const Coord& x, double* site) const {
    const int first = is_five_ ? 1 : 0;
    std::uint64_t number = 0;
    for (int d = box_.extents.size() - 1; d >= 0; --d) {
      number = number * static_cast<std::uint64_t>(box_.extents[d]) +
               static_cast<std::uint64_t>(x[d + first] - box_.lower[d]);
    }
    const std::uint64_t s = is_five_ ? static_cast<std::uint64_t>(x[0]) : 0;
    std::memcpy(site, vector_.site(number) + s * numbers_, numbers_ * sizeof(double));
  }

  bool is_five_;
  Vector vector_;
  Box box_;
  Field field_;
  std::uint64_t numbers_ = 0;
  std::string header_;
};

std::string eigenpack_text(const Description& known) {
  return fmt::format("<?xml version=\"1.0\"?>\n<eigenPackPar>\n  <operator>{}</operator>\n</eigenPackPar>\n",
                     base::xml::escape(known.operator_name));
}

Metadata vector_texts(const Set& source, std::uint64_t k, std::uint64_t index, const GridFields& fields) {
  Metadata texts{
      {std::string(record_text_name),
       fmt::format("<?xml version=\"1.0\"?>\n<VecRecord>\n  <index>{}</index>\n  <eval>{}</eval>\n</VecRecord>\n",
                   index, source.mode(k).eigenvalue.real())}};
  if (!fields.header().empty()) texts.emplace_back("grid-format", fields.header());
  return texts;
}

void write_grid(const Set& source, const std::string& to, const Grid& grid, std::uint64_t first, std::uint64_t last,
                const ConvertOptions& options, Report& report) {
  const Description& known = source.description();
  comm::Comm& comm = grid.communicator().engine();
  const bool in_folder = options.format == "grid-folder";
  const Grid on = grid_with_s(grid, known);
  WriteOptions how;
  std::unique_ptr<GridFields> fields;
  comm::agree(comm, [&] {
    if (known.site.kind != FieldKind::spinor || known.lattice.size() != 4 || first == last) {
      refuse(to, "files of Grid hold spinors with colors and spins in four dimensions, one at least");
    }
    how = how_of(known, options);
    how.layout = "grid";
    how.metadata = {{std::string(file_text_name), eigenpack_text(known)}};
    fields = std::make_unique<GridFields>(grid, known, *how.precision);
  });
  if (in_folder) {
    comm::agree_at_root(comm, [&] { storage::resolve(to).make_directory(to); });
    for (std::uint64_t k = first; k < last; ++k) {
      WriteOptions of_vector;
      const std::string path = comm::agree(comm, [&] {
        of_vector = how;
        for (auto& text : vector_texts(source, k, k - first, *fields)) of_vector.metadata.push_back(std::move(text));
        return fmt::format("{}/v{}.bin", to, k - first);
      });
      VectorFile file(source, path, on, of_vector);
      file.write(fields->read(source, k), report);
      file.close(report);
    }
    return;
  }
  VectorFile file(source, to, on, how);
  for (std::uint64_t k = first; k < last; ++k) {
    const Metadata texts = comm::agree(comm, [&] { return vector_texts(source, k, k - first, *fields); });
    file.write(fields->read(source, k), report, texts);
  }
  file.close(report);
}

using Export = void (*)(const Set&, const std::string&, const Grid&, std::uint64_t, std::uint64_t,
                        const ConvertOptions&, Report&);
struct Named {
  std::string_view name;
  Export write;
};
constexpr std::array<Named, 5> exports{{{"quda", write_quda},
                                        {"milc", write_milc},
                                        {"grid", write_grid},
                                        {"grid-folder", write_grid},
                                        {"mod", write_mod}}};

}  // namespace

void export_set(const Set& source, const std::string& to, const Communicator& communicator, std::uint64_t first,
                std::uint64_t last, const ConvertOptions& options, Report& report) {
  const auto found = std::ranges::find(exports, options.format, &Named::name);
  comm::agree_alike(communicator.engine(), [&] {
    if (found == exports.end()) {
      std::string names = "modes";
      for (const Named& one : exports) names += fmt::format(", {}", one.name);
      throw Error(
          Code::invalid_argument,
          fmt::format("unknown format of vectors \"{}\"; choose from {}", base::printable(options.format), names),
          {.expected = names, .found = base::printable(options.format)});
    }
    if (source.family() != "modes") {
      refuse(to, "vectors of another program become a set of modes first (lq modes convert), then this");
    }
  });
  const Grid grid(communicator, source.description().sites());
  found->write(source, to, grid, first, last, options, report);
}

}  // namespace lq::modes
