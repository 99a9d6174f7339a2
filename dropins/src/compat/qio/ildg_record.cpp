// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "compat/qio/ildg_record.hpp"

#include <new>

namespace lq::compat::qio {

int ildg_precision(const QIO_RecordInfo& info, int dimensions) {
  if (info.datacount.value != 4 || dimensions != 4) return 0;
  for (const auto* type : {"QDP_F3_ColorMatrix", "USQCD_F3_ColorMatrix"}) {
    if (std::strcmp(info.datatype.value, type) == 0) return 32;
  }
  for (const auto* type : {"QDP_D3_ColorMatrix", "USQCD_D3_ColorMatrix"}) {
    if (std::strcmp(info.datatype.value, type) == 0) return 64;
  }
  return 0;
}

void write_ildg_information(RecordsOut& records, int precision, const Extents& extents, const QIO_String* lfn) {
  int dims[4] = {};
  for (int d = 0; d < 4; ++d) dims[d] = static_cast<int>(extents[d]);
  QIO_ILDGFormatInfo* const info = QIO_create_ildg_format_info(precision, dims);
  if (info == nullptr) throw std::bad_alloc();
  const std::string format = encoded(QIO_encode_ILDG_format_info, *info);
  QIO_destroy_ildg_format_info(info);
  records.write_text(QIO_LIMETYPE_ILDG_FORMAT, {false, false}, format);
  if (lfn != nullptr) records.write_text(QIO_LIMETYPE_ILDG_DATA_LFN, {false, false}, text_of(lfn));
}

}  // namespace lq::compat::qio
