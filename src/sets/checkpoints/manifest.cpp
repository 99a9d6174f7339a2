// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "sets/checkpoints/manifest.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limequat/error.hpp>

#include "base/bytes.hpp"
#include "base/file_error.hpp"
#include "base/text.hpp"
#include "kernels/crc32.hpp"

namespace lq::sets {
namespace {

constexpr std::string_view first_line = "limequat-checkpoint 1\n";
constexpr std::uint64_t smallest_sum_block = base::mebi;
constexpr std::uint64_t most_sums = 64 * base::kibi;
constexpr std::size_t sums_of_a_line = 12;
constexpr std::size_t longest_name = 255;
constexpr std::size_t sum_line_bytes = 15;  // "crc32 xxxxxxxx\n"

bool is_control(char letter) noexcept { return static_cast<unsigned char>(letter) < 0x20 || letter == 0x7f; }

bool can_be_name(std::string_view name) noexcept {
  return !name.empty() && name.size() <= longest_name && std::ranges::none_of(name, is_control);
}

// Of a file within the checkpoint's folder.
bool can_be_file(std::string_view name) noexcept {
  return can_be_name(name) && name.find('/') == std::string_view::npos && name != "." && name != "..";
}

// The lines of a manifest, word by word.
class Lines {
 public:
  Lines(const std::string& path, std::string_view text) : path_(path), left_(text) {}

  bool next() {
    if (left_.empty()) return false;
    const std::size_t end = left_.find('\n');
    if (end == std::string_view::npos) fail("a line without end");
    line_ = left_.substr(0, end);
    left_.remove_prefix(end + 1);
    return true;
  }
  std::string_view word() {
    const std::size_t end = std::min(line_.find(' '), line_.size());
    const std::string_view result = line_.substr(0, end);
    line_.remove_prefix(std::min(end + 1, line_.size()));
    return result;
  }
  std::string_view rest() { return std::exchange(line_, {}); }
  std::uint64_t number(std::uint64_t most = std::uint64_t{1} << 62) {
    const std::string_view text = word();
    const std::optional<std::uint64_t> value = base::parse_u64(text);
    if (!value || *value > most) fail(fmt::format("\"{}\" in the place of a number", base::printable(text)));
    return *value;
  }
  std::uint32_t sum() {
    const std::string_view text = word();
    const std::optional<std::uint32_t> value = base::parse_hex32(text);
    if (!value || text.size() != 8) fail(fmt::format("\"{}\" in the place of a sum", base::printable(text)));
    return *value;
  }
  bool is_at_end() const noexcept { return line_.empty(); }
  [[noreturn]] void fail(const std::string& what) const {
    throw base::file_error(Code::malformed, path_, "the manifest has {}", what);
  }

 private:
  const std::string& path_;
  std::string_view line_, left_;
};

std::string text_of(const Coord& numbers) { return fmt::format("{}", fmt::join(numbers.begin(), numbers.end(), ",")); }

Coord numbers_of(std::string_view text, const Lines& lines) {
  std::vector<std::int64_t> numbers;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(','), text.size());
    const std::optional<std::uint64_t> value = base::parse_u64(text.substr(0, end));
    if (!value || *value > std::uint64_t{1} << 62) lines.fail("extents that are no numbers");
    numbers.push_back(static_cast<std::int64_t>(*value));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  if (numbers.size() > max_dimensions) lines.fail("more than eight extents");
  return Coord(std::span<const std::int64_t>(numbers));
}

std::uint64_t blocks_in(std::uint64_t bytes, std::uint64_t block) noexcept { return (bytes + block - 1) / block; }

void take_file(Lines& lines, Manifest& manifest) {
  SummedFile file;
  file.bytes = lines.number();
  file.name = lines.rest();
  if (!can_be_file(file.name)) lines.fail("a file outside its folder");
  const std::uint64_t sums = blocks_in(file.bytes, manifest.block_bytes);
  if (sums > most_sums + 1) lines.fail("too many blocks");
  while (file.sums.size() < sums) {
    if (!lines.next()) lines.fail("too few sums");
    while (!lines.is_at_end() && file.sums.size() < sums) file.sums.push_back(lines.sum());
  }
  manifest.files.push_back(std::move(file));
}

void take_line(Lines& lines, Manifest& manifest) {
  constexpr std::uint64_t most_ranks = 0x7fffffff;
  const std::string_view key = lines.word();
  if (key == "step") {
    manifest.step = lines.number(~std::uint64_t{0});
  } else if (key == "save") {
    manifest.save = lines.number();
  } else if (key == "date") {
    manifest.date = static_cast<std::int64_t>(lines.number());
  } else if (key == "ranks") {
    manifest.ranks = static_cast<int>(lines.number(most_ranks));
  } else if (key == "tasks") {
    manifest.tasks = static_cast<std::int64_t>(lines.number());
  } else if (key == "piece") {
    manifest.piece = static_cast<int>(lines.number(most_ranks));
    manifest.pieces = lines.number(most_ranks);
    manifest.set = lines.number(~std::uint64_t{0});
  } else if (key == "block") {
    manifest.block_bytes = lines.number();
    if (manifest.block_bytes == 0) lines.fail("blocks of no bytes");
  } else if (key == "state") {
    const std::uint64_t offset = lines.number(), bytes = lines.number();
    manifest.states.push_back({std::string(lines.rest()), offset, bytes});
  } else if (key == "field") {
    NamedField field;
    field.file = lines.word();
    field.extents = numbers_of(lines.word(), lines);
    field.processes = numbers_of(lines.word(), lines);
    field.first = numbers_of(lines.word(), lines);
    field.name = lines.rest();
    manifest.fields.push_back(std::move(field));
  } else if (key == "file") {
    take_file(lines, manifest);
  } else {
    lines.fail(fmt::format("a line \"{}\", which this version does not know", base::printable(key)));
  }
}

// Of a manifest that agrees with its sum, whatever its lines are: a damaged digit is no other version.
std::optional<std::uint64_t> version_of(std::string_view text) {
  constexpr std::string_view beginning = "limequat-checkpoint ";
  const std::size_t end = text.find('\n');
  if (!text.starts_with(beginning) || end == std::string_view::npos || text.size() < end + sum_line_bytes) return {};
  const std::string_view body = text.substr(0, text.size() - sum_line_bytes);
  if (text.substr(body.size()) != fmt::format("crc32 {:08x}\n", kernels::crc32(0, base::as_bytes(body)))) return {};
  return base::parse_u64(text.substr(beginning.size(), end - beginning.size()));
}

}  // namespace

std::uint64_t Manifest::bytes() const noexcept {
  std::uint64_t sum = 0;
  for (const SummedFile& file : files) sum += file.bytes;
  return sum;
}

std::uint64_t block_bytes_for(std::uint64_t bytes) noexcept {
  std::uint64_t block = smallest_sum_block;
  while (bytes / block > most_sums / 2) block *= 2;
  return block;
}

std::string encode(const Manifest& manifest) {
  std::string text(first_line);
  text += fmt::format("step {}\nsave {}\ndate {}\nranks {}\ntasks {}\n", manifest.step, manifest.save, manifest.date,
                      manifest.ranks, manifest.tasks);
  if (manifest.pieces > 0) {
    text += fmt::format("piece {} {} {}\n", manifest.piece, manifest.pieces, manifest.set);
  }
  text += fmt::format("block {}\n", manifest.block_bytes);
  for (const NamedState& state : manifest.states) {
    text += fmt::format("state {} {} {}\n", state.offset, state.bytes, state.name);
  }
  for (const NamedField& field : manifest.fields) {
    text += fmt::format("field {} {} {} {} {}\n", field.file, text_of(field.extents), text_of(field.processes),
                        text_of(field.first), field.name);
  }
  for (const SummedFile& file : manifest.files) {
    text += fmt::format("file {} {}\n", file.bytes, file.name);
    for (std::size_t at = 0; at < file.sums.size(); at += sums_of_a_line) {
      const std::size_t end = std::min(at + sums_of_a_line, file.sums.size());
      for (std::size_t k = at; k < end; ++k) text += fmt::format("{}{:08x}", k == at ? "" : " ", file.sums[k]);
      text += '\n';
    }
  }
  text += fmt::format("crc32 {:08x}\n", kernels::crc32(0, base::as_bytes(text)));
  return text;
}

Manifest decode_manifest(const std::string& path, std::string_view text) {
  if (const std::optional<std::uint64_t> version = version_of(text); version && *version != 1) {
    throw base::file_error(
        Code::unsupported, path,
        "version {} of manifests of checkpoints is not known here (1 is); use the version of the library that wrote it",
        *version);
  }
  if (!text.starts_with(first_line) || text.size() < first_line.size() + sum_line_bytes) {
    throw base::file_error(Code::truncated, path, "this is no manifest of a checkpoint, or it was cut");
  }
  const std::string_view body = text.substr(0, text.size() - sum_line_bytes);
  const std::string expected = fmt::format("crc32 {:08x}\n", kernels::crc32(0, base::as_bytes(body)));
  if (text.substr(body.size()) != expected) {
    throw base::file_error(Code::checksum_mismatch, path, "the manifest disagrees with its own checksum");
  }
  Manifest manifest;
  Lines lines(path, body.substr(first_line.size()));
  while (lines.next()) {
    take_line(lines, manifest);
    if (!lines.is_at_end()) lines.fail("a line that is too long");
  }
  return manifest;
}

void require_name(std::string_view name, std::string_view what) {
  if (can_be_name(name)) return;
  throw Error(Code::invalid_argument,
              fmt::format("\"{}\" cannot be the name of a {} of a checkpoint: 1 to {} bytes without control characters "
                          "are expected",
                          base::printable(name), what, longest_name));
}

}  // namespace lq::sets
