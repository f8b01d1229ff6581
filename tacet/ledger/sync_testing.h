// SPDX-License-Identifier: Apache-2.0
// What fsync and fdatasync do in this test program; durability_test.cc defines them.
#pragma once

namespace tacet {

inline bool folder_syncs_fail = false;
// The machine stays up during a test, so the real disk need not be waited for.
inline bool syncs_do_nothing = false;

}  // namespace tacet
