// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What rank 0 found, as bytes for the others: made and taken by the same functions.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <limequat/hdf5.hpp>

#include "base/bytes.hpp"

namespace lq::hdf5 {

class Message {
 public:
  Message() = default;
  explicit Message(std::vector<std::byte> bytes) : bytes_(std::move(bytes)), is_taken_(true) {}
  std::vector<std::byte> take() { return std::move(bytes_); }

  // Puts a value into the message, or takes it out of it.
  template <class T>
  requires std::is_trivially_copyable_v<T>
  void add(T& value) { raw(&value, sizeof(T)); }
  void add(std::string& text);
  void add(Entry& entry);
  void add(Facts& facts);
  void add(Axis& axis);
  void add(Array& array);
  void add(ReadArray& read);
  template <class A, class B>
  void add(std::pair<A, B>& both) {
    add(both.first);
    add(both.second);
  }
  template <class T>
  void add(std::vector<T>& values) {
    std::uint64_t count = values.size();
    add(count);
    values.resize(static_cast<std::size_t>(count));
    if constexpr (std::is_trivially_copyable_v<T>) {
      raw(values.data(), values.size() * sizeof(T));
    } else {
      for (T& value : values) add(value);
    }
  }

 private:
  void raw(void* data, std::size_t bytes);

  std::vector<std::byte> bytes_;
  bool is_taken_ = false;
  std::size_t at_ = 0;
};

}  // namespace lq::hdf5
