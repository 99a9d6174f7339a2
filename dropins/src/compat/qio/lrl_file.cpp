// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "compat/qio/lrl_file.hpp"

#include <limequat/error.hpp>

namespace lq::compat::qio {

std::uint64_t RecordAsFile::size() const {
  if (reader_ != nullptr) return limeReaderBytes(reader_->fr->dr);
  return writer_ != nullptr ? writer_->fw->dg->bytes_total : 0;
}

std::size_t RecordAsFile::read_at(std::uint64_t offset, base::MutableBytes buffer) {
  if (LRL_seek_read_record(reader_, static_cast<off_t>(offset)) != LRL_SUCCESS) return 0;
  return static_cast<std::size_t>(LRL_read_bytes(reader_, reinterpret_cast<char*>(buffer.data()), buffer.size()));
}

void RecordAsFile::write_at(std::uint64_t offset, base::Bytes bytes) {
  auto* const from = const_cast<char*>(reinterpret_cast<const char*>(bytes.data()));
  if (LRL_seek_write_record(writer_, static_cast<off_t>(offset)) == LRL_SUCCESS &&
      LRL_write_bytes(writer_, from, bytes.size()) == bytes.size()) {
    return;
  }
  throw Error(Code::io, "qio: sites could not be written into their record");
}

}  // namespace lq::compat::qio
