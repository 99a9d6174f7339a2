// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "format/lime/types.hpp"

#include <limequat/options.hpp>

#include "format/lime/walk.hpp"

namespace lq::format::lime {

bool has_record(base::ByteSource& file, const std::function<bool(std::string_view type)>& wanted) {
  ReadAhead window(file);
  const Limits limits;
  Findings findings;
  Walker walker(window, limits, findings);
  walker.ignore_magic();
  for (Record record; walker.next(record);) {
    if (wanted(record.type)) return true;
  }
  return false;
}

}  // namespace lq::format::lime
