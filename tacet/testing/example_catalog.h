// SPDX-License-Identifier: Apache-2.0
// The catalog that the documentation shows, for tests.
#pragma once

#include <string_view>

namespace tacet::testing {

inline constexpr std::string_view kExampleCatalog =
    R"toml([budget]                    # per person, for life
epsilon = "10"
delta   = "1e-9"            # leave out for a pure budget
exhausted = "refuse"        # or "exclude"
selection_share = "1/2"     # of delta, set aside for keys that are selected privately

[person]
type = "integer"            # of the key, for all tables

[query]
epsilon = "1/10"            # what a query costs unless it says otherwise
delta   = "1e-12"           # for private keys

[tables.patients]
source = "data/patients.parquet"    # parquet, csv, a DuckDB file
person = "patient_id"
rows_per_person = 1

[tables.patients.columns]
age    = { type = "integer", range = [0, 110] }
sex    = { type = "text", values = ["F", "M"] }
income = { type = "double", range = [0, 200000], grid = "1" }

[tables.visits]
source = "data/visits.csv"
person = "patient_id"
bounds = { groups_per_person = 5, rows_per_group = 10 }     # defaults a query may tighten

[tables.visits.columns]
ward   = { type = "text" }                                   # groups are selected privately
cost   = { type = "decimal(10,2)", range = [0, 5000] }
day    = { type = "date", range = ["2026-01-01", "2026-12-31"] }

[tables.wards]
source = "data/wards.csv"
public = true                                                # about no person: exact and free

[analysts.research]
epsilon = "2"                                                # a quota under the limit above
)toml";

}  // namespace tacet::testing
