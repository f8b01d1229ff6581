-- SPDX-License-Identifier: Apache-2.0
-- Reports about orders, as decision-support benchmarks ask for them.
-- catalog shop
-- yes: sums, averages and counts of bounded columns by public keys
SELECT returned, linestatus, sum(quantity) AS sum_qty, sum(price) AS sum_base_price,
       sum(price * (1 - discount)) AS sum_disc_price, sum(price * (1 - discount) * (1 + tax)) AS sum_charge,
       avg(quantity) AS avg_qty, avg(price) AS avg_price, avg(discount) AS avg_disc, count(*) AS count_order
FROM items WHERE shipped <= DATE '1998-09-02'
GROUP BY returned, linestatus ORDER BY returned, linestatus;
-- yes: one bounded sum
SELECT sum(price * discount) AS revenue FROM items
WHERE shipped >= DATE '1994-01-01' AND shipped < DATE '1995-01-01' AND discount BETWEEN 0.05 AND 0.07 AND quantity < 24;
-- yes: joins follow the person, and revenue by public segment
SELECT segment, sum(price * (1 - discount)) AS revenue
FROM customers JOIN orders USING (custkey) JOIN items USING (orderkey)
WHERE ordered < DATE '1995-03-15' AND shipped > DATE '1995-03-15' GROUP BY segment;
-- no, private: an order and its price are one customer's
SELECT orderkey, ordered, total FROM orders ORDER BY total DESC LIMIT 10;
-- yes: orders with a late item, a semi-join within a person
SELECT priority, count(*) AS order_count FROM orders
WHERE ordered >= DATE '1993-07-01' AND ordered < DATE '1993-10-01'
  AND EXISTS (SELECT 1 FROM items WHERE items.orderkey = orders.orderkey AND committed < received)
GROUP BY priority ORDER BY priority;
-- yes: revenue by nation, whose names are public
SELECT nation, sum(price * (1 - discount)) AS revenue
FROM customers JOIN orders USING (custkey) JOIN items USING (orderkey)
WHERE ordered >= DATE '1994-01-01' AND ordered < DATE '1995-01-01' GROUP BY nation ORDER BY revenue DESC;
-- yes: the same with the region of a public table
SELECT nations.region, count(*) FROM customers JOIN nations ON customers.nation = nations.nation
GROUP BY nations.region;
-- yes: a year is a public part of a date
SELECT extract(year FROM shipped) AS l_year, sum(price * (1 - discount)) AS volume
FROM items GROUP BY extract(year FROM shipped) ORDER BY l_year;
-- yes: shares are computed after the noise
SELECT extract(year FROM ordered) AS o_year,
       sum(CASE WHEN status = 'F' THEN total ELSE 0 END) / nullif(sum(total), 0) AS share
FROM orders GROUP BY 1 ORDER BY 1;
-- yes: conditional counts by a public key
SELECT mode, sum(CASE WHEN priority IN ('1-URGENT', '2-HIGH') THEN 1 ELSE 0 END) AS high,
       sum(CASE WHEN priority NOT IN ('1-URGENT', '2-HIGH') THEN 1 ELSE 0 END) AS low
FROM orders JOIN items USING (orderkey)
WHERE mode IN ('MAIL', 'SHIP') AND committed < received AND shipped < committed GROUP BY mode ORDER BY mode;
-- yes: how many customers have how many orders, bounded at fifty
SELECT c_count, count(*) AS custdist
FROM (SELECT custkey, count(*) AS c_count FROM orders WHERE comment NOT LIKE '%special%requests%' GROUP BY custkey) AS c
GROUP BY c_count ORDER BY custdist DESC, c_count DESC;
-- yes: a share of promotions, by a public table of parts
SELECT 100.00 * sum(CASE WHEN parts.kind LIKE 'PROMO%' THEN price * (1 - discount) ELSE 0 END) /
       nullif(sum(price * (1 - discount)), 0) AS promo_revenue
FROM items JOIN parts ON items.part = parts.part
WHERE shipped >= DATE '1995-09-01' AND shipped < DATE '1995-10-01';
-- yes: many alternatives in WHERE, one sum
SELECT sum(price * (1 - discount)) AS revenue FROM items JOIN parts ON items.part = parts.part
WHERE (brand = 'Brand#12' AND quantity BETWEEN 1 AND 11 AND parts.size BETWEEN 1 AND 5)
   OR (brand = 'Brand#23' AND quantity BETWEEN 10 AND 20 AND parts.size BETWEEN 1 AND 10);
-- yes: customers without orders, by a public code
SELECT code, count(*) AS numcust, sum(balance) AS totacctbal FROM customers
WHERE balance > 0 AND NOT EXISTS (SELECT 1 FROM orders WHERE orders.custkey = customers.custkey)
GROUP BY code ORDER BY code;
-- yes: bounded sums by a column of a public table
SELECT nation, count(*), avg(balance), sum(balance) FROM customers GROUP BY nation;
-- yes: subtotals are sums of the noised groups
SELECT nation, segment, count(*) FROM customers GROUP BY ROLLUP (nation, segment);
-- yes: parts of the public table that people bought, at least so many of them
SELECT part, sum(quantity) FROM items GROUP BY part HAVING sum(quantity) > 300 ORDER BY 2 DESC LIMIT 100;
-- yes: brands are public
SELECT brand, sum(quantity) FROM items JOIN parts ON items.part = parts.part GROUP BY brand;
-- yes: clerks are selected privately
SELECT clerk, count(*) FROM orders GROUP BY clerk ORDER BY 2 DESC LIMIT 20;
-- yes: people are counted once
SELECT priority, count(DISTINCT custkey) FROM orders GROUP BY priority;
-- yes: a public table, exactly
SELECT brand, count(*), avg(size) FROM parts GROUP BY brand ORDER BY brand;
-- yes: a public table, row by row
SELECT part, brand, container FROM parts WHERE size = 15 AND kind LIKE '%BRASS' ORDER BY part LIMIT 100;
-- yes: months of a date
SELECT date_trunc('month', ordered) AS month, count(*), sum(total) FROM orders GROUP BY 1 ORDER BY 1;
-- yes: days between two dates
SELECT mode, avg(received - shipped) AS days FROM items GROUP BY mode;
-- yes: late deliveries as a share
SELECT mode, avg(CASE WHEN received > committed THEN 1 ELSE 0 END) AS late FROM items GROUP BY mode;
-- yes: spread of totals
SELECT status, stddev(total), var_pop(total) FROM orders GROUP BY status;
-- yes: the middle of a bounded column
SELECT segment, percentile_cont(0.5) WITHIN GROUP (ORDER BY balance) FROM customers GROUP BY segment;
-- yes: ends of a bounded column, privately
SELECT min(balance), max(balance) FROM customers;
-- yes: the commonest of a public list
SELECT mode() WITHIN GROUP (ORDER BY priority) FROM orders;
-- yes: growth from month to month, after the noise
SELECT date_trunc('month', ordered) AS month, count(*), count(*) - lag(count(*)) OVER (ORDER BY date_trunc('month', ordered)) AS growth
FROM orders GROUP BY date_trunc('month', ordered);
-- yes: a share of the whole, after the noise
SELECT status, count(*) * 1.0 / sum(count(*)) OVER () AS share FROM orders GROUP BY status;
-- yes: those above the average of a noised total
SELECT priority, sum(total) FROM orders GROUP BY priority HAVING sum(total) > 1000000;
-- yes: how many different statuses occur
SELECT count(DISTINCT status) FROM orders;
-- yes: a bounded total a customer, then its average
SELECT avg(spent) FROM (SELECT custkey, sum(total) AS spent FROM orders GROUP BY custkey) AS c;
-- yes: WITH names a bounded subquery
WITH recent AS (SELECT custkey, total FROM orders WHERE ordered >= DATE '1998-01-01')
SELECT count(*), avg(total) FROM recent;
-- yes: people in a list of people
SELECT segment, count(*) FROM customers
WHERE custkey IN (SELECT custkey FROM orders WHERE total > 400000) GROUP BY segment;
-- yes: left joins keep customers without orders
SELECT segment, count(orders.orderkey) FROM customers LEFT JOIN orders USING (custkey) GROUP BY segment;
-- no, custkey: names people
SELECT custkey, sum(total) FROM orders GROUP BY custkey ORDER BY 2 DESC LIMIT 10;
-- no, private: rows of people
SELECT name, address FROM customers WHERE balance > 9000;
-- no, *: rows of people
SELECT * FROM customers;
-- no, subquery: the exact mean of all would decide who counts
SELECT count(*) FROM orders WHERE total > (SELECT avg(total) FROM orders);
-- no, string_agg: joins texts of people
SELECT nation, string_agg(name, ', ') FROM customers GROUP BY nation;
-- no, array_agg: lists values of people
SELECT nation, array_agg(balance) FROM customers GROUP BY nation;
-- no, UNION: rows of people, side by side
SELECT name FROM customers UNION SELECT clerk FROM orders;
-- no, bounds: nothing bounds how long a text is
SELECT sum(length(address)) FROM customers;
-- no, now: moves from run to run
SELECT count(*) FROM orders WHERE ordered > now() - interval '1 year';
-- no, random: draws by the database
SELECT count(*) FROM orders WHERE random() < 0.1;
-- no, CREATE: writes
CREATE VIEW revenue AS SELECT clerk, sum(total) FROM orders GROUP BY clerk;
-- no, TABLESAMPLE: draws by the database
SELECT count(*) FROM orders TABLESAMPLE BERNOULLI (10);
-- no, row locking: writes
SELECT count(*) FROM orders FOR UPDATE;
