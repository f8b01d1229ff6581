// SPDX-License-Identifier: Apache-2.0
// Reads the tables of the catalog and what they say of each other. Private to this folder.
#pragma once

#include <vector>

#include "tacet/catalog/catalog.h"
#include "tacet/catalog/section.h"

namespace tacet {

// `node` is [tables], or nullptr. What is returned is only good if no problem was reported.
std::vector<Table> ReadTables(const Node* node, PersonKeyType person_key, Problems& problems);

}  // namespace tacet
