// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The file behind a session: one that is read, one that is appended to in place, or a new one under a temporary name;
// and what was done to it since, in the memory of rank 0.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include <limequat/grid.hpp>
#include <limequat/hdf5.hpp>

#include "base/function_ref.hpp"
#include "hdf5/driver/driver.hpp"
#include "hdf5/tree/storage.hpp"
#include "io/field_writer.hpp"
#include "io/new_file.hpp"
#include "storage/transport.hpp"
#include "storage/writer_lock.hpp"

namespace lq::hdf5 {

class Store {
 public:
  // Local.
  Store(storage::Transport& transport, const std::string& path, Mode mode, const Communicator& communicator,
        const Hdf5Options& options)
      : transport_(transport), path_(path), mode_(mode), communicator_(communicator), options_(options) {}
  // Collective. Before all else.
  void open();

  const std::string& path() const noexcept { return path_; }
  storage::Transport& transport() const noexcept { return transport_; }
  const Communicator& communicator() const noexcept { return communicator_; }
  // Local, on rank 0. What `work` found last counts: where somebody appends to a file that is only read, it is done
  // again.
  void look(base::FunctionRef<void(const Opened& file)> work);
  // Local, on rank 0. All that `work` does, or nothing of it where it throws. wrong_state: the file is only read.
  void edit(base::FunctionRef<void(hid_t file)> work);
  // Local. Throws wrong_state where nothing may be written, or nothing at all any more.
  void require_writable() const;
  void require_open() const;

  // Collective. What was edited is in the file.
  void flush();
  // Collective; after flush(). What a writer of fields goes on with, and the file that is to be read.
  io::FieldWriter::Continuation continuation() const;
  const std::string& at() const noexcept { return new_ ? new_->temporary_path() : path_; }
  // Collective. The file was written to by ourselves.
  void look_anew();
  // Collective.
  void close();

 private:
  void open_at_root();
  void start_new_file();
  void commit_at_root();

  storage::Transport& transport_;
  std::string path_;
  Mode mode_;
  Communicator communicator_;
  Hdf5Options options_;
  bool is_open_ = true;
  std::optional<storage::WriterLock> lock_;  // at the root; of a file that is appended to
  std::unique_ptr<io::NewFile> new_;
  std::shared_ptr<storage::File> there_;       // at the root; of an existing file
  std::optional<storage::Identity> identity_;  // of that, when we looked
  std::unique_ptr<Image> image_;               // at the root
};

}  // namespace lq::hdf5
