// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A byte far after the end is locked, for an open file and not for a process: two sessions of one program are two
// writers.
#include "storage/writer_lock.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <limits>

#include <fmt/format.h>

#include "base/temporary_name.hpp"
#include "storage/posix_file.hpp"

namespace lq::storage {
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

Error replaced_error(const std::string& path) {
  return {
      Code::io,
      path +
          ": another program has replaced it since this program opened it: the name now refers to another file, to "
          "which nothing was added. Let only one program write at a time, or open it again to append to the new file",
      {.path = path}};
}

WriterLock::WriterLock(const std::string& path)
    : WriterLock(path,
                 Error(Code::io,
                       path + ": another program has this file open for appending; wait until it has closed it, or "
                              "write to another file",
                       {.path = path})) {}

WriterLock::WriterLock(const std::string& path, const Error& refusal) {
  process_ = ::getpid();
  // The name may have become that of another file before this one was locked.
  constexpr int attempts = 100;
  for (int attempt = 0; attempt < attempts; ++attempt) {
    descriptor_ = ::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK);
    if (descriptor_ < 0) return;
#ifdef F_OFD_SETLK
    struct flock place = the_place(F_WRLCK);
    if (::fcntl(descriptor_, F_OFD_SETLK, &place) != 0 && (errno == EAGAIN || errno == EACCES)) {
      ::close(descriptor_);
      descriptor_ = -1;
      throw refusal;
    }
#else
    static_cast<void>(refusal);
#endif
    if (is_of(path)) return;
    ::close(descriptor_);
    descriptor_ = -1;
  }
  throw replaced_error(path);
}

bool WriterLock::is_of(const std::string& path) const noexcept {
  struct stat mine {
  }, there{};
  return descriptor_ >= 0 && ::fstat(descriptor_, &mine) == 0 && ::stat(path.c_str(), &there) == 0 &&
         mine.st_dev == there.st_dev && mine.st_ino == there.st_ino;
}

void WriterLock::require_same(const File& file) const {
  if (descriptor_ < 0 || is_same_across_nodes(look_at(descriptor_, file.path()).identity, file.identity())) return;
  throw replaced_error(file.path());
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
                                  fmt::format("{}: another program copies or repartitions to this target and holds the "
                                              "lock on {}; wait until it has ended",
                                              path, record),
                                  {.path = path}));
}

}  // namespace lq::storage
