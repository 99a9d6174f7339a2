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

// The innermost entry of the library's error stack, which is the most specific.
extern "C" herr_t lq_hdf5_take_error(unsigned, const H5E_error2_t* error, void* text) {
  if (error->desc != nullptr) *static_cast<std::string*>(text) = error->desc;
  return 0;
}

std::string said_by_library() {
  std::string text;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_DOWNWARD, lq_hdf5_take_error, &text);
  return base::printable(text);
}

// After a failure on a damaged file, the library (1.10.8) may leak memory, and at exit prints to standard error that it
// cannot be closed. It has no open object of Limequat then, so its messages are switched off.
void let_library_end_in_silence() {
  [[maybe_unused]] static const int registered = std::atexit([] {
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  });  // runs before the library's own handler, which was registered earlier
}

}  // namespace

Lock::Lock() : lock_(library_mutex()) {
  H5Eget_auto2(H5E_DEFAULT, &handler_, &handler_data_);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

Lock::~Lock() { H5Eset_auto2(H5E_DEFAULT, handler_, handler_data_); }

void keep_driver_failure() noexcept { driver_failure() = std::current_exception(); }

void forget_driver_failure() noexcept { driver_failure() = nullptr; }

void throw_driver_failure() {
  if (const std::exception_ptr failure = std::exchange(driver_failure(), nullptr)) std::rethrow_exception(failure);
}

void throw_failure(const ErrorPlace& where, const std::string& what) {
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

Handle untimed_list(hid_t of_class, const ErrorPlace& where) {
  Handle list = require(H5Pcreate(of_class), H5Pclose, where, "no property list");
  require(H5Pset_obj_track_times(list.get(), false), where, "time stamps cannot be switched off");
  return list;
}

std::string library_version() {
  unsigned major = 0, minor = 0, release = 0;
  H5get_libversion(&major, &minor, &release);
  return fmt::format("{}.{}.{}", major, minor, release);
}

bool is_thread_safe() {
  hbool_t answer = false;
  return H5is_library_threadsafe(&answer) >= 0 && answer;
}

std::string library_facts() {
#ifdef H5_HAVE_PARALLEL
  constexpr const char* kind = "parallel";
#else
  constexpr const char* kind = "serial";
#endif
  return fmt::format("{}, {}, {}", library_version(), kind,
                     is_thread_safe()
                         ? "thread-safe"
                         : "not thread-safe: the program must not call it while Limequat reads or writes HDF5 files");
}

namespace {

#if H5_VERSION_GE(1, 12, 0)
using LinkInfo = H5L_info2_t;
using ObjectInfo = H5O_info2_t;
std::uint64_t address_of(hid_t place, const H5O_token_t& token) {
  haddr_t address = HADDR_UNDEF;
  return H5VLnative_token_to_addr(place, token, &address) < 0 ? no_address : address;
}
std::uint64_t address_of(hid_t group, const LinkInfo& info) { return address_of(group, info.u.token); }
std::uint64_t address_of(hid_t object, const ObjectInfo& info) { return address_of(object, info.token); }
#else
using LinkInfo = H5L_info_t;
using ObjectInfo = H5O_info_t;
std::uint64_t address_of(hid_t, const LinkInfo& info) { return info.u.address; }
std::uint64_t address_of(hid_t, const ObjectInfo& info) { return info.addr; }
#endif

RawLink raw_link(hid_t group, const char* name, const LinkInfo& info) {
  const bool is_hard = info.type == H5L_TYPE_HARD;
  return {.name = name,
          .type = info.type,
          .address = is_hard ? address_of(group, info) : no_address,
          .value_bytes = is_hard ? 0 : info.u.val_size};
}

struct Listing {
  RawLinks* found;
  std::uint64_t most;
};

extern "C" herr_t lq_hdf5_take_link(hid_t group, const char* name, const LinkInfo* info, void* data) {
  auto& listing = *static_cast<Listing*>(data);
  try {
    RawLinks& found = *listing.found;
    if (found.links.size() >= listing.most) {
      found.is_all = false;
      return 1;
    }
    found.links.push_back(raw_link(group, name, *info));
    return 0;
  } catch (...) {
    keep_driver_failure();
    return -1;
  }
}

void take(hid_t place, const ObjectInfo& info, RawObject& facts) {
  facts = {.type = info.type, .address = address_of(place, info), .attributes = info.num_attrs};
}

}  // namespace

herr_t list_links(hid_t group, std::uint64_t most, RawLinks& found) {
  Listing listing{&found, most};
  hsize_t at = 0;
#if H5_VERSION_GE(1, 12, 0)
  return H5Literate2(group, H5_INDEX_NAME, H5_ITER_NATIVE, &at, lq_hdf5_take_link, &listing);
#else
  return H5Literate(group, H5_INDEX_NAME, H5_ITER_NATIVE, &at, lq_hdf5_take_link, &listing);
#endif
}

herr_t link_facts(hid_t group, const char* name, RawLink& link) {
  LinkInfo info;
#if H5_VERSION_GE(1, 12, 0)
  const herr_t status = H5Lget_info2(group, name, &info, H5P_DEFAULT);
#else
  const herr_t status = H5Lget_info(group, name, &info, H5P_DEFAULT);
#endif
  if (status >= 0) link = raw_link(group, name, info);
  return status;
}

herr_t object_facts(hid_t object, RawObject& facts) {
  ObjectInfo info;
#if H5_VERSION_GE(1, 12, 0)
  const herr_t status = H5Oget_info3(object, &info, H5O_INFO_BASIC | H5O_INFO_NUM_ATTRS);
#else
  const herr_t status = H5Oget_info2(object, &info, H5O_INFO_BASIC | H5O_INFO_NUM_ATTRS);
#endif
  if (status >= 0) take(object, info, facts);
  return status;
}

herr_t object_facts(hid_t group, const char* name, RawObject& facts) {
  ObjectInfo info;
#if H5_VERSION_GE(1, 12, 0)
  const herr_t status = H5Oget_info_by_name3(group, name, &info, H5O_INFO_BASIC | H5O_INFO_NUM_ATTRS, H5P_DEFAULT);
#else
  const herr_t status = H5Oget_info_by_name2(group, name, &info, H5O_INFO_BASIC | H5O_INFO_NUM_ATTRS, H5P_DEFAULT);
#endif
  if (status >= 0) take(group, info, facts);
  return status;
}

herr_t read_chunk(hid_t dataset, const hsize_t* first, std::uint32_t& skipped, void* bytes) {
#if H5_VERSION_GE(2, 0, 0)
  std::size_t room = SIZE_MAX;
  return H5Dread_chunk2(dataset, H5P_DEFAULT, first, &skipped, bytes, &room);
#else
  return H5Dread_chunk(dataset, H5P_DEFAULT, first, &skipped, bytes);
#endif
}

}  // namespace lq::hdf5
