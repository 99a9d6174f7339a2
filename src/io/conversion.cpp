// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Parts of conversions: merging texts, making a part of the lattice a whole one, a file that refers to another.
#include "io/conversion.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/path.hpp"
#include "base/text.hpp"
#include "base/text_facts.hpp"
#include "base/xml.hpp"
#include "comm/agree.hpp"
#include "io/judgement.hpp"
#include "io/nature.hpp"
#include "io/new_file.hpp"
#include "io/source_check.hpp"
#include "io/transfer.hpp"
#include "io/verdict.hpp"
#include "io/verify.hpp"
#include "options/agreed.hpp"
#include "storage/forwarding.hpp"

namespace lq::io {
namespace {

// Names of texts differ in case only by accident: "ildg-data-LFN".
bool same_name(std::string_view a, std::string_view b) noexcept {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::ranges::equal(a, b, {}, lower, lower);
}

// The source's texts, without repetitions.
Metadata texts_of(const Catalog& catalog, const FieldEntry& entry) {
  Metadata texts = entry.metadata;
  std::ranges::copy_if(catalog.metadata, std::back_inserter(texts), [&](const auto& item) {
    return std::ranges::none_of(entry.metadata, [&](const auto& own) { return own.first == item.first; });
  });
  return texts;
}

// Changes the value of every fact of that name. False: the text has none.
bool replace_fact(std::string& text, std::string_view key, std::string_view value) {
  const std::string written = base::is_xml(text) ? base::xml::escape(value) : std::string(value);
  std::string result;
  std::size_t done = 0;
  for (const base::TextFact& fact : base::facts_in(text, std::numeric_limits<std::size_t>::max())) {
    if (base::unified_key(fact.key) != base::unified_key(key)) continue;
    const auto place = static_cast<std::size_t>(fact.value.data() - text.data());
    result.append(text, done, place - done).append(written);
    done = place + fact.value.size();
  }
  if (done == 0) return false;
  result.append(text, done);
  text = std::move(result);
  return true;
}

// The text that `lq generate` adds to its configurations: the numbers can be used without it, and the same command
// produces it again. Any other content was added by a user.
bool is_of_generator(std::string_view text) {
  constexpr std::array<std::string_view, 8> its_facts{"plaquette", "trajectory",      "beta",  "group",
                                                      "seed",      "over_relaxation", "start", "creator"};
  bool is_ours = false;
  for (const base::TextFact& fact : base::facts_in(text, 64)) {
    const std::string_view key = base::unified_key(fact.key);
    if (std::ranges::find(its_facts, key) == its_facts.end()) return false;
    if (key == "creator" && !fact.value.starts_with("limequat ")) return false;
    is_ours = is_ours || key == "creator";
  }
  return is_ours;
}

void require_kept(const Catalog& catalog, const FieldEntry& entry, const format::Format& target, Metadata lost) {
  std::erase_if(lost, [](const auto& text) { return is_of_generator(text.second); });
  if (lost.empty()) return;
  std::string names;
  for (const auto& [name, text] : lost) names += (names.empty() ? "" : ", ") + base::printable(name);
  base::fail(Code::unsupported, {.path = catalog.path, .record = base::printable(lost.front().first)},
             "files of format \"{}\" cannot store {}, which \"{}\" has; allow the loss (options.allow_loss = "
             "true), or convert to ildg, scidac or hdf5",
             target.name(), names, entry.name);
}

}  // namespace

bool describes_all_sites(std::string_view name, std::string_view text) {
  constexpr std::array<std::string_view, 4> names{"xlf-info", "ildg-data-lfn", "grid-format", "FieldNormMetaData"};
  if (std::ranges::find(names, name) != names.end()) return true;
  constexpr std::array<std::string_view, 5> words{"plaq", "linktr", "link_trace", "trajectory", "checksum"};
  const auto holds = [&](std::string_view word) {
    return text.find(word) != std::string_view::npos || name.find(word) != std::string_view::npos;
  };
  return std::ranges::any_of(words, holds);
}

Metadata merge_texts(const Catalog& catalog, const FieldEntry& entry, bool is_whole, const format::Format& target,
                     const ConvertOptions& options) {
  const Metadata& given = options.write.metadata;
  Metadata texts = texts_of(catalog, entry);
  std::erase_if(texts, [&](const auto& text) {
    return std::ranges::any_of(given, [&](const auto& item) { return same_name(item.first, text.first); }) ||
           (!is_whole && describes_all_sites(text.first, text.second));
  });
  const Precision stored = entry.payload.spec.precision;
  Metadata result = target.for_fields().carried(texts, !is_whole || options.write.precision.value_or(stored) != stored);
  if (!options.allow_loss) require_kept(catalog, entry, target, format::lost_texts(texts, result));
  const std::size_t carried = result.size();
  for (const auto& [key, value] : given) {
    bool replaced = false;
    for (std::size_t i = 0; i < carried; ++i) replaced = replace_fact(result[i].second, key, value) || replaced;
    if (!replaced) result.emplace_back(key, value);
  }
  return result;
}

namespace {

// Collective. Compares the sums of the whole file.
Verification verify_sums(storage::Transport& transport, const std::string& path, const Communicator& communicator,
                         const ConvertOptions& options) {
  VerifyOptions how;
  how.limits = options.limits;
  how.threads = options.write.route.threads;
  how.physics = Measure::never;
  return verify(transport, path, communicator, how);
}

// Collective. No sum covers the part alone, so a flipped bit is found by the sums of the whole field.
void require_sound(storage::Transport& transport, const std::string& path, const Communicator& communicator,
                   const ConvertOptions& options) {
  const Verification examined = verify_sums(transport, path, communicator, options);
  if (examined.ok) return;
  std::vector<Finding> errors;
  add_new_errors(errors, examined);
  require_error(errors, examined, {.severity = Severity::error, .message = path + ": its data are not proven"});
  throw Error(Code::checksum_mismatch, errors.front().message, {.path = path, .record = errors.front().record});
}

// Collective. Reads the sites of a part into `local`, and refuses them if they look damaged.
Report read_part(ScannedFile& source, const FieldEntry& entry, const Box& part, const Grid& grid,
                 const MutableField& local, const Communicator& communicator, const ConvertOptions& options) {
  comm::Comm& comm = communicator.engine();
  const Catalog& catalog = source.catalog();
  const bool verifies = options.write.verify != Verify::none;
  storage::TwiceRead twice(source.files());
  const bool is_covered = !verifies || sums_see_every_bit(entry);
  ReadOptions reading = comm::agree(comm, [&] {
    ReadOptions how;
    if (part != whole(entry.payload.extents)) how.region = part;
    how.verify = verifies ? Verify::checksum : Verify::none;
    how.limits = options.limits;
    how.route = options.write.route;
    how.block_bytes = options.write.block_bytes;
    return how;
  });
  Report read = read_listed(is_covered ? static_cast<storage::Transport&>(source.files()) : twice, catalog, entry, grid,
                            local, reading);
  if (verifies && read.status == ChecksumStatus::unchecked) {
    require_sound(source.files(), catalog.path, communicator, options);
  }
  // Texts about the whole field are not kept, so that nothing would contradict the part.
  const std::optional<Estimate> measured =
      part == whole(entry.payload.extents) ? std::nullopt : estimate(source, entry, false, communicator);
  bool is_wrong = false;
  comm::agree_alike(comm, [&] { is_wrong = measured && !wrong_statements(catalog, entry, *measured).empty(); });
  // Damage elsewhere explains it, where slices have sums.
  if (is_wrong && read.status == ChecksumStatus::ok) {
    is_wrong = verify_sums(source.files(), catalog.path, communicator, options).ok;
  }
  comm::agree_alike(comm, [&] {
    std::vector<std::string> damage = has_exact_sum(entry) ? std::vector<std::string>{} : read.warnings;
    if (is_wrong && damage.empty()) damage = wrong_statements(catalog, entry, *measured);
    require_undamaged(catalog, entry, damage, options.accept_damage);
    if (read.warnings.empty()) read.warnings = std::move(damage);
  });
  return read;
}

}  // namespace

void rehearse_part(ScannedFile& source, const FieldEntry& entry, const Box& part, const Communicator& communicator,
                   const ConvertOptions& options) {
  const Grid grid(communicator, part.extents, {.idle_ranks = true});
  MutableField nowhere{.spec = entry.payload.spec};
  nowhere.store_rows = [](const Coord&, int, std::uint64_t, const void*) {};
  read_part(source, entry, part, grid, nowhere, communicator, options);
}

Report convert_part(FieldWriter& writer, storage::Transport& transport, const std::string& to, const std::string& name,
                    const Metadata& texts, ScannedFile& source, const FieldEntry& entry, const Box& part,
                    const Communicator& communicator, const ConvertOptions& options) {
  comm::Comm& comm = communicator.engine();
  const FieldSpec& spec = entry.payload.spec;
  const Grid grid(communicator, part.extents, {.idle_ranks = true});
  std::vector<std::byte> sites = comm::agree(
      comm, [&] { return std::vector<std::byte>(static_cast<std::size_t>(grid.local_volume() * spec.site_bytes())); });
  const MutableField local{.spec = spec, .data = sites.data(), .available = grid.local_volume() * spec.numbers};
  const Report read = read_part(source, entry, part, grid, local, communicator, options);
  Report report = append_field(writer, transport, grid, to, name, local, texts, options.write);
  comm::agree_alike(comm,
                    [&] { report.warnings.insert(report.warnings.end(), read.warnings.begin(), read.warnings.end()); });
  return report;
}

}  // namespace lq::io

namespace lq {

// A small file of one format that shows the numbers in a file of another format, without a copy.

namespace {

// With absolute paths: the reading program may be started elsewhere.
std::vector<format::Reference> references_to(const Catalog& catalog, const format::FieldFormat& target) {
  catalog.require_sound();
  if (catalog.fields.empty()) (void)catalog.field();  // throws an error that lists the existing fields
  std::vector<format::Reference> references;
  io::UniqueNames names;
  for (const FieldEntry& entry : catalog.fields) {
    if (catalog.files.size() > 1) {
      base::fail(Code::unsupported, {.path = catalog.path, .record = entry.name},
                 "a field that is stored in several files cannot be shown by another file");
    }
    references.push_back({names.next(entry.name), base::plain_path(catalog.path), entry.payload, entry.sums,
                          target.carried(entry.metadata, false)});
  }
  return references;
}

}  // namespace

void export_virtual(const std::string& from, const std::string& to, const Communicator& communicator,
                    const ConvertOptions& options) {
  comm::Comm& comm = communicator.engine();
  storage::Transport& transport = storage::resolve(to);
  const auto source = io::ScannedFile::open(storage::resolve(from), from, communicator, options.limits);
  auto file = comm::agree(
      comm, [&] { return io::stated_conversion(from, to, options); },
      [&] {
        auto made = std::make_unique<io::NewFile>(transport, communicator, to);
        made->keep_private(from);
        made->keep_other_data("a file that refers to another", "hdf5");
        return made;
      });
  std::vector<format::Literal> literals;
  comm::agree_at_root(comm, [&] {
    if (!options.write.protect.empty()) {
      throw Error(Code::unsupported,
                  to + ": a file that refers to another has no data to protect; omit options.protect", {.path = to});
    }
    const FieldEntry& first = source->catalog().field();
    const format::FieldFormat& target =
        io::target_format(to, options.write, first.payload.spec, first.payload.extents).for_fields();
    literals = target.refer(references_to(source->catalog(), target));
    if (options.dry_run) io::require_target(transport, to, options.write.overwrite);
  });
  if (options.dry_run) return;
  file->create(options.write.overwrite, 0);
  file->write([&] { return literals; });
  file->finish(options.write.sync);
  file->publish(options.write.sync);
}

}  // namespace lq
