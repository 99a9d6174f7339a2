// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "format/eigen_comp/metadata.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "base/checked.hpp"
#include "base/text.hpp"
#include "kernels/shared_exponent.hpp"

namespace lq::format::eigen_comp {
namespace {

constexpr std::uint64_t most_number = std::uint64_t{1} << 31;

// Lines KEY = VALUE; what begins with # is none.
class Lines {
 public:
  explicit Lines(std::string_view text) {
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      const std::string_view line = base::trim(text.substr(0, end));
      text.remove_prefix(std::min(end + 1, text.size()));
      const std::size_t equals = line.find('=');
      if (line.starts_with('#') || equals == std::string_view::npos) continue;
      values_.insert_or_assign(std::string(base::trim(line.substr(0, equals))), base::trim(line.substr(equals + 1)));
    }
  }
  std::optional<std::string_view> find(const std::string& key) const {
    const auto found = values_.find(key);
    return found == values_.end() ? std::nullopt : std::optional<std::string_view>(found->second);
  }
  std::size_t count(std::string_view prefix) const {
    const auto is_one = [prefix](const auto& line) { return line.first.starts_with(prefix); };
    return static_cast<std::size_t>(std::ranges::count_if(values_, is_one));
  }
  std::uint64_t number(const std::string& key, std::uint64_t least) const {
    const auto value = find(key);
    if (!value) throw Error(Code::malformed, fmt::format("there is no line {}", key), {.expected = key});
    const auto number = base::parse_u64(*value);
    if (number && *number >= least && *number < most_number) return *number;
    throw Error(Code::malformed,
                fmt::format("{} = {}: expected a whole number from {} on", key, base::printable(*value), least),
                {.expected = fmt::format("{} or more", least), .found = base::printable(*value)});
  }
  Extents extents(std::string_view name) const {
    Extents extents = Coord::filled(4, 0);
    for (int d = 0; d < 4; ++d) extents[d] = static_cast<std::int64_t>(number(fmt::format("{}[{}]", name, d), 1));
    return extents;
  }

 private:
  std::map<std::string, std::string_view> values_;
};

std::vector<std::uint32_t> crcs_in(const Lines& lines) {
  std::vector<std::uint32_t> crcs;
  for (std::size_t k = 0;; ++k) {
    const auto value = lines.find(fmt::format("crc32[{}]", k));
    if (!value) break;
    const auto crc = base::parse_hex32(*value);
    if (!crc) throw Error(Code::malformed, fmt::format("crc32[{}] = {} is not a checksum", k, base::printable(*value)));
    crcs.push_back(*crc);
  }
  if (crcs.empty()) throw Error(Code::malformed, "there is no line crc32[0], one for each file");
  if (crcs.size() != lines.count("crc32")) {
    throw Error(Code::malformed, fmt::format("there is no line crc32[{}], but there are further ones", crcs.size()));
  }
  return crcs;
}

void require_blocks(const Metadata& known, const Lines& lines) {
  for (int d = 0; d < 4; ++d) {
    if (known.node[d] % known.block[d] != 0) {
      throw Error(Code::malformed, fmt::format("blocks of {} do not fill the {} of a file", to_string(known.block),
                                               to_string(known.node)));
    }
  }
  if (known.ls % known.block_ls != 0) throw Error(Code::malformed, "b[4] does not divide s[4]");
  if (known.block[0] % 2 != 0) {
    throw Error(Code::unsupported, "blocks of odd extent in x: which of their sites are odd depends on the block");
  }
  if (lines.number("blocks", 1) != known.blocks()) {
    throw Error(Code::malformed,
                fmt::format("blocks = {}, but {} blocks fill a file", *lines.find("blocks"), known.blocks()));
  }
}

void require_basis(const Metadata& known) {
  if (known.basis_single > known.basis) throw Error(Code::malformed, "nkeep_single is larger than nkeep");
  if (2 * known.basis_16() % known.shared != 0) {
    throw Error(Code::malformed, fmt::format("2 (nkeep - nkeep_single) = {} coefficients do not form groups of {}",
                                             2 * known.basis_16(), known.shared));
  }
  // All of a file.
  std::uint64_t numbers = base::multiply_or_throw(known.blocks(), known.block_numbers(), "a file");
  numbers = base::multiply_or_throw(numbers, 8 * known.basis, "a file");
  base::add_or_throw(numbers,
                     base::multiply_or_throw(base::multiply_or_throw(known.vectors, known.blocks(), "a file"),
                                             16 * known.basis, "a file"),
                     "a file");
}

// Each file holds the part of one node, with a checksum.
void require_files(const Metadata& known, const Extents& lattice) {
  std::uint64_t files = 1;
  for (int d = 0; d < 4; ++d) {
    if (lattice[d] % known.node[d] != 0) {
      throw Error(Code::malformed, fmt::format("the {} of a file do not divide the lattice {}", to_string(known.node),
                                               to_string(lattice)));
    }
    files = base::multiply_or_throw(files, static_cast<std::uint64_t>(lattice[d] / known.node[d]), "the files");
  }
  if (files == known.files()) return;
  throw Error(Code::malformed, fmt::format("{} files make up the lattice {}, but there are {} lines crc32[...]", files,
                                           to_string(lattice), known.files()));
}

std::optional<Extents> lattice_in(const Lines& lines, const Metadata& known) {
  if (lines.count("gs[") > 0) {
    Extents lattice = lines.extents("gs");
    require_files(known, lattice);
    return lattice;
  }
  if (known.files() == 1) return known.node;
  return {};
}

}  // namespace

std::uint64_t Metadata::blocks() const noexcept {
  std::uint64_t count = ls / block_ls;
  for (int d = 0; d < 4; ++d) count *= static_cast<std::uint64_t>(node[d] / block[d]);
  return count;
}

std::uint64_t Metadata::block_numbers() const noexcept { return volume(block) / 2 * block_ls * site_numbers; }

std::uint64_t Metadata::fixed_bytes() const noexcept {
  return kernels::shared_exponent_bytes(basis_16() * block_numbers(), site_numbers);
}

std::uint64_t Metadata::coefficient_bytes() const noexcept {
  return 8 * basis_single + kernels::shared_exponent_bytes(2 * basis_16(), shared);
}

std::uint64_t Metadata::fixed_at(std::uint64_t number) const noexcept {
  return single_at(blocks()) + number * fixed_bytes();
}

std::uint64_t Metadata::coefficients_at(std::uint64_t vector, std::uint64_t number) const noexcept {
  return fixed_at(blocks()) + (vector * blocks() + number) * coefficient_bytes();
}

Metadata decode(std::string_view text) {
  const Lines lines(text);
  Metadata known;
  known.node = lines.extents("s");
  known.block = lines.extents("b");
  known.ls = lines.number("s[4]", 1);
  known.block_ls = lines.number("b[4]", 1);
  known.vectors = lines.number("neig", 0);
  known.basis = lines.number("nkeep", 1);
  known.basis_single = lines.number("nkeep_single", 0);
  known.shared = lines.number("FP16_COEF_EXP_SHARE_FLOATS", 1);
  known.crcs = crcs_in(lines);
  base::multiply_or_throw(base::multiply_or_throw(volume(known.node), known.ls, "a file"), 8 * site_numbers, "a file");
  require_blocks(known, lines);
  require_basis(known);
  known.lattice = lattice_in(lines, known);
  return known;
}

std::vector<double> decode_eigenvalues(std::string_view text) {
  const std::vector<std::string_view> words = base::split_words(text);
  const auto count = words.empty() ? std::nullopt : base::parse_u64(words.front());
  if (!count || *count != words.size() - 1) {
    throw Error(Code::malformed, fmt::format("{} numbers after their count {}", words.empty() ? 0 : words.size() - 1,
                                             words.empty() ? "" : base::printable(words.front())));
  }
  std::vector<double> values;
  for (std::size_t k = 1; k < words.size(); ++k) {
    const auto value = base::parse_double(words[k]);
    if (!value) throw Error(Code::malformed, fmt::format("\"{}\" is not an eigenvalue", base::printable(words[k])));
    values.push_back(*value);
  }
  return values;
}

std::string file_name(const Metadata& metadata, std::uint64_t k) {
  constexpr std::uint64_t folders = 32;
  const std::uint64_t in_folder = std::max<std::uint64_t>(metadata.files() / folders, 1);
  return fmt::format("{:02}/{:010}.compressed", k / in_folder, k);
}

}  // namespace lq::format::eigen_comp
