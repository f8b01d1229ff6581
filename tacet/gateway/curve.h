// SPDX-License-Identifier: Apache-2.0
// How exact an answer would be at every epsilon, and what that would leave of the budget, before
// any data is read.
//
//   TACET_TRY(const Curve curve, DrawCurve(project, {.statement = text}, {}, services));
//   curve.points[3].margins[0].relative();   // 0.04: 95% of the noise is within 4% of the answer
#pragma once

#include <gmpxx.h>

#include <optional>
#include <string>
#include <vector>

#include "tacet/execute/supposed.h"
#include "tacet/gateway/analyst.h"

namespace tacet {

// A public number of people that the catalog declares: of the plan's own table, else the smallest
// of those that have keys for people. Nothing if it declares none.
std::optional<int64_t> DeclaredPeople(const Catalog& catalog, const Plan& plan);

// What nobody has to say: one row, which counts, for each of the declared people.
Supposition DeclaredSupposition(const Catalog& catalog, const Plan& plan);

struct CurvePoint {
  Rational epsilon;  // that is asked for
  Cost cost;
  std::vector<ExpectedMargin> margins = {};
  // Of keys that are selected privately: from so many people on a group appears more often than
  // not.
  std::optional<Int128> even_odds = {};
  // How often it could be asked with what is left now; 0: it would be refused, or people who cannot
  // pay would be left out.
  mpz_class times = {};
  // What would be left after asking it once, as a part of the whole limit; at least 0.
  Rational left_part = {};
};

// Where a margin falls below a part of what it is the margin of.
struct CurveMark {
  size_t series = 0;  // in the margins of every point
  Rational part;
  // The least of two digits. None: it is above even at the last point.
  std::optional<Rational> epsilon = {};
};

struct Curve {
  Plan plan;                // at one of the points: what is the same at all of them
  Supposition supposition;  // with what the catalog says
  bool has_declared_rows = false;
  bool excludes = false;  // people who cannot pay are left out rather than the query refused
  std::vector<CurvePoint> points;  // by rising epsilon, never empty
  std::vector<CurveMark> marks;
  std::vector<Notice> notices;
};

// Points at 1, 2 and 5 times powers of ten up to the dearest query that a whole budget pays for,
// that one, and the epsilon of the question or the catalog; of a budget far beyond that epsilon the
// decades around it. What the statement says of its epsilon is left aside. Without a ledger nothing
// counts as spent; the ledger is open while it is read, not longer. Fails where the query would be
// refused for its text, or if the supposition does not fit; of a public table, whose answers are
// exact and free, with Code::kUsage.
//
// Guarantee: reads no data of people: a function of the statement, the catalog, public tables where
// keys refer to them, the supposition and the log of charges.
Result<Curve> DrawCurve(const Project& project, const Question& question,
                        const Supposition& supposition, const Services& services);

}  // namespace tacet
