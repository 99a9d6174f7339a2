// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Views of a file by a partition (include/limequat/partition.hpp), of one process and of many together.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <limequat/error.hpp>
#include <limequat/view.hpp>

#include "base/error.hpp"
#include "base/path.hpp"
#include "base/text.hpp"
#include "comm/agree.hpp"
#include "lattice/tiles.hpp"
#include "storage/owners.hpp"
#include "storage/subfiles.hpp"
#include "storage/window.hpp"

namespace lq {

// Implementation of a view.

struct View::State {
  std::shared_ptr<storage::Subfiles> subfiles;
  storage::Window window;
  std::uint64_t at = 0;
  // The block size in which two clients lose each other's data, if this view shares subfiles with others.
  // Else 0.
  std::uint64_t shared_block_bytes = 0;
};

View::View(const std::string& path, const ViewOptions& options) {
  const auto subfiles = std::make_shared<storage::Subfiles>(partitioned_file(path, options.array), options.writable);
  state_.reset(new State{subfiles, storage::Window(subfiles)});
}

View::View(const std::string& path, const std::string& partition, std::uint64_t part, const ViewOptions& options) {
  PartitionedFile file = partitioned_file(path, options.array);
  const FileArray array = options.array.extents.empty() ? file.partition.array() : options.array;
  const auto subfiles = std::make_shared<storage::Subfiles>(std::move(file), options.writable);
  state_.reset(new State{subfiles, storage::Window(subfiles, Partition::parse(array, partition), part)});
  if (!options.writable) return;
  const storage::StorageTraits unit = storage::unit_of(subfiles->file());
  if (unit.single_owner && state_->window.shares_subfiles()) state_->shared_block_bytes = unit.bytes;
}

View::~View() = default;
View::View(View&&) noexcept = default;
View& View::operator=(View&&) noexcept = default;

View::State& View::open() const {
  if (!state_) throw Error(Code::wrong_state, "this view is closed; open it again");
  return *state_;
}

std::uint64_t View::size() const { return open().window.size(); }
const Partition& View::partition() const { return open().window.logical(); }
const PartitionedFile& View::file() const { return open().subfiles->file(); }
std::string View::path() const { return open().window.path(); }
void View::seek(std::uint64_t offset) { open().at = offset; }
std::uint64_t View::tell() const { return open().at; }

std::size_t View::read(std::span<std::byte> bytes) {
  const std::size_t got = read_at(open().at, bytes);
  open().at += got;
  return got;
}

void View::write(std::span<const std::byte> bytes) {
  write_at(open().at, bytes);
  open().at += bytes.size();
}

std::size_t View::read_at(std::uint64_t offset, std::span<std::byte> bytes) {
  return open().window.read_at(offset, bytes);
}

void View::write_at(std::uint64_t offset, std::span<const std::byte> bytes) {
  require_writable();
  if (const std::uint64_t block = open().shared_block_bytes; block > 0) {
    base::fail(Code::unsupported, path(),
               "cannot write this part on its own: it shares subfiles with other parts, and two clients of "
               "this file system that write into one block of {} bytes lose data. Call write_all() in all "
               "processes that write, or write a view of the whole file in one process",
               block);
  }
  open().window.write_at(offset, bytes);
}

void View::require_writable() const {
  if (open().subfiles->writes()) return;
  base::fail(Code::wrong_state, path(), "this view was opened for reading; open it writable");
}

void View::sync() { open().window.sync(); }

void View::close() {
  const std::unique_ptr<State> last = std::move(state_);
  if (last) last->window.close();
}

// Views of many processes, read and written together: all requests for a subfile are collected by the process that
// transfers it. Requests are sent as partitions and parts, not as lists: both sides compute
// which bytes of a chunk belong where, so messages contain nothing but data.

namespace sets {
namespace {

// The request of a rank.
struct PartRequest {
  Partition partition;
  std::uint64_t part = 0;
};

// Consecutive elements of one subfile.
struct Chunk {
  std::size_t subfile = 0;
  std::uint64_t begin = 0, end = 0;            // bytes of the subfile
  std::uint64_t file_begin = 0, file_end = 0;  // bytes of the file between which its elements are
};

class DiskDirected {
 public:
  DiskDirected(comm::Comm& comm, storage::Subfiles& subfiles, const storage::Window& window,
               const CollectiveOptions& options)
      : comm_(comm), subfiles_(subfiles), file_(subfiles_.file()) {
    comm::require_same(comm, [&] {
      return std::vector<comm::StatedArgument>{{"chunk_bytes", std::to_string(options.chunk_bytes)},
                                               {"the file of the view", storage::encode_description(file_)}};
    });
    comm::agree(comm, [&] {
      if (options.chunk_bytes == 0) throw Error(Code::invalid_argument, "chunk_bytes is 0, expected at least 1");
      if (window.logical().array() == file_.partition.array()) return;
      base::fail(Code::invalid_argument, file_.path,
                 "collective reads and writes need views of parts of the file's own array");
    });
    elements_at_once_ = std::max<std::uint64_t>(1, options.chunk_bytes / file_.partition.array().element_bytes);
    learn_wishes(fmt::format("{} {}\n", window.part(), window.logical().text()));
    comm::agree_alike(comm, [&] {
      for (std::size_t k = 0; k < file_.files.size(); ++k) {
        const std::uint64_t elements = file_.partition.elements(k);
        chunks_ += elements / elements_at_once_ + (elements % elements_at_once_ != 0 ? 1 : 0);
        chunks_to_.push_back(chunks_);
      }
    });
  }

  void read(std::span<std::byte> bytes) {
    for (std::uint64_t round = 0, all = rounds(); round < all; ++round) {
      const auto arrived = comm::exchange_messages(comm_, [&] { return pieces_for_all(round); });
      comm::agree(comm_, [&] {
        for (const comm::Message& message : arrived) {
          std::size_t at = 0;
          for_each_common(comm_.rank(), chunk_of(message.rank, round), [&](const storage::CommonPiece& piece) {
            std::memcpy(bytes.data() + piece.one, message.bytes.data() + at, static_cast<std::size_t>(piece.bytes));
            at += static_cast<std::size_t>(piece.bytes);
          });
        }
      });
    }
  }

  void write(std::span<const std::byte> bytes) {
    read_owners();
    for (std::uint64_t round = 0, all = rounds(); round < all; ++round) {
      const auto arrived = comm::exchange_messages(comm_, [&] { return pieces_from(bytes, round); });
      comm::agree(comm_, [&] { write_chunk(arrived, chunk_of(comm_.rank(), round)); });
    }
  }

 private:
  // One line from each rank.
  void learn_wishes(const std::string& mine) {
    std::string all;
    comm::agree(comm_, [&] {
      for (const auto& line : comm_.gather(base::as_bytes(mine), 0)) all += base::as_text(line);
    });
    all = comm::broadcast_text(comm_, all);
    comm::agree_alike(comm_, [&] {
      for (std::string_view rest = all; !rest.empty(); rest.remove_prefix(rest.find('\n') + 1)) {
        const std::string_view line = rest.substr(0, rest.find('\n'));
        const std::size_t space = line.find(' ');
        wishes_.push_back({Partition::parse(file_.partition.array(), line.substr(space + 1)),
                           base::parse_u64(line.substr(0, space)).value_or(0)});
      }
    });
  }

  // Chunks may end anywhere in a block: if two clients must not write into one, each subfile belongs to one rank.
  void read_owners() {
    const storage::Owners owners = storage::owners_of(comm_, [&] {
      const storage::StorageTraits seen = storage::unit_of(file_);
      const std::string folder = base::directory_of(file_.files.front().path);
      return storage::LocalTraits{seen, storage::client_of(storage::resolve(folder), folder, seen)};
    });
    has_own_subfiles_ = owners.have_incoherent_caches();
  }

  lattice::Share share_of(int rank) const noexcept {
    const std::uint64_t all = has_own_subfiles_ ? file_.files.size() : chunks_;
    const auto ranks = static_cast<std::uint64_t>(comm_.size());
    const lattice::Share share = lattice::share_of(all, ranks, static_cast<std::uint64_t>(rank));
    return has_own_subfiles_ ? lattice::Share{chunks_before(share.begin), chunks_before(share.end)} : share;
  }
  std::uint64_t chunks_before(std::uint64_t subfile) const noexcept {
    return subfile == 0 ? 0 : chunks_to_[static_cast<std::size_t>(subfile) - 1];
  }
  // The maximum over all ranks.
  std::uint64_t rounds() const noexcept {
    std::uint64_t most = 0;
    for (int rank = 0; rank < comm_.size(); ++rank) {
      const lattice::Share share = share_of(rank);
      most = std::max(most, share.end - share.begin);
    }
    return most;
  }

  // The chunk that a rank transfers in a round; empty when it is done.
  Chunk chunk_of(int rank, std::uint64_t round) const {
    const lattice::Share share = share_of(rank);
    const std::uint64_t number = share.begin + round;
    if (number >= share.end) return {};
    const auto k = static_cast<std::size_t>(std::ranges::upper_bound(chunks_to_, number) - chunks_to_.begin());
    const Partition& partition = file_.partition;
    const std::uint64_t first = (number - chunks_before(k)) * elements_at_once_;
    const std::uint64_t last = std::min(first + elements_at_once_, partition.elements(k)) - 1;
    const FileArray& array = partition.array();
    const std::uint64_t size = array.element_bytes, offset = file_.files[k].offset;
    return {.subfile = k,
            .begin = offset + first * size,
            .end = offset + (last + 1) * size,
            .file_begin = array.begin + partition.element_at({k, first}) * size,
            .file_end = array.begin + (partition.element_at({k, last}) + 1) * size};
  }

  // Bytes of a chunk that a rank requests, in file order: of its view (one) and of the subfile (other).
  template <class Work>
  void for_each_common(int rank, const Chunk& chunk, const Work& work) const {
    if (chunk.begin == chunk.end) return;
    const PartRequest& wish = wishes_[static_cast<std::size_t>(rank)];
    storage::PartBytes wanted(wish.partition, wish.part);
    storage::PartBytes there(file_.partition, chunk.subfile, file_.files[chunk.subfile].offset);
    storage::CommonBytes common(wanted, there, chunk.file_begin, chunk.file_end);
    for (storage::CommonPiece piece; common.next(piece);) work(piece);
  }

  // Read as soon as a rank requests data from it.
  std::vector<comm::Message> pieces_for_all(std::uint64_t round) {
    std::vector<comm::Message> messages;
    const Chunk chunk = chunk_of(comm_.rank(), round);
    bool is_read = false;
    for (int rank = 0; rank < comm_.size(); ++rank) {
      comm::Message message{rank, {}};
      for_each_common(rank, chunk, [&](const storage::CommonPiece& piece) {
        if (!is_read) read_chunk(chunk);
        is_read = true;
        const std::byte* from = buffer_.data() + (piece.other - chunk.begin);
        message.bytes.insert(message.bytes.end(), from, from + piece.bytes);
      });
      if (!message.bytes.empty()) messages.push_back(std::move(message));
    }
    return messages;
  }

  void read_chunk(const Chunk& chunk) {
    buffer_.resize(static_cast<std::size_t>(chunk.end - chunk.begin));
    storage::File& file = subfiles_.open(chunk.subfile);
    if (file.read_at(chunk.begin, buffer_) == buffer_.size()) return;
    base::fail(Code::truncated, {.path = file.path(), .offset = chunk.begin},
               "the file became shorter: it ends before byte {}", chunk.end);
  }

  std::vector<comm::Message> pieces_from(std::span<const std::byte> bytes, std::uint64_t round) const {
    std::vector<comm::Message> messages;
    for (int rank = 0; rank < comm_.size(); ++rank) {
      comm::Message message{rank, {}};
      for_each_common(comm_.rank(), chunk_of(rank, round), [&](const storage::CommonPiece& piece) {
        const std::byte* from = bytes.data() + piece.one;
        message.bytes.insert(message.bytes.end(), from, from + piece.bytes);
      });
      if (!message.bytes.empty()) messages.push_back(std::move(message));
    }
    return messages;
  }

  // The received data are put together and written in as few runs as possible, from front to back.
  void write_chunk(const std::vector<comm::Message>& arrived, const Chunk& chunk) {
    buffer_.resize(static_cast<std::size_t>(chunk.end - chunk.begin));
    struct Run {
      std::uint64_t begin, end;
    };
    std::vector<Run> runs;
    for (const comm::Message& message : arrived) {
      std::size_t at = 0;
      for_each_common(message.rank, chunk, [&](const storage::CommonPiece& piece) {
        std::memcpy(buffer_.data() + (piece.other - chunk.begin), message.bytes.data() + at,
                    static_cast<std::size_t>(piece.bytes));
        at += static_cast<std::size_t>(piece.bytes);
        if (!runs.empty() && runs.back().end == piece.other) {
          runs.back().end += piece.bytes;
        } else {
          runs.push_back({piece.other, piece.other + piece.bytes});
        }
      });
    }
    std::ranges::sort(runs, {}, &Run::begin);
    for (std::size_t k = 0; k < runs.size();) {
      Run run = runs[k];
      for (++k; k < runs.size() && runs[k].begin <= run.end; ++k) run.end = std::max(run.end, runs[k].end);
      subfiles_.open(chunk.subfile)
          .write_at(run.begin, base::Bytes(buffer_).subspan(static_cast<std::size_t>(run.begin - chunk.begin),
                                                            static_cast<std::size_t>(run.end - run.begin)));
    }
  }

  comm::Comm& comm_;
  storage::Subfiles& subfiles_;
  const PartitionedFile& file_;
  bool has_own_subfiles_ = false;  // each subfile is handled by one rank
  std::uint64_t elements_at_once_ = 1, chunks_ = 0;
  std::vector<std::uint64_t> chunks_to_;  // of the subfiles up to and including each
  std::vector<PartRequest> wishes_;       // by rank
  std::vector<std::byte> buffer_;
};

}  // namespace
}  // namespace sets

View::State& View::open_for_all(const Communicator& communicator, std::uint64_t bytes, bool writes) {
  State* state = nullptr;
  comm::agree(communicator.engine(), [&] {
    state = &open();
    if (writes) require_writable();
    if (bytes == size()) return;
    base::fail(Code::invalid_argument, path(), "{} bytes for a view of {}; all of it is read or written together",
               bytes, size());
  });
  return *state;
}

void View::read_all(std::span<std::byte> bytes, const Communicator& communicator, const CollectiveOptions& options) {
  State& state = open_for_all(communicator, bytes.size(), false);
  sets::DiskDirected(communicator.engine(), *state.subfiles, state.window, options).read(bytes);
}

void View::write_all(std::span<const std::byte> bytes, const Communicator& communicator,
                     const CollectiveOptions& options) {
  State& state = open_for_all(communicator, bytes.size(), true);
  sets::DiskDirected(communicator.engine(), *state.subfiles, state.window, options).write(bytes);
}

}  // namespace lq
