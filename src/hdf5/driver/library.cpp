// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "hdf5/driver/library.hpp"

#include <cstdlib>
#include <exception>

#include <fmt/format.h>

#include "base/text.hpp"

namespace lq::hdf5 {
namespace {

std::recursive_mutex& library_mutex() {
  static std::recursive_mutex mutex;
  return mutex;
}

std::exception_ptr& driver_failure() {
  static std::exception_ptr failure;  // under the lock
  return failure;
}

// The innermost entry of the library's stack of errors, which says most.
extern "C" herr_t lq_hdf5_take_error(unsigned, const H5E_error2_t* error, void* text) {
  if (error->desc != nullptr) *static_cast<std::string*>(text) = error->desc;
  return 0;
}

std::string said_by_library() {
  std::string text;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_DOWNWARD, lq_hdf5_take_error, &text);
  return base::printable(text);
}

// Where the library fails on a damaged file, it (1.10.8) may lose memory of its own, and at the end of the program it
// complains on standard error that it cannot be closed. It has no object of ours open then, and is told to be silent.
void let_library_end_in_silence() {
  [[maybe_unused]] static const int registered = std::atexit(
      [] { H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr); });  // runs before the library's own, which is older
}

}  // namespace

Lock::Lock() : lock_(library_mutex()) {
  H5Eget_auto2(H5E_DEFAULT, &tell_, &told_);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

Lock::~Lock() { H5Eset_auto2(H5E_DEFAULT, tell_, told_); }

void keep_driver_failure() noexcept { driver_failure() = std::current_exception(); }

void forget_driver_failure() noexcept { driver_failure() = nullptr; }

void throw_driver_failure() {
  if (const std::exception_ptr failure = std::exchange(driver_failure(), nullptr)) std::rethrow_exception(failure);
}

void throw_failure(const Where& where, const std::string& what) {
  const std::string said = said_by_library();
  H5Eclear2(H5E_DEFAULT);
  let_library_end_in_silence();
  throw_driver_failure();
  const std::string place = where.object.empty() ? std::string() : fmt::format(" {}:", base::printable(where.object));
  throw Error(Code::malformed,
              fmt::format("{}:{} {} (HDF5 {} says: {})", where.path, place, what, library_version(),
                          said.empty() ? "nothing" : said),
              {.path = where.path, .record = where.object, .found = said});
}

Handle untimed_list(hid_t of_class, const Where& where) {
  Handle list = require(H5Pcreate(of_class), H5Pclose, where, "no property list");
  require(H5Pset_obj_track_times(list.get(), false), where, "time stamps cannot be switched off");
  return list;
}

std::string library_version() {
  unsigned major = 0, minor = 0, release = 0;
  H5get_libversion(&major, &minor, &release);
  return fmt::format("{}.{}.{}", major, minor, release);
}

}  // namespace lq::hdf5
