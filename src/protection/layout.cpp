// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "protection/layout.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <functional>
#include <iterator>

#include "base/checked.hpp"
#include "kernels/crc32.hpp"
#include "kernels/galois.hpp"
#include "kernels/xxh64.hpp"

namespace lq::protection {
namespace {

constexpr std::string_view head_magic = "LQPARITY", end_magic = "YTIRAPQL";
constexpr std::size_t page_frame_bytes = 12;  // number of the window, CRC-32
constexpr std::uint64_t most_head_bytes = 256 * base::mebi;
constexpr std::uint32_t least_block = 512, most_block = 1024 * 1024;

// formats/parity.md 5
constexpr std::uint64_t usual_window = 64 * base::mebi;
constexpr std::uint32_t usual_columns = 63, most_file_columns = 62;
constexpr std::uint32_t usual_block = 32 * 1024, smallest_block = 1024;
constexpr std::uint64_t rows_of_file_windows = 32;

constexpr std::uint64_t divided_up(std::uint64_t a, std::uint64_t b) noexcept { return a / b + (a % b != 0 ? 1 : 0); }

// The values in a head must fit 63 bits with a wide margin, so that no place overflows.
bool is_possible_size(const Head& head) noexcept {
  constexpr std::uint64_t most = std::uint64_t{1} << 60;
  const auto rows = base::checked_multiply(head.rows, head.windows);
  if (!rows) return false;
  const auto cells = base::checked_multiply(*rows, head.columns + head.parities);
  if (!cells) return false;
  const auto bytes = base::checked_multiply(*cells, std::uint64_t{head.block_bytes} + 2 * block_sum_bytes);
  return bytes && *bytes < most && head.windows < most / 64;
}

// The name must be below the folder of the sidecar, whatever the file states.
bool is_possible_name(std::string_view name) noexcept {
  if (name.empty() || name.front() == '/' || name.find('\0') != std::string_view::npos) return false;
  for (std::size_t begin = 0; begin <= name.size();) {
    const std::size_t end = std::min(name.find('/', begin), name.size());
    const std::string_view part = name.substr(begin, end - begin);
    if (part.empty() || part == "." || part == "..") return false;
    begin = end + 1;
  }
  return true;
}

bool are_possible_numbers(const Head& head) noexcept {
  if (head.layout != Layout::stretches && head.layout != Layout::files) return false;
  if (!std::has_single_bit(head.block_bytes) || head.block_bytes < least_block || head.block_bytes > most_block) {
    return false;
  }
  if (head.columns == 0 || head.parities == 0 || head.rows == 0) return false;
  if (head.columns >= kernels::most_code_blocks || head.parities >= kernels::most_code_blocks) return false;
  return head.columns + head.parities < kernels::most_code_blocks && is_possible_size(head);
}

// Blocks of files are contiguous and fill the windows.
bool are_possible_files(const Head& head) noexcept {
  const bool is_by_file = head.layout == Layout::files;
  std::uint64_t next = 0, most = 0;
  std::uint32_t column = 0;
  for (std::size_t i = 0; i < head.files.size(); ++i) {
    const ProtectedPart& file = head.files[i];
    if (!is_possible_name(file.name) || file.bytes > std::uint64_t{1} << 60) return false;
    if (is_by_file && file.column != column) {
      if (file.column < column || file.column >= head.columns) return false;
      column = file.column;
      next = 0;
    }
    if ((!is_by_file && file.column != 0) || file.first != next) return false;
    next += head.blocks_of(i);
    most = std::max(most, next);
  }
  if (is_by_file) return head.window_blocks == 0 && divided_up(most, head.rows) == head.windows;
  if (head.window_blocks == 0 || head.window_blocks > head.rows * head.columns) return false;
  return divided_up(most, head.window_blocks) == head.windows;
}

void put_text(std::vector<std::byte>& bytes, std::string_view text) {
  const base::Bytes all = base::as_bytes(text);
  bytes.insert(bytes.end(), all.begin(), all.end());
}

// Extracts numbers and texts from the front; after the first missing byte, nothing more is returned.
class MessageReader {
 public:
  explicit MessageReader(base::Bytes bytes) : rest_(bytes) {}
  template <class T>
  T number() noexcept {
    const base::Bytes bytes = take(sizeof(T));
    return bytes.empty() ? T{0} : base::load_le<T>(bytes.data());
  }
  base::Bytes take(std::uint64_t count) noexcept {
    is_short_ = is_short_ || count > rest_.size();
    if (is_short_) return {};
    const base::Bytes bytes = rest_.first(static_cast<std::size_t>(count));
    rest_ = rest_.subspan(bytes.size());
    return bytes;
  }
  bool has(std::uint64_t items, std::size_t least_bytes) const noexcept {
    return !is_short_ && items <= rest_.size() / least_bytes;
  }
  bool is_done() const noexcept { return !is_short_ && rest_.empty(); }

 private:
  base::Bytes rest_;
  bool is_short_ = false;
};

constexpr std::size_t fixed_head_bytes = 64;
constexpr std::size_t fixed_file_bytes = 40;  // without name and sums

void put_file(std::vector<std::byte>& bytes, const ProtectedPart& file) {
  base::append_le(bytes, file.bytes);
  base::append_le(bytes, std::bit_cast<std::uint64_t>(file.modified));
  base::append_le(bytes, file.first);
  base::append_le(bytes, file.column);
  base::append_le(bytes, std::uint32_t{0});
  base::append_le(bytes, static_cast<std::uint32_t>(file.name.size()));
  base::append_le(bytes, static_cast<std::uint32_t>(file.sums.size()));
  put_text(bytes, file.name);
  for (const OwnSum& sum : file.sums) {
    base::append_le(bytes, sum.key);
    base::append_le(bytes, sum.value);
  }
}

bool take_file(MessageReader& from, ProtectedPart& file) {
  file.bytes = from.number<std::uint64_t>();
  file.modified = std::bit_cast<std::int64_t>(from.number<std::uint64_t>());
  file.first = from.number<std::uint64_t>();
  file.column = from.number<std::uint32_t>();
  if (from.number<std::uint32_t>() != 0) return false;
  const auto name_bytes = from.number<std::uint32_t>(), sums = from.number<std::uint32_t>();
  file.name = std::string(base::as_text(from.take(name_bytes)));
  if (!from.has(sums, 16)) return false;
  for (std::uint32_t i = 0; i < sums; ++i) {
    const auto key = from.number<std::uint64_t>();
    file.sums.push_back({key, from.number<std::uint64_t>()});
  }
  return true;
}

}  // namespace

BlockSum sum_of(base::Bytes block) noexcept { return {kernels::crc32(0, block), kernels::xxh64(block)}; }

void sum_blocks(base::Bytes bytes, std::size_t block_bytes, std::span<BlockSum> sums) noexcept {
  constexpr std::size_t together = 64;
  while (!bytes.empty()) {
    std::array<std::uint64_t, together> xxh64;
    const base::Bytes blocks = bytes.first(std::min(bytes.size(), together * block_bytes));
    kernels::xxh64_of_blocks(blocks, block_bytes, xxh64);
    for (std::size_t block = 0; block * block_bytes < blocks.size(); ++block) {
      const std::size_t at = block * block_bytes;
      sums[block] = {kernels::crc32(0, blocks.subspan(at, std::min(block_bytes, blocks.size() - at))), xxh64[block]};
    }
    bytes = bytes.subspan(blocks.size());
    sums = sums.subspan(std::min(sums.size(), together));
  }
}

// Places.

std::uint64_t Head::blocks_of(std::size_t file) const noexcept { return divided_up(files[file].bytes, block_bytes); }

std::size_t Head::bytes_of(std::size_t file, std::uint64_t block) const noexcept {
  return static_cast<std::size_t>(std::min<std::uint64_t>(block_bytes, files[file].bytes - block * block_bytes));
}

Cell Head::cell_of(std::size_t file, std::uint64_t block) const noexcept {
  const std::uint64_t number = files[file].first + block;
  if (layout == Layout::files) return {number / rows, number % rows, files[file].column};
  const std::uint64_t within = number % window_blocks;
  return {number / window_blocks, within % rows, static_cast<std::uint32_t>(within / rows)};
}

std::optional<BlockOf> Head::block_at(const Cell& cell) const noexcept {
  const bool is_by_file = layout == Layout::files;
  std::uint64_t number = cell.window * rows + cell.row;
  if (!is_by_file) {
    const std::uint64_t within = cell.column * rows + cell.row;
    if (within >= window_blocks) return {};
    number = cell.window * window_blocks + within;
  }
  // The last file that begins at or before it; empty files have no blocks.
  const auto comes_later = [&](const ProtectedPart& file) {
    if (is_by_file && file.column != cell.column) return file.column > cell.column;
    return file.first > number;
  };
  const auto after = std::ranges::partition_point(files, [&](const ProtectedPart& file) { return !comes_later(file); });
  if (after == files.begin()) return {};
  const auto index = static_cast<std::size_t>(std::distance(files.begin(), std::prev(after)));
  if (is_by_file && files[index].column != cell.column) return {};
  const std::uint64_t block = number - files[index].first;
  if (block >= blocks_of(index)) return {};
  return BlockOf{index, block};
}

std::uint64_t Head::head_bytes() const noexcept {
  std::uint64_t bytes = fixed_head_bytes + sizeof(std::uint32_t);
  for (const ProtectedPart& file : files) bytes += fixed_file_bytes + file.name.size() + 16 * file.sums.size();
  return bytes;
}

std::uint64_t Head::page_bytes() const noexcept {
  return page_frame_bytes + (columns + parities) * rows * block_sum_bytes;
}

std::uint64_t Head::page_at(std::uint64_t window, int copy) const noexcept {
  const std::uint64_t begin = copy == 0 ? head_bytes() : parity_at(windows, 0, 0);
  return begin + window * page_bytes();
}

std::uint64_t Head::parity_at(std::uint64_t window, std::uint32_t parity, std::uint64_t row) const noexcept {
  return page_at(windows, 0) + ((window * parities + parity) * rows + row) * block_bytes;
}

std::uint64_t Head::second_head_at() const noexcept { return page_at(windows, 1); }
std::uint64_t Head::sidecar_bytes() const noexcept { return second_head_at() + head_bytes() + end_bytes; }

std::uint64_t Head::stretch_bytes() const noexcept {
  if (windows == 0) return 0;
  if (layout == Layout::files) return rows * windows * block_bytes;
  return (parities * rows - 1) * block_bytes + 1;
}

std::uint64_t Head::window_bytes() const noexcept {
  return layout == Layout::files ? rows * windows * block_bytes : window_blocks * block_bytes;
}

std::optional<std::size_t> find_file(const Head& head, std::string_view name) {
  if (head.files.size() == 1) return 0;
  const auto found = std::ranges::find(head.files, name, &ProtectedPart::name);
  if (found == head.files.end()) return {};
  return static_cast<std::size_t>(std::distance(head.files.begin(), found));
}

// Bytes.

std::vector<std::byte> encode_head(const Head& head) {
  std::vector<std::byte> bytes;
  put_text(bytes, head_magic);
  base::append_le(bytes, format_version);
  base::append_le(bytes, static_cast<std::uint32_t>(head.head_bytes()));
  base::append_le(bytes, static_cast<std::uint32_t>(head.layout));
  base::append_le(bytes, head.block_bytes);
  base::append_le(bytes, head.columns);
  base::append_le(bytes, head.parities);
  base::append_le(bytes, head.rows);
  base::append_le(bytes, head.windows);
  base::append_le(bytes, head.window_blocks);
  base::append_le(bytes, std::uint64_t{head.files.size()});
  for (const ProtectedPart& file : head.files) put_file(bytes, file);
  base::append_le(bytes, kernels::crc32(0, bytes));
  return bytes;
}

std::optional<std::uint64_t> head_bytes_of(base::Bytes begin) {
  if (begin.size() < head_begin_bytes || base::as_text(begin.first(head_magic.size())) != head_magic) return {};
  const auto bytes = base::load_le<std::uint32_t>(begin.data() + 12);
  if (bytes < fixed_head_bytes + sizeof(std::uint32_t) || bytes > most_head_bytes) return {};
  return bytes;
}

std::optional<std::uint32_t> later_version(base::Bytes begin) {
  if (begin.size() < head_begin_bytes || base::as_text(begin.first(head_magic.size())) != head_magic) return {};
  const auto version = base::load_le<std::uint32_t>(begin.data() + 8);
  return version > format_version ? std::optional(version) : std::nullopt;
}

std::optional<Head> decode_head(base::Bytes bytes) {
  const auto size = head_bytes_of(bytes);
  if (!size || *size > bytes.size() || later_version(bytes)) return {};
  bytes = bytes.first(static_cast<std::size_t>(*size));
  if (!kernels::ends_in_crc32(bytes)) return {};
  MessageReader from(bytes.first(bytes.size() - sizeof(std::uint32_t)));
  from.take(head_begin_bytes);
  Head head;
  head.layout = static_cast<Layout>(from.number<std::uint32_t>());
  head.block_bytes = from.number<std::uint32_t>();
  head.columns = from.number<std::uint32_t>();
  head.parities = from.number<std::uint32_t>();
  head.rows = from.number<std::uint64_t>();
  head.windows = from.number<std::uint64_t>();
  head.window_blocks = from.number<std::uint64_t>();
  const auto count = from.number<std::uint64_t>();
  if (!are_possible_numbers(head) || !from.has(count, fixed_file_bytes)) return {};
  head.files.resize(static_cast<std::size_t>(count));
  for (ProtectedPart& file : head.files) {
    if (!take_file(from, file)) return {};
  }
  if (!from.is_done() || !are_possible_files(head)) return {};
  return head;
}

std::vector<std::byte> encode_end(const Head& head) {
  std::vector<std::byte> bytes;
  base::append_le(bytes, head.second_head_at());
  base::append_le(bytes, head.head_bytes());
  base::append_le(bytes, kernels::crc32(0, bytes));
  put_text(bytes, end_magic);
  return bytes;
}

std::optional<std::uint64_t> decode_end(base::Bytes end) {
  if (end.size() != end_bytes || base::as_text(end.last(end_magic.size())) != end_magic) return {};
  if (!kernels::ends_in_crc32(end.first(end_bytes - end_magic.size()))) return {};
  return base::load_le<std::uint64_t>(end.data());
}

std::vector<std::byte> encode_page(const Page& page, std::uint64_t window) {
  std::vector<std::byte> bytes;
  base::append_le(bytes, window);
  for (const auto* sums : {&page.blocks, &page.parities}) {
    for (const BlockSum& sum : *sums) {
      base::append_le(bytes, sum.crc);
      base::append_le(bytes, sum.xxh64);
    }
  }
  base::append_le(bytes, kernels::crc32(0, bytes));
  return bytes;
}

std::optional<Page> decode_page(base::Bytes bytes, const Head& head, std::uint64_t window) {
  if (bytes.size() != head.page_bytes() || !kernels::ends_in_crc32(bytes)) return {};
  if (base::load_le<std::uint64_t>(bytes.data()) != window) return {};
  const std::byte* at = bytes.data() + sizeof(std::uint64_t);
  Page page;
  page.blocks.resize(static_cast<std::size_t>(head.columns * head.rows));
  page.parities.resize(static_cast<std::size_t>(head.parities * head.rows));
  for (auto* sums : {&page.blocks, &page.parities}) {
    for (BlockSum& sum : *sums) {
      sum = {base::load_le<std::uint32_t>(at), base::load_le<std::uint64_t>(at + sizeof(std::uint32_t))};
      at += block_sum_bytes;
    }
  }
  return page;
}

// Plans (formats/parity.md 5).

namespace {

// So that a small file also has many blocks, and its parity is not much larger than requested.
std::uint32_t block_for(std::uint64_t bytes) noexcept {
  const std::uint64_t wanted = std::bit_ceil(divided_up(bytes, usual_window / usual_block));
  return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(wanted, smallest_block, usual_block));
}

void plan_stretches(Head& head, double ratio) {
  std::uint64_t bytes = 0, blocks = 0;
  for (const ProtectedPart& file : head.files) bytes += file.bytes;
  head.block_bytes = block_for(bytes);
  for (std::size_t i = 0; i < head.files.size(); ++i) {
    head.files[i].column = 0;
    head.files[i].first = blocks;
    blocks += head.blocks_of(i);
  }
  constexpr double nearly = 1e-9;
  head.parities = std::max(2U, static_cast<std::uint32_t>(std::ceil(usual_columns * ratio - nearly)));
  // With little parity, two blocks protect more columns.
  const double most = kernels::most_code_blocks - 1.0 - head.parities;
  const bool is_little = ratio < 2.0 / usual_columns * 0.9;
  head.columns = is_little ? static_cast<std::uint32_t>(std::min(head.parities / ratio, most)) : usual_columns;
  head.windows = blocks == 0 ? 0 : std::max<std::uint64_t>(1, blocks * head.block_bytes / usual_window);
  head.window_blocks = std::max<std::uint64_t>(1, head.windows == 0 ? 0 : divided_up(blocks, head.windows));
  head.rows = std::max<std::uint64_t>(1, divided_up(head.window_blocks, head.columns));
  head.columns = static_cast<std::uint32_t>(std::max<std::uint64_t>(1, divided_up(head.window_blocks, head.rows)));
  head.windows = divided_up(blocks, head.window_blocks);
}

// The largest first, each into the shortest column so far: the loss of any one file is the loss of one column.
void plan_files(Head& head, double ratio, std::uint32_t lost_files) {
  std::uint64_t largest = 0;
  for (const ProtectedPart& file : head.files) largest = std::max(largest, file.bytes);
  head.block_bytes = block_for(largest);
  std::ranges::stable_sort(head.files, std::ranges::greater{}, &ProtectedPart::bytes);
  const auto most = static_cast<std::uint32_t>(std::clamp<std::size_t>(head.files.size(), 1, most_file_columns));
  std::vector<std::uint64_t> filled(most, 0);
  for (std::size_t i = 0; i < head.files.size(); ++i) {
    const auto shortest = std::ranges::min_element(filled);
    head.files[i].column = static_cast<std::uint32_t>(std::distance(filled.begin(), shortest));
    head.files[i].first = *shortest;
    *shortest += head.blocks_of(i);
  }
  std::ranges::stable_sort(head.files, {}, &ProtectedPart::column);
  const std::uint64_t rows = *std::ranges::max_element(filled);
  head.columns = most;
  const auto asked = static_cast<std::uint32_t>(std::ceil(most * ratio - 1e-9));
  head.parities = std::clamp(std::max(lost_files, asked), 1U, kernels::most_code_blocks - 1 - most);
  head.windows = divided_up(rows, rows_of_file_windows);
  head.rows = head.windows == 0 ? 1 : divided_up(rows, head.windows);
  head.windows = divided_up(rows, head.rows);
  head.window_blocks = 0;
}

}  // namespace

Head plan(std::vector<ProtectedPart> files, double ratio, std::uint32_t lost_files) {
  Head head;
  head.files = std::move(files);
  head.layout = lost_files > 0 ? Layout::files : Layout::stretches;
  if (lost_files > 0) {
    plan_files(head, ratio, lost_files);
  } else {
    plan_stretches(head, ratio);
  }
  return head;
}

}  // namespace lq::protection
