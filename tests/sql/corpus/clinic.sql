-- SPDX-License-Identifier: Apache-2.0
-- Questions about patients and their visits, as examples of private systems have them.
-- catalog approximate
-- yes: everybody
SELECT count(*) FROM patients;
-- yes: by a public list
SELECT sex, count(*) AS n FROM patients GROUP BY sex;
-- yes: means of bounded columns
SELECT sex, avg(age) AS age, avg(income) AS income FROM patients GROUP BY sex;
-- yes: smokers as a share
SELECT sex, avg(CASE WHEN smoker THEN 1 ELSE 0 END) AS share FROM patients GROUP BY sex;
-- yes: age groups of ten years
SELECT age / 10 * 10 AS decade, count(*) FROM patients GROUP BY 1 ORDER BY 1;
-- yes: named age groups
SELECT CASE WHEN age < 18 THEN 'child' WHEN age < 65 THEN 'adult' ELSE 'senior' END AS life, count(*)
FROM patients GROUP BY 1;
-- yes: the price stands in the statement
SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (epsilon = 0.5, max_groups_contributed = 1, privacy_unit_column = patient_id)
  ward, count(*) FROM visits GROUP BY ward;
-- yes: tighter bounds
SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (max_rows_contributed = 3) ward, sum(cost) FROM visits GROUP BY ward;
-- yes: visits by ward and month
SELECT ward, date_trunc('month', day) AS month, count(*) FROM visits GROUP BY ward, date_trunc('month', day);
-- yes: visits on weekends
SELECT count(*) FROM visits WHERE extract(dow FROM day) IN (0, 6);
-- yes: patients by ward
SELECT ward, count(DISTINCT patient_id) FROM visits GROUP BY ward;
-- yes: costs with ends of their own
SELECT ward, sum(clamp(cost, 0, 1000)) FROM visits GROUP BY ward;
-- yes: wards that people came from, which are public
SELECT from_ward, count(*) FROM visits GROUP BY from_ward;
-- yes: the middle age
SELECT median(age) FROM patients;
-- yes: quartiles
SELECT percentile_cont(0.25) WITHIN GROUP (ORDER BY income), percentile_cont(0.75) WITHIN GROUP (ORDER BY income) FROM patients;
-- yes: a quantile by group
SELECT sex, percentile_disc(0.9) WITHIN GROUP (ORDER BY age) FROM patients GROUP BY sex;
-- yes: oldest and youngest, privately
SELECT sex, min(age), max(age) FROM patients GROUP BY sex;
-- yes: the commonest ward
SELECT mode() WITHIN GROUP (ORDER BY ward) FROM visits;
-- yes: spread
SELECT stddev(age), variance(income), stddev_pop(balance) FROM patients;
-- yes: an interval around a count
SELECT ward, count(*), interval_low(count(*)), interval_high(count(*)) FROM visits GROUP BY ward;
-- yes: never below zero
SELECT ward, greatest(count(*), 0) FROM visits GROUP BY ward;
-- yes: a rate
SELECT sex, sum(balance) / nullif(count(*), 0) FROM patients GROUP BY sex;
-- yes: places by size, after the noise
SELECT ward, rank() OVER (ORDER BY count(*) DESC) FROM visits GROUP BY ward;
-- yes: a running total, after the noise
SELECT day, sum(count(*)) OVER (ORDER BY day) FROM visits GROUP BY day;
-- yes: totals of totals
SELECT sex, smoker, count(*) FROM patients GROUP BY CUBE (sex, smoker);
-- yes: patients with their visits
SELECT sex, count(*) FROM patients JOIN visits USING (patient_id) GROUP BY sex;
-- yes: cost by age group
SELECT age / 10 * 10, avg(cost) FROM patients p JOIN visits v ON p.patient_id = v.patient_id GROUP BY 1;
-- yes: beds of the wards, from a public table
SELECT sum(wards.beds) FROM visits JOIN wards ON visits.ward = wards.ward;
-- yes: patients who were never there
SELECT count(*) FROM patients WHERE patient_id NOT IN (SELECT patient_id FROM visits);
-- yes: patients with three visits and more
SELECT count(*) FROM (SELECT patient_id FROM visits GROUP BY patient_id HAVING count(*) >= 3) AS often;
-- yes: visits a patient, on average
SELECT avg(n) FROM (SELECT patient_id, count(*) AS n FROM visits GROUP BY patient_id) AS v;
-- yes: what a patient spent at most in one visit, on average
SELECT avg(most) FROM (SELECT patient_id, max(cost) AS most FROM visits GROUP BY patient_id) AS v;
-- yes: a subquery that only renames
SELECT s, count(*) FROM (SELECT sex AS s, age FROM patients WHERE age > 17) AS grown GROUP BY s;
-- yes: WITH
WITH grown AS (SELECT sex, income FROM patients WHERE age >= 18) SELECT sex, avg(income) FROM grown GROUP BY sex;
-- yes: topics are selected privately, by people
SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (max_groups_contributed = 2) topic, count(DISTINCT patient_id)
FROM calls GROUP BY topic;
-- yes: words in notes
SELECT count(*) FROM patients WHERE lower(notes) LIKE '%diabetes%' OR notes ILIKE 'asthma%';
-- yes: those born in a leap year's February
SELECT count(*) FROM patients WHERE born = DATE '1980-02-29' OR born IS NULL;
-- yes: a public table, exactly
SELECT count(*), sum(beds), avg(beds) FROM wards;
-- yes: households, each a person
SELECT members, count(*) FROM households GROUP BY members ORDER BY members;
-- yes: doses by month
SELECT month, avg(dose), count(dose) FROM scans GROUP BY month;
-- yes: serial numbers are selected privately
SELECT serial, count(*) FROM scans GROUP BY serial;
-- no, patient_id: names people
SELECT patient_id, count(*) FROM visits GROUP BY patient_id;
-- no, patient_id: one person
SELECT count(*) FROM patients WHERE patient_id = 7;
-- no, private: rows of people
SELECT age, sex FROM patients;
-- no, private: rows of people, different ones
SELECT DISTINCT income FROM patients;
-- no, *: rows of people
SELECT p.* FROM patients p;
-- no, bounds: nothing bounds the sum
SELECT sum(weight) FROM patients;
-- no, rows: nobody says how many calls a person has
SELECT count(*) FROM calls;
-- no, groups: nobody says in how many groups a person is
SELECT topic, count(DISTINCT patient_id) FROM calls GROUP BY topic;
-- no, weight: of what has no ends
SELECT median(weight) FROM patients;
-- yes: made of bounded sums of products
SELECT corr(age, income) FROM patients;
-- no, first_value: somebody's value
SELECT first_value(income) OVER (ORDER BY age) FROM patients;
-- no, JOIN: pairs of different people
SELECT count(*) FROM patients a JOIN patients b ON a.age = b.age;
-- no, table: pairs of different people
SELECT count(*) FROM patients a, patients b;
-- no, INSERT: writes
INSERT INTO patients VALUES (1);
-- no, more than one: two statements
SELECT count(*) FROM patients; SELECT count(*) FROM visits;
-- no, EXPLAIN: tacet explain is for that
EXPLAIN SELECT count(*) FROM patients;
-- no, parameter: the value is not there
SELECT count(*) FROM patients WHERE age > $1;
-- no, CURRENT_DATE: moves from day to day
SELECT count(*) FROM visits WHERE day = CURRENT_DATE;
-- no, private: a column beside an aggregate
SELECT sex, count(*) FROM patients;
-- no, function in FROM: makes rows
SELECT count(*) FROM generate_series(1, 10);
-- yes: a pattern that takes linear time
SELECT count(*) FROM patients WHERE notes ~ '^(a+)+$';
