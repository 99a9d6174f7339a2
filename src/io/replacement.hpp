// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Files that belong together are renamed one after the other. In the meantime a record next to them
// (docs/formats/replacement.md) states which complete file, under which temporary name, gets which name. The
// record is the switch: until it is complete readers use the old files, from then on the new ones, wherever they
// are. If the writer dies, the next writer or repair renames the rest. All local.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <limequat/catalog.hpp>
#include <limequat/options.hpp>

#include "base/bytes.hpp"
#include "base/function_ref.hpp"
#include "storage/forwarding.hpp"

namespace lq::io {

// A complete file under a temporary name, and its final name.
struct Renaming {
  std::string from, to;
};

struct Replacement {
  struct Member {
    std::string from, to;
    storage::Identity made;                   // the new file
    std::optional<storage::Identity> before;  // the previous file of that name
  };
  std::vector<Member> members;       // readers find the others through the first one
  std::vector<std::string> surplus;  // files of the previous set without a counterpart in the new one
  std::string record;                // its path
  std::vector<std::byte> bytes;      // contents of the record
};

// The path of the record of a set, by its first file: NAME, or NAME.vol0000 and vol0000/NAME, which contain a number.
std::string replacement_path(const std::string& first);
// Records of all sets that a file of this name may belong to: also as NAME.data, NAME.fields or NAME.000001.
std::vector<std::string> replacement_paths(const std::string& path);
std::vector<std::byte> encode_replacement(const Replacement& replacement);
// Empty: it is incomplete.
std::optional<Replacement> decode_replacement(base::Bytes bytes, const std::string& record);
// The replacement that a file of this name may be part of. Empty: none was decided, all of its files
// have their names, or another program has written to one of the names since.
std::optional<Replacement> find_replacement(storage::Transport& transport, const std::string& path);
Finding finding_of(const Replacement& replacement);
// Files of the previous set that a replacement in force still has to remove: they no longer belong to the set.
std::vector<std::string> files_to_be_removed(storage::Transport& transport, const std::string& path);
// wrong_state: there is a replacement, so files with these names may belong to two sets.
void require_no_replacement(storage::Transport& transport, const std::string& path);

// The files of the set that the first one belongs to, by its format. A drop-in that knows the format queries that
// one only, so that it does not link all others.
using FilesBefore =
    base::FunctionRef<std::vector<std::string>(storage::Transport& transport, const std::string& first)>;
struct FilesByFormat {
  std::vector<std::string> operator()(storage::Transport& transport, const std::string& first) const;
};
inline constexpr FilesByFormat files_of_set;

// Renames all files, the first one last; then removes files of the previous set that the new one does not have.
// exists: a name is taken and must not be replaced; io: another program is assigning these names. An error leaves the
// old files, unless `decided` was called: then the new files are in use, and their temporary names are needed.
void replace_together(storage::Transport& transport, const std::vector<Renaming>& files, bool overwrite, Sync sync,
                      base::FunctionRef<void()> decided, const FilesBefore& files_before);
// Settles an interrupted replacement of a set to which a file of this name may belong: the remaining files are
// renamed, an undecided record is removed. Returns what was completed.
std::optional<Replacement> settle_replacement(storage::Transport& transport, const std::string& path, Sync sync);

// A new file that was private because it was to replace one that is gone gets the usual access rights.
void give_usual_permissions(storage::Transport& transport, const std::string& path);

// Names refer to the files that will have them.
class ReplacedFiles final : public storage::ForwardingTransport {
 public:
  using ForwardingTransport::ForwardingTransport;
  void take(std::optional<Replacement> replacement) { replacement_ = std::move(replacement); }
  const std::optional<Replacement>& replacement() const noexcept { return replacement_; }
  // Uses the replacement that a file of this name may be part of.
  void look(const std::string& path);
  // True if it is unchanged since.
  bool is_still_so(const std::string& path) const;

  std::unique_ptr<storage::File> open_read(const std::string& path) override;
  storage::Identity identity(const std::string& path) override;

 private:
  template <class Do>
  auto found(const std::string& path, const Do& what) const;

  std::optional<Replacement> replacement_;
};

}  // namespace lq::io
