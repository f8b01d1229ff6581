// SPDX-License-Identifier: Apache-2.0
// The study as somebody might give it away: a random number in place of each name. It is what the
// attackers of the demonstration have.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "tacet/base/result.h"
#include "tacet/sampler/entropy.h"

namespace tacet::cli {

// What a neighbour or a register knows of a person.
inline constexpr std::array kKnownColumns = {
    "site", "sex", "age", "education_years", "coinsurance_percent", "family_size"};

struct ReleasedRow {
  std::string pseudonym;
  std::vector<std::string> known;  // the values of kKnownColumns
  bool in_hospital = false;        // the secret: at any time during the study
};

// Writes the table, in a random order, from participants.csv and insurance_years.csv in `folder`.
// Schooling is in whole years; the few people of whom it is not known are left out. Fails as
// ReadText does, and with Code::kIo if it cannot write.
Status WriteReleased(const std::string& folder, const std::string& path, Entropy& entropy);

// Reads it as an attacker would.
Result<std::vector<ReleasedRow>> ReadReleased(const std::string& path);

// `site = 3 AND sex = 'F' AND ...`: what is known of a person, as a condition.
std::string DescriptionOf(const ReleasedRow& row);

}  // namespace tacet::cli
