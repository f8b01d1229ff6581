// SPDX-License-Identifier: Apache-2.0
// Expressions for engines, made from what was bound and never from what was written.
//
// Names are generated and constants are typed, so there is no way to put an analyst's text into a
// statement but as a text constant, which printer.h escapes:
//
//   EngineExpr old = EngineExpr::Call(EngineOp::kGreater,
//                                     {EngineExpr::Column("t1", "c3"), EngineExpr::Integer(65)});
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tacet/base/int128.h"
#include "tacet/base/result.h"

namespace tacet::sql {

enum class EngineType { kBoolean, kInteger, kBigint, kHugeint, kDouble, kText };

// The meaning of each is the engine's own. That nothing can fail on a row (division by zero,
// overflow, a cast) is for who builds the expression to see to.
enum class EngineOp {
  // Two or more arguments.
  kAnd,
  kOr,
  kIn,  // what is looked for, then the list
  // One or more.
  kLeast,
  kGreatest,
  kCoalesce,
  // Two.
  kEqual,
  kNotEqual,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,         // of doubles
  kIntegerDivide,  // towards zero
  kModulo,
  kConcatenate,
  kPower,  // of doubles
  kLike,
  kILike,
  // Three.
  kSubstring,  // of a text: from which character, how many
  // One.
  kNot,
  kNegate,
  kIsNull,
  kIsTrue,
  kIsFalse,
  kAbs,
  kFloor,
  kCeil,
  kRound,
  kIsFinite,
  // Of a double for which it is defined.
  kSqrt,
  kLn,
  kExp,
  // Of a text.
  kLower,
  kUpper,
  kTrim,
  kLength,  // in characters
  // Of days since 1970-01-01, in the years 0001 to 9999: parts of the date.
  kYear,
  kQuarter,
  kMonth,
  kWeek,
  kDayOfMonth,
  kDayOfWeek,  // Sunday is 0
  kDayOfYear,
  // And the first day of what it lies in.
  kFirstOfYear,
  kFirstOfQuarter,
  kFirstOfMonth,
  kFirstOfWeek,
};

class EngineExpr;
struct EngineWhen;

// A value; cheap to move.
class EngineExpr {
 public:
  struct ColumnNode {
    std::string table;  // empty where the column stands alone
    std::string name;
  };
  struct NullNode {
    EngineType type;
  };
  struct TextNode {
    std::string text;
  };
  struct CallNode {
    EngineOp op;
    std::vector<EngineExpr> args;
  };
  struct CaseNode {
    std::vector<EngineWhen> whens;
    std::vector<EngineExpr> otherwise;  // exactly one
  };
  struct CastNode {
    std::vector<EngineExpr> arg;  // exactly one
    EngineType type;
    bool is_try;
  };
  using Node = std::variant<ColumnNode, NullNode, bool, int64_t, Int128, double, TextNode, CallNode,
                            CaseNode, CastNode>;

  // A generated name: [a-z][a-z0-9_]*, at most 63 bytes. Any other stops the process, for then an
  // analyst's or owner's text was about to become SQL.
  static EngineExpr Column(std::string_view name);
  static EngineExpr Column(std::string_view table, std::string_view name);

  static EngineExpr Null(EngineType type);
  static EngineExpr Bool(bool value);
  static EngineExpr Integer(int64_t value);
  static EngineExpr Huge(Int128 value);
  // Days since 1970-01-01: vaults hold dates as integers.
  static EngineExpr Date(int32_t days);
  // Stops the process on NaN and infinities.
  static EngineExpr Double(double value);
  // Fails on NUL and on what is not UTF-8: engines disagree about both.
  static Result<EngineExpr> Text(std::string_view text);

  // Stops the process if `op` does not take that many arguments.
  static EngineExpr Call(EngineOp op, std::vector<EngineExpr> args);
  // CASE WHEN ... THEN ... ELSE otherwise END. Stops the process without a branch.
  static EngineExpr Case(std::vector<EngineWhen> whens, EngineExpr otherwise);
  static EngineExpr Cast(EngineExpr arg, EngineType type);
  // NULL where the cast fails.
  static EngineExpr TryCast(EngineExpr arg, EngineType type);

  const Node& node() const { return node_; }

 private:
  explicit EngineExpr(Node node);

  Node node_;
};

struct EngineWhen {
  EngineExpr condition;
  EngineExpr result;
};

// Whether `name` may stand in generated SQL.
bool IsGeneratedName(std::string_view name);

}  // namespace tacet::sql
