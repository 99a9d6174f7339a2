// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "modes/source.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <optional>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "base/checked.hpp"
#include "comm/agree.hpp"
#include "format/eigen_comp/eigen_comp_format.hpp"
#include "lattice/local_field.hpp"
#include "lattice/site_exchange.hpp"
#include "lattice/site_order.hpp"
#include "storage/transport.hpp"

namespace lq::modes {
namespace {

using format::vectors::Arrangement;
using format::vectors::VectorSet;

std::string file_in(const std::string& folder, std::uint64_t k) { return fmt::format("{}/v{}.bin", folder, k); }

std::string metadata_in(const std::string& folder) {
  return fmt::format("{}/{}", folder, format::eigen_comp::metadata_file);
}

enum class Folder { none, of_vectors, compressed };

// At the root.
Folder folder_at(const std::string& path) {
  storage::Transport& transport = storage::resolve(path);
  if (transport.kind(path) != storage::PathKind::directory) return Folder::none;
  const bool is_compressed = transport.kind(metadata_in(path)) == storage::PathKind::file;
  return is_compressed ? Folder::compressed : Folder::of_vectors;
}

// At the root, of a folder.
std::uint64_t count_files(const std::string& path) {
  storage::Transport& transport = storage::resolve(path);
  std::uint64_t count = 0;
  while (transport.kind(file_in(path, count)) == storage::PathKind::file) ++count;
  if (count > 0) return count;
  throw Error(Code::not_found,
              fmt::format("{}: a folder of vectors has files v0.bin, v1.bin, ..., or {}, and this one has neither",
                          path, format::eigen_comp::metadata_file),
              {.path = path, .expected = "v0.bin"});
}

constexpr std::string_view beside = ".evals.xml";

// At the root. Empty: there is no such file.
std::string text_beside(const std::string& path) {
  const std::string name = path + std::string(beside);
  storage::Transport& transport = storage::resolve(name);
  if (transport.kind(name) != storage::PathKind::file) return {};
  const auto file = transport.open_read(name);
  constexpr std::uint64_t most = 1 << 20;
  if (file->size() > most) {
    throw Error(Code::too_large,
                fmt::format("{}: {} bytes are not a list of eigenvalues; at most {}", name, file->size(), most),
                {.path = name});
  }
  std::string text(static_cast<std::size_t>(file->size()), '\0');
  text.resize(file->read_at(0, std::as_writable_bytes(std::span(text))));
  return text;
}

VectorSet set_of(const File& file, const modes::Unsaid& unsaid) {
  const Catalog& catalog = file.catalog();
  if (auto set = format::vectors::set_in(catalog, unsaid)) return *std::move(set);
  if (const Finding* const finding = catalog.first_error()) {
    throw Error(finding->code, fmt::format("{}: {}", catalog.path, finding->message),
                {.path = catalog.path, .offset = finding->offset});
  }
  throw Error(Code::unknown_format,
              fmt::format("{}: this is not a set of modes or of vectors but a file of the format \"{}\"", catalog.path,
                          catalog.format),
              {.path = catalog.path, .expected = "modes", .found = catalog.format});
}

// The numbers of this rank's sites of a vector, x fastest.
using Staged = std::vector<std::byte>;

SiteOrder natural_order(const Grid& grid) { return lattice::resolve_order({}, grid.extents().size()); }

// The fields as they are asked for, held against the set: grid, numbers, memory.
std::vector<MutableField> resolved(std::span<const MutableField> vectors, const Grid& grid, const VectorSet& set,
                                   const std::string& path) {
  const Extents sites = set.description.sites();
  if (grid.extents() != sites) {
    throw Error(Code::invalid_argument,
                fmt::format("{}: the vectors live on {}, the grid is {}; make the grid of the sites of the set", path,
                            to_string(sites), to_string(grid.extents())),
                {.path = path, .expected = to_string(sites), .found = to_string(grid.extents())});
  }
  std::vector<MutableField> fields;
  const std::uint64_t numbers = set.description.field().numbers;
  for (const MutableField& vector : vectors) {
    fields.push_back(lattice::resolve_field(grid, vector));
    const FieldSpec& spec = fields.back().spec;
    if (spec.numbers != numbers || spec.precision != fields.front().spec.precision) {
      throw Error(Code::invalid_argument,
                  fmt::format("{}: a site of a vector has {} numbers, the field has {}", path, numbers, spec.numbers),
                  {.path = path, .expected = fmt::format("{}", numbers), .found = fmt::format("{}", spec.numbers)});
    }
  }
  return fields;
}

std::vector<Staged> stages_for(std::span<const MutableField> fields, const Grid& grid) {
  const std::uint64_t bytes =
      base::multiply_or_throw(grid.local_volume(), fields.front().spec.site_bytes(), "a vector");
  return std::vector<Staged>(fields.size(), Staged(static_cast<std::size_t>(bytes)));
}

}  // namespace

std::vector<std::string> files_in(const std::string& path, const Communicator& communicator) {
  comm::Comm& comm = communicator.engine();
  std::array<std::uint64_t, 2> found{};  // the kind of folder; and files v0.bin, ...
  comm::agree_at_root(comm, [&] {
    const Folder folder = folder_at(path);
    found = {static_cast<std::uint64_t>(folder), folder == Folder::of_vectors ? count_files(path) : 0};
  });
  comm.broadcast(std::as_writable_bytes(std::span(found)), 0);
  return comm::agree(comm, [&] {
    std::vector<std::string> files;
    if (static_cast<Folder>(found[0]) == Folder::compressed) files.push_back(metadata_in(path));
    for (std::uint64_t k = 0; k < found[1]; ++k) files.push_back(file_in(path, k));
    return files;
  });
}

std::string eigenvalues_beside(const std::string& path, const Communicator& communicator) {
  std::string text;
  comm::agree_at_root(communicator.engine(), [&] { text = text_beside(path); });
  return comm::broadcast_text(communicator.engine(), text);
}

Source::Source(std::span<const File> files, const std::string& eigenvalues, const modes::Unsaid& unsaid)
    : files_(files), set_(set_of(files.front(), unsaid)) {
  for (const File& file : files.subspan(1)) {
    const VectorSet next = set_of(file, unsaid);
    const bool is_alike = next.description == set_.description && next.family == set_.family &&
                          next.modes.size() == 1 && set_.per_field == 1;
    if (!is_alike) {
      throw Error(
          Code::malformed,
          fmt::format("{}: its vectors differ from those of {}", file.catalog().path, files.front().catalog().path),
          {.path = file.catalog().path});
    }
    set_.modes.push_back(next.modes.front());
  }
  if (set_.arrangement == Arrangement::compressed) {
    compressed_.emplace(files.front().catalog(), set_.description.lattice);
    shown_ = format::vectors::entry_of(set_.description);
  }
  if (eigenvalues.empty()) return;
  const std::string path = files.front().catalog().path + std::string(beside);
  try {
    format::vectors::add_eigenvalues(set_, format::vectors::eigenvalues_in(eigenvalues));
  } catch (const Error& error) {
    throw Error(error.code(), fmt::format("{}: {}", path, error.what()), {.path = path});
  }
}

const FieldEntry& Source::field(std::uint64_t k) const {
  if (compressed_) return shown_;
  if (files_.size() > 1) return files_[static_cast<std::size_t>(k)].catalog().fields.front();
  const std::uint64_t number = is_interleaved() ? 0 : k;
  return files_.front().catalog().fields[static_cast<std::size_t>(number)];
}

Report Source::read_field(std::uint64_t k, const Grid& grid, const MutableField& field,
                          const ReadOptions& options) const {
  ReadOptions of_field = options;
  of_field.field.clear();
  const bool is_folder = files_.size() > 1;
  of_field.index = is_folder || is_interleaved() ? 0 : k;
  return files_[is_folder ? static_cast<std::size_t>(k) : 0].read(grid, field, of_field);
}

Report Source::read(std::uint64_t first, const Grid& grid, std::span<const MutableField> vectors,
                    const ReadOptions& options) const {
  if (compressed_) return read_compressed(first, grid, vectors);
  if (is_interleaved()) return read_interleaved(first, grid, vectors, options);
  if (set_.arrangement != Arrangement::as_it_is) return read_rearranged(first, grid, vectors, options);
  const auto fields = comm::agree(grid.communicator().engine(),
                                  [&] { return resolved(vectors, grid, set_, files_.front().catalog().path); });
  Report report;
  for (std::size_t j = 0; j < fields.size(); ++j) {
    MutableField field = fields[j];
    field.spec = generic_spec(field.spec.precision, field.spec.numbers, field.spec.is_complex);
    report = read_field(first + j, grid, field, options);
  }
  return report;
}

Report Source::read_interleaved(std::uint64_t first, const Grid& grid, std::span<const MutableField> vectors,
                                const ReadOptions& options) const {
  comm::Comm& comm = grid.communicator().engine();
  std::vector<MutableField> fields;
  std::vector<Staged> staged;
  MutableField all;
  comm::agree(comm, [&] {
    fields = resolved(vectors, grid, set_, files_.front().catalog().path);
    staged = stages_for(fields, grid);
    const FieldSpec& spec = fields.front().spec;
    const std::uint64_t bytes = spec.site_bytes();
    all.spec = generic_spec(spec.precision, spec.numbers * set_.per_field, spec.is_complex);
    all.store = [&staged, &grid, bytes, first, order = natural_order(grid)](const Coord& x, const void* site) {
      const std::uint64_t number = lattice::site_number(x, grid.local_box(), order);
      for (std::size_t j = 0; j < staged.size(); ++j) {
        std::memcpy(staged[j].data() + number * bytes, static_cast<const std::byte*>(site) + (first + j) * bytes,
                    bytes);
      }
    };
  });
  const Report report = read_field(0, grid, all, options);
  comm::agree(comm, [&] {
    for (std::size_t j = 0; j < fields.size(); ++j) lattice::give_sites(grid, staged[j].data(), fields[j]);
  });
  return report;
}

Report Source::read_compressed(std::uint64_t first, const Grid& grid, std::span<const MutableField> vectors) const {
  const std::string& path = files_.front().catalog().path;
  Report report;
  comm::agree(grid.communicator().engine(), [&] {
    const auto fields = resolved(vectors, grid, set_, path);
    const FieldSpec& spec = fields.front().spec;
    const std::uint64_t numbers = base::multiply_or_throw(grid.local_volume(), spec.numbers, "a vector");
    std::vector<std::vector<float>> made(fields.size(), std::vector<float>(static_cast<std::size_t>(numbers)));
    const std::vector<std::span<float>> views(made.begin(), made.end());
    compressed_->read(first, grid.local_box(), views);
    for (std::size_t j = 0; j < fields.size(); ++j) {
      Staged staged(static_cast<std::size_t>(numbers * spec.number_bytes()));
      for (std::size_t i = 0; i < made[j].size(); ++i) {
        const double wide = made[j][i];
        const bool is_single = spec.precision == Precision::single;
        const void* const from = is_single ? static_cast<const void*>(&made[j][i]) : &wide;
        std::memcpy(staged.data() + i * spec.number_bytes(), from, spec.number_bytes());
      }
      lattice::give_sites(grid, staged.data(), fields[j]);
    }
    report.path = path;
    report.format = files_.front().catalog().format;
    report.field = shown_.name;
    report.spec = shown_.payload.spec;
    report.extents = grid.extents();
    report.ranks = grid.communicator().size();
    report.bytes = volume(grid.extents()) * shown_.payload.spec.site_bytes();
  });
  return report;
}

// Read as it lies in the file, on a grid of that lattice; then every rank gets its sites.
Report Source::read_rearranged(std::uint64_t first, const Grid& grid, std::span<const MutableField> vectors,
                               const ReadOptions& options) const {
  comm::Comm& comm = grid.communicator().engine();
  const Payload& payload = field(first).payload;
  const Grid in_file(grid.communicator(), payload.extents, {.idle_ranks = true});
  std::vector<MutableField> fields;
  std::vector<Staged> staged, raw;
  std::vector<Coord> wanted;
  std::vector<double> memory;  // of either precision
  comm::agree(comm, [&] {
    fields = resolved(vectors, grid, set_, files_.front().catalog().path);
    staged = stages_for(fields, grid);
    const SiteOrder order = natural_order(grid);
    const std::int64_t ls = set_.arrangement == Arrangement::fifth_first ? set_.description.ls : 1;
    for (std::uint64_t i = 0; i < grid.local_volume(); ++i) {
      const Coord x = lattice::site_at(i, grid.local_box(), order);
      for (std::int64_t s = 0; s < ls; ++s) wanted.push_back(format::vectors::place_of(x, s, set_));
    }
    memory.resize(
        static_cast<std::size_t>(base::multiply_or_throw(in_file.local_volume(), payload.spec.numbers, "a vector")));
  });
  const FieldSpec spec =
      generic_spec(fields.front().spec.precision, payload.spec.numbers, fields.front().spec.is_complex);
  const lattice::SiteExchange exchange(in_file, wanted);
  Report report;
  for (std::size_t j = 0; j < fields.size(); ++j) {
    report = read_field(first + j, in_file, {spec, memory.data(), memory.size(), {}, {}}, options);
    exchange.exchange(reinterpret_cast<const std::byte*>(memory.data()), static_cast<std::size_t>(spec.site_bytes()),
                      staged[j].data());
    comm::agree(comm, [&] { lattice::give_sites(grid, staged[j].data(), fields[j]); });
  }
  return report;
}

}  // namespace lq::modes
