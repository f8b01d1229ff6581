// SPDX-License-Identifier: Apache-2.0
// SHA-256, for what must be the same bytes later.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tacet {

using Digest = std::array<uint8_t, 32>;

// By OpenSSL. Stops the process if that fails, which means that memory ran out or it is broken.
Digest Sha256(std::string_view bytes);

// 64 hexadecimal digits in lower case.
std::string ToHex(const Digest& digest);
// What ToHex writes; nothing for anything else.
std::optional<Digest> DigestFromHex(std::string_view text);

}  // namespace tacet
