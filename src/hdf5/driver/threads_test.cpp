// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The HDF5 library may be one that is not thread-safe: it is asked, and whatever it answers Limequat calls it from one
// thread at a time, and from no thread of its own after a call returned. The functions here take the place of the
// library's and call these.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <hdf5.h>
#include <unistd.h>

#include <atomic>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <limequat/limequat.hpp>

#include "hdf5/driver/library.hpp"
#include "support/scratch_directory.hpp"

namespace {

std::atomic<bool> is_safe{true}, is_watched{false};
std::atomic<int> inside{0}, calls{0}, overlaps{0};
std::mutex threads_mutex;
std::set<std::thread::id> threads;

// During one call of the library, which is made longer so that others would meet it.
class Called {
 public:
  Called() : counts_(is_watched) {
    if (!counts_) return;
    ++calls;
    const bool is_outermost = depth()++ == 0;
    if (is_outermost && inside++ != 0) ++overlaps;
    const std::lock_guard lock(threads_mutex);
    threads.insert(std::this_thread::get_id());
    ::usleep(20);
  }
  ~Called() {
    if (counts_ && --depth() == 0) --inside;
  }
  Called(const Called&) = delete;
  Called& operator=(const Called&) = delete;

 private:
  static int& depth() {
    thread_local int of_thread = 0;
    return of_thread;
  }

  const bool counts_;
};

template <class Function>
Function* real(Function*, const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" {
herr_t H5is_library_threadsafe(hbool_t* answer) {
  *answer = is_safe;
  return 0;
}
hid_t H5Fopen(const char* name, unsigned flags, hid_t access) {
  const Called called;
  return real(&H5Fopen, "H5Fopen")(name, flags, access);
}
hid_t H5Fcreate(const char* name, unsigned flags, hid_t creation, hid_t access) {
  const Called called;
  return real(&H5Fcreate, "H5Fcreate")(name, flags, creation, access);
}
herr_t H5Fclose(hid_t file) {
  const Called called;
  return real(&H5Fclose, "H5Fclose")(file);
}
hid_t H5Oopen(hid_t place, const char* name, hid_t access) {
  const Called called;
  return real(&H5Oopen, "H5Oopen")(place, name, access);
}
herr_t H5Oclose(hid_t object) {
  const Called called;
  return real(&H5Oclose, "H5Oclose")(object);
}
herr_t H5Aread(hid_t attribute, hid_t type, void* bytes) {
  const Called called;
  return real(&H5Aread, "H5Aread")(attribute, type, bytes);
}
herr_t H5Awrite(hid_t attribute, hid_t type, const void* bytes) {
  const Called called;
  return real(&H5Awrite, "H5Awrite")(attribute, type, bytes);
}
}

namespace lq::hdf5 {
namespace {

const Extents edge_four{4, 4, 4, 4};

std::vector<double> quarters() { return std::vector<double>(256 * 72, 0.25); }

WriteOptions in_chunks() {
  WriteOptions options;
  options.dataset_chunk = "slice";
  options.filters = "shuffle";
  return options;
}

// A library that is not thread-safe, by its own word, and whose calls are watched.
class Watched {
 public:
  Watched() {
    is_safe = false;
    calls = overlaps = 0;
    threads.clear();
    is_watched = true;
  }
  ~Watched() {
    is_watched = false;
    is_safe = true;
  }
  Watched(const Watched&) = delete;
  Watched& operator=(const Watched&) = delete;
};

TEST(Threads, OfTheLibraryAreAskedFor) {
  EXPECT_TRUE(is_thread_safe());
  EXPECT_NE(library_facts().find(", thread-safe"), std::string::npos) << library_facts();
  is_safe = false;
  EXPECT_FALSE(is_thread_safe());
  EXPECT_NE(library_facts().find("not thread-safe: the program must not"), std::string::npos) << library_facts();
  bool is_in_parts = false;
  for (const BuildPart& part : build_parts()) is_in_parts = is_in_parts || part.note == library_facts();
  EXPECT_TRUE(is_in_parts);
  is_safe = true;
}

TEST(Threads, CallTheLibraryOneAtATime) {
  const Watched watched;
  const testing::ScratchDirectory folder;
  const auto work = [&](int number) {
    const Grid grid(edge_four);
    const auto links = quarters();
    auto read_links = quarters();
    for (int round = 0; round < 3; ++round) {
      const std::string path = folder / (std::to_string(number) + "_" + std::to_string(round) + ".h5");
      write(path, grid, gauge(links), in_chunks());
      EXPECT_EQ(inspect(path).fields.size(), 1u);
      read(path, grid, gauge(read_links));
      convert(path, folder / (std::to_string(number) + "_" + std::to_string(round) + "b.h5"));
    }
  };
  std::vector<std::thread> workers;
  for (int number = 0; number < 4; ++number) workers.emplace_back(work, number);
  for (std::thread& worker : workers) worker.join();
  EXPECT_GE(threads.size(), 4u);
  EXPECT_GT(calls, 500);
  EXPECT_EQ(overlaps, 0);
}

TEST(Threads, ThatDoNotTakeTurnsWouldBeSeen) {
  const Watched watched;
  const auto work = [] {
    for (int k = 0; k < 100'000 && overlaps == 0; ++k) const Called called;
  };
  std::thread first(work), second(work);
  first.join();
  second.join();
  EXPECT_GT(overlaps, 0);
}

// A program can keep its own calls and Limequat's on one thread: transfers in the background call none.
TEST(Threads, OfTransfersInTheBackgroundDoNotCallTheLibrary) {
  const Watched watched;
  const testing::ScratchDirectory folder;
  const Grid grid(edge_four);
  const auto links = quarters();
  auto read_links = quarters();
  for (const bool has_chunks : {false, true}) {
    const std::string path = folder / (has_chunks ? "chunks.h5" : "plain.h5");
    Pending writing = write_async(path, grid, gauge(links), has_chunks ? in_chunks() : WriteOptions());
    ::usleep(50'000);
    writing.wait();
    Pending reading = read_async(path, grid, gauge(read_links));
    ::usleep(50'000);
    reading.wait();
    EXPECT_EQ(read_links, links);
  }
  EXPECT_GT(calls, 50);
  EXPECT_EQ(threads, std::set{std::this_thread::get_id()});
}

}  // namespace
}  // namespace lq::hdf5
