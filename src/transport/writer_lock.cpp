// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A byte far behind the end is locked, for an open file and not for a process: two sessions of one program are two
// writers.
#include "transport/writer_lock.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <limits>

#include <fmt/format.h>

#include "base/temporary_name.hpp"

namespace lq::transport {
namespace {

struct flock the_place(short what) noexcept {
  struct flock place {};
  place.l_type = what;
  place.l_whence = SEEK_SET;
  place.l_start = std::numeric_limits<off_t>::max() - 1;
  place.l_len = 1;
  return place;
}

}  // namespace

WriterLock::WriterLock(const std::string& path)
    : WriterLock(path,
                 Error(Code::io,
                       path + ": another program has this file open for appending; wait until it has closed it, or "
                              "write to another file",
                       {.path = path})) {}

WriterLock::WriterLock(const std::string& path, const Error& refusal) {
#ifdef F_OFD_SETLK
  descriptor_ = ::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK);
  if (descriptor_ < 0) return;
  process_ = ::getpid();
  struct flock place = the_place(F_WRLCK);
  if (::fcntl(descriptor_, F_OFD_SETLK, &place) == 0) return;
  const bool is_held = errno == EAGAIN || errno == EACCES;
  ::close(descriptor_);
  descriptor_ = -1;
  if (is_held) throw refusal;
#else
  static_cast<void>(path);
  static_cast<void>(refusal);
#endif
}

// Closing alone would leave it to forked children, who have the same open file.
WriterLock::~WriterLock() {
  if (descriptor_ < 0) return;
#ifdef F_OFD_SETLK
  struct flock place = the_place(F_UNLCK);
  if (process_ == ::getpid()) ::fcntl(descriptor_, F_OFD_SETLK, &place);
#endif
  ::close(descriptor_);
}

WriterLock lock_of_copy(const std::string& path) {
  const std::string record = base::hidden_name(path, base::copied_ending);
  return WriterLock(record, Error(Code::wrong_state,
                                  fmt::format("{}: another program copies or repartitions to here, for it has {} "
                                              "locked; wait until it has ended",
                                              path, record),
                                  {.path = path}));
}

}  // namespace lq::transport
