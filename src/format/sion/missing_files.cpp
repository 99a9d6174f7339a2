// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "format/sion/set.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "format/sion/geometry.hpp"

namespace lq::format::sion {
namespace {

constexpr std::int32_t most_tried = 1 << 12;  // names, until an existing file is found

// Not that of a placeholder of a buddy copy, which no map has.
bool is_of_a_task(std::int64_t rank) noexcept { return rank >= 0; }

}  // namespace

MissingFiles::MissingFiles(Open open_file, NameRule names)
    : open_file_(std::move(open_file)), names_(std::move(names)) {
  look_for_files();
  if (missing_.contains(0)) find_tasks_by_rank();
  for (auto& [file, bytes] : missing_) {
    if (ranks(file).empty()) throw_unknown(file);
    bytes = bytes_of(file);
  }
}

void MissingFiles::throw_unknown(std::int32_t file) const {
  base::fail(Code::not_found, {.path = names_(file)},
             "the file is missing, and the existing files do not show which tasks it had; restore it, or one of the "
             "other missing files");
}

std::unique_ptr<base::ByteSource> MissingFiles::open_if_there(std::int32_t file) const {
  try {
    return open_file_(names_(file));
  } catch (const Error& error) {
    if (error.code() != Code::not_found) throw;
    return nullptr;
  }
}

// A header may state any number of files; each missing file has tasks in the map of file 0 or, without that file,
// is file 0 itself.
void MissingFiles::look_for_files() {
  std::int32_t known = 0;
  std::unique_ptr<base::ByteSource> file;
  while (known < most_tried && !(file = open_if_there(known))) ++known;
  if (!file) {
    known = 0;
    file = open_file_(names_(0));
  }
  first_ = names_(known);
  const Head head = read_head(*file);
  head_ = head;
  std::optional<std::map<std::int32_t, std::vector<std::int64_t>>> of_map;
  for (std::int32_t number = 0; number < std::max(head_.files, 1); ++number) {
    std::vector<std::int64_t>& ranks = ranks_.emplace_back();
    if (number == known) {
      ranks = head.ranks;
    } else if (const auto other = open_if_there(number)) {
      ranks = read_head(*other).ranks;
    } else {
      missing_.emplace(number, std::vector<std::byte>());
      if (number == 0) continue;
      if (known > 0) throw_unknown(number);
      if (!of_map) of_map = tasks_in_map(*file, head);
      ranks = std::move((*of_map)[number]);
      if (ranks.empty()) throw_unknown(number);
    }
  }
}

// The map of file 0 lists the tasks of the set in the order of their ranks. Returns ranks by file; nothing if a file
// has its tasks in another order.
std::map<std::int32_t, std::vector<std::int64_t>> MissingFiles::tasks_in_map(base::ByteSource& file, const Head& head) {
  std::map<std::int32_t, std::vector<std::int64_t>> of_file;
  const Tail tail = read_tail(file, head, Geometry(head, file.path()));
  if (!tail.map) return of_file;
  for (std::size_t rank = 0; rank < tail.map->size(); ++rank) {
    const Place place = (*tail.map)[rank];
    std::vector<std::int64_t>& ranks = of_file[place.file];
    if (place.task != static_cast<std::int32_t>(ranks.size())) return {};
    ranks.push_back(static_cast<std::int64_t>(rank));
  }
  return of_file;
}

// Ranks that no file has belong to file 0, unless a rank is there twice, or there are so many that the ranks may be
// arbitrary.
void MissingFiles::find_tasks_by_rank() {
  std::vector<std::int64_t> known;
  for (const auto& of_file : ranks_) {
    std::ranges::copy_if(of_file, std::back_inserter(known), is_of_a_task);
  }
  std::ranges::sort(known);
  if (std::ranges::adjacent_find(known) != known.end()) throw_unknown(0);
  const std::size_t most = 65536 + 64 * known.size();
  std::int64_t next = 0;
  for (const std::int64_t rank : known) {
    for (; next < rank; ++next) {
      if (ranks_.front().size() == most) throw_unknown(0);
      ranks_.front().push_back(next);
    }
    next = rank + 1;
  }
}

std::unique_ptr<base::ByteSource> MissingFiles::open(const std::string& name) const {
  for (const auto& [file, bytes] : missing_) {
    if (names_(file) == name) return std::make_unique<base::MemorySource>(bytes, name);
  }
  return open_file_(name);
}

// Chunks have zero width.
std::vector<std::byte> MissingFiles::bytes_of(std::int32_t file) const {
  const std::vector<std::int64_t>& ranks = ranks_[static_cast<std::size_t>(file)];
  Head head;
  static_cast<FixedHead&>(head) = head_;
  head.tasks = static_cast<std::int32_t>(ranks.size());
  head.file_number = file;
  head.ranks = ranks;
  head.widths.assign(ranks.size(), 0);
  head.max_chunks = 1;
  head.tail_offset = static_cast<std::int64_t>(Geometry(head, names_(file)).tail_offset(1));
  std::vector<std::byte> bytes = encode(head);
  bytes.resize(static_cast<std::size_t>(head.tail_offset));
  Tail tail{ChunkTable(std::vector<std::uint64_t>(ranks.size(), 1)), {}};
  if (file == 0) {
    tail.map.emplace();
    for (std::size_t k = 0; k < ranks_.size(); ++k) {
      for (std::size_t task = 0; task < ranks_[k].size(); ++task) {
        if (!is_of_a_task(ranks_[k][task])) continue;
        const auto rank = static_cast<std::size_t>(ranks_[k][task]);
        if (tail.map->size() <= rank) tail.map->resize(rank + 1);
        (*tail.map)[rank] = {static_cast<std::int32_t>(k), static_cast<std::int32_t>(task)};
      }
    }
  }
  encode(tail, head.metadata_order, [&](base::Bytes part) { bytes.insert(bytes.end(), part.begin(), part.end()); });
  return bytes;
}

}  // namespace lq::format::sion
