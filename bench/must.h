// SPDX-License-Identifier: Apache-2.0
// A benchmark that cannot go on says why, and ends.
#pragma once

#include <fmt/format.h>

#include <cstdlib>

#include "tacet/base/result.h"

namespace tacet {

[[noreturn]] inline void Fail(const Error& error) {
  fmt::print(stderr, "{}: {}\n", error.message, error.detail);
  std::exit(1);
}

template <typename T>
T Must(Result<T> result) {
  if (!result.ok()) Fail(result.error());
  return *std::move(result);
}

inline void Must(const Status& status) {
  if (!status.ok()) Fail(status.error());
}

}  // namespace tacet
