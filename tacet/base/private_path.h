// SPDX-License-Identifier: Apache-2.0
// Files and folders that nobody but their owner may open.
#pragma once

#include <string>

#include "tacet/base/result.h"

namespace tacet {

// Fail unless the path itself (no link) is a folder, or a file, that gives no right to group or
// others. As ssh does: a secret that others could have read is no secret, so nothing is repaired.
Status CheckPrivateFolder(const std::string& path);
Status CheckPrivateFile(const std::string& path);

// Makes the folder with mode 0700 and its name durable, or checks the one that is there.
Status MakePrivateFolder(const std::string& path);

// Whether something has this name, a link that leads nowhere included. A name that cannot be looked
// up counts as being there.
bool NameExists(const std::string& path);

}  // namespace tacet
