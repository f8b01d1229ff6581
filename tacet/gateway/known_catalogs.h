// SPDX-License-Identifier: Apache-2.0
// Which catalogs on this machine have a ledger, kept beside the witnesses, so that the loss of a
// whole project folder's state is noticed. The folder is known as well as the catalog in it, or a
// catalog that is renamed would begin anew.
//
//   FOLDER/catalogs/HASH   the dataset's id and a path, a line each; HASH is the SHA-256 of the
//                          path, with links resolved
#pragma once

#include <optional>
#include <string>

#include "tacet/base/result.h"

namespace tacet {

// Where witnesses are kept: TACET_STATE_DIR, else XDG_STATE_HOME/tacet, else .local/state/tacet in
// the home folder. Fails with Code::kLedger if there is no such place, or a relative path is named.
Result<std::string> WitnessFolder();

// The dataset that belongs to the catalog at this path, or else to its folder, if one ever did.
Result<std::optional<std::string>> KnownDataset(const std::string& witness_folder,
                                                const std::string& catalog_path);
Status RememberDataset(const std::string& witness_folder, const std::string& catalog_path,
                       const std::string& dataset_id);

}  // namespace tacet
