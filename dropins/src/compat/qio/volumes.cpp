// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Files of a set that other nodes have written, read by all.
#include <algorithm>
#include <cctype>
#include <set>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/path.hpp"
#include "comm/agree.hpp"
#include "compat/qio/nodes.hpp"
#include "compat/qio/open_reader.hpp"
#include "compat/qio/open_writer.hpp"
#include "compat/qio/record_sites.hpp"

namespace lq::compat::qio {
namespace {

// The number in ".vol0012" or "vol0012" at the end of a name; empty: it is none.
std::optional<int> number_of(const std::string& name, const std::string& beginning) {
  if (!name.starts_with(beginning)) return std::nullopt;
  const std::string digits = name.substr(beginning.size());
  const bool is_number = digits.size() >= 4 && digits.size() <= 9 &&
                         std::ranges::all_of(digits, [](unsigned char c) { return std::isdigit(c) != 0; });
  return is_number ? std::optional(std::stoi(digits)) : std::nullopt;
}

std::string name_in(const std::string& path) { return path.substr(path.rfind('/') + 1); }

// The nodes that have written files of that name, ascending.
std::vector<std::int32_t> writers_of(FilesOfSet& files, const std::string& name, int volfmt) {
  const std::string folder = base::directory_of(name);
  const std::string beginning = volfmt == QIO_PARTFILE_DIR ? "vol" : name_in(name) + ".vol";
  std::vector<std::string> names;
  if (const int failure = base::names_in(folder, names); failure != 0) {
    throw base::errno_error(folder, "look into the folder", failure);
  }
  if (files.replacement()) {
    for (const io::Replacement::Member& member : files.replacement()->members) {
      names.push_back(name_in(volfmt == QIO_PARTFILE_DIR ? base::directory_of(member.to) : member.to));
    }
  }
  const std::vector<std::string> surplus = files.surplus();
  std::set<std::int32_t> found;
  for (const std::string& one : names) {
    const auto number = number_of(one, beginning);
    if (!number) continue;
    const std::string path = name_of_part(name, volfmt, *number);
    if (std::ranges::find(surplus, path) == surplus.end() && files.has(path)) found.insert(*number);
  }
  return {found.begin(), found.end()};
}

}  // namespace

std::vector<std::string> parts_beside(storage::Transport& transport, const std::string& first) {
  const std::string name = name_in(first), folder = first.substr(0, first.size() - name.size());
  const auto is_part_folder = [](const std::string& one) { return number_of(one, "vol").has_value(); };
  const std::string inner = folder.empty() ? "" : name_in(folder.substr(0, folder.size() - 1));
  std::vector<std::string> names, parts;
  if (is_part_folder(inner)) {
    const std::string outer = folder.substr(0, folder.size() - inner.size() - 1);
    base::names_in(base::directory_of(outer + inner), names);
    for (const std::string& one : names) {
      if (is_part_folder(one)) parts.push_back(outer + one + "/" + name);
    }
  } else if (const std::size_t end = name.rfind(".vol"); end != std::string::npos) {
    base::names_in(base::directory_of(first), names);
    for (const std::string& one : names) {
      if (number_of(one, name.substr(0, end + 4))) parts.push_back(folder + one);
    }
  }
  std::erase_if(parts, [&](const std::string& path) { return transport.kind(path) != storage::PathKind::file; });
  return parts;
}

void Volumes::look_for(const std::string& name, int volfmt, RecordsIn* masters_records) {
  std::vector<std::int32_t> writers;
  comm::agree(nodes_, [&] {
    if (nodes_.rank() == master_) writers = writers_of(files_, name, volfmt);
  });
  broadcast_all(nodes_, writers, master_);
  comm::agree(nodes_, [&] {
    for (std::size_t v = 0; v < writers.size(); ++v) {
      Volume volume;
      volume.path = name_of_part(name, volfmt, writers[v]);
      const bool is_masters = writers[v] == master_;
      volume.leader = is_masters ? master_ : static_cast<int>(v % static_cast<std::size_t>(nodes_.size()));
      if (nodes_.rank() == volume.leader && is_masters) volume.records = masters_records;
      if (nodes_.rank() == volume.leader && !is_masters) {
        volume.file = files_.open(volume.path);
        volume.own = std::make_unique<RecordsIn>(*volume.file);
        volume.records = volume.own.get();
      }
      volumes_.push_back(std::move(volume));
    }
  });
  std::vector<std::uint64_t> found;
  std::uint64_t listed = 0;
  for (const Volume& volume : volumes_) {
    const std::vector<std::uint64_t> ranks = list_of(volume);
    listed += ranks.size();
    comm::agree(nodes_, [&] {
      const std::vector<std::uint64_t> mine = sites_.in_list(ranks).ranks();
      found.insert(found.end(), mine.begin(), mine.end());
    });
  }
  std::uint64_t all = sites_.count();
  nodes_.all_reduce({&all, 1}, comm::Reduce::sum);
  comm::agree(nodes_, [&] {
    std::ranges::sort(found);
    if (listed == all && found == sites_.ranks()) return;
    throw Refusal(QIO_ERR_BAD_SITELIST,
                  fmt::format("{}: its {} files do not have each site of the lattice once", name, volumes_.size()));
  });
}

std::vector<std::uint64_t> Volumes::read_list(const Volume& volume) const {
  const std::unique_ptr<storage::File> file = files_.open(volume.path);
  RecordsIn records(*file);
  while (const auto record = records.next()) {
    if (record->type != QIO_LIMETYPE_SITELIST) continue;
    // 64-bit ranks look repetitive when they are read as twice as many 32-bit ones.
    const auto bytes = records.bytes_of(*record);
    const auto narrow = site_list_of_bytes(bytes, bytes.size() / 4);
    const auto repeats = [](const std::vector<std::uint64_t>& ranks) {
      std::vector<std::uint64_t> sorted = ranks;
      std::ranges::sort(sorted);
      return std::ranges::adjacent_find(sorted) != sorted.end();
    };
    return bytes.size() % 8 == 0 && repeats(narrow) ? site_list_of_bytes(bytes, bytes.size() / 8) : narrow;
  }
  throw Refusal(QIO_ERR_BAD_SITELIST, volume.path + ": no list of sites");
}

std::vector<std::uint64_t> Volumes::list_of(const Volume& volume) {
  std::vector<std::uint64_t> ranks;
  comm::agree(nodes_, [&] {
    if (nodes_.rank() == volume.leader) ranks = read_list(volume);
  });
  broadcast_all(nodes_, ranks, volume.leader);
  return ranks;
}

RecordPart Volumes::find_in(const Volume& volume, const DML_Layout& layout, std::uint64_t site_bytes, Next next) {
  std::vector<std::uint64_t> ranks = list_of(volume);
  RecordPart part;
  FoundRecord record;
  const Hypercube hypercube = hypercube_of(layout);
  comm::agree(nodes_, [&] {
    if (layout.recordtype == QIO_HYPER) {
      std::erase_if(ranks, [&](std::uint64_t rank) { return !place_within(rank, hypercube.lattice, hypercube.box); });
    }
    part.path = volume.path;
    part.sites.of_family = ranks.size();
    const std::optional<Box> box = box_of(ranks, hypercube.lattice);
    part.sites.own = std::make_unique<NodeSites>(box ? sites_.within(hypercube.lattice, *box) : sites_.in_list(ranks));
    part.sites.order = part.sites.own.get();
    if (nodes_.rank() != volume.leader) return;
    record = next(*volume.records);
    require_sites(record, volume.path, ranks.size(), site_bytes);
  });
  part.sites.boxes = boxes_of(nodes_, hypercube.lattice, *part.sites.order);
  part.place_at(record, nodes_, volume.leader);
  return part;
}

std::vector<RecordPart> Volumes::find(const DML_Layout& layout, std::uint64_t site_bytes, Next next) {
  std::vector<RecordPart> parts = comm::agree(nodes_, [&] {
    std::vector<RecordPart> room;
    room.reserve(volumes_.size());
    return room;
  });
  for (const Volume& volume : volumes_) parts.push_back(find_in(volume, layout, site_bytes, next));
  return parts;
}

void Volumes::read(const DML_Layout& layout, const SiteCall& call, Moved& moved, std::exception_ptr& failure) {
  const auto next = [](RecordsIn& records) { return next_data(records); };
  for (const Volume& volume : volumes_) {
    const RecordPart part = find_in(volume, layout, call.site_bytes, next);
    const auto file = comm::agree(nodes_, [&] { return files_.open(part.path); });
    const SitePlace place{file.get(), part.offset, part.sites.of_family, volume.leader, {}};
    std::exception_ptr missing;
    const Checksum sum = comm::agree(nodes_, [&] { return move_sites(nodes_, part.sites, place, call, missing); });
    if (!failure) failure = missing;
    moved.sum.suma ^= sum.suma;
    moved.sum.sumb ^= sum.sumb;
    moved.bytes += part.sites.order->count() * call.site_bytes;
  }
}

int Volumes::skip() {
  return agree_code(nodes_, QIO_ERR_SKIP, [&] {
    for (const Volume& volume : volumes_) {
      if (volume.own != nullptr) next_data(*volume.own);
    }
  });
}

}  // namespace lq::compat::qio
