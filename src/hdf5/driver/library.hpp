// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Use of the HDF5 library: one thread at a time, objects closed by scope, errors as lq::Error. It never opens a file
// itself (driver.hpp).
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <hdf5.h>

#include <limequat/error.hpp>

namespace lq::hdf5 {

// Held while the library is called, because few builds of it are thread-safe. The program's error handler of the
// library is preserved.
class Lock {
 public:
  Lock();
  ~Lock();
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  std::unique_lock<std::recursive_mutex> lock_;
  H5E_auto2_t handler_ = nullptr;
  void* handler_data_ = nullptr;
};

// An object of the library. Created and destroyed under a Lock.
class Handle {
 public:
  using Close = herr_t (*)(hid_t);
  Handle() = default;
  Handle(hid_t id, Close close) noexcept : id_(id), close_(close) {}
  Handle(Handle&& other) noexcept
      : id_(std::exchange(other.id_, H5I_INVALID_HID)), close_(std::exchange(other.close_, nullptr)) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  ~Handle() {
    if (id_ >= 0 && close_ != nullptr) close_(id_);
  }

  hid_t get() const noexcept { return id_; }
  explicit operator bool() const noexcept { return id_ >= 0; }
  // The caller closes the object and handles failures.
  hid_t release() noexcept { return std::exchange(id_, H5I_INVALID_HID); }

 private:
  hid_t id_ = H5I_INVALID_HID;
  Close close_ = nullptr;
};

// The place of a failure, for messages.
struct ErrorPlace {
  std::string path;    // of the file
  std::string object;  // within it; empty: the file as a whole
};

// Throws an error of reading or memory inside the driver, if there was one; else malformed with `what`, which describes
// the failed step, and the library's message.
[[noreturn]] void throw_failure(const ErrorPlace& where, const std::string& what);

// Returns `result` unless it is negative, the library's sign of failure.
template <class Result>
Result require(Result result, const ErrorPlace& where, const char* what) {
  if (result < 0) throw_failure(where, what);
  return result;
}
inline Handle require(hid_t id, Handle::Close close, const ErrorPlace& where, const char* what) {
  return {require(id, where, what), close};
}
// A temporary Where may be constructed after the object was opened, because the order of arguments is unspecified; if
// memory then runs out, the object would stay open.
Handle require(hid_t id, Handle::Close close, ErrorPlace&& where, const char* what) = delete;

// Properties for the creation of a file, a group, a type or a dataset, by class: without the library's time stamps,
// which would make equal files differ.
Handle untimed_list(hid_t of_class, const ErrorPlace& where);

// Stores an exception of the driver, to be rethrown when the library reports failure.
void keep_driver_failure() noexcept;
void forget_driver_failure() noexcept;
// Rethrows it, if there is one.
void throw_driver_failure();

// "1.10.8"
std::string library_version();
// Of the library that was loaded, which need not be the one that was compiled against. Whatever the answer is,
// Limequat's own calls are made under Lock; only calls of the program at the same time need a library that is
// thread-safe.
bool is_thread_safe();
// "1.10.8, serial, thread-safe"
std::string library_facts();

// The few functions of the HDF5 library that differ between its versions 1.10 and 2. Call all under a Lock.

inline constexpr std::uint64_t no_address = ~std::uint64_t{0};

struct RawLink {
  std::string name;
  H5L_type_t type = H5L_TYPE_ERROR;
  std::uint64_t address = no_address;  // hard links: of the object's header, relative to the end of the user block
  std::size_t value_bytes = 0;         // other links: size of their target
};
struct RawLinks {
  std::vector<RawLink> links;
  bool is_all = true;  // false: there are more than requested
};
// Links of a group, unordered. Negative result: the library failed.
herr_t list_links(hid_t group, std::uint64_t most, RawLinks& found);
herr_t link_facts(hid_t group, const char* name, RawLink& link);

struct RawObject {
  H5O_type_t type = H5O_TYPE_UNKNOWN;
  std::uint64_t address = no_address;  // relative to the end of the user block
  std::uint64_t attributes = 0;
};
herr_t object_facts(hid_t object, RawObject& facts);
// Facts about a member of a group that is a hard link.
herr_t object_facts(hid_t group, const char* name, RawObject& facts);

// The bytes of the chunk that begins with that element, as stored; `skipped`: mask of filters that were not applied.
// Negative: it does not exist, or the library failed.
herr_t read_chunk(hid_t dataset, const hsize_t* first, std::uint32_t& skipped, void* bytes);

}  // namespace lq::hdf5
