// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "sets/checkpoints/proof.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "base/bytes.hpp"
#include "base/file_error.hpp"
#include "base/function_ref.hpp"
#include "comm/agree.hpp"
#include "comm/node.hpp"
#include "comm/team.hpp"
#include "io/sites.hpp"
#include "kernels/crc32.hpp"
#include "storage/owners.hpp"

namespace lq::sets {
namespace {

constexpr std::uint64_t read_at_a_time = base::mebi;

std::uint64_t blocks_of_file(const SummedFile& file, std::uint64_t block) noexcept {
  return (file.bytes + block - 1) / block;
}

// The blocks of all files, one after the other, of which each rank has a stretch.
class Blocks {
 public:
  Blocks(storage::Transport& transport, const std::string& folder, const Manifest& manifest)
      : transport_(transport), folder_(folder), manifest_(manifest), open_(manifest.files.size()) {
    for (const SummedFile& file : manifest.files) {
      begins_.push_back(count_);
      count_ += blocks_of_file(file, manifest.block_bytes);
    }
  }

  std::uint64_t count() const noexcept { return count_; }

  // So that threads find them open. truncated: a file has another size.
  void open(std::uint64_t first, std::uint64_t end) {
    for (std::size_t file = 0; file < open_.size(); ++file) {
      const std::uint64_t behind = file + 1 < begins_.size() ? begins_[file + 1] : count_;
      if (behind > first && begins_[file] < end) open_file(file);
    }
  }
  // The root looks at those that have no block at all.
  void look_at_empty() {
    for (std::size_t file = 0; file < open_.size(); ++file) {
      if (manifest_.files[file].bytes == 0) open_file(file);
    }
  }

  struct Place {
    std::size_t file;
    std::uint64_t block;  // of the file
    std::uint64_t offset, bytes;
  };
  Place place(std::uint64_t number) const {
    const auto behind = std::ranges::upper_bound(begins_, number);
    auto file = static_cast<std::size_t>(behind - begins_.begin()) - 1;
    const std::uint64_t block = number - begins_[file], offset = block * manifest_.block_bytes;
    return {file, block, offset, std::min(manifest_.block_bytes, manifest_.files[file].bytes - offset)};
  }

  std::uint32_t sum(const Place& place, base::MutableBytes buffer) const {
    std::uint32_t crc = 0;
    for (std::uint64_t at = 0; at < place.bytes; at += buffer.size()) {
      const auto piece =
          buffer.first(static_cast<std::size_t>(std::min<std::uint64_t>(buffer.size(), place.bytes - at)));
      storage::File& file = *open_[place.file];
      if (file.read_at(place.offset + at, piece) != piece.size()) throw shorter(place.file, file.size());
      crc = kernels::crc32(crc, piece);
    }
    return crc;
  }
  std::string path(std::size_t file) const { return folder_ + "/" + manifest_.files[file].name; }

 private:
  void open_file(std::size_t number) {
    open_[number] = transport_.open_read(path(number));
    const std::uint64_t found = open_[number]->size();
    if (found != manifest_.files[number].bytes) throw shorter(number, found);
  }
  Error shorter(std::size_t file, std::uint64_t found) const {
    const std::uint64_t expected = manifest_.files[file].bytes;
    return {found < expected ? Code::truncated : Code::malformed,
            fmt::format("{}: it has {} bytes; the manifest of the checkpoint says {}", path(file), found, expected),
            {.path = path(file), .expected = std::to_string(expected), .found = std::to_string(found)}};
  }

  storage::Transport& transport_;
  const std::string& folder_;
  const Manifest& manifest_;
  std::vector<std::unique_ptr<storage::File>> open_;
  std::vector<std::uint64_t> begins_;
  std::uint64_t count_ = 0;
};

// Local. Each block of the share of a rank, with its sum, by several threads.
void for_each_sum(Blocks& blocks, int share, int shares, int threads, std::uint64_t block_bytes,
                  base::FunctionRef<void(const Blocks::Place&, std::uint32_t)> take) {
  const auto number = static_cast<std::uint64_t>(share), all = static_cast<std::uint64_t>(shares);
  const std::uint64_t first = blocks.count() * number / all, end = blocks.count() * (number + 1) / all;
  if (share == 0) blocks.look_at_empty();
  if (first == end) return;
  blocks.open(first, end);
  comm::Team team(threads);
  const auto piece = static_cast<std::size_t>(std::min(block_bytes, read_at_a_time));
  std::vector<std::vector<std::byte>> buffers(static_cast<std::size_t>(team.size()));
  for (std::vector<std::byte>& buffer : buffers) buffer.resize(piece);
  comm::parallel_for(team, end - first, [&](int thread, std::uint64_t item) {
    const Blocks::Place place = blocks.place(first + item);
    take(place, blocks.sum(place, buffers[static_cast<std::size_t>(thread)]));
  });
}

}  // namespace

void sum_files(comm::Comm& comm, storage::Transport& transport, const std::string& folder, Manifest& manifest) {
  const int threads = comm::thread_count(comm, 0, manifest.bytes());
  std::vector<std::vector<std::uint64_t>> sums;
  comm::agree(comm, [&] {
    Blocks blocks(transport, folder, manifest);
    for (SummedFile& file : manifest.files) {
      sums.emplace_back(static_cast<std::size_t>(blocks_of_file(file, manifest.block_bytes)));
      file.sums.resize(sums.back().size());
    }
    for_each_sum(blocks, comm.rank(), comm.size(), threads, manifest.block_bytes,
                 [&](const Blocks::Place& place, std::uint32_t crc) {
                   sums[place.file][static_cast<std::size_t>(place.block)] = crc;
                 });
  });
  for (std::size_t file = 0; file < sums.size(); ++file) {
    if (sums[file].empty()) continue;
    comm.all_reduce(sums[file], comm::Reduce::sum);
    std::ranges::transform(sums[file], manifest.files[file].sums.begin(),
                           [](std::uint64_t sum) { return static_cast<std::uint32_t>(sum); });
  }
}

void prove(comm::Comm& comm, storage::Transport& transport, const std::string& folder, const Manifest& manifest,
           int threads) {
  const int team = comm::thread_count(comm, threads, manifest.bytes());
  const std::uint64_t client =
      comm::agree(comm, [&] { return storage::client_of(transport, folder, transport.unit(folder + "/.")); });
  const std::uint64_t shift = io::shift_to_other_clients(comm, client);
  comm::agree(comm, [&] {
    Blocks blocks(transport, folder, manifest);
    const auto share =
        static_cast<int>((static_cast<std::uint64_t>(comm.rank()) + shift) % static_cast<std::uint64_t>(comm.size()));
    for_each_sum(
        blocks, share, comm.size(), team, manifest.block_bytes, [&](const Blocks::Place& place, std::uint32_t found) {
          const std::uint32_t expected = manifest.files[place.file].sums[static_cast<std::size_t>(place.block)];
          if (found == expected) return;
          const std::string path = blocks.path(place.file);
          throw base::file_error(Code::checksum_mismatch,
                                 {.path = path,
                                  .offset = place.offset,
                                  .expected = fmt::format("{:08x}", expected),
                                  .found = fmt::format("{:08x}", found)},
                                 "bytes {} to {} are not as they were written: CRC-32 {:08x}, expected {:08x}",
                                 place.offset, place.offset + place.bytes - 1, found, expected);
        });
  });
}

}  // namespace lq::sets
