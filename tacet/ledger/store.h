// SPDX-License-Identifier: Apache-2.0
// The file of the ledger: an SQLite database to which records are appended and nothing else is
// done.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "tacet/base/result.h"
#include "tacet/base/sha256.h"
#include "tacet/ledger/record.h"

namespace tacet {

// A record with its place in the chain.
struct ChainedRecord {
  uint64_t sequence = 0;  // 1, 2, 3, ...
  StoredRecord stored;
  Digest hash;
};

// One exclusive connection, write-ahead log, synchronous=FULL. Says nothing of what records mean
// and does not check the chain. For one thread at a time.
class Store {
 public:
  // Makes a file with its first records, whole or not at all. Fails if one is there.
  static Status Create(const std::string& path, std::span<const ChainedRecord> first);
  // Fails if the file is missing, open to others, or not laid out exactly as Create does it,
  // triggers against changes included, and if SQLite does not confirm a setting; with Code::kIo if
  // it is of a format that is not known yet. A file of format 1 becomes one of today's.
  static Result<Store> Open(const std::string& path);

  Store(Store&& other) noexcept;
  Store& operator=(Store&&) = delete;
  ~Store();

  using Visit = std::function<Status(ChainedRecord)>;
  // Call `visit` for records in order, until it fails: for all from `first` on; for those that are
  // not one of many; for the people.
  Status Scan(uint64_t first, const Visit& visit);
  Status ScanOthers(const Visit& visit);
  Status ScanPeople(const Visit& visit);
  // The hash of a record that is there.
  Result<std::optional<Digest>> HashOf(uint64_t sequence);
  // The record that narrows a charge, if there is one.
  Result<std::optional<ChainedRecord>> FindNarrowing(uint64_t charge);
  // The bytes with this digest, if they were stored.
  Result<std::optional<std::string>> ReadSet(const Digest& digest);
  // Has SQLite look at all of its pages.
  Status CheckPages();

  // Appends all of it, sets that are not stored yet included, and returns once it is on stable
  // storage. An error does not say that nothing was written: what was given may be there when the
  // file is opened again. After an error, all later ones fail and write nothing.
  Status Append(std::span<const ChainedRecord> records, std::span<const std::string> sets);
  // Whether something was wrong with the file, an error while it was tidied up included.
  bool has_failed() const;

 private:
  struct Connection;
  explicit Store(std::unique_ptr<Connection> connection);

  std::unique_ptr<Connection> connection_;
};

}  // namespace tacet
