// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A trace recorder: each thread writes its events into its own stream, compressed by zlib,
// without knowing their number in advance. The analysis reads the streams one after another, as many at a time as it
// has cores.
//
//   trace_recorder FILE
//
// Prints:
//   8 threads recorded 36000 events
//   compressed to less than a third
//   every enter has its leave
//   the longest stay is 997 ticks, in thread 7
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <limequat/limequat.hpp>
#include <stdexcept>
#include <thread>

namespace {

struct Event {
  std::uint64_t time;
  std::uint32_t region;
  std::uint32_t enters;  // or leaves
};

void require(bool holds, const char* what) {
  if (!holds) throw std::runtime_error(what);
}

// The state of a measurement library for each thread.
class Recorder {
 public:
  explicit Recorder(lq::OutStream& stream) : stream_(stream) {
    require(deflateInit(&state_, Z_BEST_SPEED) == Z_OK, "zlib does not start");
  }
  ~Recorder() { deflateEnd(&state_); }
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  void record(Event event) { put({reinterpret_cast<const Bytef*>(&event), sizeof event}, Z_NO_FLUSH); }
  void finish() { put({}, Z_FINISH); }

 private:
  void put(std::basic_string_view<Bytef> bytes, int mode) {
    std::array<Bytef, 4096> out;
    state_.next_in = const_cast<Bytef*>(bytes.data());
    state_.avail_in = static_cast<uInt>(bytes.size());
    do {
      state_.next_out = out.data();
      state_.avail_out = out.size();
      deflate(&state_, mode);
      stream_.write(std::as_bytes(std::span(out).first(out.size() - state_.avail_out)));
    } while (state_.avail_out == 0);
  }

  lq::OutStream& stream_;
  z_stream state_{};
};

void record_thread(lq::OutStream& stream, std::uint64_t thread) {
  Recorder recorder(stream);
  std::uint64_t now = 0;
  for (std::uint64_t call = 0; call < 1000 * (thread + 1) / 2; ++call) {
    recorder.record({now += 3, static_cast<std::uint32_t>(call % 17), 1});
    now += thread == 7 && call == 2000 ? 997 : call * 31 % 400;
    recorder.record({now, static_cast<std::uint32_t>(call % 17), 0});
  }
  recorder.finish();
}

// All events of a thread.
std::vector<Event> replay(lq::InStream stream) {
  z_stream state{};
  require(inflateInit(&state) == Z_OK, "zlib does not start");
  std::vector<Event> events;
  std::array<std::byte, 4096> in;
  Event event{};
  state.next_out = reinterpret_cast<Bytef*>(&event);
  state.avail_out = sizeof event;
  for (int result = Z_OK; result != Z_STREAM_END;) {
    if (state.avail_in == 0) {
      state.avail_in = static_cast<uInt>(stream.read(in));
      state.next_in = reinterpret_cast<Bytef*>(in.data());
    }
    result = inflate(&state, Z_NO_FLUSH);
    require(result == Z_OK || result == Z_STREAM_END, "a trace is damaged");
    if (state.avail_out > 0) continue;
    events.push_back(event);
    state.next_out = reinterpret_cast<Bytef*>(&event);
    state.avail_out = sizeof event;
  }
  inflateEnd(&state);
  return events;
}

struct Findings {
  std::size_t events = 0;
  std::uint64_t longest = 0;
  bool is_balanced = true;
};

Findings analyse(const std::vector<Event>& events) {
  Findings found{events.size(), 0, events.size() % 2 == 0};
  for (std::size_t i = 0; i + 1 < events.size(); i += 2) {
    found.is_balanced = found.is_balanced && events[i].enters == 1 && events[i + 1].enters == 0 &&
                        events[i].region == events[i + 1].region;
    found.longest = std::max(found.longest, events[i + 1].time - events[i].time);
  }
  return found;
}

void record(const std::string& path) {
  lq::MultifileOptions options;
  options.streams = 8;
  options.overwrite = true;
  lq::MultifileWriter writer(path, {}, options);
  std::vector<std::thread> threads;
  for (std::uint64_t i = 0; i < 8; ++i) threads.emplace_back([&, i] { record_thread(writer.stream(i), i); });
  for (std::thread& one : threads) one.join();
  writer.close();
}

void analyse_all(const std::string& path) {
  const lq::MultifileReader reader(path);
  std::vector<Findings> found(static_cast<std::size_t>(reader.tasks()));
  std::vector<std::thread> threads;
  for (std::size_t part = 0; part < 2; ++part) {
    threads.emplace_back([&, part] {
      for (std::size_t i = part; i < found.size(); i += 2) {
        found[i] = analyse(replay(reader.task(static_cast<std::int64_t>(i))));
      }
    });
  }
  for (std::thread& one : threads) one.join();

  std::size_t events = 0;
  for (const Findings& one : found) events += one.events;
  const auto slowest = std::ranges::max_element(found, {}, &Findings::longest);
  std::printf("%zu threads recorded %zu events\n", found.size(), events);
  std::printf("compressed to %s than a third\n", reader.info().bytes * 3 < events * sizeof(Event) ? "less" : "more");
  std::printf("every enter has its leave%s\n", std::ranges::all_of(found, &Findings::is_balanced) ? "" : ", or not");
  std::printf("the longest stay is %llu ticks, in thread %td\n", static_cast<unsigned long long>(slowest->longest),
              slowest - found.begin());
}

}  // namespace

int main(int argc, char** argv) {
  const std::string path = argc > 1 ? argv[1] : "trace.sion";
  try {
    record(path);
    analyse_all(path);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
