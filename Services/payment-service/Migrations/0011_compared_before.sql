-- Payments that were compared before `compared_at` was stored. The audit asks for it where an attempt was abandoned, and a payment
-- that is too old by now is not compared any more: its attempt would be listed again.
update payment.payment set compared_at = checked_at
where compared_at is null and reference in (select reference from payment.attempt where outcome = 'abandoned');
