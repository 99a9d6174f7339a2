// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// qio-convert-nersc [--ildg] NERSC_FILE SCIDAC_FILE: writes a gauge field of the NERSC archive format as a file of the
// USQCD codes, with its header in the record XML; in ILDG style with the LFN from a line of standard input.
// Arguments and output are those of QIO's program of that name. A truncated file, or one of another kind, is
// refused before anything is written.
#include <qio.h>

#include <array>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <memory>
#include <optional>
#include <vector>

#include "programs/qio/mesh.hpp"

namespace {

using namespace lq::programs;

struct Line {
  std::string key, value;  // the value with its leading blanks
};

// Archive headers are short (docs/formats/nersc.md 2).
constexpr std::size_t most_lines = 512, most_characters = 1024;

class Archive {
 public:
  explicit Archive(const std::string& path) : path_(path), file_(path, std::ios::binary) {
    if (!file_) throw Failure("Can't open " + path);
    read_header();
    take_form();
    require_size();
  }

  const std::vector<Line>& lines() const noexcept { return lines_; }
  std::optional<std::string> find(const std::string& key) const {
    for (const Line& line : lines_) {
      if (line.key == key) return line.value;
    }
    return std::nullopt;
  }
  bool is_double() const noexcept { return is_double_; }
  std::array<int, 4>& lattice() noexcept { return lattice_; }
  std::uint32_t stated_sum() const noexcept { return stated_sum_; }
  std::uint32_t sum() const noexcept { return sum_; }
  std::uint32_t crc() const noexcept { return crc_; }
  bool is_broken() const noexcept { return is_broken_; }

  // The next site, whole matrices in the byte order of this machine.
  void read_site(char* to) {
    is_double_ ? read_site_of<double, std::uint64_t>(to) : read_site_of<float, std::uint32_t>(to);
  }

 private:
  std::string require(const std::string& key) const {
    if (const auto value = find(key)) return *value;
    throw Failure(key + " not present");
  }

  bool get_line(std::string& line) {
    if (!std::getline(file_, line) || line.size() > most_characters) return false;
    if (line.ends_with('\r')) line.pop_back();
    return true;
  }

  void read_header() {
    std::string line;
    if (!get_line(line) || line != "BEGIN_HEADER") throw Failure(path_ + " does not look like a NERSC archive file.");
    std::printf("Archive header:\n");
    while (lines_.size() < most_lines && get_line(line)) {
      std::printf("%s\n", line.c_str());
      if (line == "END_HEADER") return;
      const std::size_t equals = line.find('=');
      if (equals == std::string::npos) continue;
      lines_.push_back({line.substr(0, line.find_first_of(" =")), line.substr(equals + 1)});
    }
    throw Failure("Error reading archive header");
  }

  void take_form() {
    for (int d = 0; d < 4; ++d) {
      const std::string key = "DIMENSION_" + std::to_string(d + 1);
      int& extent = lattice_[static_cast<std::size_t>(d)];
      extent = std::atoi(require(key).c_str());
      if (extent < 1 || extent > 1 << 24) throw Failure(key + " is no extent of a lattice");
    }
    stated_sum_ = static_cast<std::uint32_t>(std::strtoul(require("CHECKSUM").c_str(), nullptr, 16));
    const std::string type = require("DATATYPE");
    has_third_rows_ = type == " 4D_SU3_GAUGE_3x3";
    if (!has_third_rows_ && type != " 4D_SU3_GAUGE") throw Failure("DATATYPE" + type + " is not one of SU(3)");
    const std::optional<std::string> form = find("FLOATING_POINT");
    if (!form) std::fprintf(stderr, "FLOATING_POINT tag not present.  Assuming IEEE32BIG.\n");
    is_double_ = form && form->find("64") != std::string::npos;
    const bool is_little = form && form->find("LITTLE") != std::string::npos;
    is_turned_ = is_little == (std::endian::native == std::endian::big);
  }

  void require_size() {
    const std::streamoff begin = file_.tellg();
    const std::streamoff end = file_.seekg(0, std::ios::end).tellg();
    file_.seekg(begin);
    std::uint64_t bytes = std::uint64_t{is_double_ ? 8U : 4U} * (has_third_rows_ ? 72 : 48);
    for (const int extent : lattice_) {
      if (__builtin_mul_overflow(bytes, static_cast<std::uint64_t>(extent), &bytes)) bytes = UINT64_MAX;
    }
    if (!file_ || end < begin || static_cast<std::uint64_t>(end - begin) < bytes) {
      throw Failure(path_ + ": the file is shorter than its header states");
    }
  }

  template <class Number, class Word>
  void read_site_of(char* to) {
    std::array<Number, 72> matrices{};
    const std::size_t stored = has_third_rows_ ? 18 : 12;
    for (std::size_t link = 0; link < 4; ++link) {
      Number* const u = matrices.data() + 18 * link;
      if (!file_.read(reinterpret_cast<char*>(u), static_cast<std::streamsize>(stored * sizeof(Number)))) {
        is_broken_ = true;
        return;
      }
      for (std::size_t k = 0; k < stored; ++k) take<Number, Word>(u[k]);
      if (!has_third_rows_) complete(u);
    }
    const auto* const bytes = reinterpret_cast<const unsigned char*>(matrices.data());
    crc_ = DML_crc32(crc_, bytes, sizeof matrices);
    std::memcpy(to, bytes, sizeof matrices);
  }

  // A number of the file: summed, in the byte order of this machine.
  template <class Number, class Word>
  void take(Number& number) {
    if (is_turned_) DML_byterevn(&number, sizeof number, sizeof number);
    const Word word = std::bit_cast<Word>(number);
    sum_ += static_cast<std::uint32_t>(word);
    if constexpr (sizeof(Word) == 8) sum_ += static_cast<std::uint32_t>(word >> 32);
  }

  // The third row is the conjugate of the cross product of the others; rounded like in QIO's program.
  template <class Number>
  static void complete(Number* u) {
    for (std::size_t k = 0; k < 3; ++k) {
      const Number *a = u + 2 * ((k + 1) % 3), *b = u + 6 + 2 * ((k + 2) % 3);
      const Number *c = u + 2 * ((k + 2) % 3), *d = u + 6 + 2 * ((k + 1) % 3);
      u[12 + 2 * k] = a[0] * b[0] - c[0] * d[0] - a[1] * b[1] + c[1] * d[1];
      u[13 + 2 * k] = c[0] * d[1] - a[0] * b[1] + c[1] * d[0] - a[1] * b[0];
    }
  }

  std::string path_;
  std::ifstream file_;
  std::vector<Line> lines_;
  std::array<int, 4> lattice_{};
  bool is_double_ = false, has_third_rows_ = true, is_turned_ = false, is_broken_ = false;
  std::uint32_t stated_sum_ = 0, sum_ = 0, crc_ = 0;
};

// --- QIO's side: one node, the sites in file order -------------------------------------------------------------------

int node_number(const int[], void*) { return 0; }
QIO_Index node_index(const int coords[], void* arg) {
  std::array<int, 4>& lattice = static_cast<Archive*>(arg)->lattice();
  return static_cast<QIO_Index>(DML_lex_rank(coords, 4, lattice.data()));
}
void get_coords(int coords[], int, QIO_Index index, void* arg) {
  DML_lex_coords(coords, 4, static_cast<Archive*>(arg)->lattice().data(), static_cast<DML_SiteRank>(index));
}
QIO_Index volume(const std::array<int, 4>& lattice) {
  QIO_Index sites = 1;
  for (const int extent : lattice) sites *= static_cast<QIO_Index>(extent);
  return sites;
}
QIO_Index num_sites(int, void* arg) { return volume(static_cast<Archive*>(arg)->lattice()); }
void get(char* buf, size_t, int, void* arg) { static_cast<Archive*>(arg)->read_site(buf); }

using qio::Text;

Text text_of(const std::string& words) {
  Text text(QIO_string_create());
  QIO_string_set(text.get(), words.c_str());
  return text;
}

std::string stated(const Archive& archive, const char* key) {
  if (const auto value = archive.find(key)) return *value;
  std::fprintf(stderr, "Warning: %s tag not present\n", key);
  return "missing";
}

// The header is the whole record text.
Text record_text(const Archive& archive) {
  std::string header, plaquette = stated(archive, "PLAQUETTE"), trace = stated(archive, "LINK_TRACE");
  for (const Line& line : archive.lines()) header += line.key + " =" + line.value + "\n";
  QIO_USQCDLatticeInfo* const info = QIO_create_usqcd_lattice_info(plaquette.data(), trace.data(), header.data());
  Text text(QIO_string_create());
  QIO_encode_usqcd_lattice_info(text.get(), info);
  QIO_destroy_usqcd_lattice_info(info);
  return text;
}

struct FreeInfo {
  void operator()(QIO_RecordInfo* info) const noexcept { QIO_destroy_record_info(info); }
};

QIO_Writer* open(const std::string& path, Archive& archive, bool is_ildg, QIO_String* lfn) {
  QIO_Layout layout{};
  layout.node_number_ext = node_number;
  layout.node_index_ext = node_index;
  layout.get_coords_ext = get_coords;
  layout.num_sites_ext = num_sites;
  layout.arg = &archive;
  layout.latsize = archive.lattice().data();
  layout.latdim = 4;
  layout.volume = layout.sites_on_node = volume(archive.lattice());
  layout.number_of_nodes = 1;
  QIO_Oflag flags{QIO_SERIAL, QIO_TRUNC, is_ildg ? QIO_ILDGLAT : QIO_ILDGNO, lfn};
  const Text xml =
      text_of("<?xml version=\"1.0\" encoding=\"UTF-8\"?><title>Converted NERSC gauge configuration</title>");
  QIO_Writer* const writer = QIO_open_write(xml.get(), path.c_str(), QIO_SINGLEFILE, &layout, nullptr, &flags);
  if (writer == nullptr) throw Failure("Can't write " + path);
  return writer;
}

void write(const std::string& path, Archive& archive, bool is_ildg, QIO_String* lfn) {
  char single_type[] = "USQCD_F3_ColorMatrix", double_type[] = "USQCD_D3_ColorMatrix", f[] = "F", d[] = "D";
  const bool is_double = archive.is_double();
  const int word = is_double ? 8 : 4;
  const std::unique_ptr<QIO_RecordInfo, FreeInfo> info(QIO_create_record_info(
      QIO_FIELD, nullptr, nullptr, 0, is_double ? double_type : single_type, is_double ? d : f, 3, 0, 18 * word, 4));
  const Text xml = record_text(archive);
  QIO_Writer* const writer = open(path, archive, is_ildg, lfn);
  const int code = QIO_write(writer, info.get(), xml.get(), get, static_cast<std::size_t>(72 * word), word, &archive);
  const std::uint32_t suma = QIO_get_writer_last_checksuma(writer), sumb = QIO_get_writer_last_checksumb(writer);
  const int closed = QIO_close_write(writer);
  if (code != QIO_SUCCESS || closed != QIO_SUCCESS || archive.is_broken()) {
    std::remove(path.c_str());
    throw Failure(path + ": not written (" + std::to_string(code != QIO_SUCCESS ? code : closed) + ")");
  }
  if (archive.sum() == archive.stated_sum()) {
    std::printf("NERSC checksum %x OK\n", archive.sum());
  } else {
    std::printf("NERSC checksum mismatch.  Wanted %x.  Got %x\n", archive.stated_sum(), archive.sum());
  }
  std::printf("SciDAC checksums %x %x\n", suma, sumb);
  std::printf("ILDG crc32 checksum %u\n", archive.crc());
}

std::string read_lfn() {
  std::string line;
  if (!std::getline(std::cin, line)) throw Failure("Couldn't read the LFN");
  return line;
}

}  // namespace

int main(int argc, char* argv[]) {
  return run({argv[0], "[--ildg] <NERSC file> <SciDAC file>\n"}, [&] {
    const bool is_ildg = argc >= 4;
    if (argc < 3 || (!is_ildg && argv[1][0] == '-') || (is_ildg && std::strcmp(argv[1], "--ildg") != 0)) {
      throw WrongUsage();
    }
    const std::string from = argv[is_ildg ? 2 : 1], to = argv[is_ildg ? 3 : 2];
    const std::string lfn = is_ildg ? read_lfn() : std::string();
    std::printf("Converting NERSC file %s to SciDAC file %s\n", from.c_str(), to.c_str());
    if (is_ildg) std::printf("in ILDG compatible format with LFN\n%s\n", lfn.c_str());
    Archive archive(from);
    write(to, archive, is_ildg, is_ildg ? text_of(lfn).get() : nullptr);
  });
}
