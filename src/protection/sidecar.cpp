// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "protection/sidecar.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <span>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "base/error.hpp"
#include "base/path.hpp"
#include "comm/team.hpp"
#include "kernels/crc32.hpp"
#include "kernels/galois.hpp"
#include "protection/passing.hpp"

namespace lq::protection {
namespace {

constexpr std::size_t max_ranges_listed = 20;
constexpr std::size_t most_open = 100;
constexpr std::size_t most_pages = 64, most_restored = 4096;
constexpr std::uint64_t check_piece = base::mebi;

// Reads all of them; false if the file ends before.
bool read_whole(base::ByteSource& file, std::uint64_t offset, base::MutableBytes bytes) {
  return file.read_at(offset, bytes) == bytes.size();
}

// The head at a place; empty: damaged. Throws for a later version, if its sum agrees.
std::optional<Head> head_at(storage::File& file, std::uint64_t size, std::uint64_t offset) {
  std::vector<std::byte> bytes(head_begin_bytes);
  if (offset > size || size - offset < bytes.size() || !read_whole(file, offset, bytes)) return {};
  const auto length = head_bytes_of(bytes);
  if (!length || *length > size - offset) return {};
  bytes.resize(static_cast<std::size_t>(*length));
  if (!read_whole(file, offset, bytes) || !kernels::ends_in_crc32(bytes)) return {};
  if (const auto version = later_version(bytes)) {
    base::fail(Code::unsupported,
               {.path = file.path(), .expected = std::to_string(format_version), .found = std::to_string(*version)},
               "this sidecar has version {} of its format, this library reads version {}: use a later Limequat",
               *version, format_version);
  }
  return decode_head(bytes);
}

std::optional<Head> second_head(storage::File& file, std::uint64_t size) {
  if (size < end_bytes) return {};
  std::vector<std::byte> end(end_bytes);
  if (!read_whole(file, size - end_bytes, end)) return {};
  const auto offset = decode_end(end);
  return offset ? head_at(file, size, *offset) : std::nullopt;
}

}  // namespace

void add_range(std::vector<Range>& ranges, const Range& range) {
  if (!ranges.empty() && ranges.back().offset + ranges.back().length == range.offset) {
    ranges.back().length += range.length;
  } else {
    ranges.push_back(range);
  }
}

std::uint64_t bytes_of(const std::vector<Range>& ranges) noexcept {
  std::uint64_t bytes = 0;
  for (const Range& range : ranges) bytes += range.length;
  return bytes;
}

std::string text_of(const std::vector<Range>& ranges) {
  std::string text = "bytes ";
  for (std::size_t i = 0; i < std::min(ranges.size(), max_ranges_listed); ++i) {
    const Range& range = ranges[i];
    text += fmt::format("{}{} to {}", i == 0 ? "" : ", ", range.offset, range.offset + range.length - 1);
  }
  if (ranges.size() > max_ranges_listed) text += fmt::format(" and {} more ranges", ranges.size() - max_ranges_listed);
  return text;
}

Sidecar::Sidecar(storage::Transport& transport, const std::string& path)
    : file_(transport.open_read(path)), size_(file_->size()) {
  std::optional<Head> head = head_at(*file_, size_, 0);
  if (!head) head = second_head(*file_, size_);
  if (!head) {
    base::fail(
        Code::malformed, path,
        "neither of the two heads of this sidecar can be read; protect the files again (`lq protect --overwrite`)");
  }
  head_ = *std::move(head);
  // Whatever the head states, no more than the actual size is read or held.
  if (head_.page_at(head_.windows, 0) > size_) {
    base::fail(Code::malformed, path,
               "the sidecar ends before its sums do; protect the files again (`lq protect --overwrite`)");
  }
}

std::shared_ptr<const Page> Sidecar::page(std::uint64_t window) const {
  const std::lock_guard lock(mutex_);
  if (const auto found = pages_.find(window); found != pages_.end()) return found->second;
  std::shared_ptr<const Page> made;
  for (const int copy : {0, 1}) {
    const std::uint64_t offset = head_.page_at(window, copy);
    if (offset > size_ || size_ - offset < head_.page_bytes()) continue;
    std::vector<std::byte> bytes(static_cast<std::size_t>(head_.page_bytes()));
    if (!read_whole(*file_, offset, bytes)) continue;
    if (auto page = decode_page(bytes, head_, window)) {
      made = std::make_shared<const Page>(*std::move(page));
      break;
    }
  }
  if (pages_.size() >= most_pages) pages_.erase(pages_.begin());
  pages_[window] = made;
  return made;
}

bool Sidecar::read_parity(const Page& page, const Cell& cell, std::uint32_t parity, base::MutableBytes block) const {
  if (!read_whole(*file_, head_.parity_at(cell.window, parity, cell.row), block)) return false;
  return sum_of(block) == page.parities[static_cast<std::size_t>(parity * head_.rows + cell.row)];
}

std::string Sidecar::path_of(std::size_t file) const {
  // A single file has the name of its sidecar.
  if (head_.files.size() == 1 && !path().ends_with(set_ending)) {
    return path().substr(0, path().size() - parity_ending.size());
  }
  return path().substr(0, path().rfind('/') + 1) + head_.files[file].name;
}

void Sidecar::check_frame(std::vector<Range>& damage) const {
  const std::uint64_t second = head_.second_head_at();
  std::vector<std::byte> end(end_bytes);
  const bool has_end = size_ == head_.sidecar_bytes() && read_whole(*file_, size_ - end_bytes, end);
  for (const std::uint64_t offset : {std::uint64_t{0}, second}) {
    if (head_at(*file_, size_, offset) != head_) damage.push_back({offset, head_.head_bytes()});
  }
  if (!has_end || decode_end(end) != second) {
    damage.push_back({head_.sidecar_bytes() - end_bytes, end_bytes});
  }
  for (std::uint64_t window = 0; window < head_.windows; ++window) {
    for (const int copy : {0, 1}) {
      std::vector<std::byte> bytes(static_cast<std::size_t>(head_.page_bytes()));
      const std::uint64_t offset = head_.page_at(window, copy);
      const bool is_there = offset <= size_ && size_ - offset >= bytes.size() && read_whole(*file_, offset, bytes);
      if (!is_there || !decode_page(bytes, head_, window)) damage.push_back({offset, head_.page_bytes()});
    }
  }
}

std::vector<Range> Sidecar::damage(int threads) const {
  std::vector<Range> damage;
  check_frame(damage);
  std::mutex mutex;
  comm::Team team(comm::count_or_cores(threads));
  comm::parallel_for(team, head_.windows, [&](int, std::uint64_t window) {
    const auto sums = page(window);
    if (!sums) return;  // reported already, and its parity cannot be checked
    std::vector<std::byte> block(head_.block_bytes);
    for (std::uint32_t parity = 0; parity < head_.parities; ++parity) {
      for (std::uint64_t row = 0; row < head_.rows; ++row) {
        if (read_parity(*sums, {window, row, 0}, parity, block)) continue;
        const std::lock_guard lock(mutex);
        damage.push_back({head_.parity_at(window, parity, row), head_.block_bytes});
      }
    }
  });
  std::ranges::sort(damage, {}, &Range::offset);
  std::vector<Range> merged;
  for (const Range& range : damage) add_range(merged, range);
  return merged;
}

std::vector<std::string> sidecar_names(const std::string& path) {
  const std::size_t name = path.rfind('/') + 1;
  std::vector<std::string> names{path + std::string(parity_ending), path + std::string(set_ending)};
  for (std::size_t dot = path.rfind('.'); dot != std::string::npos && dot > name; dot = path.rfind('.', dot - 1)) {
    names.push_back(path.substr(0, dot) + std::string(set_ending));
  }
  names.push_back(path.substr(0, name) + std::string(folder_sidecar));
  return names;
}

namespace {

// The cover of the file in that sidecar; empty: the sidecar does not contain it.
std::optional<Cover> cover_in(const std::string& name, const std::string& path) {
  auto sidecar = std::make_shared<const Sidecar>(storage::resolve(name), name);
  const bool is_own = name == path + std::string(parity_ending) && sidecar->head().files.size() == 1;
  const auto file = is_own ? std::optional<std::size_t>(0)
                           : find_file(sidecar->head(), std::string_view(path).substr(path.rfind('/') + 1));
  if (!file || !(is_own || sidecar->path_of(*file) == path)) return {};
  return Cover{std::move(sidecar), *file};
}

}  // namespace

namespace {

// Files of other transports, such as members of archives, have no folder for a sidecar.
bool may_have_sidecar(storage::Transport& names, const std::string& path) {
  try {
    return !is_sidecar(path) && names.kind(base::directory_of(path)) == storage::PathKind::directory;
  } catch (const Error& error) {
    if (error.code() == Code::out_of_memory) throw;
    return false;
  }
}

}  // namespace

std::optional<Cover> find_cover(const std::string& path) { return find_cover(storage::resolve(path), path); }

std::optional<Cover> find_cover(storage::Transport& names, const std::string& path) {
  if (!may_have_sidecar(names, path)) return {};
  std::optional<Cover> newest;  // of several, such as one from before neighbours were added
  for (const std::string& name : sidecar_names(path)) {
    // No file can have a name that is too long.
    storage::PathKind kind = storage::PathKind::absent;
    try {
      kind = names.kind(name);
    } catch (const Error& error) {
      if (error.facts().system_errno != ENAMETOOLONG) throw;
      continue;
    }
    if (kind != storage::PathKind::file) continue;
    auto cover = cover_in(name, path);
    if (cover && (!newest || cover->part().modified > newest->part().modified)) newest = std::move(cover);
  }
  return newest;
}

std::optional<Cover> find_cover_in_folder(const std::string& path) {
  if (auto cover = find_cover(path)) return cover;
  if (!may_have_sidecar(storage::resolve(path), path)) return {};
  std::vector<std::string> names;
  base::names_in(base::directory_of(path), names);
  for (const std::string& name : names) {
    if (!name.ends_with(set_ending)) continue;
    try {
      if (auto cover = cover_in(base::folder_before(path) + name, path)) return cover;
    } catch (const Error& error) {
      if (error.code() == Code::out_of_memory) throw;
    }
  }
  return {};
}

namespace {

// Number of readable bytes; 0 if the disk reports an error.
std::size_t readable_bytes(base::ByteSource& source, std::uint64_t offset, base::MutableBytes bytes) {
  try {
    return source.read_at(offset, bytes);
  } catch (const Error& error) {
    if (error.code() != Code::io) throw;
    return 0;
  }
}

const BlockSum& sum_at(const Head& head, const Page& page, const Cell& cell) noexcept {
  return page.blocks[static_cast<std::size_t>(cell.column * head.rows + cell.row)];
}

// Compares blocks of a file with their sums, a piece at a time.
class Checking {
 public:
  Checking(const Cover& cover, base::ByteSource& source, const PassedBlocks* passed)
      : cover_(cover),
        head_(cover.sidecar->head()),
        source_(source),
        passed_(passed),
        blocks_(head_.blocks_of(cover.file)) {}

  std::uint64_t blocks_of_piece() const noexcept { return std::max<std::uint64_t>(1, check_piece / head_.block_bytes); }
  std::uint64_t pieces() const noexcept { return (blocks_ + blocks_of_piece() - 1) / blocks_of_piece(); }

  void piece(std::uint64_t number, std::vector<std::byte>& buffer) {
    const std::uint64_t begin = number * blocks_of_piece(), end = std::min(blocks_, begin + blocks_of_piece());
    const std::uint64_t offset = begin * head_.block_bytes;
    buffer.resize(static_cast<std::size_t>(std::min(end * head_.block_bytes, cover_.part().bytes) - offset));
    const auto have_passed = [&](std::uint64_t block) { return passed_ != nullptr && passed_->have_agreed(block); };
    bool is_new = true;  // the whole piece is read in one call
    for (std::uint64_t block = begin; block < end; ++block) is_new = is_new && !have_passed(block);
    const std::size_t there = is_new ? readable_bytes(source_, offset, buffer) : 0;
    std::shared_ptr<const Page> page;
    std::uint64_t window = head_.windows;  // window of the page
    for (std::uint64_t block = begin; block < end; ++block) {
      if (!is_new && have_passed(block)) continue;
      const Cell cell = head_.cell_of(cover_.file, block);
      if (cell.window != window) page = cover_.sidecar->page(window = cell.window);
      const std::uint64_t within = block * head_.block_bytes - offset;
      const std::size_t length = head_.bytes_of(cover_.file, block);
      const base::MutableBytes bytes = base::MutableBytes(buffer).subspan(static_cast<std::size_t>(within), length);
      // A disk may fail to read some of a piece.
      const bool is_there =
          within + length <= there || readable_bytes(source_, block * head_.block_bytes, bytes) == length;
      if (!page) {
        add(unprovable_, {block * head_.block_bytes, length});
      } else if (!is_there || sum_of(bytes) != sum_at(head_, *page, cell)) {
        add(damaged_, {block * head_.block_bytes, length});
      }
    }
  }

  FileCheck take() {
    std::ranges::sort(damaged_, {}, &Range::offset);
    std::ranges::sort(unprovable_, {}, &Range::offset);
    FileCheck check;
    for (const Range& range : damaged_) add_range(check.damaged, range);
    for (const Range& range : unprovable_) add_range(check.unprovable, range);
    check.blocks = blocks_;
    check.differing = damaged_.size();
    check.bytes = source_.size();
    return check;
  }

 private:
  void add(std::vector<Range>& to, const Range& range) {
    const std::lock_guard lock(mutex_);
    to.push_back(range);
  }

  const Cover& cover_;
  const Head& head_;
  base::ByteSource& source_;
  const PassedBlocks* passed_;
  std::uint64_t blocks_;
  std::mutex mutex_;
  std::vector<Range> damaged_, unprovable_;
};

}  // namespace

FileCheck check_file(const Cover& cover, base::ByteSource* source, int threads, const Progress& progress,
                     const PassedBlocks* passed) {
  const std::uint64_t bytes = cover.part().bytes;
  if (source == nullptr) {
    FileCheck check;
    check.is_missing = true;
    check.blocks = check.differing = cover.sidecar->head().blocks_of(cover.file);
    if (bytes > 0) check.damaged.push_back({0, bytes});
    return check;
  }
  Checking checking(cover, *source, passed);
  comm::Team team(static_cast<int>(
      std::clamp<std::uint64_t>(checking.pieces(), 1, static_cast<std::uint64_t>(comm::count_or_cores(threads)))));
  std::vector<std::vector<std::byte>> buffers(static_cast<std::size_t>(team.size()));
  std::atomic<std::uint64_t> done{0};
  comm::parallel_for(team, checking.pieces(), [&](int thread, std::uint64_t piece) {
    std::vector<std::byte>& buffer = buffers[static_cast<std::size_t>(thread)];
    checking.piece(piece, buffer);
    const std::uint64_t now = done += buffer.size();
    if (progress && thread == 0) progress(now, bytes);
  });
  return checking.take();
}

void SourceFiles::put(std::size_t number, base::ByteSource& file) {
  replaced_[number] = std::shared_ptr<base::ByteSource>(std::shared_ptr<void>(), &file);
}

std::shared_ptr<base::ByteSource> SourceFiles::file(std::size_t number) const {
  if (const auto found = replaced_.find(number); found != replaced_.end()) return found->second;
  const std::lock_guard lock(mutex_);
  if (const auto found = open_.find(number); found != open_.end()) return found->second;
  if (open_.size() >= most_open) open_.clear();
  const std::string path = sidecar_->path_of(number);
  std::shared_ptr<base::ByteSource> opened;
  try {
    opened = storage::resolve(path).open_read(path);
  } catch (const Error& error) {
    // Too many open files say nothing about this file.
    if (error.code() == Code::out_of_memory || error.facts().system_errno == EMFILE) throw;
  }
  open_[number] = opened;
  return opened;
}

// Restoring.

namespace {

// A row of a window: its current blocks by column, and which of them are damaged.
struct Row {
  std::vector<std::byte> blocks;
  std::vector<std::uint32_t> damaged;  // columns
};

Row read_row(const Sidecar& sidecar, const Page& page, const Cell& at, const SourceFiles& files) {
  const Head& head = sidecar.head();
  Row row;
  row.blocks.resize(std::size_t{head.columns} * head.block_bytes);
  for (std::uint32_t column = 0; column < head.columns; ++column) {
    const Cell cell{at.window, at.row, column};
    const auto place = head.block_at(cell);
    if (!place) continue;
    const std::size_t length = head.bytes_of(place->file, place->block);
    const auto block = base::MutableBytes(row.blocks).subspan(std::size_t{column} * head.block_bytes, length);
    const auto file = files.file(place->file);
    const bool is_there = file != nullptr && readable_bytes(*file, place->block * head.block_bytes, block) == length;
    if (is_there && sum_of(block) == sum_at(head, page, cell)) continue;
    row.damaged.push_back(column);
    std::ranges::fill(block, std::byte{0});
  }
  return row;
}

// Parity blocks minus the contributions of intact columns: sums over the damaged ones only.
struct Syndromes {
  std::vector<std::uint32_t> parities;
  std::vector<std::vector<std::byte>> sums;
};

Syndromes syndromes_of(const Sidecar& sidecar, const Page& page, const Cell& at, const Row& row) {
  const Head& head = sidecar.head();
  Syndromes made;
  std::vector<std::byte> block(head.block_bytes);
  for (std::uint32_t parity = 0; parity < head.parities && made.sums.size() < row.damaged.size(); ++parity) {
    if (!sidecar.read_parity(page, at, parity, block)) continue;
    made.parities.push_back(parity);
    made.sums.push_back(block);
  }
  if (made.sums.size() < row.damaged.size()) return made;
  std::vector<std::byte*> sums;
  for (std::vector<std::byte>& sum : made.sums) sums.push_back(sum.data());
  for (std::uint32_t column = 0; column < head.columns; ++column) {
    std::vector<std::uint8_t> factors;
    for (const std::uint32_t parity : made.parities) factors.push_back(kernels::parity_factor(parity, column));
    // A damaged block counts as zero here.
    kernels::ProductTables(factors).add_products(
        base::Bytes(row.blocks).subspan(std::size_t{column} * head.block_bytes, head.block_bytes), sums.data());
  }
  return made;
}

// Computes the damaged block of that column; false: there are more damaged blocks than parity blocks.
bool solve(const Sidecar& sidecar, const Page& page, const Cell& at, const Row& row, base::MutableBytes block) {
  const Syndromes syndromes = syndromes_of(sidecar, page, at, row);
  const std::size_t n = row.damaged.size();
  if (syndromes.sums.size() < n) return false;
  std::vector<std::uint8_t> matrix(n * n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < n; ++k) {
      matrix[i * n + k] = kernels::parity_factor(syndromes.parities[i], row.damaged[k]);
    }
  }
  if (!kernels::galois_invert(matrix, n)) return false;
  const auto k = static_cast<std::size_t>(std::ranges::find(row.damaged, at.column) - row.damaged.begin());
  std::vector<std::byte> sum(sidecar.head().block_bytes, std::byte{0});
  std::byte* const to = sum.data();
  for (std::size_t i = 0; i < n; ++i) {
    kernels::ProductTables(std::span(matrix).subspan(k * n + i, 1)).add_products(syndromes.sums[i], &to);
  }
  std::ranges::copy(base::Bytes(sum).first(block.size()), block.begin());
  return sum_of(block) == sum_at(sidecar.head(), page, at);
}

}  // namespace

RestoredFile::RestoredFile(Cover cover, base::ByteSource* now, std::string path)
    : cover_(std::move(cover)), files_(cover_.sidecar), path_(std::move(path)) {
  if (now != nullptr) files_.put(cover_.file, *now);
}

bool RestoredFile::restore(std::uint64_t block, base::MutableBytes bytes) {
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = restored_.find(block); found != restored_.end()) {
      std::ranges::copy(found->second, bytes.begin());
      return true;
    }
  }
  const Head& head = cover_.sidecar->head();
  const Cell cell = head.cell_of(cover_.file, block);
  const auto page = cover_.sidecar->page(cell.window);
  if (!page) return false;
  const Row row = read_row(*cover_.sidecar, *page, cell, files_);
  if (std::ranges::count(row.damaged, cell.column) == 0) {  // it was readable this time
    const base::Bytes read = base::Bytes(row.blocks).subspan(std::size_t{cell.column} * head.block_bytes, bytes.size());
    std::ranges::copy(read, bytes.begin());
  } else if (!solve(*cover_.sidecar, *page, cell, row, bytes)) {
    return false;
  }
  const std::lock_guard lock(mutex_);
  if (restored_.size() < most_restored) restored_[block].assign(bytes.begin(), bytes.end());
  return true;
}

bool RestoredFile::read_block(std::uint64_t block, base::MutableBytes bytes) {
  const Head& head = cover_.sidecar->head();
  const Cell cell = head.cell_of(cover_.file, block);
  const auto page = cover_.sidecar->page(cell.window);
  if (!page) return false;
  const auto file = files_.file(cover_.file);
  const bool is_there = file != nullptr && readable_bytes(*file, block * head.block_bytes, bytes) == bytes.size();
  return (is_there && sum_of(bytes) == sum_at(head, *page, cell)) || restore(block, bytes);
}

std::size_t RestoredFile::read_at(std::uint64_t offset, base::MutableBytes buffer) {
  if (offset >= size()) return 0;
  buffer = buffer.first(static_cast<std::size_t>(std::min<std::uint64_t>(buffer.size(), size() - offset)));
  const Head& head = cover_.sidecar->head();
  std::vector<std::byte> part;
  for (std::size_t done = 0; done < buffer.size();) {
    const std::uint64_t at = offset + done, block = at / head.block_bytes, within = at % head.block_bytes;
    const std::size_t length = head.bytes_of(cover_.file, block);
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(length - within, buffer.size() - done));
    const bool is_whole = count == length;
    part.resize(is_whole ? 0 : length);
    const base::MutableBytes to = is_whole ? buffer.subspan(done, count) : base::MutableBytes(part);
    if (!read_block(block, to)) {
      base::fail(Code::checksum_mismatch, {.path = path_, .offset = block * head.block_bytes},
                 "bytes {} to {} are damaged, and more of their row than its parity brings back",
                 block * head.block_bytes, block * head.block_bytes + length - 1);
    }
    if (!is_whole) {
      const base::Bytes wanted = base::Bytes(part).subspan(static_cast<std::size_t>(within), count);
      std::ranges::copy(wanted, buffer.subspan(done).begin());
    }
    done += count;
  }
  return buffer.size();
}

std::unique_ptr<base::ByteSource> RestoredFile::open_other(const std::string& path) const {
  return storage::resolve(path).open_read(path);
}

std::vector<Range> RestoredFile::lost_of(const std::vector<Range>& damaged, int threads) {
  const Head& head = cover_.sidecar->head();
  std::vector<std::uint64_t> blocks;
  for (const Range& range : damaged) {
    for (std::uint64_t at = range.offset; at < range.offset + range.length; at += head.block_bytes) {
      blocks.push_back(at / head.block_bytes);
    }
  }
  std::vector<std::uint8_t> is_lost(blocks.size(), 0);
  comm::Team team(static_cast<int>(
      std::clamp<std::uint64_t>(blocks.size(), 1, static_cast<std::uint64_t>(comm::count_or_cores(threads)))));
  comm::parallel_for(team, blocks.size(), [&](int, std::uint64_t i) {
    const std::uint64_t block = blocks[static_cast<std::size_t>(i)];
    std::vector<std::byte> bytes(head.bytes_of(cover_.file, block));
    is_lost[static_cast<std::size_t>(i)] = restore(block, bytes) ? 0 : 1;
  });
  std::vector<Range> lost;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    if (is_lost[i] != 0) add_range(lost, {blocks[i] * head.block_bytes, head.bytes_of(cover_.file, blocks[i])});
  }
  return lost;
}

}  // namespace lq::protection
