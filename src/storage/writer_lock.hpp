// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// One program at a time appends to a file: whoever does holds this lock. The system takes it back when the program
// ends, however that happens, so that nothing is left behind. Readers are not kept away, nor are programs that lock
// files whole (HDF5). It is the lock of a file and not of a name: whoever goes on with a file asks it whether the name
// still means that file.
#pragma once

#include <string>

#include <limequat/error.hpp>

#include "base/inner.hpp"
#include "storage/transport.hpp"

namespace lq::storage {

class LQ_INNER WriterLock {
 public:
  // io: another program holds it. Nothing is locked where there is no such file, or the file system knows no locks.
  explicit WriterLock(const std::string& path);
  // The same; where another program holds it, this is thrown.
  WriterLock(const std::string& path, const Error& refusal);
  ~WriterLock();
  // Whether there is a lock: the file was there.
  bool is_held() const noexcept { return descriptor_ >= 0; }
  WriterLock(const WriterLock&) = delete;
  WriterLock& operator=(const WriterLock&) = delete;

  // replaced_error(): this is another file than the one that was locked, if there was one.
  void require_same(const File& file) const;
  // Whether it is the file of this name that was locked.
  bool is_of(const std::string& path) const noexcept;

 private:
  int descriptor_ = -1;  // kept where the file system knows no locks, too: it tells which file it is
  int process_ = 0;      // that took it: a forked child has no say in it
};

// io: a file that is appended to has given its name to another one.
Error replaced_error(const std::string& path);

// The lock of the record beside an unfinished copy or set that is to be called `path` (base/temporary_name.hpp): it is
// held while that is made, or put away. wrong_state: another program holds it.
WriterLock lock_of_copy(const std::string& path);

}  // namespace lq::storage
