-- SPDX-License-Identifier: Apache-2.0
-- Questions about the study that ships with the program.
-- catalog demo
-- yes: how many take part
SELECT count(*) FROM participants;
-- yes: by plan
SELECT coinsurance_percent, count(*) FROM participants GROUP BY coinsurance_percent;
-- yes: by site and sex
SELECT site, sex, count(*), avg(age) FROM participants GROUP BY site, sex ORDER BY site, sex;
-- yes: income by education
SELECT floor(education_years / 4) AS step, avg(family_income) FROM participants GROUP BY 1;
-- yes: income a head
SELECT avg(family_income / family_size) FROM participants;
-- yes: income a head, with ends
SELECT avg(clamp(family_income / family_size, 0, 30000)) FROM participants;
-- yes: what a year costs
SELECT year, avg(medical_dollars), avg(drug_dollars) FROM insurance_years GROUP BY year;
-- yes: visits to doctors
SELECT doctor_visits, count(*) FROM insurance_years GROUP BY doctor_visits ORDER BY doctor_visits;
-- yes: who never saw a doctor in a year
SELECT year, avg(CASE WHEN doctor_visits = 0 THEN 1 ELSE 0 END) FROM insurance_years GROUP BY year;
-- yes: people with a hospital stay
SELECT count(DISTINCT person_id) FROM insurance_years WHERE hospital_stays > 0;
-- yes: does free care cost more?
SELECT coinsurance_percent, avg(medical_dollars) FROM participants JOIN insurance_years USING (person_id)
GROUP BY coinsurance_percent;
-- yes: by sex and year
SELECT sex, year, sum(doctor_visits) FROM participants JOIN insurance_years USING (person_id) GROUP BY sex, year;
-- yes: total cost a person, on average
SELECT avg(total) FROM (SELECT person_id, sum(medical_dollars) AS total FROM insurance_years GROUP BY person_id) AS t;
-- yes: people whose years all were without a stay
SELECT count(*) FROM participants WHERE person_id NOT IN (SELECT person_id FROM insurance_years WHERE hospital_stays > 0);
-- yes: the middle of costs
SELECT median(medical_dollars) FROM insurance_years;
-- yes: deciles of income
SELECT percentile_cont(0.1) WITHIN GROUP (ORDER BY family_income), percentile_cont(0.9) WITHIN GROUP (ORDER BY family_income)
FROM participants;
-- yes: spread of visits
SELECT year, stddev(doctor_visits) FROM insurance_years GROUP BY year;
-- yes: shares of kinds of cost
SELECT sum(outpatient_dollars) / nullif(sum(medical_dollars), 0), sum(inpatient_dollars) / nullif(sum(medical_dollars), 0)
FROM insurance_years;
-- yes: children and adults
SELECT age < 18 AS child, count(*), avg(family_size) FROM participants GROUP BY 1;
-- yes: largest families
SELECT max(family_size) FROM participants;
-- no, person_id: names people
SELECT person_id, sum(medical_dollars) FROM insurance_years GROUP BY person_id ORDER BY 2 DESC LIMIT 5;
-- no, private: rows of people
SELECT age, family_income FROM participants ORDER BY family_income DESC LIMIT 5;
-- no, insurance_year: no such table
SELECT count(*) FROM insurance_year;
-- no, incom: no such column
SELECT avg(incom) FROM participants;
