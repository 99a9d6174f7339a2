// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "format/component.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cctype>
#include <vector>

#include <fmt/format.h>

#include "base/bytes.hpp"
#include "base/text.hpp"
#include "format/format.hpp"

namespace lq::format {
namespace {

using std::string_view_literals::operator""sv;

constexpr std::array hdf5_suffixes{".h5"sv, ".hdf5"sv};
constexpr std::array all_components{Component{.name = "hdf5",
                                              .format = "hdf5",
                                              .files = "an HDF5 file",
                                              .needs = "libhdf5 (1.10.5 or later)",
                                              .signature = "\x89HDF\r\n\x1a\n"sv,
                                              .first_offset = 512,
                                              .suffixes = hdf5_suffixes}};

constinit std::atomic<Loader> the_loader{nullptr};
constinit std::array<std::atomic<LibraryFacts>, all_components.size()> all_facts{};

Loader loader() noexcept { return the_loader.load(std::memory_order_acquire); }

bool stands_at(base::ByteSource& file, std::uint64_t offset, std::string_view signature) {
  std::array<std::byte, 16> bytes{};
  const auto begin = base::MutableBytes(bytes).first(signature.size());
  return file.read_at(offset, begin) == begin.size() && base::as_text(begin) == signature;
}

bool has_signature_of(const Component& component, base::ByteSource& file) {
  if (stands_at(file, 0, component.signature)) return true;
  const std::uint64_t size = file.size();
  for (std::uint64_t offset = component.first_offset; offset != 0 && offset < size; offset *= 2) {
    if (stands_at(file, offset, component.signature)) return true;
  }
  return false;
}

template <class Claims>
const Component* find_component(const Claims& claims) {
  const auto found = std::ranges::find_if(
      all_components, [&](const Component& one) { return claims(one) && find_format(one.format) == nullptr; });
  return found == all_components.end() ? nullptr : &*found;
}

}  // namespace

const Component* component_with_format(std::string_view format) {
  return find_component([format](const Component& one) { return one.format == format; });
}

const Component* component_with_suffix(std::string_view suffix) {
  if (loader() == nullptr) return nullptr;
  return find_component([suffix](const Component& one) {
    return std::ranges::any_of(one.suffixes, [suffix](std::string_view own) { return is_suffix(suffix, own); });
  });
}

const Component* component_of(base::ByteSource& file) {
  if (loader() == nullptr) return nullptr;
  return find_component([&](const Component& one) { return has_signature_of(one, file); });
}

const Component* claimed_by(base::ByteSource& file) {
  const auto found =
      std::ranges::find_if(all_components, [&](const Component& one) { return has_signature_of(one, file); });
  return found == all_components.end() ? nullptr : &*found;
}

LQ_AT_LOAD void set_loader(Loader loader) noexcept { the_loader.store(loader, std::memory_order_release); }

std::optional<std::string> absence_of(std::string_view component) {
  const Component* const absent = find_component([component](const Component& one) { return one.name == component; });
  if (absent == nullptr) return std::nullopt;
  const Loader load = loader();
  if (load == nullptr) return fmt::format("link the program with Limequat's component {}", component);
  const auto why = load(component);
  if (find_format(absent->format) != nullptr) return std::nullopt;
  return why ? fmt::format("install Limequat's component {} ({})", component, *why)
             : fmt::format("Limequat's component {} was built without {}; build it on a system that has it", component,
                           absent->needs);
}

LQ_AT_LOAD void set_library_facts(std::string_view component, LibraryFacts facts) noexcept {
  for (std::size_t i = 0; i < all_components.size(); ++i) {
    if (all_components[i].name == component) all_facts[i].store(facts, std::memory_order_release);
  }
}

std::string library_facts_of(std::string_view component) {
  for (std::size_t i = 0; i < all_components.size(); ++i) {
    const LibraryFacts facts = all_facts[i].load(std::memory_order_acquire);
    if (all_components[i].name == component && facts != nullptr) return facts();
  }
  return {};
}

const Format& require_format(const Component& component, const std::string& about, const std::string& path, Code code) {
  if (const auto absence = absence_of(component.name)) {
    throw Error(code, fmt::format("{}; {}", about, *absence),
                {.path = path, .expected = fmt::format("the component {}", component.name)});
  }
  return *find_format(component.format);
}

void load_components() {
  static std::array<std::atomic<bool>, all_components.size()> tried{};
  const Loader load = loader();
  if (load == nullptr) return;
  for (std::size_t i = 0; i < all_components.size(); ++i) {
    if (!tried[i].exchange(true)) static_cast<void>(load(all_components[i].name));
  }
}

// Signatures are from the formats' own specifications.

namespace {

using std::string_view_literals::operator""sv;

constexpr std::string_view ask_its_program =
    "let a program that reads it write ILDG or SciDAC, or read it yourself and pass the numbers to lq::write or "
    "lq.write";
constexpr std::string_view numpy = "read it with numpy and pass the array to lq.write";
constexpr std::string_view fetch_it = "the data were never fetched; fetch them with the program that made it";

struct Signature {
  std::uint64_t offset;
  std::string_view bytes;
  ForeignFile file;
};

// Used only if no module or component has registered a format for it.
constexpr ForeignFile hdf5{"an HDF5 file",
                           "link the program with Limequat's component hdf5, or read the file with h5py and pass the "
                           "numbers to lq.write"};
constexpr ForeignFile gzip{
    "a file compressed by gzip",
    "unpack it with gunzip; a packed file is read as it is only if its name ends in .gz and it is "
    "named on its own"};
constexpr ForeignFile bzip2{
    "a file compressed by bzip2",
    "unpack it with bunzip2; a packed file is read as it is only if its name ends in .bz2 and it is "
    "named on its own"};
constexpr ForeignFile xz{"a file compressed by xz",
                         "unpack it with unxz; a packed file is read as it is only if its name ends in .xz and it is "
                         "named on its own"};
constexpr ForeignFile zstd{
    "a file compressed by zstd",
    "unpack it with unzstd; a packed file is read as it is only if its name ends in .zst and it is "
    "named on its own"};
constexpr ForeignFile lz4{"a file compressed by lz4", "unpack it with unlz4 first"};
constexpr ForeignFile zip{"a zip archive", "unpack it with unzip first; numpy reads its own archives (.npz)"};
constexpr ForeignFile seven_zip{"a 7z archive", "unpack it with 7z first"};
constexpr ForeignFile tar{"a tar archive", "unpack it with tar first"};
constexpr ForeignFile milc_1996{"a configuration of MILC in its format of 1996", ask_its_program};
constexpr ForeignFile fits{"a FITS file", "read it with astropy and pass the array to lq.write"};
constexpr ForeignFile npy{"a numpy array (.npy)", numpy};
constexpr ForeignFile netcdf{"a netCDF file", "read it with its own library and pass the numbers to lq.write"};
constexpr ForeignFile web_page{"a web page, perhaps a server's error message", "download the file again"};
constexpr ForeignFile zeros{"a file that begins with zeros, as after lost writes or an interrupted copy",
                            "use another copy"};
constexpr ForeignFile xml{"an XML document", "name the file with the data that it describes"};

constexpr ForeignFile headless{
    "a LIME file (ILDG, SciDAC) that lost its beginning: its first bytes are not a record header, but one follows them",
    "use another copy, or let `lq diagnose` look for the numbers"};
constexpr ForeignFile nameless_set{
    "the description of a set of subfiles with a damaged first line",
    "make its first line \"limequat partitioned file 1\" again; its CRC-32 then shows whether the rest is intact"};
constexpr std::string_view start_of_record = "\x45\x67\x89\xab\x00\x01"sv;

constexpr Signature signatures[] = {
    {0, "\x89HDF\r\n\x1a\n"sv, hdf5},
    {512, "\x89HDF\r\n\x1a\n"sv, hdf5},  // after a user block, of 512 bytes times a power of 2
    {1024, "\x89HDF\r\n\x1a\n"sv, hdf5},
    {2048, "\x89HDF\r\n\x1a\n"sv, hdf5},
    {4096, "\x89HDF\r\n\x1a\n"sv, hdf5},
    {0, "\x1f\x8b"sv, gzip},
    {0, "BZh"sv, bzip2},
    {0,
     "\xfd"
     "7zXZ\0"sv,
     xz},
    {0, "\x28\xb5\x2f\xfd"sv, zstd},
    {0, "\x04\x22\x4d\x18"sv, lz4},
    {0, "PK\x03\x04"sv, zip},
    {0, "7z\xbc\xaf\x27\x1c"sv, seven_zip},
    {257, "ustar"sv, tar},
    {0, "\x00\x00\xd1\x2a"sv, milc_1996},
    {0, "\x2a\xd1\x00\x00"sv, milc_1996},
    {0, "SIMPLE  ="sv, fits},
    {0, "\x93NUMPY"sv, npy},
    {0, "CDF\x01"sv, netcdf},
    {0, "CDF\x02"sv, netcdf},
    {0, "CDF\x05"sv, netcdf},
    {0, "version https://git-lfs.github.com/spec"sv, {"a pointer of git-lfs, not the data", fetch_it}},
    {0, "/annex/objects/"sv, {"a pointer of git-annex, not the data", fetch_it}},
    {0, "<!DOCTYPE html"sv, web_page},
    {0, "<!doctype html"sv, web_page},
    {0, "<html"sv, web_page},
    {0, "<?xml"sv, xml},
};

struct Suffix {
  std::string_view suffix;
  ForeignFile file;
};

constexpr Suffix suffixes_of_others[] = {
    {".h5", hdf5},  {".hdf5", hdf5}, {".he5", hdf5},      {".jld2", hdf5}, {".gz", gzip},
    {".tgz", gzip}, {".bz2", bzip2}, {".xz", xz},         {".zst", zstd},  {".lz4", lz4},
    {".zip", zip},  {".npz", zip},   {".7z", seven_zip},  {".tar", tar},   {".fits", fits},
    {".npy", npy},  {".nc", netcdf}, {".html", web_page}, {".xml", xml},
};

// This many zero bytes at the beginning are not a number of another program.
constexpr std::size_t least_zeros = 64;

bool are_zeros(base::Bytes bytes) noexcept {
  return std::ranges::all_of(bytes, [](std::byte b) { return b == std::byte{0}; });
}

// A server's error message begins in many ways: "<!DOCTYPE html", "<HTML>", after blanks.
bool is_web_page(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return false;
  std::string lower;
  for (const char c : text.substr(begin, 16)) lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower.starts_with("<!doctype html") || lower.starts_with("<html");
}

bool looks_like_text(std::string_view bytes) noexcept {
  const auto is_of_text = [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x20 ? byte != 0x7f : c == '\n' || c == '\r' || c == '\t' || c == '\f' || c == '\x1b';
  };
  return !bytes.empty() && std::ranges::all_of(bytes, is_of_text);
}

// Parts of lattice file headers: LIME's magic with its version, the end of NERSC's, HDF5's object headers.
bool holds_header(std::string_view bytes) noexcept {
  constexpr std::array marks = {"\x45\x67\x89\xab\x00\x01"sv, "\nEND_HEADER\n"sv, "OHDR\x02"sv, "SNOD\x01\x00"sv};
  return std::ranges::any_of(marks, [&](std::string_view m) { return bytes.find(m) != std::string_view::npos; });
}

std::string bytes_at(base::ByteSource& file, std::uint64_t offset, std::size_t most) {
  std::vector<std::byte> buffer(static_cast<std::size_t>(std::min<std::uint64_t>(file.size() - offset, most)));
  return std::string(base::as_text(base::Bytes(buffer).first(file.read_at(offset, buffer))));
}

}  // namespace

std::optional<ForeignFile> identify_foreign(base::ByteSource& file) {
  std::array<std::byte, 4096 + 8> buffer{};
  const base::Bytes start = base::Bytes(buffer).first(file.read_at(0, buffer));
  const std::string_view text = base::as_text(start);
  // The contents of the first record may be XML.
  const bool is_headless = text.find(start_of_record) != std::string_view::npos;
  for (const Signature& signature : signatures) {
    if (is_headless && signature.file.name == xml.name) continue;
    if (text.size() > signature.offset && text.substr(signature.offset).starts_with(signature.bytes)) {
      return signature.file;
    }
  }
  if (is_web_page(text)) return web_page;
  if (!start.empty() && are_zeros(start.first(std::min(start.size(), least_zeros)))) {
    return zeros;
  }
  if (is_headless) return headless;
  // The part after the first line of a set's description (docs/formats/partitions.md).
  const std::size_t second_line = text.find('\n');
  if (second_line != std::string_view::npos && text.substr(second_line).starts_with("\nbytes ") &&
      text.find("\ncuts ") != std::string_view::npos && text.find("\ncrc32 ") != std::string_view::npos) {
    return nameless_set;
  }
  return {};
}

std::string describe_foreign(base::ByteSource& file) {
  if (const auto known = identify_foreign(file)) return fmt::format("{}: {}", known->name, known->remedy);
  std::array<std::byte, 512> buffer{};
  const std::string_view start = base::as_text(base::Bytes(buffer).first(file.read_at(0, buffer)));
  if (start.empty()) return "an empty file";
  return fmt::format("{} that begins with \"{}\"", looks_like_text(start) ? "a text" : "a file of an unknown format",
                     base::printable(start.substr(0, start.find('\n')), 16));
}

bool has_remains(base::ByteSource& file) {
  constexpr std::size_t looked_at = 64 * 1024;
  if (file.size() == 0) return true;
  const std::string start = bytes_at(file, 0, looked_at);
  const auto known = identify_foreign(file);
  if (known && (known->name == zeros.name || known->name == headless.name)) return true;
  // Archives of other programs may contain whole lattice files; texts may mention headers.
  if ((known && known->name != xml.name) || looks_like_text(start)) return false;
  return holds_header(start) ||
         (file.size() > looked_at && holds_header(bytes_at(file, file.size() - looked_at, looked_at)));
}

std::optional<ForeignFile> foreign_suffix(std::string_view suffix) noexcept {
  const auto found = std::ranges::find(suffixes_of_others, suffix, &Suffix::suffix);
  return found == std::end(suffixes_of_others) ? std::nullopt : std::optional(found->file);
}

}  // namespace lq::format
