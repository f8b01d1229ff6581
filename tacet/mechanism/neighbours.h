// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tacet {

// Which data sets count as neighbours.
enum class Neighbours {
  kAddOrRemove,  // one person more or less
  kChangeOne,    // one person's value is another, or none
};

}  // namespace tacet
