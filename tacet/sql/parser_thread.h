// SPDX-License-Identifier: Apache-2.0
// The thread on which libpg_query runs. Private to this folder.
#pragma once

#include <functional>

namespace tacet::sql {

// Runs `work` on the one thread that calls libpg_query, which has a stack of 256 MiB, and waits for
// it; calls from several threads take turns. False if there is no memory for the thread.
//
// One thread for all calls, because libpg_query takes a key of thread-local storage for every
// thread that it meets and never gives it back; a process has 1,024 of them.
bool RunOnParserThread(const std::function<void()>& work);

}  // namespace tacet::sql
