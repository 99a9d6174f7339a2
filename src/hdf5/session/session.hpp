// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The implementation of the public hdf5::File: the same calls, available or not depending on the HDF5 library.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <limequat/hdf5.hpp>

namespace lq::hdf5 {

class File::Session {
 public:
  virtual ~Session() = default;
  virtual const std::string& pwd() const = 0;
  virtual void cd(const std::string& path) = 0;
  virtual void push(const std::string& path) = 0;
  virtual void pop() = 0;
  virtual std::vector<Entry> ls(const std::string& path) = 0;
  virtual Facts stat(const std::string& path) = 0;
  virtual bool exists(const std::string& path) = 0;
  virtual void mkdir(const std::string& path) = 0;
  virtual void remove(const std::string& path) = 0;
  virtual void rename(const std::string& from, const std::string& to) = 0;
  virtual void copy(const std::string& from, const std::string& to) = 0;
  virtual void write(const std::string& path, const Array& value, bool replace) = 0;
  virtual ReadArray read(const std::string& path) = 0;
  virtual Report write(const std::string& path, const Grid& grid, const Field& field, const WriteOptions& options) = 0;
  virtual Report read(const std::string& path, const Grid& grid, const MutableField& field,
                      const ReadOptions& options) = 0;
  virtual Catalog catalog() = 0;
  virtual std::vector<std::pair<std::string, Array>> attributes(const std::string& path) = 0;
  virtual Array attribute(const std::string& path, const std::string& name) = 0;
  virtual void set_attribute(const std::string& path, const std::string& name, const Array& value) = 0;
  virtual void remove_attribute(const std::string& path, const std::string& name) = 0;
  virtual void flush() = 0;
  virtual void close() = 0;
};

// Collective.
std::unique_ptr<File::Session> open_session(const std::string& path, Mode mode, const Communicator& communicator,
                                            const Hdf5Options& options);

}  // namespace lq::hdf5
