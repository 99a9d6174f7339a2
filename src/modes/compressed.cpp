// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "modes/compressed.hpp"

#include <algorithm>
#include <complex>
#include <memory>
#include <utility>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "base/bytes.hpp"
#include "comm/agree.hpp"
#include "kernels/crc32.hpp"
#include "kernels/shared_exponent.hpp"
#include "lattice/site_order.hpp"
#include "storage/transport.hpp"

namespace lq::modes {
namespace {

namespace eigen_comp = format::eigen_comp;
using format::eigen_comp::site_numbers;

// Made when it is needed: a program that needs none of it loads faster.
const SiteOrder& x_fastest() {
  static const SiteOrder order{0, 1, 2, 3};
  return order;
}

// On the lattice of half the extent in x.
Extents halved(Extents extents) {
  extents[0] /= 2;
  return extents;
}

std::vector<std::byte> bytes_at(storage::File& file, std::uint64_t offset, std::uint64_t length) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(length));
  if (file.read_at(offset, bytes) == bytes.size()) return bytes;
  throw Error(Code::truncated, fmt::format("{}: the file ends before byte {}", file.path(), offset + length),
              {.path = file.path()});
}

void decode_floats(base::Bytes bytes, std::span<float> values) {
  for (std::size_t k = 0; k < values.size(); ++k) {
    values[k] = std::bit_cast<float>(base::load_le<std::uint32_t>(bytes.data() + 4 * k));
  }
}

void decode_groups(const storage::File& file, base::Bytes bytes, std::uint64_t group, std::span<float> values) {
  if (kernels::decode_shared_exponents(bytes, static_cast<std::size_t>(group), values)) return;
  throw Error(
      Code::malformed,
      fmt::format("{}: a group of numbers has an exponent beyond single precision; the file is damaged: lq modes "
                  "verify",
                  file.path()),
      {.path = file.path()});
}

// What two boxes have in common; empty: nothing.
Box common_of(const Box& a, const Box& b) {
  Box common = a;
  for (int d = 0; d < a.lower.size(); ++d) {
    const std::int64_t lower = std::max(a.lower[d], b.lower[d]);
    const std::int64_t upper = std::min(a.lower[d] + a.extents[d], b.lower[d] + b.extents[d]);
    common.lower[d] = lower;
    common.extents[d] = std::max<std::int64_t>(upper - lower, 0);
  }
  return common;
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

// One block of a file: its vectors are made one after the other from the basis, which is read once for all of them.
class Compressed::Block {
 public:
  Block(const eigen_comp::Metadata& known, storage::File& file, std::uint64_t number)
      : known_(known), file_(file), number_(number), size_(static_cast<std::size_t>(known.block_numbers())) {}

  // Of each vector its numbers on the block, as the file has them.
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
    if (common_of(of_file, box).empty()) continue;
    const std::string& path = files_[static_cast<std::size_t>(k)];
    const auto file = storage::resolve(path).open_read(path);
    for (std::uint64_t b = 0; b < in_four; ++b) {
      Box of_block{lattice::site_at(b, whole(block_counts), x_fastest()), block_extents};
      for (int d = 0; d < 4; ++d) of_block.lower[d] = of_file.lower[d] + of_block.lower[d] * block_extents[d];
      const Box mine = common_of(of_block, box);
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
  // Files are dealt out; of each the ranks learn the checksum of what is in it.
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

}  // namespace lq::modes
