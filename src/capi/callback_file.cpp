// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Files that are read through functions of the program.
#include <limequat/storage.hpp>

#include <cstring>
#include <memory>
#include <span>
#include <utility>

#include "capi/call.hpp"
#include "capi/options.hpp"

using namespace lq::capi;  // NOLINT: the functions of the interface are outside of it

struct lq_callback_file {
  lq::CallbackFile file;
};

namespace {

// The C functions and their context, which is freed with the last copy once the file was created.
class ReadFunctions {
 public:
  explicit ReadFunctions(const lq_read_callbacks& table) : table_(table) {}
  ~ReadFunctions() {
    if (was_made_ && table_.free != nullptr) table_.free(table_.context);
  }
  ReadFunctions(const ReadFunctions&) = delete;
  ReadFunctions& operator=(const ReadFunctions&) = delete;

  void was_made() noexcept { was_made_ = true; }

  std::size_t read_at(std::uint64_t offset, std::span<std::byte> bytes) const {
    const int64_t got = table_.read_at(table_.context, offset, bytes.data(), bytes.size());
    if (got >= 0) return static_cast<std::size_t>(got);
    const char* const reason = table_.failure != nullptr ? table_.failure(table_.context) : nullptr;
    lq::ErrorFacts facts;
    facts.system_errno = got < -1 && got >= -largest_errno ? static_cast<int>(-got) : 0;
    std::string sentence = reason != nullptr ? reason : "it failed";
    if (reason == nullptr && facts.system_errno != 0) sentence = std::strerror(facts.system_errno);
    throw lq::Error(lq::Code::io, sentence, facts);
  }

 private:
  static constexpr int64_t largest_errno = 4095;
  lq_read_callbacks table_;
  bool was_made_ = false;
};

}  // namespace

lq_status lq_callback_file_create(const lq_read_callbacks* callbacks, lq_callback_file** file) {
  return guarded([&] {
    given(file, "file");
    const lq_read_callbacks table = given_options(given(callbacks, "callbacks"), lq_read_callbacks{});
    if (table.read_at == nullptr) reject("callbacks: read_at is required, but is NULL");
    const auto functions = std::make_shared<ReadFunctions>(table);
    lq::ReadCallbacks made;
    made.read_at = [functions](std::uint64_t offset, std::span<std::byte> bytes) {
      return functions->read_at(offset, bytes);
    };
    made.bytes = table.bytes;
    if (table.name != nullptr) made.name = table.name;
    made.modified = table.modified;
    made.request_bytes = table.request_bytes;
    made.concurrent = table.concurrent != 0;
    *file = new lq_callback_file{lq::CallbackFile(std::move(made))};
    functions->was_made();
  });
}

const char* lq_callback_file_path(const lq_callback_file* file) {
  return file == nullptr ? "" : file->file.path().c_str();
}

void lq_callback_file_free(lq_callback_file* file) { delete file; }
