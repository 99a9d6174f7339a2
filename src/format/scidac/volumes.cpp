// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "format/scidac/describe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include <limequat/error.hpp>

#include "base/bytes.hpp"
#include "format/lime/header.hpp"
#include "format/lime/walk.hpp"
#include "format/record_texts.hpp"
#include "format/scidac/records.hpp"
#include "lattice/decomposition.hpp"
#include "lattice/site_order.hpp"

namespace lq::format::scidac {

namespace {

constexpr std::uint64_t highest_number = 1'000'000;  // of a file
constexpr std::uint64_t longest_gap = 4096;          // between numbers: writers number their files by ranks
// Site lists up to this size are compared entry by entry, in longer ones as many entries spread over them.
constexpr std::uint64_t compared_entries = 4 * base::mebi;
constexpr std::uint64_t piece_entries = 8192;

std::string file_number(std::uint64_t number) { return fmt::format("vol{:04}", number); }

// The names of the files of a set: "dir/NAME.vol0003", or "dir/vol0003/NAME".
class Names {
 public:
  static std::optional<Names> of(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    const std::size_t name = slash == std::string::npos ? 0 : slash + 1;
    if (const std::size_t dot = path.rfind('.'); dot != std::string::npos && dot > name) {
      if (is_number(path.substr(dot + 1))) return Names{path.substr(0, dot + 1), ""};
    }
    if (name == 0) return {};
    const std::size_t above = path.rfind('/', slash - 1);
    const std::size_t folder = slash == 0 || above == std::string::npos ? 0 : above + 1;
    if (is_number(path.substr(folder, slash - folder))) return Names{path.substr(0, folder), path.substr(slash)};
    return {};
  }

  std::string operator()(std::uint64_t number) const { return before_ + file_number(number) + behind_; }

 private:
  Names(std::string before, std::string behind) : before_(std::move(before)), behind_(std::move(behind)) {}

  static bool is_number(const std::string& text) {
    constexpr std::size_t prefix = 3, digits = 4;
    return text.size() >= prefix + digits && text.starts_with("vol") &&
           text.find_first_not_of("0123456789", prefix) == std::string::npos;
  }

  std::string before_, behind_;
};

// nullptr: the file does not exist.
std::unique_ptr<base::ByteSource> open_if_there(base::ByteSource& beside, const std::string& path) {
  try {
    return beside.open_other(path);
  } catch (const Error& error) {
    if (error.code() != Code::not_found) throw;
    return nullptr;
  }
}

bool is_data(const Record& record) { return role_of(record.type) == Role::data; }
bool is_list(const Record& record) { return record.type == type::sitelist; }

// The sites of a list, if they are a box of the lattice with x fastest.
class SiteList {
 public:
  SiteList(base::ByteSource& file, const Record& record, const Extents& extents)
      : file_(file),
        record_(record),
        extents_(extents),
        width_(lq::volume(extents) > (std::uint64_t{1} << 32) ? 8 : 4),
        count_(record.data_length / width_) {}

  std::uint64_t count() const noexcept { return count_; }

  std::optional<Box> box() {
    if (count_ == 0 || record_.data_length % width_ != 0) return {};
    const auto first = site(0), last = site(count_ - 1);
    if (!first || !last) return {};
    Box box{*first, *first};
    for (int d = 0; d < extents_.size(); ++d) {
      box.extents[d] = (*last)[d] - (*first)[d] + 1;
      if (box.extents[d] < 1) return {};
    }
    if (box.volume() != count_) return {};
    const std::uint64_t pieces = (count_ + piece_entries - 1) / piece_entries;
    const std::uint64_t step = std::max<std::uint64_t>(1, count_ / compared_entries);
    for (std::uint64_t piece = 0; piece < pieces; piece += step) {
      if (!agrees(box, piece * piece_entries)) return {};
    }
    return box;
  }

 private:
  std::optional<Coord> site(std::uint64_t entry) {
    read(entry, 1);
    const std::uint64_t rank = rank_at(0);
    if (rank >= lq::volume(extents_)) return {};
    return lattice::site_of_rank(rank, extents_);
  }

  bool agrees(const Box& box, std::uint64_t begin) {
    const std::uint64_t entries = std::min(piece_entries, count_ - begin);
    read(begin, entries);
    for (std::uint64_t i = 0; i < entries; ++i) {
      Coord x = lattice::site_of_rank(begin + i, box.extents);
      for (int d = 0; d < x.size(); ++d) x[d] += box.lower[d];
      if (rank_at(i) != lattice::site_rank(x, extents_)) return false;
    }
    return true;
  }

  void read(std::uint64_t begin, std::uint64_t entries) {
    bytes_.assign(static_cast<std::size_t>(entries * width_), std::byte{0xff});
    file_.read_at(record_.offset + begin * width_, bytes_);
  }
  std::uint64_t rank_at(std::uint64_t i) const noexcept {
    const std::byte* at = bytes_.data() + i * width_;
    return width_ == 4 ? base::load_be<std::uint32_t>(at) : base::load_be<std::uint64_t>(at);
  }

  base::ByteSource& file_;
  const Record& record_;
  const Extents& extents_;
  std::uint64_t width_, count_;
  std::vector<std::byte> bytes_;
};

}  // namespace

Master master_of(base::ByteSource& file) {
  const auto is_first = [](base::ByteSource& source, std::string_view wanted) {
    bool found = false, looked = false;
    lime::has_record(source, [&](std::string_view record) {
      if (!std::exchange(looked, true)) found = record == wanted;
      return true;
    });
    return found;
  };
  if (!is_first(file, type::sitelist)) return {};
  const auto names = Names::of(file.path());
  for (std::uint64_t number = 0; names && number < longest_gap; ++number) {
    auto other = open_if_there(file, (*names)(number));
    if (other && is_first(*other, type::private_file_xml)) return {std::move(other)};
  }
  return {nullptr, true, names ? (*names)(0) : std::string()};
}

std::optional<Volumes> Volumes::open(base::ByteSource& master, const FileInfo& info,
                                     const std::vector<Record>& master_records, const Limits& limits,
                                     Findings& findings) {
  Volumes volumes;
  const std::uint64_t sites = lq::volume(info.extents);
  const auto names = Names::of(master.path());
  const Record& first = master_records.front();
  const auto fail = [&](Code code, const char* rule, const std::string& message) {
    findings.error(code, rule, first, message);
    return std::nullopt;
  };
  if (!names && info.volume_format != 0) {
    return fail(Code::unsupported, "scidac-volume-name",
                fmt::format("volfmt {}: the sites are spread over several files, which are found by names ending in "
                            ".vol0000; this one has another name",
                            info.volume_format));
  }

  std::vector<Box> boxes;
  std::uint64_t found = 0;
  // True if the file with these records is valid.
  const auto take = [&](base::ByteSource& file, const std::vector<Record>& records) {
    const auto list = std::ranges::find_if(records, is_list);
    if (list == records.end()) {
      fail(Code::malformed, "scidac-sitelist",
           fmt::format("{} has no list of its sites (scidac-sitelist)", file.path()));
      return false;
    }
    SiteList entries(file, *list, info.extents);
    const auto box = entries.box();
    if (!box) {
      fail(Code::unsupported, "scidac-sitelist",
           fmt::format("the sites of {} are not a block of the lattice with x fastest, but in an order chosen by the "
                       "program that wrote them; join the files with QIO's part-to-single conversion first",
                       file.path()));
      return false;
    }
    Part part{.sites = entries.count()};
    for (const Record& record : records) {
      if (is_data(record)) part.data.push_back(record);
    }
    volumes.files_.push_back(file.path());
    volumes.bytes_ += file.size();
    volumes.parts_.push_back(std::move(part));
    boxes.push_back(*box);
    found += entries.count();
    return true;
  };

  if (!take(master, master_records)) return {};
  for (std::uint64_t number = 0, gap = 0; found < sites && gap < longest_gap && number < highest_number; ++number) {
    const std::string path = (*names)(number);
    if (path == master.path()) continue;
    const auto file = open_if_there(master, path);
    if (!file) {
      ++gap;
      continue;
    }
    gap = 0;
    ReadAhead window(*file);
    Findings own;
    lime::Walk walk = lime::walk(window, limits, own);
    if (walk.truncated) return fail(Code::truncated, "scidac-volume-truncated", path + " ends early; copy it again");
    for (Record& record : walk.records) record.file = static_cast<int>(volumes.files_.size());
    if (!take(*file, walk.records)) return {};
    volumes.others_.insert(volumes.others_.end(), walk.records.begin(), walk.records.end());
  }
  if (found != sites) {
    return fail(Code::truncated, "scidac-volume-missing",
                fmt::format("{} of {} sites are in the {} existing files; the other files are missing", found, sites,
                            volumes.files_.size()));
  }

  if (!volumes.number_blocks(info.extents, boxes)) {
    return fail(Code::unsupported, "scidac-sitelist",
                "the files hold blocks of different extents, or one twice; join them with QIO's part-to-single "
                "conversion first");
  }
  return volumes;
}

bool Volumes::number_blocks(const Extents& extents, const std::vector<Box>& boxes) {
  block_ = boxes.front().extents;
  Extents counts = extents;
  bool fits = true;
  for (int d = 0; d < counts.size(); ++d) {
    fits = fits && extents[d] % block_[d] == 0;
    counts[d] = extents[d] / block_[d];
  }
  std::vector<bool> is_taken(parts_.size());
  for (std::size_t i = 0; fits && i < boxes.size(); ++i) {
    Coord at = boxes[i].lower;
    for (int d = 0; d < at.size(); ++d) {
      fits = fits && boxes[i].extents[d] == block_[d] && at[d] % block_[d] == 0;
      at[d] /= block_[d];
    }
    if (!fits) break;
    const std::uint64_t block = lattice::site_rank(at, counts);
    fits = block < is_taken.size() && !is_taken[static_cast<std::size_t>(block)];
    if (fits) is_taken[static_cast<std::size_t>(block)] = true;
    parts_[i].block = block;
  }
  return fits;
}

const Record* Volumes::piece(std::size_t part, const Record& data, std::size_t number) const noexcept {
  if (part == 0) return &data;
  return number < parts_[part].data.size() ? &parts_[part].data[number] : nullptr;
}

Record Volumes::whole(const Record& data, std::size_t number, Findings& findings) const {
  Record record = data;
  const std::uint64_t of_site = data.data_length / parts_.front().sites;
  record.data_length = 0;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const Record* own = piece(i, data, number);
    const std::uint64_t length = own != nullptr ? own->data_length : 0, expected = of_site * parts_[i].sites;
    if (length != expected) {
      findings.error(Code::malformed, "scidac-volume-length", data,
                     fmt::format("{} has {} bytes of this field for its {} sites, where {} are expected", files_[i],
                                 length, parts_[i].sites, expected),
                     std::to_string(expected), std::to_string(length));
      record.data_length = 0;
      break;
    }
    record.data_length += length;
  }
  return record;
}

void Volumes::place(Payload& payload, const Record& data, std::size_t number) const {
  payload.file = 0;
  payload.offset = 0;
  payload.block = block_;
  payload.tile_sites = lq::volume(block_);
  payload.tiles.resize(parts_.size());
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const Record& own = *piece(i, data, number);
    payload.tiles[static_cast<std::size_t>(parts_[i].block)] = {static_cast<int>(i), own.offset, own.data_length};
  }
}

}  // namespace lq::format::scidac
