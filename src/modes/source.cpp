// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "modes/source.hpp"

#include <algorithm>
#include <array>
#include <complex>
#include <cstring>
#include <utility>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "base/bytes.hpp"
#include "base/checked.hpp"
#include "base/error.hpp"
#include "comm/agree.hpp"
#include "comm/pack.hpp"
#include "kernels/crc32.hpp"
#include "kernels/site_numbers.hpp"
#include "lattice/local_field.hpp"
#include "lattice/site_exchange.hpp"
#include "lattice/site_order.hpp"
#include "storage/transport.hpp"

namespace lq::modes {

namespace {

namespace eigen_comp = format::eigen_comp;
using format::eigen_comp::site_numbers;

// Created on first use, so that programs that do not need it load faster.
const SiteOrder& x_fastest() {
  static const SiteOrder order{0, 1, 2, 3};
  return order;
}

// The lattice of half the extent in x.
Extents halved(Extents extents) {
  extents[0] /= 2;
  return extents;
}

std::vector<std::byte> bytes_at(storage::File& file, std::uint64_t offset, std::uint64_t length) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(length));
  if (file.read_at(offset, bytes) == bytes.size()) return bytes;
  base::fail(Code::truncated, file.path(), "the file ends before byte {}", offset + length);
}

void decode_floats(base::Bytes bytes, std::span<float> values) {
  for (std::size_t k = 0; k < values.size(); ++k) {
    values[k] = std::bit_cast<float>(base::load_le<std::uint32_t>(bytes.data() + 4 * k));
  }
}

void decode_groups(const storage::File& file, base::Bytes bytes, std::uint64_t group, std::span<float> values) {
  if (kernels::decode_shared_exponents(bytes, static_cast<std::size_t>(group), values)) return;
  base::fail(Code::malformed, file.path(),
             "a group of numbers has an exponent beyond single precision; the file is damaged: lq modes verify");
}

// sum += factor * vector, in single precision, product first.
void add_multiple(std::complex<float> factor, std::span<const float> vector, std::span<float> sum) {
  const float re = factor.real(), im = factor.imag();
  for (std::size_t k = 0; k + 1 < vector.size(); k += 2) {
    const float x = vector[k], y = vector[k + 1];
    sum[k] = (re * x - im * y) + sum[k];
    sum[k + 1] = (re * y + im * x) + sum[k + 1];
  }
}

}  // namespace

// One block of a file: its vectors are computed one by one from the basis, which is read once for all of them.
class Compressed::Block {
 public:
  Block(const eigen_comp::Metadata& known, storage::File& file, std::uint64_t number)
      : known_(known), file_(file), number_(number), size_(static_cast<std::size_t>(known.block_numbers())) {}

  // The numbers of each vector on the block, as in the file.
  std::vector<std::vector<float>> make(std::uint64_t first, std::size_t count) const {
    std::vector<std::vector<std::complex<float>>> factors;
    for (std::size_t j = 0; j < count; ++j) factors.push_back(coefficients(first + j));
    std::vector<std::vector<float>> sums(count, std::vector<float>(size_));
    std::vector<float> vector(size_);
    for (std::uint64_t i = 0; i < known_.basis; ++i) {
      read_basis(i, vector);
      for (std::size_t j = 0; j < count; ++j) add_multiple(factors[j][static_cast<std::size_t>(i)], vector, sums[j]);
    }
    return sums;
  }

 private:
  void read_basis(std::uint64_t i, std::span<float> vector) const {
    if (i < known_.basis_single) {
      const std::uint64_t bytes = known_.block_numbers() * 4;
      return decode_floats(bytes_at(file_, known_.single_at(number_) + i * bytes, bytes), vector);
    }
    const std::uint64_t bytes = kernels::shared_exponent_bytes(known_.block_numbers(), site_numbers);
    decode_groups(file_, bytes_at(file_, known_.fixed_at(number_) + (i - known_.basis_single) * bytes, bytes),
                  site_numbers, vector);
  }

  std::vector<std::complex<float>> coefficients(std::uint64_t vector) const {
    const auto bytes = bytes_at(file_, known_.coefficients_at(vector, number_), known_.coefficient_bytes());
    const auto single = static_cast<std::size_t>(2 * known_.basis_single);
    std::vector<float> values(static_cast<std::size_t>(2 * known_.basis));
    decode_floats(base::Bytes(bytes).first(4 * single), std::span(values).first(single));
    decode_groups(file_, base::Bytes(bytes).subspan(4 * single), known_.shared, std::span(values).subspan(single));
    std::vector<std::complex<float>> factors;
    for (std::size_t k = 0; k < values.size(); k += 2) factors.emplace_back(values[k], values[k + 1]);
    return factors;
  }

  const eigen_comp::Metadata& known_;
  storage::File& file_;
  std::uint64_t number_;
  std::size_t size_;
};

Compressed::Compressed(const Catalog& catalog, const Extents& lattice)
    : path_(catalog.path),
      files_(catalog.files.begin() + 1, catalog.files.end()),
      known_(format::eigen_comp::decode(catalog.metadata.front().second)),
      counts_(lattice) {
  for (int d = 0; d < 4; ++d) counts_[d] /= known_.node[d];
}

void Compressed::read(std::uint64_t first, const Box& box, std::span<const std::span<float>> vectors) const {
  const Extents file_extents = halved(known_.node), block_extents = halved(known_.block);
  Extents block_counts = known_.node;
  for (int d = 0; d < 4; ++d) block_counts[d] /= known_.block[d];
  const std::uint64_t in_four = volume(block_counts), in_s = known_.ls / known_.block_ls;
  for (std::uint64_t k = 0; k < known_.files(); ++k) {
    Box of_file{lattice::site_at(k, whole(counts_), x_fastest()), file_extents};
    for (int d = 0; d < 4; ++d) of_file.lower[d] *= file_extents[d];
    if (intersect(of_file, box).empty()) continue;
    const std::string& path = files_[static_cast<std::size_t>(k)];
    const auto file = storage::resolve(path).open_read(path);
    for (std::uint64_t b = 0; b < in_four; ++b) {
      Box of_block{lattice::site_at(b, whole(block_counts), x_fastest()), block_extents};
      for (int d = 0; d < 4; ++d) of_block.lower[d] = of_file.lower[d] + of_block.lower[d] * block_extents[d];
      const Box mine = intersect(of_block, box);
      for (std::uint64_t s = 0; s < in_s && !mine.empty(); ++s) {
        const auto made = Block(known_, *file, s * in_four + b).make(first, vectors.size());
        const std::uint64_t sites = mine.volume();
        for (std::uint64_t i = 0; i < sites; ++i) {
          const Coord x = lattice::site_at(i, mine, x_fastest());
          const std::uint64_t from = lattice::site_number(x, of_block, x_fastest());
          const std::uint64_t to = lattice::site_number(x, box, x_fastest()) * known_.ls;
          for (std::uint64_t local = 0; local < known_.block_ls; ++local) {
            const std::uint64_t at = (local * of_block.volume() + from) * site_numbers;
            const std::uint64_t into = (to + s * known_.block_ls + local) * site_numbers;
            for (std::size_t j = 0; j < vectors.size(); ++j) {
              std::copy_n(made[j].begin() + static_cast<std::ptrdiff_t>(at), site_numbers,
                          vectors[j].begin() + static_cast<std::ptrdiff_t>(into));
            }
          }
        }
      }
    }
  }
}

std::vector<Finding> Compressed::verify(comm::Comm& comm) const {
  // Files are distributed over the ranks, which compute the checksums of their contents.
  std::vector<std::uint64_t> crcs(static_cast<std::size_t>(known_.files()));
  comm::agree(comm, [&] {
    std::vector<std::byte> block(std::size_t{1} << 20);
    for (std::size_t k = static_cast<std::size_t>(comm.rank()); k < crcs.size();
         k += static_cast<std::size_t>(comm.size())) {
      const auto file = storage::resolve(files_[k]).open_read(files_[k]);
      std::uint32_t crc = 0;
      for (std::uint64_t at = 0, got = 1; got > 0; at += got) {
        got = file->read_at(at, block);
        crc = kernels::crc32(crc, base::Bytes(block).first(static_cast<std::size_t>(got)));
      }
      crcs[k] = crc;
    }
  });
  comm.all_reduce(crcs, comm::Reduce::sum);
  return comm::agree_alike(comm, [&] {
    std::vector<Finding> findings;
    for (std::size_t k = 0; k < crcs.size(); ++k) {
      if (crcs[k] == known_.crcs[k]) continue;
      const std::string found = fmt::format("{:08x}", crcs[k]), stated = fmt::format("{:08x}", known_.crcs[k]);
      findings.push_back(
          {.severity = Severity::error,
           .code = Code::checksum_mismatch,
           .rule = "checksum",
           .message = fmt::format("{}: its bytes have the CRC-32 {}, the metadata state {}: every vector is "
                                  "wrong on its part of the lattice; copy this file again",
                                  files_[k], found, stated),
           .record = "eigen-comp-rank",
           .expected = stated,
           .found = found});
    }
    return findings;
  });
}

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

// At the root, for a folder.
std::uint64_t count_files(const std::string& path) {
  storage::Transport& transport = storage::resolve(path);
  std::uint64_t count = 0;
  while (transport.kind(file_in(path, count)) == storage::PathKind::file) ++count;
  if (count > 0) return count;
  base::fail(Code::not_found, {.path = path, .expected = "v0.bin"},
             "a folder of vectors has files v0.bin, v1.bin, ..., or {}, and this one has neither",
             format::eigen_comp::metadata_file);
}

constexpr std::string_view beside = ".evals.xml";

// At the root. Empty: the file does not exist.
std::string eigenvalue_text(const std::string& path) {
  const std::string name = path + std::string(beside);
  storage::Transport& transport = storage::resolve(name);
  if (transport.kind(name) != storage::PathKind::file) return {};
  const auto file = transport.open_read(name);
  constexpr std::uint64_t most = 1 << 20;
  if (file->size() > most) {
    base::fail(Code::too_large, name, "{} bytes are not a list of eigenvalues; at most {}", file->size(), most);
  }
  std::string text(static_cast<std::size_t>(file->size()), '\0');
  text.resize(file->read_at(0, std::as_writable_bytes(std::span(text))));
  return text;
}

VectorSet set_of(const File& file, const Unsaid& unsaid) {
  const Catalog& catalog = file.catalog();
  if (auto set = format::vectors::set_in(catalog, unsaid)) return *std::move(set);
  if (const Finding* const finding = catalog.first_error()) {
    base::fail(finding->code, {.path = catalog.path, .offset = finding->offset}, "{}", finding->message);
  }
  base::fail(Code::unknown_format, {.path = catalog.path, .expected = "modes", .found = catalog.format},
             "this is not a set of modes or of vectors but a file of the format \"{}\"", catalog.format);
}

// The numbers of this rank's sites of a vector, x fastest.
using Staged = std::vector<std::byte>;

SiteOrder natural_order(const Grid& grid) { return lattice::resolve_order({}, grid.extents().size()); }

// The requested fields, checked against the set: grid, numbers, memory.
std::vector<MutableField> resolved(std::span<const MutableField> vectors, const Grid& grid, const VectorSet& set,
                                   const std::string& path) {
  const Extents sites = set.description.sites();
  if (grid.extents() != sites) {
    base::fail(Code::invalid_argument, {.path = path, .expected = to_string(sites), .found = to_string(grid.extents())},
               "the vectors live on {}, the grid is {}; make the grid of the sites of the set", to_string(sites),
               to_string(grid.extents()));
  }
  std::vector<MutableField> fields;
  const std::uint64_t numbers = set.description.field().numbers;
  for (const MutableField& vector : vectors) {
    fields.push_back(lattice::resolve_field(grid, vector));
    const FieldSpec& spec = fields.back().spec;
    if (spec.numbers != numbers || spec.precision != fields.front().spec.precision) {
      base::fail(Code::invalid_argument,
                 {.path = path, .expected = fmt::format("{}", numbers), .found = fmt::format("{}", spec.numbers)},
                 "a site of a vector has {} numbers, the field has {}", numbers, spec.numbers);
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

std::string eigenvalue_file_of(const std::string& path, const Communicator& communicator) {
  std::string text;
  comm::share_from_root(
      communicator.engine(), [&] { text = eigenvalue_text(path); }, text);
  return text;
}

Source::Source(std::span<const File> files, const std::string& eigenvalues, const Unsaid& unsaid)
    : files_(files), set_(set_of(files.front(), unsaid)) {
  for (const File& file : files.subspan(1)) {
    const VectorSet next = set_of(file, unsaid);
    const bool is_alike = next.description == set_.description && next.family == set_.family &&
                          next.modes.size() == 1 && set_.per_field == 1;
    if (!is_alike) {
      base::fail(Code::malformed, file.catalog().path, "its vectors differ from those of {}",
                 files.front().catalog().path);
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
    base::fail(error.code(), path, "{}", error.what());
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

// Reads in the layout of the file, on a grid of that lattice, then gives every rank its sites.
Report Source::read_rearranged(std::uint64_t first, const Grid& grid, std::span<const MutableField> vectors,
                               const ReadOptions& options) const {
  comm::Comm& comm = grid.communicator().engine();
  const Payload& payload = field(first).payload;
  const Grid in_file(grid.communicator(), payload.extents, {.idle_ranks = true});
  std::vector<MutableField> fields;
  std::vector<Staged> staged, raw;
  std::vector<Coord> wanted;
  std::vector<double> memory;  // in either precision
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
