// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Files that functions read, over the bytes of files that were written: what is read of both is the same.
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <limequat/error.hpp>
#include <limequat/storage.hpp>

#include "storage/transport.hpp"
#include "support/error_of.hpp"

namespace lq {
namespace {

std::vector<std::byte> numbered(std::size_t count) {
  std::vector<std::byte> bytes(count);
  for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::byte>(i * 7 % 251);
  return bytes;
}

// Gives at most `most` bytes at a time.
ReadCallbacks over(const std::vector<std::byte>& bytes, std::size_t most = 1000) {
  ReadCallbacks callbacks;
  callbacks.read_at = [&bytes, most](std::uint64_t offset, std::span<std::byte> to) {
    const std::size_t count = std::min({to.size(), most, bytes.size() - static_cast<std::size_t>(offset)});
    std::memcpy(to.data(), bytes.data() + offset, count);
    return count;
  };
  callbacks.bytes = bytes.size();
  callbacks.name = "numbers.bin";
  return callbacks;
}

std::unique_ptr<storage::File> opened(const std::string& path) { return storage::resolve(path).open_read(path); }

TEST(CallbackFiles, GiveTheBytesOfTheFunctionsAtEveryPlace) {
  const std::vector<std::byte> bytes = numbered(5000);
  const CallbackFile file(over(bytes, 999));
  const auto open = opened(file.path());
  EXPECT_EQ(open->size(), bytes.size());
  EXPECT_EQ(open->path(), file.path());
  EXPECT_TRUE(file.path().ends_with("/numbers.bin"));
  for (const std::size_t offset : {0UL, 1UL, 998UL, 999UL, 1000UL, 4990UL, 4999UL, 5000UL, 6000UL}) {
    std::vector<std::byte> got(2500, std::byte{0xee});
    const std::size_t count = open->read_at(offset, got);
    ASSERT_EQ(count, offset >= bytes.size() ? 0 : std::min(got.size(), bytes.size() - offset)) << offset;
    EXPECT_EQ(std::memcmp(got.data(), bytes.data() + std::min(offset, bytes.size()), count), 0) << offset;
    EXPECT_TRUE(count == got.size() || got[count] == std::byte{0xee}) << offset;
  }
}

TEST(CallbackFiles, AreKnownAsLongAsTheyLiveAndHaveNoSiblings) {
  const std::vector<std::byte> bytes = numbered(10);
  std::string path;
  {
    const CallbackFile one(over(bytes)), other(over(bytes));
    path = one.path();
    EXPECT_NE(path, other.path());
    storage::Transport& transport = storage::resolve(path);
    EXPECT_EQ(transport.kind(path), storage::PathKind::file);
    EXPECT_EQ(transport.kind(path + ".vol0001"), storage::PathKind::absent);
    EXPECT_EQ(testing::error_of([&] { transport.open_read(path + "x"); }).code(), Code::not_found);
    EXPECT_FALSE(
        storage::is_same_file(transport.identity(path), storage::resolve(other.path()).identity(other.path())));
  }
  EXPECT_EQ(testing::error_of([&] { opened(path); }).code(), Code::not_found);
}

TEST(CallbackFiles, MayBeKnownByTheirAddress) {
  const std::vector<std::byte> bytes = numbered(10);
  ReadCallbacks callbacks = over(bytes);
  callbacks.name = "https://example.org/conf.ildg";
  const CallbackFile file(callbacks);
  EXPECT_EQ(file.path(), callbacks.name);
  EXPECT_EQ(opened(file.path())->size(), bytes.size());
  EXPECT_EQ(storage::resolve(file.path() + ".vol0001").kind(file.path() + ".vol0001"), storage::PathKind::absent);
  EXPECT_EQ(testing::error_of([&] { const CallbackFile again(callbacks); }).code(), Code::wrong_state);
}

TEST(CallbackFiles, CannotBeWrittenToByAnyOperation) {
  const std::vector<std::byte> bytes = numbered(10);
  const CallbackFile file(over(bytes));
  const std::string& path = file.path();
  storage::Transport& transport = storage::resolve(path);
  const auto open = opened(path);
  const std::vector<std::function<void()>> operations = {[&] { transport.create(path + "x"); },
                                                         [&] { transport.open_write(path); },
                                                         [&] { transport.rename(path, path + "x"); },
                                                         [&] { transport.publish(path, path + "x"); },
                                                         [&] { transport.remove(path); },
                                                         [&] { transport.set_modified(path, 1); },
                                                         [&] { open->write_at(0, numbered(1)); },
                                                         [&] { open->resize(0); }};
  for (const auto& operation : operations) {
    const Error error = testing::error_of(operation);
    EXPECT_EQ(error.code(), Code::unsupported);
    EXPECT_NE(std::string(error.what()).find(path), std::string::npos) << error.what();
  }
}

TEST(CallbackFiles, FailuresOfFunctionsNameFileAndPlace) {
  const std::vector<std::byte> bytes = numbered(100);
  const auto failing = [&](std::function<std::size_t()> answer) {
    ReadCallbacks callbacks = over(bytes);
    callbacks.read_at = [answer](std::uint64_t, std::span<std::byte>) { return answer(); };
    const CallbackFile file(std::move(callbacks));
    return testing::error_of([&] {
      std::vector<std::byte> to(10);
      opened(file.path())->read_at(20, to);
    });
  };
  const Error thrown = failing([]() -> std::size_t { throw std::runtime_error("the server is gone"); });
  EXPECT_EQ(thrown.code(), Code::io);
  EXPECT_EQ(thrown.facts().offset, 20U);
  EXPECT_NE(std::string(thrown.what())
                .find("numbers.bin: the program's function cannot read 10 bytes at byte 20: the server is gone"),
            std::string::npos)
      << thrown.what();
  EXPECT_EQ(failing([]() -> std::size_t { throw Error(Code::no_permission, "no"); }).code(), Code::no_permission);
  EXPECT_EQ(failing([]() -> std::size_t { return 11; }).code(), Code::io);
  EXPECT_EQ(testing::error_of([&] {
              const CallbackFile file(over(bytes));
              opened(file.path())->read_at(~std::uint64_t{0} - 5, {});
            }).code(),
            Code::too_large);
}

TEST(CallbackFiles, AreRefusedWithoutFunctionOrWithANameThatCannotBeOne) {
  const std::vector<std::byte> bytes = numbered(10);
  for (const std::string& name : {std::string(), std::string("a/b"), std::string("a\0b", 3)}) {
    ReadCallbacks callbacks = over(bytes);
    callbacks.name = name;
    EXPECT_EQ(testing::error_of([&] { const CallbackFile file(callbacks); }).code(), Code::invalid_argument) << name;
  }
  EXPECT_EQ(testing::error_of([] { const CallbackFile file({}); }).code(), Code::invalid_argument);
  ReadCallbacks endless = over(bytes);
  endless.bytes = ~std::uint64_t{0};
  EXPECT_EQ(testing::error_of([&] { const CallbackFile file(endless); }).code(), Code::too_large);
}

TEST(CallbackFiles, FunctionsAreCalledOneAtATimeUnlessTheyAllowMore) {
  const std::vector<std::byte> bytes = numbered(200000);
  for (const bool concurrent : {false, true}) {
    std::atomic<int> inside{0}, most{0};
    ReadCallbacks callbacks = over(bytes);
    callbacks.concurrent = concurrent;
    callbacks.read_at = [&](std::uint64_t, std::span<std::byte> to) {
      const int now = ++inside;
      for (int seen = most; seen < now && !most.compare_exchange_weak(seen, now);) continue;
      // Long enough for the other thread to come, if it may.
      for (int i = 0; concurrent && i < 1000000 && most < 2; ++i) std::this_thread::yield();
      --inside;
      return to.size();
    };
    const CallbackFile file(std::move(callbacks));
    const auto read = [&] {
      const auto open = opened(file.path());
      std::vector<std::byte> to(10);
      for (int i = 0; i < 200; ++i) open->read_at(0, to);
    };
    std::thread other(read);
    read();
    other.join();
    EXPECT_EQ(most, concurrent ? 2 : 1);
  }
}

}  // namespace
}  // namespace lq
