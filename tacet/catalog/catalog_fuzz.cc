// SPDX-License-Identifier: Apache-2.0
#include "tacet/catalog/catalog_fuzz.h"

#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tacet::CheckAnyCatalog({reinterpret_cast<const char*>(data), size});
  return 0;
}
