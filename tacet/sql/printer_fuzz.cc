// SPDX-License-Identifier: Apache-2.0
#include "tacet/sql/printer_fuzz.h"

#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tacet::sql::CheckPrinted({reinterpret_cast<const char*>(data), size});
  return 0;
}
