// SPDX-License-Identifier: Apache-2.0
#include "tacet/ledger/balances_file.h"

#include <algorithm>
#include <array>
#include <memory>
#include <string_view>

#include "tacet/base/fault.h"
#include "tacet/base/file.h"
#include "tacet/base/private_path.h"
#include "tacet/base/sha256.h"

namespace tacet {
namespace {

constexpr std::string_view kLabel = "tacet balances 2\n";
constexpr size_t kDatasetIdSize = 32;
constexpr size_t kNumberSize = 8;

std::string_view View(const Digest& digest) {
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

Digest ToDigest(std::string_view bytes) {
  Digest digest = {};
  std::copy_n(bytes.begin(), digest.size(), digest.begin());
  return digest;
}

}  // namespace

Status WriteBalances(const std::string& path, const BalancesCheckpoint& checkpoint) {
  std::string bytes(kLabel);
  bytes += checkpoint.dataset_id;
  for (size_t i = 0; i < kNumberSize; ++i) {
    bytes += static_cast<char>(checkpoint.point.sequence >> (8 * i) & 0xff);
  }
  bytes += View(checkpoint.point.hash);
  bytes += checkpoint.balances.Serialize();
  bytes += View(Sha256(bytes));
  SystemFileSystem files;
  const std::string draft = path + ".new";
  {
    TACET_TRY(const std::unique_ptr<File> file, files.Create(draft));
    TACET_RETURN_IF_ERROR(file->Append(bytes));
  }
  return files.Rename(draft, path);
}

std::optional<BalancesCheckpoint> ReadBalances(const std::string& path) {
  if (!NameExists(path)) return std::nullopt;
  SystemFileSystem files;
  const Result<std::string> read = files.Read(path);
  if (!read.ok()) return std::nullopt;
  constexpr size_t kHashSize = Digest().size();
  constexpr size_t kHeaderSize = kLabel.size() + kDatasetIdSize + kNumberSize + kHashSize;
  const std::string_view bytes = *read;
  if (bytes.size() < kHeaderSize + kHashSize || !bytes.starts_with(kLabel)) return std::nullopt;
  const std::string_view covered = bytes.substr(0, bytes.size() - kHashSize);
  if (Sha256(covered) != ToDigest(bytes.substr(covered.size())) &&
      !TACET_FAULT(balances_hash_not_checked)) {
    return std::nullopt;
  }
  std::string_view rest = covered.substr(kLabel.size());
  BalancesCheckpoint checkpoint;
  checkpoint.dataset_id = rest.substr(0, kDatasetIdSize);
  rest.remove_prefix(kDatasetIdSize);
  for (size_t i = 0; i < kNumberSize; ++i) {
    checkpoint.point.sequence |= uint64_t{static_cast<uint8_t>(rest[i])} << (8 * i);
  }
  rest.remove_prefix(kNumberSize);
  checkpoint.point.hash = ToDigest(rest);
  rest.remove_prefix(kHashSize);
  Result<PersonBalances> balances = PersonBalances::Parse(rest);
  if (!balances.ok()) return std::nullopt;
  checkpoint.balances = *std::move(balances);
  return checkpoint;
}

}  // namespace tacet
