// SPDX-License-Identifier: Apache-2.0
// Planted bugs, to prove that the tests can fail.
//
// TACET_FAULT(name) is the constant false everywhere but in the programs of the target `mutants`.
// There it is true in a process whose environment says TACET_FAULT=name. Each fault leaves the text
// "tacet-fault:name" in a binary that holds it; a test shows that what ships has none.
#pragma once

#ifdef TACET_MUTANTS
namespace tacet::internal {
// `marker` is "tacet-fault:" and the fault's name.
bool FaultActive(const char* marker);
}  // namespace tacet::internal
#define TACET_FAULT(name) (::tacet::internal::FaultActive("tacet-fault:" #name))
#else
#define TACET_FAULT(name) false
#endif
