// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "format/sion/head.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"

namespace lq::format::sion {
namespace {

constexpr std::uint64_t numbers_at_a_time = 8192;

}  // namespace

std::vector<std::int64_t> read_int64s(base::ByteSource& file, std::uint64_t offset, std::uint64_t count,
                                      ByteOrder order) {
  std::vector<std::int64_t> numbers;
  numbers.reserve(count);
  std::vector<std::byte> piece(8 * static_cast<std::size_t>(std::min(count, numbers_at_a_time)));
  while (numbers.size() < count) {
    const std::uint64_t wanted = std::min<std::uint64_t>(count - numbers.size(), numbers_at_a_time);
    const std::size_t held = file.read_at(offset + 8 * numbers.size(),
                                          base::MutableBytes(piece).first(8 * static_cast<std::size_t>(wanted)));
    for (std::size_t i = 0; i + 8 <= held; i += 8) numbers.push_back(load_int64(piece.data() + i, order));
    if (held < 8 * wanted) break;
  }
  return numbers;
}

void store_int64s(std::byte* p, std::span<const std::int64_t> numbers, ByteOrder order) noexcept {
  for (const std::int64_t number : numbers) {
    store_int64(p, number, order);
    p += 8;
  }
}

namespace {

ByteOrder order_of(std::byte b) noexcept { return b == std::byte{0} ? ByteOrder::little : ByteOrder::big; }

// formats/sion.md 3: the outer two bytes agree, and so do the inner two; each is 0 or 1.
void check_order(base::Bytes bytes, const std::string& path) {
  const std::byte* b = bytes.data() + 4;
  const bool plain = std::all_of(b, b + 4, [](std::byte x) { return x <= std::byte{1}; });
  if (plain && b[0] == b[3] && b[1] == b[2]) return;
  const std::string found =
      fmt::format("{:02x} {:02x} {:02x} {:02x}", static_cast<unsigned>(b[0]), static_cast<unsigned>(b[1]),
                  static_cast<unsigned>(b[2]), static_cast<unsigned>(b[3]));
  throw BrokenRule(
      Code::malformed, "sion-byte-order", path, 4,
      fmt::format(
          "the bytes that state the byte order are {}, which is not a byte order; copy the file again from its source",
          found),
      "00 00 00 00, 01 01 01 01, 00 01 01 00 or 01 00 00 01", found);
}

void require(bool holds, const char* rule, const std::string& path, std::uint64_t offset, std::string_view what,
             std::int64_t found, std::string_view expected) {
  if (holds) return;
  throw BrokenRule(Code::malformed, rule, path, offset,
                   fmt::format("{} is {}, but must be {}; the header is damaged: copy the file again from its source",
                               what, found, expected),
                   std::string(expected), fmt::format("{}", found));
}

void check_fixed(const FixedHead& head, const std::string& path) {
  require(head.block_size >= 1, "sion-block-size", path, 20, "the block size of the file system", head.block_size,
          "at least 1");
  require(head.tasks >= 1, "sion-tasks", path, 24, "the number of tasks", head.tasks, "at least 1");
  require(head.files >= 1, "sion-files", path, 28, "the number of physical files", head.files, "at least 1");
  if (head.format_version < 3) return;
  // formats/sion.md 2: writers of a single file may give it number 1.
  const bool single = head.files == 1 && head.file_number == 1;
  require(single || (head.file_number >= 0 && head.file_number < head.files), "sion-file-number", path, 32,
          "the number of this file", head.file_number, fmt::format("below {}", head.files));
}

std::string text_of(base::Bytes field) {
  const auto end = std::find(field.begin(), field.end(), std::byte{0});
  return std::string(base::as_text(field.first(static_cast<std::size_t>(end - field.begin()))));
}

[[noreturn]] void ends_early(const std::string& path, std::uint64_t held, std::uint64_t needed) {
  throw BrokenRule(Code::truncated, "sion-head-truncated", path, held,
                   fmt::format("the file ends within metadata block 1, which takes {} bytes; copy it again from its "
                               "source",
                               needed),
                   fmt::format("{} bytes", needed), fmt::format("{} bytes", held));
}

void read_closing(base::ByteSource& file, Head& head) {
  std::array<std::byte, closing_bytes> bytes{};
  const std::uint64_t offset = closing_offset(head.tasks, head.format_version);
  if (file.read_at(offset, bytes) < closing_bytes) return;  // a running or interrupted writer
  head.max_chunks = load_int32(bytes.data(), head.metadata_order);
  head.tail_offset = load_int64(bytes.data() + 4, head.metadata_order);
  require(head.max_chunks >= 0, "sion-max-chunks", file.path(), offset, "the maximum of chunks", head.max_chunks,
          "at least 0");
  require(head.tail_offset >= 0, "sion-tail-offset", file.path(), offset + 4, "the offset of metadata block 2",
          head.tail_offset, "at least 0");
}

void check_widths(const Head& head, const std::string& path) {
  const auto negative = std::ranges::find_if(head.widths, [](std::int64_t width) { return width < 0; });
  if (negative == head.widths.end()) return;
  const auto task = static_cast<std::uint64_t>(negative - head.widths.begin());
  require(false, "sion-chunk-width", path, widths_offset(head.tasks, head.format_version) + 8 * task,
          fmt::format("the width of the chunks of task {}", task), *negative, "at least 0");
}

}  // namespace

KeyValueMode FixedHead::key_value_mode() const noexcept {
  const std::int64_t mode = flag1 >> 32;
  return mode == 0 ? KeyValueMode::none : static_cast<KeyValueMode>(mode);
}

void FixedHead::set_key_value_mode(KeyValueMode mode) noexcept { flag1 = static_cast<std::int64_t>(mode) << 32; }

bool has_magic(base::Bytes bytes) noexcept {
  return bytes.size() >= magic.size() && base::as_text(bytes.first(magic.size())) == magic;
}

FixedHead decode_fixed(base::Bytes bytes, const std::string& path) {
  if (!has_magic(bytes)) {
    const std::string found = base::printable(base::as_text(bytes.first(std::min<std::size_t>(bytes.size(), 4))));
    throw BrokenRule(Code::unknown_format, "sion-magic", path, 0,
                     fmt::format("the file begins with \"{}\", but a multifile with \"sion\"", found), "sion", found);
  }
  if (bytes.size() < 20) ends_early(path, bytes.size(), longest_fixed_bytes);
  check_order(bytes, path);
  FixedHead head;
  head.metadata_order = order_of(bytes[4]);
  head.data_order = order_of(bytes[5]);
  const auto int32 = [&](std::size_t at) { return load_int32(bytes.data() + at, head.metadata_order); };
  head.library_version = int32(8);
  head.library_patch = int32(12);
  head.format_version = int32(16);
  if (head.format_version < oldest_version) {
    throw BrokenRule(Code::unsupported, "sion-version", path, 16,
                     fmt::format("file format version {} is too old; versions {} to {} are supported",
                                 head.format_version, oldest_version, version),
                     fmt::format("{} to {}", oldest_version, version), fmt::format("{}", head.format_version));
  }
  const std::uint64_t needed = fixed_bytes(head.format_version);
  if (bytes.size() < needed) ends_early(path, bytes.size(), needed);
  head.block_size = int32(20);
  head.tasks = int32(24);
  head.files = int32(28);
  head.flag1 = 0;
  if (head.format_version >= 3) {
    head.file_number = int32(32);
    head.flag1 = load_int64(bytes.data() + 36, head.metadata_order);
    head.flag2 = load_int64(bytes.data() + 44, head.metadata_order);
  }
  head.prefix = text_of(bytes.subspan(needed - prefix_bytes, prefix_bytes));
  check_fixed(head, path);
  return head;
}

Head read_head(base::ByteSource& file, const Bounds& bounds) {
  std::array<std::byte, longest_fixed_bytes> start{};
  const std::size_t held = file.read_at(0, start);
  Head head;
  static_cast<FixedHead&>(head) = decode_fixed(base::Bytes(start).first(held), file.path());
  const auto tasks = static_cast<std::uint64_t>(head.tasks);
  const std::uint64_t size = file.size();
  const std::uint64_t needed = closing_offset(head.tasks, head.format_version);
  if (size < needed) ends_early(file.path(), size, needed);
  if (tasks > bounds.tasks) {
    throw BrokenRule(Code::too_large, "sion-tasks", file.path(), 24,
                     fmt::format("{} tasks exceed the limit of {}; raise the limit", tasks, bounds.tasks),
                     fmt::format("at most {} tasks", bounds.tasks), fmt::format("{}", tasks));
  }
  head.ranks = read_int64s(file, ranks_offset(head.format_version), tasks, head.metadata_order);
  head.widths = read_int64s(file, widths_offset(head.tasks, head.format_version), tasks, head.metadata_order);
  if (head.ranks.size() < tasks || head.widths.size() < tasks) ends_early(file.path(), file.size(), needed);
  check_widths(head, file.path());
  read_closing(file, head);
  return head;
}

std::vector<std::byte> encode_fixed(const FixedHead& head) {
  if (head.prefix.size() >= prefix_bytes) {
    throw Error(Code::invalid_argument,
                fmt::format("the name of a multifile has {} bytes; choose one of less than {}", head.prefix.size(),
                            prefix_bytes),
                {.path = head.prefix,
                 .expected = fmt::format("less than {} bytes", prefix_bytes),
                 .found = fmt::format("{} bytes", head.prefix.size())});
  }
  if (head.tasks < 1 || head.files < 1 || head.block_size < 1) {
    base::fail(Code::invalid_argument, {.path = head.prefix},
               "{} tasks in {} files with blocks of {} bytes: all of these must be at least 1", head.tasks, head.files,
               head.block_size);
  }
  std::vector<std::byte> bytes(longest_fixed_bytes);
  std::ranges::copy(base::as_bytes(magic), bytes.begin());
  bytes[4] = bytes[7] = static_cast<std::byte>(head.metadata_order == ByteOrder::big ? 1 : 0);
  bytes[5] = bytes[6] = static_cast<std::byte>(head.data_order == ByteOrder::big ? 1 : 0);
  const std::int32_t numbers[] = {head.library_version, head.library_patch, version,         head.block_size,
                                  head.tasks,           head.files,         head.file_number};
  std::byte* p = bytes.data() + 8;
  for (const std::int32_t number : numbers) {
    store_int32(p, number, head.metadata_order);
    p += 4;
  }
  store_int64(p, head.flag1, head.metadata_order);
  store_int64(p + 8, head.flag2, head.metadata_order);
  std::ranges::copy(base::as_bytes(head.prefix), p + 16);
  return bytes;
}

std::array<std::byte, closing_bytes> encode_closing(std::int32_t max_chunks, std::int64_t tail_offset,
                                                    ByteOrder order) {
  std::array<std::byte, closing_bytes> bytes{};
  store_int32(bytes.data(), max_chunks, order);
  store_int64(bytes.data() + 4, tail_offset, order);
  return bytes;
}

std::vector<std::byte> encode(const Head& head) {
  const auto tasks = static_cast<std::uint64_t>(head.tasks);
  const bool negative = std::ranges::any_of(head.widths, [](std::int64_t width) { return width < 0; });
  if (head.tasks < 1 || head.ranks.size() != tasks || head.widths.size() != tasks || negative) {
    base::fail(Code::invalid_argument, {.path = head.prefix},
               "{} tasks need as many global ranks and chunk sizes of at least 0, but there are {} and {}{}",
               head.tasks, head.ranks.size(), head.widths.size(), negative ? ", some of them negative" : "");
  }
  std::vector<std::byte> bytes = encode_fixed(head);
  bytes.resize(head_bytes(head.tasks));
  store_int64s(bytes.data() + ranks_offset(), head.ranks, head.metadata_order);
  store_int64s(bytes.data() + widths_offset(head.tasks), head.widths, head.metadata_order);
  const auto closing = encode_closing(head.max_chunks, head.tail_offset, head.metadata_order);
  std::ranges::copy(closing, bytes.data() + closing_offset(head.tasks));
  return bytes;
}

BrokenRule::BrokenRule(Code code, std::string rule, const std::string& path, std::optional<std::uint64_t> offset,
                       const std::string& message, std::string expected, std::string found)
    : Error(code,
            offset ? fmt::format("{}: at byte {}: {}", path, *offset, message) : fmt::format("{}: {}", path, message),
            {.path = path, .offset = offset, .expected = std::move(expected), .found = std::move(found)}),
      rule_(std::move(rule)),
      message_(message) {}

Finding BrokenRule::finding() const {
  return {.severity = Severity::error,
          .code = code(),
          .rule = rule_,
          .message = message_,
          .offset = facts().offset,
          .expected = facts().expected,
          .found = facts().found};
}

}  // namespace lq::format::sion
