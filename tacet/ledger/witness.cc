// SPDX-License-Identifier: Apache-2.0
#include "tacet/ledger/witness.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <utility>

#include "tacet/base/file.h"
#include "tacet/base/private_path.h"

namespace tacet {
namespace {

constexpr std::string_view kLabel = "tacet witness 1 ";
constexpr size_t kNumberSize = 20;
constexpr size_t kChecksumSize = 16;
constexpr size_t kHashSize = 2 * sizeof(Digest);
constexpr size_t kCheckedSize = kLabel.size() + kNumberSize + 1 + kHashSize;
constexpr size_t kLineSize = kCheckedSize + 1 + kChecksumSize + 1;

std::string Checksum(std::string_view text) { return ToHex(Sha256(text)).substr(0, kChecksumSize); }

std::optional<ChainPoint> ReadLine(std::string_view line) {
  ChainPoint point;
  const std::string_view number = line.substr(kLabel.size(), kNumberSize);
  const auto [end, failure] =
      std::from_chars(number.data(), number.data() + number.size(), point.sequence);
  point.hash =
      DigestFromHex(line.substr(kLabel.size() + kNumberSize + 1, kHashSize)).value_or(Digest{});
  // Only what would be written is believed.
  if (failure != std::errc() || WitnessLine(point) != line) return std::nullopt;
  return point;
}

Error IoError(const char* what, const std::string& path) {
  return {.code = Code::kIo,
          .message = std::string(what) + " '" + path + "': " + std::strerror(errno)};
}

}  // namespace

std::string WitnessLine(const ChainPoint& point) {
  std::array<char, kNumberSize + 1> number;
  std::snprintf(number.data(), number.size(), "%020llu",
                static_cast<unsigned long long>(point.sequence));
  const std::string text = std::string(kLabel) + number.data() + " " + ToHex(point.hash);
  return text + " " + Checksum(text) + "\n";
}

std::optional<ChainPoint> ReadWitness(std::string_view bytes) {
  std::optional<ChainPoint> latest;
  for (size_t start = 0; start + kLineSize <= bytes.size(); start += kLineSize) {
    const std::optional<ChainPoint> point = ReadLine(bytes.substr(start, kLineSize));
    if (point && (!latest || point->sequence >= latest->sequence)) latest = point;
  }
  return latest;
}

Witness::Witness(Witness&& other) noexcept
    : lock_(std::move(other.lock_)),
      path_(std::move(other.path_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      point_(other.point_),
      writes_(other.writes_) {}

Witness::~Witness() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Result<Witness> Witness::Open(const std::string& folder, const std::string& dataset_id,
                              std::chrono::milliseconds wait,
                              const std::atomic<bool>* interrupted) {
  std::error_code failure;
  std::filesystem::create_directories(std::filesystem::absolute(folder).parent_path(), failure);
  if (failure) {
    return Error{.code = Code::kIo,
                 .message = "cannot make a place for the ledger's witness, '" + folder +
                            "': " + failure.message(),
                 .hint = "name another folder with TACET_STATE_DIR."};
  }
  TACET_RETURN_IF_ERROR(MakePrivateFolder(folder));
  const std::string path = folder + "/" + dataset_id;
  TACET_TRY(FileLock lock, FileLock::Acquire(path + ".lock", wait, interrupted));
  Witness witness(std::move(lock), path);
  if (!NameExists(path)) return witness;
  TACET_RETURN_IF_ERROR(CheckPrivateFile(path));
  witness.descriptor_ = ::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  if (witness.descriptor_ < 0) return IoError("cannot open", path);
  std::array<char, 2 * kLineSize> bytes;
  const ssize_t size = ::pread(witness.descriptor_, bytes.data(), bytes.size(), 0);
  if (size < 0) return IoError("cannot read", path);
  witness.point_ = ReadWitness({bytes.data(), static_cast<size_t>(size)});
  return witness;
}

Status Witness::Make() {
  descriptor_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (descriptor_ < 0) return IoError("cannot create", path_);
  return SystemFileSystem().SyncFolder(std::filesystem::path(path_).parent_path().string());
}

Status Witness::Write(const ChainPoint& point) {
  if (descriptor_ < 0) TACET_RETURN_IF_ERROR(Make());
  // Both the first time, lest an old line is the later one; then in turn, so that one is whole
  // whatever happens to the other.
  const bool is_first = writes_ == 0;
  const std::string line = WitnessLine(point);
  for (const uint64_t place : {writes_ % 2, (writes_ + 1) % 2}) {
    const ssize_t written =
        ::pwrite(descriptor_, line.data(), line.size(), static_cast<off_t>(place * kLineSize));
    if (written != static_cast<ssize_t>(line.size())) return IoError("cannot write", path_);
    if (!is_first) break;
  }
  ++writes_;
  point_ = point;
  return {};
}

Status Witness::Sync() {
  if (descriptor_ >= 0 && ::fdatasync(descriptor_) != 0) return IoError("cannot sync", path_);
  return {};
}

}  // namespace tacet
