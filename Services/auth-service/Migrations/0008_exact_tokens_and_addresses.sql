-- A rotating refresh token remembers the token that it replaced, and a replaced token the successor that was used. In the
-- grace a token may have several successors; the first one used is kept.
alter table refresh_token add column parent bytea;
alter table refresh_token add column successor bytea;

-- Email keys used to fold Unicode case, so that different addresses had one key. Keys of addresses that are not ASCII are
-- computed again when the service starts.
alter table account add column is_key_exact boolean not null default true;
update account set is_key_exact = false where octet_length(email) <> length(email);
create index account_inexact_key on account (id) where not is_key_exact;
