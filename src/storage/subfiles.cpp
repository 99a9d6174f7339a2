// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "storage/subfiles.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/byte_source.hpp"
#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/path.hpp"
#include "base/text.hpp"
#include "kernels/crc32.hpp"

namespace lq::storage {

namespace {

// formats/partitions.md 1
constexpr std::string_view first_line = "limequat partitioned file 1\n";
constexpr std::string_view last_word = "crc32 ";
constexpr std::size_t last_line_bytes = last_word.size() + 8 + 1;

class DescriptionReader {
 public:
  DescriptionReader(base::Bytes bytes, const std::string& path) : path_(path), text_(base::as_text(bytes)) {}

  PartitionedFile read() {
    require_sum();
    text_.remove_prefix(first_line.size());
    text_.remove_suffix(last_line_bytes);
    PartitionedFile set{.path = path_, .bytes = number("bytes"), .is_set = true};
    FileArray array{.begin = number("begin"), .element_bytes = number("element")};
    array.extents = extents();
    std::vector<AxisCut> cuts;
    refuse_instead([&] { cuts = cuts_of(value("cuts")); });
    while (!text_.empty()) set.files.push_back(subfile());
    std::uint64_t parts = 1;
    for (const AxisCut& cut : cuts) parts = base::checked_multiply(parts, cut.parts).value_or(0);
    require(parts == set.files.size(), fmt::format("there are {} subfiles and {} parts", set.files.size(), parts));
    refuse_instead([&] { set.partition = Partition(std::move(array), std::move(cuts)); });
    require_room(set);
    return set;
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const {
    base::fail(Code::malformed, {.path = path_}, "this is not a valid description of a partitioned file: {}", what);
  }
  void require(bool holds, const std::string& what) const {
    if (!holds) refuse(what);
  }
  // An invalid partition is reported as an invalid description.
  template <class Work>
  void refuse_instead(const Work& work) const {
    try {
      work();
    } catch (const Error& error) {
      refuse(error.what());
    }
  }

  void require_sum() const {
    const std::string_view head = text_.substr(0, text_.size() - std::min(text_.size(), last_line_bytes));
    const std::string_view last = text_.substr(head.size());
    require(head.starts_with(first_line) && last.starts_with(last_word) && last.ends_with('\n'),
            "its first or its last line is missing; it may have been truncated");
    const auto sum = base::parse_hex32(last.substr(last_word.size(), 8));
    const std::uint32_t found = kernels::crc32(0, base::as_bytes(head));
    if (sum == found) return;
    base::fail(Code::checksum_mismatch, {.path = path_},
               "the description of this partitioned file is damaged: its CRC-32 is {}, its last line states \"{}\"",
               base::hex32(found), base::printable(last.substr(last_word.size(), 8)));
  }

  // The rest of the next line, which must begin with this word.
  std::string_view value(std::string_view word) {
    const std::string_view line = text_.substr(0, text_.find('\n'));
    require(line.size() < text_.size(), "its last line but one has no end");
    require(line.starts_with(word) && line.size() > word.size() && line[word.size()] == ' ',
            fmt::format("\"{}\" where the line \"{}\" is expected", base::printable(line), word));
    text_.remove_prefix(line.size() + 1);
    return line.substr(word.size() + 1);
  }

  std::uint64_t number(std::string_view word) {
    const std::string_view text = value(word);
    const auto number = base::parse_u64(text);
    require(number.has_value() && *number >> 63 == 0,
            fmt::format("{} is \"{}\", expected a number below 2^63", word, base::printable(text)));
    return number.value_or(0);
  }

  std::vector<std::int64_t> extents() {
    std::vector<std::int64_t> extents;
    std::string_view rest = value("extents");
    for (bool more = true; more;) {
      const std::size_t end = rest.find('.');
      const auto extent = base::parse_u64(rest.substr(0, end));
      require(extent.has_value() && *extent >> 63 == 0 && extents.size() < 64, "extents are numbers with dots between");
      extents.push_back(static_cast<std::int64_t>(extent.value_or(0)));
      more = end != std::string_view::npos;
      if (more) rest.remove_prefix(end + 1);
    }
    return extents;
  }

  PartitionedFile::Subfile subfile() {
    const std::string_view line = value("file");
    const std::size_t space = line.find(' ');
    const auto offset = base::parse_u64(line.substr(0, space));
    require(offset && space != std::string_view::npos && space + 1 < line.size() &&
                line.find('\0') == std::string_view::npos,
            fmt::format("a subfile is \"{}\", expected \"OFFSET PATH\"", base::printable(line)));
    return {std::string(line.substr(space + 1)), offset.value_or(0)};
  }

  // Checks that all bytes have a place in the subfiles.
  void require_room(const PartitionedFile& set) const {
    const FileArray& array = set.partition.array();
    require(array.end() <= set.bytes, fmt::format("the array ends at byte {} of {}", array.end(), set.bytes));
    require(set.files.front().offset >= array.begin, "the first subfile has no space for the bytes before the array");
    for (const PartitionedFile::Subfile& file : set.files) {
      require(file.offset <= (std::uint64_t{1} << 62) && set.bytes <= (std::uint64_t{1} << 62),
              "a subfile ends beyond 2^62 bytes");
    }
  }

  const std::string& path_;
  std::string_view text_;
};

// A byte and a possible original value.
struct Correction {
  std::size_t at = 0;
  std::byte right{};
};

// Bytes before the last line, each of whose change alone would change the CRC-32 by `off`. CRCs are linear: changing a
// byte by e changes the sum by the CRC contribution of e followed by zeros for all later bytes.
std::vector<Correction> corrections_of_sum(base::Bytes head, std::uint32_t off) {
  std::array<std::uint32_t, 256> table{}, change{};
  const std::byte zero{0};
  const std::uint32_t of_zero = kernels::crc32(0, {&zero, 1});
  for (unsigned e = 0; e < 256; ++e) {
    const auto byte = static_cast<std::byte>(e);
    table[e] = kernels::crc32(0, {&byte, 1}) ^ of_zero;
  }
  change = table;
  std::vector<Correction> found;
  for (std::size_t at = head.size(); at-- > 0;) {
    for (unsigned e = 1; e < 256; ++e) {
      if (change[e] == off) found.push_back({at, head[at] ^ static_cast<std::byte>(e)});
      change[e] = (change[e] >> 8) ^ table[change[e] & 0xff];
    }
  }
  return found;
}

std::vector<Correction> corrections(base::Bytes bytes) {
  const base::Bytes head = bytes.first(bytes.size() - last_line_bytes);
  const std::string_view last = base::as_text(bytes).substr(head.size());
  const std::uint32_t sum = kernels::crc32(0, head);
  std::vector<Correction> found;
  if (const auto stated = base::parse_hex32(last.substr(last_word.size(), 8))) {
    found = corrections_of_sum(head, sum ^ *stated);
  }
  const std::string right = fmt::format("{}{}\n", last_word, base::hex32(sum));
  const auto [there, wanted] = std::ranges::mismatch(last, right);
  if (there == last.end() || !std::equal(there + 1, last.end(), wanted + 1)) return found;
  found.push_back({head.size() + static_cast<std::size_t>(there - last.begin()), static_cast<std::byte>(*wanted)});
  return found;
}

}  // namespace

bool is_description(base::Bytes bytes) noexcept { return base::as_text(bytes).starts_with(first_line); }

std::string encode_description(const PartitionedFile& set) {
  const FileArray& array = set.partition.array();
  std::string text(first_line);
  text += fmt::format("bytes {}\nbegin {}\nelement {}\nextents {}\ncuts {}\n", set.bytes, array.begin,
                      array.element_bytes, fmt::join(array.extents, "."), set.partition.text());
  for (const PartitionedFile::Subfile& file : set.files) {
    if (file.path.empty() || file.path.find_first_of(std::string("\n\0", 2)) != std::string::npos) {
      base::fail(Code::invalid_argument, {.path = set.path},
                 "a subfile cannot be called \"{}\"; names have no line ends", base::printable(file.path, 200));
    }
    text += fmt::format("file {} {}\n", file.offset, file.path);
  }
  const std::uint32_t sum = kernels::crc32(0, base::as_bytes(text));
  text += fmt::format("{}{}\n", last_word, base::hex32(sum));
  return text;
}

PartitionedFile decode_description(base::Bytes bytes, const std::string& path) {
  return DescriptionReader(bytes, path).read();
}

std::string subfile_path(const std::string& path, const std::string& written) {
  if (written.starts_with('/')) return written;
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? written : path.substr(0, slash + 1) + written;
}

std::optional<PartitionedFile> set_in(storage::File& opened, const std::string& path) {
  base::ReadTwice file(opened);  // a misread description would lose the subfiles
  std::vector<std::byte> bytes(64);
  bytes.resize(file.read_at(0, bytes));
  if (!is_description(bytes)) return std::nullopt;
  constexpr std::uint64_t most_bytes = 1024 * base::mebi;  // 2^20 subfiles with long names
  if (file.size() > most_bytes) {
    base::fail(Code::too_large, {.path = path}, "a description of {} bytes; at most 1 GiB is read", file.size());
  }
  bytes.resize(static_cast<std::size_t>(file.size()));
  bytes.resize(file.read_at(0, bytes));
  PartitionedFile set = decode_description(bytes, path);
  for (PartitionedFile::Subfile& subfile : set.files) subfile.path = subfile_path(path, subfile.path);
  return set;
}

std::optional<CorrectedSet> corrected_set_in(storage::File& file, const std::string& path) {
  constexpr std::uint64_t most_bytes = base::mebi;
  const std::uint64_t size = file.size();
  if (size <= first_line.size() + last_line_bytes || size > most_bytes) return {};
  std::vector<std::byte> bytes(static_cast<std::size_t>(size));
  if (file.read_at(0, bytes) < bytes.size()) return {};
  // Most files are not descriptions: the first or the last line shows it, whichever is intact.
  const std::string_view text = base::as_text(bytes), last = text.substr(text.size() - last_line_bytes);
  if (!text.starts_with(first_line) && !last.starts_with(last_word)) return {};
  std::optional<CorrectedSet> found;
  for (const Correction& one : corrections(bytes)) {
    const std::byte now = std::exchange(bytes[one.at], one.right);
    try {
      PartitionedFile set = decode_description(bytes, path);
      if (found) return {};  // ambiguous: two corrections fit
      for (PartitionedFile::Subfile& subfile : set.files) subfile.path = subfile_path(path, subfile.path);
      found = CorrectedSet{std::move(set), one.at, now, one.right};
    } catch (const Error&) {
      // Another byte is the damaged one.
    }
    bytes[one.at] = now;
  }
  return found;
}

storage::Identity identity_of(const PartitionedFile& file) {
  storage::Identity identity = storage::resolve(file.path).identity(file.path);
  identity.bytes = file.bytes;
  for (const PartitionedFile::Subfile& subfile : file.files) {
    identity.modified = std::max(identity.modified, storage::resolve(subfile.path).identity(subfile.path).modified);
  }
  return identity;
}

// Looking at a new file may make a client cache that it is empty, so the folders are queried.
storage::StorageTraits unit_of(const PartitionedFile& file) {
  constexpr std::uint64_t apart = 1'000'003;
  std::set<std::string> folders;
  for (const PartitionedFile::Subfile& subfile : file.files) folders.insert(base::directory_of(subfile.path));
  storage::StorageTraits all;
  for (const std::string& folder : folders) {
    const storage::StorageTraits unit = storage::resolve(folder).unit(folder);
    all.bytes = std::max(all.bytes, unit.bytes);
    all.single_owner = all.single_owner || unit.single_owner;
    all.device = all.device * apart + unit.device;
  }
  return all;
}

Subfiles::Subfiles(PartitionedFile file, bool writes, Lost lost)
    : file_(std::move(file)), writes_(writes), lost_(lost), open_(file_.files.size()) {}

std::uint64_t Subfiles::bytes(std::size_t k) const {
  const FileArray& array = file_.partition.array();
  const std::uint64_t behind = k == 0 ? file_.bytes - array.end() : 0;
  return file_.files[k].offset + file_.partition.elements(k) * array.element_bytes + behind;
}

storage::File& Subfiles::open(std::size_t k) {
  const std::lock_guard lock(mutex_);
  if (open_[k]) return *open_[k];
  const std::string& path = file_.files[k].path;
  storage::Transport& place = storage::resolve(path);
  auto opened = writes_ ? place.open_write(path) : place.open_read(path);
  const std::uint64_t found = opened->size(), expected = bytes(k);
  if (found < expected) {
    base::fail(Code::truncated,
               {.path = path, .expected = fmt::format("{} bytes", expected), .found = fmt::format("{} bytes", found)},
               "this subfile number {} of {} has {} bytes, expected {}; it was truncated, or belongs to another file",
               k, file_.path, found, expected);
  }
  open_[k] = std::move(opened);
  return *open_[k];
}

std::size_t Subfiles::read_available(std::size_t k, std::uint64_t offset, base::MutableBytes buffer) {
  const std::lock_guard lock(mutex_);
  const std::string& path = file_.files[k].path;
  storage::Transport& place = storage::resolve(path);
  if (!open_[k] && place.kind(path) == storage::PathKind::absent) return 0;
  if (!open_[k]) open_[k] = place.open_read(path);
  return open_[k]->read_at(offset, buffer);
}

void Subfiles::read(std::size_t k, std::uint64_t offset, base::MutableBytes buffer) {
  const bool gives_zeros = lost_ == Lost::are_zeros;
  const std::size_t got = gives_zeros ? read_available(k, offset, buffer) : open(k).read_at(offset, buffer);
  if (got == buffer.size()) return;
  if (gives_zeros) {
    std::ranges::fill(buffer.subspan(got), std::byte{});
    return;
  }
  base::fail(Code::truncated, {.path = file_.files[k].path, .offset = offset + got},
             "it ends at byte {}, expected {} or more; it became shorter", offset + got, offset + buffer.size());
}

void Subfiles::sync() {
  for (std::size_t k = 0; k < open_.size() && !writes_; ++k) open(k);
  const std::lock_guard lock(mutex_);
  for (const auto& file : open_) {
    if (file) file->sync();
  }
}

void Subfiles::close() {
  const std::lock_guard lock(mutex_);
  for (auto& file : open_) {
    if (const auto closed = std::exchange(file, nullptr)) closed->close();
  }
}

void remove_subfiles(const PartitionedFile& set, const std::string& path) {
  const auto name_of = [](const std::string& of) { return of.substr(of.rfind('/') + 1); };
  for (const PartitionedFile::Subfile& subfile : set.files) {
    if (!name_of(subfile.path).starts_with(name_of(path) + ".")) continue;
    try {
      storage::resolve(subfile.path).remove(subfile.path);
    } catch (const Error&) {
      // Nothing more can be done here.
    }
  }
}

ReplacedSet::ReplacedSet(Transport& transport, std::string path) : transport_(transport), path_(std::move(path)) {
  if (transport_.kind(path_) != PathKind::file) return;
  try {
    before_ = set_in(*transport_.open_read(path_), path_);
  } catch (const Error& error) {
    if (error.code() == Code::io) throw;  // whether subfiles would be left behind is unknown
  }
}

void ReplacedSet::remove_rest() {
  if (!before_) return;
  try {
    if (const std::optional<PartitionedFile> now = set_in(*transport_.open_read(path_), path_)) {
      const auto belongs_to_it = [&](const PartitionedFile::Subfile& subfile) {
        return std::ranges::find(now->files, subfile.path, &PartitionedFile::Subfile::path) != now->files.end();
      };
      std::erase_if(before_->files, belongs_to_it);
    }
    // The old description needs them until it is gone from the disk, too.
    transport_.sync_directory(path_);
  } catch (...) {
    return;  // nothing is removed that a file may need
  }
  remove_subfiles(*before_, path_);
}

}  // namespace lq::storage
