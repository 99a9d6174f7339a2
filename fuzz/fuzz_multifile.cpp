// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Any bytes as the files of a multifile, cut at a separator, and as its buddy copies: opened in every way there is, by
// this process and by tasks that are threads, and read to the end, by chunks, by keys and collectively. Whatever a task
// meets, the others go on: what hangs is found by its time.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <thread>

#include <limequat/error.hpp>

#include "format/sion/set.hpp"
#include "multifile/mapped_file.hpp"
#include "multifile/parallel_file.hpp"
#include "multifile/serial_file.hpp"
#include "multifile/threads.hpp"
#include "pieces.hpp"
#include "support/thread_comm.hpp"

namespace {

using namespace lq;
using namespace lq::multifile;

constexpr std::size_t most_read = 1 << 18;

template <class Function>
void attempt(Function&& function) {
  try {
    function();
  } catch (const Error& error) {
    if (error.code() == Code::internal || error.code() == Code::communication) throw;
  }
}

void require(bool holds, const char* what) {
  if (!holds) throw std::logic_error(what);
}

// An empty piece is a file that is not there.
std::shared_ptr<storage::Transport> files_of(std::string_view input) {
  const std::string copy = format::sion::buddy_name("set", 0);
  const auto files = storage::make_memory();
  std::int32_t k = 0;
  for (const std::string_view piece : fuzz::pieces(input, 6)) {
    const std::string name = format::sion::file_name(k < 3 ? "set" : copy, k % 3);
    if (!piece.empty()) files->create(name)->write_at(0, std::as_bytes(std::span(piece)));
    ++k;
  }
  return files;
}

Opening opening_of(storage::Transport& files, const char* mode) {
  Opening request;
  request.path = "set";
  request.mode = parse_mode(mode);
  request.opener.transport = &files;
  return request;
}

void read_chunks(Multifile& file) {
  std::vector<std::byte> buffer(4096);
  std::uint64_t total = 0;
  while (!file.is_at_end() && total < most_read) total += file.read(buffer);
  require(total <= file.selected().stream.size(), "no more bytes than the stream has");
}

void read_keys(Multifile& file) {
  const KeyIndex::ReadStream read = [&](std::uint64_t position, base::MutableBytes buffer) {
    return file.read_stream(position, buffer);
  };
  KeyIndex& keys = file.keys();
  const std::uint64_t bytes = file.selected().stream.size();
  std::vector<std::byte> buffer(500);
  for (int count = 0; count < 3; ++count) {
    const auto record = keys.next_record(read);
    if (!record) break;
    require(record->position <= bytes && record->length <= bytes - record->position, "a record lies in its stream");
    keys.read(read, record->key, 3, buffer);
    keys.seek(read, record->key, 0, record->length);
    keys.seek_bytes(read, record->key, record->length / 2);
  }
  keys.scan_all(read);
  keys.begin_keys();
  for (auto key = keys.next_key(); key; key = keys.next_key()) {
    require(keys.statistics(*key)->records > 0, "a key has records");
    keys.seek(read, *key, keys.statistics(*key)->records - 1, 0);
    keys.read(read, *key, 1, buffer);
  }
}

void read_all(Multifile& file) {
  for (std::size_t task = 0; task < std::min<std::size_t>(file.tasks(), 16); ++task) {
    attempt([&] { file.select(task); });
    attempt([&] { read_chunks(file); });
    attempt([&] { read_keys(file); });
    attempt([&] {
      const std::uint64_t bytes = file.selected().stream.size();
      for (const std::uint64_t position : {bytes / 2, bytes}) {
        const auto spot = file.selected().stream.find(position);
        require(spot.has_value(), "every byte of a stream is somewhere");
        file.seek(*spot);
        require(file.selected().stream.logical_position() == position, "a seek arrives");
      }
    });
  }
}

void open_alone(storage::Transport& files) {
  attempt([&] {
    const auto file = SerialFile::open(opening_of(files, "br,posix"));
    read_all(*file);
    file->close();
  });
  for (const std::int64_t task : {0, 1, 7}) {
    attempt([&] { read_all(*SerialFile::open_task(opening_of(files, "br,posix,keyval=inline"), task)); });
  }
}

void read_together(ParallelFile& file) {
  std::vector<std::byte> buffer(100);
  for (int call = 0; call < 3 && file.is_collective(); ++call) attempt([&] { file.read_together(buffer); });
  attempt([&] { file.close(); });
}

void open_in_parallel(const std::shared_ptr<Team>& team, storage::Transport& files) {
  attempt([&] {
    const auto file = ParallelFile::open(team, opening_of(files, "br,posix"));
    read_all(*file);
    file->close();
  });
  attempt([&] { read_together(*ParallelFile::open(team, opening_of(files, "br,posix,collective"))); });
}

// Where ranks cannot meet any more, they would have waited for ever: testing::run_ranks() has an error for that.
void open_by_ranks(storage::Transport& files, int ranks) {
  lq::testing::run_ranks(ranks, [&](const std::shared_ptr<comm::Comm>& comm) {
    attempt([&] {
      const auto file = MappedFile::open(comm, opening_of(files, "br,posix"), std::nullopt);
      read_all(*file);
      file->close();
    });
    const std::shared_ptr<Team> team = make_team(comm);
    open_in_parallel(team, files);
    const TaskLocation location = locate_evenly(comm->rank(), ranks, std::min(ranks, 2));
    attempt(
        [&] { read_together(*ParallelFile::open_with_buddies(team, opening_of(files, "br,posix,buddy"), location)); });
  });
}

void open_by_threads(storage::Transport& files, int ranks, int threads) {
  lq::testing::run_ranks(ranks, [&](const std::shared_ptr<comm::Comm>& comm) {
    const auto shared = std::make_shared<ThreadsComm::Shared>(threads, comm);
    const auto work = [&](int thread) {
      open_in_parallel(std::make_shared<ThreadsTeam>(std::make_shared<ThreadsComm>(shared, thread)), files);
    };
    std::vector<std::thread> others;
    for (int t = 1; t < threads; ++t) others.emplace_back(work, t);
    work(0);  // the rank's own, which alone communicates
    for (std::thread& other : others) other.join();
  });
}

// As many as have written, where those are few.
int tasks_of(storage::Transport& files) {
  int tasks = 2;
  attempt([&] {
    const multifile::Metadata first = multifile::read_metadata(files, "set");
    const std::size_t written = first.tail.map ? first.tail.map->size() : static_cast<std::size_t>(first.head.tasks);
    if (written <= 6) tasks = static_cast<int>(written);
  });
  return tasks;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto files = files_of({reinterpret_cast<const char*>(data), std::min<std::size_t>(size, 1 << 16)});
  open_alone(*files);
  if (size < 2 || data[0] != 's' || data[1] != 'i') return 0;  // of another format, and too many to open all together
  const int tasks = tasks_of(*files);
  open_by_ranks(*files, tasks);
  open_by_threads(*files, tasks % 2 == 0 ? 2 : 1, tasks % 2 == 0 ? tasks / 2 : tasks);
  return 0;
}
