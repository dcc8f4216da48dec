-- When a payment was last compared with its provider. `checked_at` is also the time of a comparison without an answer, so that such
-- a payment is not the first of each run.
alter table payment.payment add column compared_at bigint;
