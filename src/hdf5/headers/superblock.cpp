// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "hdf5/headers/structures.hpp"

#include <array>

#include <fmt/format.h>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "hdf5/headers/header_bytes.hpp"

namespace lq::hdf5 {
namespace {

using std::string_view_literals::operator""sv;

constexpr auto signature = "\x89HDF\r\n\x1a\n"sv;
constexpr std::uint64_t first_user_block = 512;
constexpr const char* section = "formats/hdf5.md 2";

bool has_signature(base::ByteSource& file, std::uint64_t offset) {
  std::array<std::byte, 8> bytes{};
  return file.read_at(offset, bytes) == bytes.size() && base::as_text(bytes) == signature;
}

// Reads consecutive numbers, and records the meaning of each.
class Parts {
 public:
  Parts(base::ByteSource& file, Superblock& made) : file_(file), made_(made) {}

  std::uint64_t take(const char* name, std::uint64_t bytes) {
    std::array<std::byte, 8> buffer{};
    const auto place = base::MutableBytes(buffer).first(static_cast<std::size_t>(bytes));
    const std::uint64_t at = made_.offset + made_.bytes;
    if (file_.read_at(at, place) < bytes) {
      base::fail(Code::truncated, {.path = file_.path(), .offset = at}, "the file ends within its superblock");
    }
    const std::uint64_t number = base::load_le<std::uint64_t>(buffer.data());
    note(name, bytes, fmt::format("{}", number));
    return number;
  }
  std::uint64_t address(const char* name) {
    const auto bytes = static_cast<std::uint64_t>(made_.offset_bytes);
    const std::uint64_t number = take(name, bytes);
    const bool is_none = bytes < 8 ? number == (std::uint64_t{1} << (8 * bytes)) - 1 : number == UINT64_MAX;
    if (is_none) made_.parts.back().value = "none";
    return is_none ? UINT64_MAX : number;
  }
  void note(const char* name, std::uint64_t bytes, std::string value) {
    made_.parts.push_back({made_.offset + made_.bytes, bytes, name, std::move(value), section});
    made_.bytes += bytes;
  }

 private:
  base::ByteSource& file_;
  Superblock& made_;
};

void take_sizes(Parts& parts, Superblock& made, const std::string& path) {
  made.offset_bytes = static_cast<int>(parts.take("size_of_offsets", 1));
  made.length_bytes = static_cast<int>(parts.take("size_of_lengths", 1));
  for (const int bytes : {made.offset_bytes, made.length_bytes}) {
    if (bytes == 2 || bytes == 4 || bytes == 8) continue;
    base::fail(Code::malformed,
               {.path = path, .offset = made.offset, .expected = "2, 4 or 8", .found = fmt::format("{}", bytes)},
               "the superblock has addresses or lengths of {} bytes, not 2, 4 or 8", bytes);
  }
}

void take_old(Parts& parts, Superblock& made, const std::string& path) {
  parts.take("version_of_free_space", 1);
  parts.take("version_of_root", 1);
  parts.take("reserved", 1);
  parts.take("version_of_shared_headers", 1);
  take_sizes(parts, made, path);
  parts.take("reserved", 1);
  made.group_leaf_k = parts.take("group_leaf_k", 2);
  made.group_internal_k = parts.take("group_internal_k", 2);
  parts.take("flags", 4);
  if (made.version == 1) {
    parts.take("chunk_k", 2);
    parts.take("reserved", 2);
  }
  made.base = parts.address("base");
  parts.address("free_space");
  made.end = parts.address("end_of_file");
  parts.address("driver_information");
  parts.address("root_name");
  made.root = parts.address("root_header");
  parts.take("root_cache_type", 4);
  parts.take("reserved", 4);
  parts.take("root_cache", 8);
  parts.take("root_cache", 8);
}

void take_new(Parts& parts, Superblock& made, const std::string& path) {
  take_sizes(parts, made, path);
  made.is_open = (parts.take("flags", 1) & 1) != 0;
  made.base = parts.address("base");
  made.extension = parts.address("extension");
  made.end = parts.address("end_of_file");
  made.root = parts.address("root_header");
  parts.take("checksum", 4);
}

void require_whole(base::ByteSource& file, const Superblock& made) {
  const std::uint64_t needed = whole_bytes(made);
  if (needed <= file.size()) return;
  base::fail(Code::truncated,
             {.path = file.path(),
              .offset = file.size(),
              .expected = fmt::format("{} bytes", needed),
              .found = fmt::format("{} bytes", file.size())},
             "the file has {} bytes, but its superblock says that it ends at {}; copy it again from its source; or the "
             "program that wrote it did not close it",
             file.size(), needed);
}

}  // namespace

std::optional<std::uint64_t> find_signature(base::ByteSource& file) {
  if (has_signature(file, 0)) return 0;
  const std::uint64_t size = file.size();
  for (std::uint64_t at = first_user_block; at < size; at *= 2) {
    if (has_signature(file, at)) return at;
    if (at > UINT64_MAX / 2) break;
  }
  return {};
}

std::uint64_t whole_bytes(const Superblock& superblock) noexcept {
  // A user block that was put before a file created without one shifts all of it.
  const std::uint64_t moved = superblock.offset > superblock.base ? superblock.offset - superblock.base : 0;
  return base::checked_add(superblock.end, moved).value_or(UINT64_MAX);
}

Superblock read_superblock(base::ByteSource& file) {
  Superblock made = parse_superblock(file);
  require_whole(file, made);
  return made;
}

std::optional<std::vector<std::byte>> closed_superblock(base::ByteSource& file, const Superblock& superblock) {
  constexpr std::size_t flags_at = 11, sum_bytes = 4;
  constexpr std::byte marks{0x05};  // open for writing, open for one writer and many readers
  if (superblock.version < 2) return {};
  std::vector<std::byte> bytes(static_cast<std::size_t>(superblock.bytes));
  if (file.read_at(superblock.offset, bytes) < bytes.size()) return {};
  const std::size_t summed = bytes.size() - sum_bytes;
  const bool is_sound =
      base::load_le<std::uint32_t>(bytes.data() + summed) == metadata_sum(base::Bytes(bytes).first(summed));
  if (!is_sound || (bytes[flags_at] & marks) == std::byte{0}) return {};
  bytes[flags_at] &= ~marks;
  base::store_le(bytes.data() + summed, metadata_sum(base::Bytes(bytes).first(summed)));
  return bytes;
}

Superblock parse_superblock(base::ByteSource& file) {
  const auto found = find_signature(file);
  if (!found) {
    base::fail(Code::malformed, {.path = file.path()}, "this is not an HDF5 file: it has no signature");
  }
  Superblock made;
  made.offset = *found;
  Parts parts(file, made);
  parts.note("signature", signature.size(), "\\x89HDF\\r\\n\\x1a\\n");
  made.version = static_cast<int>(parts.take("version", 1));
  if (made.version > 3) {
    base::fail(Code::unsupported,
               {.path = file.path(), .offset = *found, .expected = "0 to 3", .found = fmt::format("{}", made.version)},
               "the superblock has version {}; 0 to 3 are known", made.version);
  }
  made.version < 2 ? take_old(parts, made, file.path()) : take_new(parts, made, file.path());
  return made;
}

}  // namespace lq::hdf5
