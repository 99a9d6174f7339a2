// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "format/eigen_comp/eigen_comp_format.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "base/bytes.hpp"
#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "format/formats.hpp"
#include "kernels/site_numbers.hpp"

namespace lq::format::eigen_comp {
namespace {

constexpr std::uint64_t most_number = std::uint64_t{1} << 31;

// Lines KEY = VALUE; lines that begin with # are comments.
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
    if (!value) base::fail(Code::malformed, {.expected = key}, "there is no line {}", key);
    const auto number = base::parse_u64(*value);
    if (number && *number >= least && *number < most_number) return *number;
    base::fail(Code::malformed, {.expected = fmt::format("{} or more", least), .found = base::printable(*value)},
               "{} = {}: expected a whole number from {} on", key, base::printable(*value), least);
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
    if (!crc) base::fail(Code::malformed, {}, "crc32[{}] = {} is not a checksum", k, base::printable(*value));
    crcs.push_back(*crc);
  }
  if (crcs.empty()) throw Error(Code::malformed, "there is no line crc32[0], one for each file");
  if (crcs.size() != lines.count("crc32")) {
    base::fail(Code::malformed, {}, "there is no line crc32[{}], but there are further ones", crcs.size());
  }
  return crcs;
}

void require_blocks(const Metadata& known, const Lines& lines) {
  for (int d = 0; d < 4; ++d) {
    if (known.node[d] % known.block[d] != 0) {
      base::fail(Code::malformed, {}, "blocks of {} do not fill the {} of a file", to_string(known.block),
                 to_string(known.node));
    }
  }
  if (known.ls % known.block_ls != 0) throw Error(Code::malformed, "b[4] does not divide s[4]");
  if (known.block[0] % 2 != 0) {
    throw Error(Code::unsupported, "blocks of odd extent in x: which of their sites are odd depends on the block");
  }
  if (lines.number("blocks", 1) != known.blocks()) {
    base::fail(Code::malformed, {}, "blocks = {}, but {} blocks fill a file", *lines.find("blocks"), known.blocks());
  }
}

void require_basis(const Metadata& known) {
  if (known.basis_single > known.basis) throw Error(Code::malformed, "nkeep_single is larger than nkeep");
  if (2 * known.basis_16() % known.shared != 0) {
    base::fail(Code::malformed, {}, "2 (nkeep - nkeep_single) = {} coefficients do not form groups of {}",
               2 * known.basis_16(), known.shared);
  }
  // The numbers of a whole file.
  std::uint64_t numbers = base::multiply_or_throw(known.blocks(), known.block_numbers(), "a file");
  numbers = base::multiply_or_throw(numbers, 8 * known.basis, "a file");
  base::add_or_throw(numbers,
                     base::multiply_or_throw(base::multiply_or_throw(known.vectors, known.blocks(), "a file"),
                                             16 * known.basis, "a file"),
                     "a file");
}

// Each file contains the part of one node, with a checksum.
void require_files(const Metadata& known, const Extents& lattice) {
  std::uint64_t files = 1;
  for (int d = 0; d < 4; ++d) {
    if (lattice[d] % known.node[d] != 0) {
      base::fail(Code::malformed, {}, "the {} of a file do not divide the lattice {}", to_string(known.node),
                 to_string(lattice));
    }
    files = base::multiply_or_throw(files, static_cast<std::uint64_t>(lattice[d] / known.node[d]), "the files");
  }
  if (files == known.files()) return;
  base::fail(Code::malformed, {}, "{} files make up the lattice {}, but there are {} lines crc32[...]", files,
             to_string(lattice), known.files());
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
    base::fail(Code::malformed, {}, "{} numbers after their count {}", words.empty() ? 0 : words.size() - 1,
               words.empty() ? "" : base::printable(words.front()));
  }
  std::vector<double> values;
  for (std::size_t k = 1; k < words.size(); ++k) {
    const auto value = base::parse_double(words[k]);
    if (!value) base::fail(Code::malformed, {}, "\"{}\" is not an eigenvalue", base::printable(words[k]));
    values.push_back(*value);
  }
  return values;
}

std::string file_name(const Metadata& metadata, std::uint64_t k) {
  constexpr std::uint64_t folders = 32;
  const std::uint64_t in_folder = std::max<std::uint64_t>(metadata.files() / folders, 1);
  return fmt::format("{:02}/{:010}.compressed", k / in_folder, k);
}

namespace {

constexpr std::string_view rank_type = "eigen-comp-rank";
constexpr std::string_view first_key = "s[0]", telling_key = "FP16_COEF_EXP_SHARE_FLOATS";
constexpr std::uint64_t most_text = 4 << 20;  // with 100000 checksums
constexpr std::size_t looked_at = 4096;       // contains all lines except those of checksums

std::string text_of(base::ByteSource& file) {
  if (file.size() > most_text) {
    base::fail(Code::too_large, {}, "{} of {} bytes, expected at most {}", file.path(), file.size(), most_text);
  }
  std::string text(static_cast<std::size_t>(file.size()), '\0');
  text.resize(file.read_at(0, std::as_writable_bytes(std::span(text))));
  return text;
}

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? std::string() : path.substr(0, slash + 1);
}

class Scan {
 public:
  Scan(base::ByteSource& file, const Limits& limits) : file_(file), limits_(limits), folder_(folder_of(file.path())) {
    catalog_.path = file.path();
    catalog_.format = eigen_comp_name;
    catalog_.file_bytes = file.size();
    Record& header = catalog_.records.emplace_back();
    header.type = metadata_name;
    header.message = header.number = 1;
    header.data_length = file.size();
  }

  Catalog run() {
    try {
      const std::string text = text_of(file_);
      known_ = decode(text);
      if (known_.files() > limits_.records) {
        base::fail(Code::too_large, {}, "{} files are more than the limit of {} records", known_.files(),
                   limits_.records);
      }
      catalog_.metadata.emplace_back(metadata_name, text);
      read_eigenvalues();
      list_files();
    } catch (const Error& error) {
      if (error.code() == Code::io || error.code() == Code::out_of_memory) throw;
      findings_.error(error.code(), "eigen-comp-metadata", catalog_.records.front(), error.what(),
                      error.facts().expected, error.facts().found);
    }
    catalog_.findings = findings_.take();
    return std::move(catalog_);
  }

 private:
  // Empty: the file does not exist.
  std::unique_ptr<base::ByteSource> beside(const std::string& name) {
    try {
      return file_.open_other(folder_ + name);
    } catch (const Error& error) {
      if (error.code() != Code::not_found) throw;
      return nullptr;
    }
  }

  void read_eigenvalues() {
    const auto file = beside(std::string(eigenvalues_file));
    if (!file) {
      findings_.warning("eigen-comp-values", catalog_.records.front(),
                        fmt::format("{} is missing in the same folder; the eigenvalues are unknown", eigenvalues_file));
      return;
    }
    std::string text = text_of(*file);
    const std::size_t count = decode_eigenvalues(text).size();
    if (count < known_.vectors) {
      base::fail(Code::malformed, {}, "{} eigenvalues in {}, but {} vectors", count, eigenvalues_file, known_.vectors);
    }
    catalog_.metadata.emplace_back(eigenvalues_name, std::move(text));
  }

  void list_files() {
    catalog_.files.push_back(file_.path());
    for (std::uint64_t k = 0; k < known_.files(); ++k) {
      const std::string name = file_name(known_, k);
      Record record;
      record.type = rank_type;
      record.file = static_cast<int>(k + 1);
      record.message = 1;
      record.number = k + 2;
      record.data_length = known_.file_bytes();
      catalog_.files.push_back(folder_ + name);
      catalog_.file_bytes += known_.file_bytes();
      const auto file = beside(name);
      if (!file || file->size() != known_.file_bytes()) report(record, name, file ? file->size() : 0, file != nullptr);
      catalog_.records.push_back(std::move(record));
    }
    // Truncated metadata look like those of fewer files.
    const std::string next = file_name(known_, known_.files());
    if (beside(next)) {
      base::fail(Code::malformed, {}, "there is {}, but no line crc32[{}]", next, known_.files());
    }
  }

  void report(const Record& record, const std::string& name, std::uint64_t bytes, bool is_there) {
    catalog_.complete = false;
    std::string what = is_there
                           ? fmt::format("{} has {} bytes, the metadata announce {}", name, bytes, known_.file_bytes())
                           : fmt::format("there is no {}", name);
    if (!is_there && beside(name.substr(0, 2) + ".zip")) what += fmt::format("; unpack {}.zip", name.substr(0, 2));
    findings_.error(Code::truncated, "eigen-comp-files", record, what + "; copy the whole folder",
                    fmt::format("{} bytes", known_.file_bytes()),
                    is_there ? fmt::format("{} bytes", bytes) : "nothing");
  }

  base::ByteSource& file_;
  const Limits& limits_;
  std::string folder_;
  Catalog catalog_;
  Findings findings_;
  Metadata known_;
};

class EigenComp final : public Container {
 public:
  Likeness recognise(base::ByteSource& file) const override {
    std::array<std::byte, looked_at> start{};
    const std::string_view text = base::as_text(base::Bytes(start).first(file.read_at(0, start)));
    const bool is_ours = text.starts_with(first_key) && text.find(telling_key) != std::string_view::npos;
    return is_ours ? Likeness::yes : Likeness::no;
  }
  Catalog scan(base::ByteSource& file, const Limits& limits) const override { return Scan(file, limits).run(); }
  std::vector<Finding> validate(base::ByteSource&, const Catalog& catalog) const override { return catalog.findings; }
  std::vector<Annotation> explain(base::ByteSource& file, const Catalog&) const override;
};

std::vector<Annotation> EigenComp::explain(base::ByteSource& file, const Catalog&) const {
  std::vector<Annotation> parts;
  const std::string all = text_of(file);
  std::string_view text = all;
  while (!text.empty()) {
    const std::size_t length = std::min(text.find('\n'), text.size() - 1) + 1;
    const std::string_view line = text.substr(0, length);
    const std::size_t equals = std::min(line.find('='), line.size());
    const std::string_view value = equals < line.size() ? line.substr(equals + 1) : std::string_view();
    parts.push_back({all.size() - text.size(), length, base::printable(base::trim(line.substr(0, equals))),
                     base::printable(base::trim(value), 120), "formats/eigen-comp.md 2"});
    text.remove_prefix(length);
  }
  return parts;
}

}  // namespace

}  // namespace lq::format::eigen_comp

const lq::format::Format& lq::format::eigen_comp_format() {
  using namespace eigen_comp;
  static const EigenComp eigen_comp;
  static const Format row{.info = {eigen_comp_name,
                                   "compressed eigenvectors",
                                   "\"s[0]\" in the metadata.txt of a folder",
                                   {},
                                   Contents::records},
                          .container = &eigen_comp};
  return row;
}
