// SPDX-License-Identifier: Apache-2.0
// How a source becomes a table of the vault: statements for the import's engine.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tacet/base/result.h"
#include "tacet/catalog/catalog.h"
#include "tacet/gateway/relation.h"

namespace tacet {

// A rule that rows may break.
struct Rule {
  std::string broken;   // condition over the columns of TablePlan::Values
  std::string subject;  // "visits.age"
  std::string noun;     // "value": "3 values ..."
  std::string text;     // "... that cannot be read as integer"
  std::string shown;    // expression for the offending value, for the owner's log
};

// What is counted for `check`, but breaks no rule.
struct Clip {
  std::string outside;  // condition over the columns of TablePlan::Clipped
  std::string subject;
  std::string becomes;  // "clamped" or "NULL"
};

// For one table of the catalog. Names in the statements: key is the person's; f1, f2, ... are the
// columns through which other tables reach this one's persons; c1, c2, ... the columns.
struct TablePlan {
  size_t table = 0;
  Relation relation;
  std::vector<Rule> rules;
  std::vector<Clip> clips;
  std::vector<std::string> links;  // the source's name of f1, f2, ...
  bool has_key = false;            // whether the person has one
  bool drops_null_person = false;

  // SELECT of key, links, columns and what the rules speak of, and of the columns `extra` of the
  // relation, over `from`, which has the relation's columns.
  std::string Values(const std::string& from, const std::string& extra = "") const;
  // The same over the relation, and with what the clips speak of.
  std::string Clipped() const;
  // SELECT of key, links and columns, without rows that are dropped. It fails if a row breaks a
  // rule.
  std::string Rows() const;
  // SELECT of key and links. Breaks of rules pass, rows are not dropped.
  std::string Keys() const;

  // Parts of the statements above; private to the planner.
  std::string inner;       // select list over the relation
  std::string outer;       // select list over `inner`
  std::string clip_outer;  // more of it, for Clipped
  std::string key_inner;   // the parts of both that Keys needs
  std::string key_outer;
  std::string join;    // FROM items beside `inner`
  std::string output;  // key, links and columns
  std::string keys;    // key and links
};

// Where the planner finds the other tables.
struct PlanContext {
  const Catalog& catalog;
  // SELECT of key and links of another table, whose plan has been made.
  std::function<std::string(size_t table)> keys_of;
};

// Fails with Code::kData if the relation lacks a column or has one of an impossible type.
Result<TablePlan> PlanTable(const PlanContext& context, size_t table, Relation relation);

// The columns of `table` through which others reach its persons, as the source calls them.
std::vector<std::string> LinksInto(const Catalog& catalog, size_t table);

// The tables in an order in which each comes behind those that it needs: public before private,
// what is referred to before what refers to it. Fails with Code::kCatalog on a circle.
Result<std::vector<size_t>> ImportOrder(const Catalog& catalog);

}  // namespace tacet
