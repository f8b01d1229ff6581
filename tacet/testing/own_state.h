// SPDX-License-Identifier: Apache-2.0
// A place of their own for the witnesses of the ledgers that a test program makes.
#pragma once

#include <cstdlib>

#include "tacet/testing/temporary_folder.h"

namespace tacet::testing {

// Sets TACET_STATE_DIR while the program runs.
class OwnState {
 public:
  OwnState() { ::setenv("TACET_STATE_DIR", folder_.path().c_str(), 1); }

 private:
  TemporaryFolder folder_;
};

inline const OwnState kOwnState;

}  // namespace tacet::testing
