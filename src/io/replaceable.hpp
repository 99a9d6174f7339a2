// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Data are not replaced by mistake: a file that is made of others (a text, an array, a page) replaces no lattice file,
// catalogue or sidecar, even if the user lets it replace files.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/inner.hpp"
#include "storage/transport.hpp"

namespace lq::io {

// Local. The kind of data in a file: the name of its format, "catalogue" (any SQLite file), "parity", or "one that is
// damaged" (a lattice file that lost its header). Empty: a text, a file of another program, or no regular file.
LQ_INNER std::string data_in(storage::Transport& transport, const std::string& path);

// Local. Refuses (invalid_argument) to replace a file with data by `made` ("a text"), which has data of the given kind
// itself, or none; data of the same kind may be replaced.
LQ_INNER void require_replaceable(storage::Transport& transport, const std::string& path, std::string_view made,
                                  std::string_view kind = {});

// Local. Writes a text as a new file, which gets its name when it is complete. Not readable by users who may not read
// the files `made_of`. exists: there is a file of that name, and `overwrite` is off; invalid_argument: it has data.
LQ_INNER void write_text(const std::string& path, std::string_view text, bool overwrite,
                         const std::vector<std::string>& made_of = {});

}  // namespace lq::io
