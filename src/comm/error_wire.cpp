// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Integers are 64 bit, little endian; texts are preceded by their length; facts that may be absent by 0 or 1.
#include "comm/error_wire.hpp"

#include <string>
#include <string_view>

namespace lq::comm {
namespace {

class Packer {
 public:
  void number(std::uint64_t value) {
    bytes_.resize(bytes_.size() + sizeof value);
    base::store_le(bytes_.data() + bytes_.size() - sizeof value, value);
  }
  void text(std::string_view value) {
    number(value.size());
    const base::Bytes bytes = base::as_bytes(value);
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  }
  template <class T>
  void maybe(const std::optional<T>& value) {
    number(value ? 1 : 0);
    number(value ? static_cast<std::uint64_t>(*value) : 0);
  }
  std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  std::vector<std::byte> bytes_;
};

class Unpacker {
 public:
  explicit Unpacker(base::Bytes bytes) : rest_(bytes) {}

  std::uint64_t number() { return base::load_le<std::uint64_t>(cut(sizeof(std::uint64_t)).data()); }
  int integer() { return static_cast<int>(static_cast<std::int64_t>(number())); }
  std::string text() { return std::string(base::as_text(cut(number()))); }
  template <class T>
  std::optional<T> maybe() {
    const bool present = number() != 0;
    const std::uint64_t value = number();
    return present ? std::optional<T>(static_cast<T>(value)) : std::nullopt;
  }

 private:
  base::Bytes cut(std::uint64_t length) {
    if (length > rest_.size())
      throw Error(Code::communication, "an error message from another rank arrived incomplete");
    const base::Bytes front = rest_.first(length);
    rest_ = rest_.subspan(length);
    return front;
  }
  base::Bytes rest_;
};

}  // namespace

std::vector<std::byte> pack_error(const Error& error) {
  const ErrorFacts& facts = error.facts();
  Packer packer;
  packer.number(static_cast<std::uint64_t>(error.code()));
  packer.text(error.what());
  packer.text(facts.path);
  packer.text(facts.record);
  packer.maybe(facts.offset);
  packer.maybe(facts.rank);
  packer.text(facts.expected);
  packer.text(facts.found);
  packer.number(static_cast<std::uint64_t>(static_cast<std::int64_t>(facts.system_errno)));
  return packer.take();
}

Error unpack_error(base::Bytes bytes) {
  Unpacker unpacker(bytes);
  const auto code = static_cast<Code>(unpacker.integer());
  const std::string sentence = unpacker.text();
  ErrorFacts facts;
  facts.path = unpacker.text();
  facts.record = unpacker.text();
  facts.offset = unpacker.maybe<std::uint64_t>();
  facts.rank = unpacker.maybe<int>();
  facts.expected = unpacker.text();
  facts.found = unpacker.text();
  facts.system_errno = unpacker.integer();
  return Error(code, sentence, facts);
}

}  // namespace lq::comm
