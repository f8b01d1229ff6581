-- SPDX-License-Identifier: Apache-2.0
-- The forty-three questions that column stores race with, about people who browse.
-- catalog web
-- yes: a count
SELECT count(*) FROM hits;
-- yes: a count with a condition
SELECT count(*) FROM hits WHERE advert <> 0;
-- yes: three aggregates of bounded columns
SELECT sum(advert), count(*), avg(width) FROM hits;
-- yes: the mean of a number with ends
SELECT avg(clamp(url_hash, -1000000, 1000000)) FROM hits;
-- yes: people
SELECT count(DISTINCT user_id) FROM hits;
-- yes: how many different phrases, where a person adds few
SELECT count(DISTINCT phrase) FROM hits;
-- yes: ends of a bounded date
SELECT min(day), max(day) FROM hits;
-- yes: by a public range
SELECT advert, count(*) FROM hits WHERE advert <> 0 GROUP BY advert ORDER BY count(*) DESC;
-- yes: people by region
SELECT region, count(DISTINCT user_id) AS u FROM hits GROUP BY region ORDER BY u DESC LIMIT 10;
-- yes: several by region
SELECT region, sum(advert), count(*) AS c, avg(width), count(DISTINCT user_id)
FROM hits GROUP BY region ORDER BY c DESC LIMIT 10;
-- yes: models are selected privately
SELECT model, count(DISTINCT user_id) AS u FROM hits WHERE model <> '' GROUP BY model ORDER BY u DESC LIMIT 10;
-- yes: models and phones are selected together
SELECT phone, model, count(DISTINCT user_id) AS u FROM hits WHERE model <> ''
GROUP BY phone, model ORDER BY u DESC LIMIT 10;
-- yes: phrases are selected privately
SELECT phrase, count(*) AS c FROM hits WHERE phrase <> '' GROUP BY phrase ORDER BY c DESC LIMIT 10;
-- yes: phrases by people
SELECT phrase, count(DISTINCT user_id) AS u FROM hits WHERE phrase <> '' GROUP BY phrase ORDER BY u DESC LIMIT 10;
-- yes: engine and phrase
SELECT engine, phrase, count(*) AS c FROM hits WHERE phrase <> '' GROUP BY engine, phrase ORDER BY c DESC LIMIT 10;
-- no, user_id: names people
SELECT user_id, count(*) FROM hits GROUP BY user_id ORDER BY count(*) DESC LIMIT 10;
-- no, user_id: names people and what they looked for
SELECT user_id, phrase, count(*) FROM hits GROUP BY user_id, phrase ORDER BY count(*) DESC LIMIT 10;
-- no, user_id: the same without order
SELECT user_id, phrase, count(*) FROM hits GROUP BY user_id, phrase LIMIT 10;
-- no, user_id: by the minute
SELECT user_id, extract(minute FROM moment) AS m, phrase, count(*) FROM hits
GROUP BY user_id, m, phrase ORDER BY count(*) DESC LIMIT 10;
-- no, user_id: one person
SELECT user_id FROM hits WHERE user_id = 435090932899640449;
-- yes: a pattern
SELECT count(*) FROM hits WHERE url LIKE '%google%';
-- yes: a key beside the least text cannot; without the text it can
SELECT phrase, count(*) AS c FROM hits WHERE url LIKE '%google%' AND phrase <> ''
GROUP BY phrase ORDER BY c DESC LIMIT 10;
-- yes: people beside counts
SELECT phrase, count(*) AS c, count(DISTINCT user_id) FROM hits
WHERE title LIKE '%Google%' AND url NOT LIKE '%.google.%' AND phrase <> '' GROUP BY phrase ORDER BY c DESC LIMIT 10;
-- no, *: rows of people
SELECT * FROM hits WHERE url LIKE '%google%' ORDER BY moment LIMIT 10;
-- no, private: what people looked for, row by row
SELECT phrase FROM hits WHERE phrase <> '' ORDER BY moment LIMIT 10;
-- no, private: in another order
SELECT phrase FROM hits WHERE phrase <> '' ORDER BY phrase LIMIT 10;
-- no, private: in two orders
SELECT phrase FROM hits WHERE phrase <> '' ORDER BY moment, phrase LIMIT 10;
-- yes: the mean length of a text, with ends
SELECT counter, avg(clamp(length(url), 0, 200)) AS l, count(*) AS c FROM hits WHERE url <> ''
GROUP BY counter HAVING count(*) > 100000 ORDER BY l DESC LIMIT 25;
-- yes: a part of a text as a private key
SELECT substring(referer, 1, 20) AS k, avg(clamp(length(referer), 0, 200)) AS l, count(*) AS c
FROM hits WHERE referer <> '' GROUP BY k HAVING count(*) > 100000 ORDER BY l DESC LIMIT 25;
-- yes: many sums of one column
SELECT sum(width), sum(width + 1), sum(width + 2), sum(width + 3), sum(width + 4), sum(width + 5) FROM hits;
-- yes: by address, selected privately
SELECT engine, ip, count(*) AS c, sum(CASE WHEN refresh THEN 1 ELSE 0 END), avg(width)
FROM hits WHERE phrase <> '' GROUP BY engine, ip ORDER BY c DESC LIMIT 10;
-- yes: the same by address alone
SELECT ip, count(*) AS c, avg(width) FROM hits GROUP BY ip ORDER BY c DESC LIMIT 10;
-- yes: by page
SELECT url, count(*) AS c FROM hits GROUP BY url ORDER BY c DESC LIMIT 10;
-- yes: a constant beside it
SELECT 1, url, count(*) AS c FROM hits GROUP BY url ORDER BY c DESC LIMIT 10;
-- yes: an address and what is computed from it
SELECT ip, ip - 1, ip - 2, ip - 3, count(*) AS c FROM hits GROUP BY ip ORDER BY c DESC LIMIT 10;
-- yes: pages of one counter in one month
SELECT url, count(*) AS views FROM hits
WHERE counter = 62 AND day >= DATE '2013-07-01' AND day <= DATE '2013-07-31' AND NOT counted AND NOT refresh AND url <> ''
GROUP BY url ORDER BY views DESC LIMIT 10;
-- yes: titles
SELECT title, count(*) AS views FROM hits
WHERE counter = 62 AND day BETWEEN DATE '2013-07-01' AND DATE '2013-07-31' AND NOT refresh AND title <> ''
GROUP BY title ORDER BY views DESC LIMIT 10;
-- yes: links, further down
SELECT url, count(*) AS views FROM hits WHERE counter = 62 AND NOT refresh AND link AND NOT download
GROUP BY url ORDER BY views DESC LIMIT 10 OFFSET 1000;
-- yes: where people come from and go to
SELECT traffic, engine, advert, CASE WHEN engine = 0 AND advert = 0 THEN referer ELSE '' END AS src, url AS dst, count(*) AS views
FROM hits WHERE counter = 62 AND NOT refresh GROUP BY traffic, engine, advert, src, dst ORDER BY views DESC LIMIT 10;
-- yes: hashes and days
SELECT url_hash, day, count(*) AS views FROM hits WHERE counter = 62 AND traffic IN (-1, 6)
GROUP BY url_hash, day ORDER BY views DESC LIMIT 10;
-- yes: sizes of windows
SELECT width, height, count(*) AS views FROM hits WHERE counter = 62 AND NOT refresh
GROUP BY width, height ORDER BY views DESC LIMIT 10 OFFSET 100;
-- yes: by the minute
SELECT date_trunc('minute', moment) AS m, count(*) AS views FROM hits
WHERE counter = 62 AND day >= DATE '2013-07-14' AND day <= DATE '2013-07-15' GROUP BY date_trunc('minute', moment)
ORDER BY date_trunc('minute', moment) LIMIT 10;
-- yes: by the hour of the day
SELECT extract(hour FROM moment) AS h, count(*) FROM hits GROUP BY 1 ORDER BY 1;
-- yes: people by the day
SELECT day, count(DISTINCT user_id) FROM hits GROUP BY day ORDER BY day;
-- yes: hosts as private keys, by a pattern that takes linear time
SELECT regexp_replace(referer, '^https?://(?:www\.)?([^/]+)/.*$', '\1') AS k, count(*) FROM hits GROUP BY k;
-- no, min: a text of somebody
SELECT phrase, min(url), count(*) FROM hits GROUP BY phrase;
