// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Files that belong together get their names one after the other. Meanwhile there is a record next to them
// (docs/formats/replacement.md) that says which complete file, under which temporary name, is to have which name. The
// record is the switch: before it is whole everybody reads what was there, from then on the new files, wherever they
// are. If the writer dies, whoever writes or repairs next gives the rest of the names. All of it local.
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

// A complete file under a temporary name, and the name that it is to get.
struct Renaming {
  std::string from, to;
};

struct Replacement {
  struct Member {
    std::string from, to;
    storage::Identity made;                   // the new file
    std::optional<storage::Identity> before;  // what had the name
  };
  std::vector<Member> members;       // the first one is the one that others are found through
  std::vector<std::string> surplus;  // files of the set before that the new one has not
  std::string record;                // its path
  std::vector<std::byte> bytes;      // of that
};

// Where the record of the set is whose first file this is: NAME, or NAME.vol0000 and vol0000/NAME, which tell a number.
std::string replacement_path(const std::string& first);
// Those of the sets that a file of this name may belong to: as NAME.data, NAME.fields or NAME.000001, too.
std::vector<std::string> replacement_paths(const std::string& path);
std::vector<std::byte> encode_replacement(const Replacement& replacement);
// Nothing: it is not whole.
std::optional<Replacement> decode_replacement(base::Bytes bytes, const std::string& record);
// The replacement that a file of this name may be part of. Nothing: there is none that was decided, all of its files
// have their names, or somebody has written to one of the names since.
std::optional<Replacement> find_replacement(storage::Transport& transport, const std::string& path);
Finding finding_of(const Replacement& replacement);
// Files of the set before that a replacement in force has still to remove: they are no part of the set any more.
std::vector<std::string> files_to_be_removed(storage::Transport& transport, const std::string& path);
// wrong_state: there is one, so that files with these names may be of two sets.
void require_no_replacement(storage::Transport& transport, const std::string& path);

// The files of the set that the first one belongs to, as its format says. A drop-in that knows its format asks that
// alone, so that it does not carry all others.
using FilesBefore =
    base::FunctionRef<std::vector<std::string>(storage::Transport& transport, const std::string& first)>;
struct FilesByFormat {
  std::vector<std::string> operator()(storage::Transport& transport, const std::string& first) const;
};
inline constexpr FilesByFormat files_of_set;

// Gives all files their names, the first one last; then files of the set before that the new one has not are removed.
// exists: a name is taken and is not to be replaced; io: somebody else gives these names. An error leaves what was
// there, unless `decided` was called: then the new files are what is read, and their temporary names are needed.
void replace_together(storage::Transport& transport, const std::vector<Renaming>& files, bool overwrite, Sync sync,
                      base::FunctionRef<void()> decided, const FilesBefore& files_before);
// What an interrupted replacement of a set to which a file of this name may belong has left: names that are missing are
// given, a record that decides nothing is removed. What was completed.
std::optional<Replacement> settle_replacement(storage::Transport& transport, const std::string& path, Sync sync);

// A new file that was private, because it was to replace one that is gone, gets the rights of any new file.
void give_usual_permissions(storage::Transport& transport, const std::string& path);

// Names mean the files that are to have them.
class ReplacedFiles final : public storage::ForwardingTransport {
 public:
  using ForwardingTransport::ForwardingTransport;
  void take(std::optional<Replacement> replacement) { replacement_ = std::move(replacement); }
  const std::optional<Replacement>& replacement() const noexcept { return replacement_; }
  // The one that a file of this name may be part of.
  void look(const std::string& path);
  // Whether it is there as it was taken.
  bool is_still_so(const std::string& path) const;

  std::unique_ptr<storage::File> open_read(const std::string& path) override;
  storage::Identity identity(const std::string& path) override;

 private:
  template <class Do>
  auto found(const std::string& path, const Do& what) const;

  std::optional<Replacement> replacement_;
};

}  // namespace lq::io
