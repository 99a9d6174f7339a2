// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A catalogue as a database: a thin layer over SQLite, batched transactions, and the tables.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/clock.hpp"
#include "ensemble/paths.hpp"

struct sqlite3;
struct sqlite3_stmt;

namespace lq::ensemble {

class Database;

// NULL, a number, or a text; bytes that are not UTF-8 become a BLOB.
using Value = std::variant<std::nullptr_t, std::int64_t, double, std::string>;

class Statement {
 public:
  Statement(const Database& database, std::string_view sql);
  Statement(Statement&&) noexcept = default;

  // Values of the parameters, from the first on; earlier values are forgotten.
  template <class... Values>
  Statement& bind(const Values&... values) {
    reset();
    int number = 0;
    (bind_at(++number, values), ...);
    return *this;
  }
  void bind_at(int number, std::nullptr_t);
  void bind_at(int number, std::int64_t value);
  void bind_at(int number, std::uint64_t value);
  void bind_at(int number, int value) { bind_at(number, std::int64_t{value}); }
  void bind_at(int number, double value);
  void bind_at(int number, std::string_view value);
  void bind_at(int number, const std::string& value) { bind_at(number, std::string_view(value)); }
  void bind_at(int number, const char* value) { bind_at(number, std::string_view(value)); }
  void bind_at(int number, const Value& value);
  template <class T>
  void bind_at(int number, const std::optional<T>& value) {
    value ? bind_at(number, *value) : bind_at(number, nullptr);
  }

  bool step();  // true if there is a row
  void run();   // for statements without rows
  void reset();

  // Columns of the current row, numbered from 0.
  bool is_null(int column) const;
  std::int64_t whole(int column) const;
  double real(int column) const;
  std::string text(int column) const;  // of a BLOB its bytes; of NULL an empty text
  std::optional<double> optional_real(int column) const;
  std::optional<std::int64_t> optional_whole(int column) const;

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const noexcept;
  };
  void require(int code) const;

  const Database* database_;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

enum class Opening { existing, create, in_memory };

class Database {
 public:
  // Waits some seconds if another process holds the lock.
  Database(const std::string& path, Opening opening);
  Database(Database&&) noexcept = default;

  const std::string& path() const noexcept { return path_; }
  // Used by statements as the functions full_path(KEPT) and kept_path(FULL).
  Paths& paths() noexcept { return *paths_; }
  const Paths& paths() const noexcept { return *paths_; }
  bool is_writable() const;      // true for the file and, if it exists, the folder of its journal
  Database in_memory() const;    // a private copy with the same path
  std::string contents() const;  // the bytes of its file
  Statement prepare(std::string_view sql) const { return Statement(*this, sql); }
  // One or more statements without parameters.
  void run(const char* sql) const;
  std::int64_t whole(std::string_view sql) const;  // the first column of the first row; 0 if there is none
  // Number of rows changed by the last statement.
  std::int64_t changes() const noexcept;

  [[noreturn]] void fail(int code) const;

 private:
  friend class Statement;
  struct Close {
    void operator()(sqlite3* handle) const noexcept;
  };

  void open(const char* name, int flags);
  void try_locks(Opening opening);
  void add_functions();

  std::string path_;
  std::unique_ptr<Paths> paths_ = std::make_unique<Paths>();  // used by the functions of statements
  std::unique_ptr<sqlite3, Close> handle_;
  bool has_locks_ = true;
};

// All or nothing: destruction without a commit rolls back.
class Transaction {
 public:
  explicit Transaction(const Database& database) : database_(database) { database_.run("BEGIN IMMEDIATE"); }
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  void commit();

 private:
  const Database& database_;
  bool is_open_ = true;
};

// Stores results in short transactions: other processes may write in between, and a kill loses at most one batch.

template <class Item, class Keep>
class Batches {
 public:
  Batches(const Database& database, const Keep& keep) : database_(database), keep_(keep) {}

  void add(Item item) {
    items_.push_back(std::move(item));
    if (items_.size() >= most || since_flush_.seconds() > longest) flush();
  }

  void flush() {
    if (!items_.empty()) {
      Transaction transaction(database_);
      for (Item& item : items_) keep_(std::move(item));
      transaction.commit();
      items_.clear();
    }
    since_flush_ = {};
  }

 private:
  static constexpr std::size_t most = 500;
  static constexpr double longest = 2;  // seconds

  const Database& database_;
  const Keep& keep_;
  std::vector<Item> items_;
  base::Stopwatch since_flush_;
};

// The tables of a catalogue (docs/formats/catalogue.md), and the location of its file.

inline constexpr const char* usual_name = "lq-catalogue.db";

// The path that the options select: `db`, or else the default name in this folder or the nearest parent that has one;
// in this folder if none has.
std::string place_of(const std::string& db);

// The catalogue of the default name in a folder or its nearest parent; empty: there is none.
std::string nearest_catalogue(const std::string& folder);

// An existing catalogue. not_found says how to make one; malformed: it is another program's; unsupported: it was made
// by a later version.
Database open_existing(const std::string& path);
// The same; creates the catalogue if it does not exist.
Database open_or_make(const std::string& path);
Database make_in_memory();
Database make_in_memory(const Database& contents);
// Upgrades the tables of a catalogue made by an earlier version, and updates one that was moved, before
// anything is written to it.
void migrate(Database& database);

}  // namespace lq::ensemble
