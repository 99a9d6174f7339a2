// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// MILC's files have a record for each vector. QUDA's have one, in which a site holds the numbers of all vectors: they
// are put together time slice by time slice, each rank reading its own part of the set.
#include "modes/export.hpp"

#include <cstring>
#include <memory>
#include <optional>
#include <vector>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "base/checked.hpp"
#include "base/text.hpp"
#include "comm/agree.hpp"

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
  how.precision = precision_of_file(known, options);
  return how;
}

[[noreturn]] void refuse(const std::string& to, const std::string& sentence) {
  throw Error(Code::unsupported, fmt::format("{}: {}", to, sentence), {.path = to});
}

// formats/vectors.md 3
void write_milc(const Set& source, const std::string& to, const Grid& grid, std::uint64_t first, std::uint64_t last,
                const ConvertOptions& options) {
  const Description& known = source.description();
  comm::Comm& comm = grid.communicator().engine();
  WriteOptions how;
  std::vector<double> numbers;
  comm::agree(comm, [&] {
    if (known.ls != 1 || known.field().numbers != 6 || known.parity != Parity::both || known.lattice.size() != 4) {
      refuse(to, "files of MILC hold staggered vectors of three colors on all sites of four dimensions");
    }
    how = how_of(known, options);
    how.metadata.emplace_back(file_text_name,
                              fmt::format("{}<info><title>KS eigenvalues and vectors</title><Nvecs>{}</Nvecs></info>",
                                          declaration, last - first));
    numbers.resize(static_cast<std::size_t>(base::multiply_or_throw(grid.local_volume(), 6, "a vector")));
  });
  const MutableField vector{spinor_spec(Precision::double_, 3, 1), numbers.data(), numbers.size(), {}, {}};
  lq::Writer file(to, grid, how);
  for (std::uint64_t k = first; k < last; ++k) {
    source.read(k, grid, vector);
    const Metadata texts = comm::agree(comm, [&] {
      const Mode& mode = source.mode(k);
      const std::string residual = mode.residual ? fmt::format("<resid>{:e}</resid>", *mode.residual) : std::string();
      return Metadata{{std::string(record_text_name), fmt::format("{}<info><eigVal>{:.18e}</eigVal>{}</info>",
                                                                  declaration, mode.eigenvalue.real(), residual)}};
    });
    file.write("", vector, texts);
  }
  file.close();
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

// The vectors of this rank on one time slice, side by side at each site. Read by this rank alone, when the first of its
// sites is asked for.
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
                const ConvertOptions& options) {
  Description known = source.description();
  if (options.storage) known.storage = *options.storage;
  WriteOptions how;
  std::unique_ptr<Slices> slices;
  Field all;
  comm::agree(grid.communicator().engine(), [&] {
    if (known.site.kind != FieldKind::spinor || known.lattice.size() != 4 || first == last) {
      refuse(to, "files of QUDA hold spinors with colors and spins in four dimensions, one at least");
    }
    how = how_of(known, options);
    how.metadata = {{std::string(file_text_name), "Dummy user file XML"},
                    {std::string(record_text_name), quda_text(known)}};
    how.route.strategy = Strategy::direct;  // sites are asked for in the order of the file, by one thread
    how.route.threads = 1;
    if (grid.local_volume() > 0) {
      slices = std::make_unique<Slices>(source.file().catalog().path, grid, known, first, last);
    }
    all.spec = generic_spec(Precision::double_, known.field().numbers * (last - first), true);
    all.fetch = [&](const Coord& x, void* site) { slices->fetch(x, static_cast<double*>(site)); };
  });
  lq::write(to, grid, all, how);
}

}  // namespace

void export_set(const Set& source, const std::string& to, const Communicator& communicator, std::uint64_t first,
                std::uint64_t last, const ConvertOptions& options) {
  comm::agree_alike(communicator.engine(), [&] {
    if (options.format != "milc" && options.format != "quda") {
      throw Error(Code::invalid_argument,
                  fmt::format("there is no format of vectors \"{}\"; there are modes, quda, milc",
                              base::printable(options.format)),
                  {.expected = "modes, quda, milc", .found = base::printable(options.format)});
    }
    if (source.family() != "modes") {
      refuse(to, "vectors of another program become a set of modes first (lq modes convert), then this");
    }
  });
  const Grid grid(communicator, source.description().sites());
  const auto write = options.format == "milc" ? write_milc : write_quda;
  write(source, to, grid, first, last, options);
}

}  // namespace lq::modes
