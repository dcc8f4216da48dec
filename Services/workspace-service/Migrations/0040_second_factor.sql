-- The users that have turned a second factor on or off, as auth-service reports it.
create table second_factor (
    user_id bigint primary key,
    is_on boolean not null,
    version bigint not null
);

alter table workspace
    -- When members need a second factor, and the milliseconds that later members get. Null if none is required.
    add column second_factor_from bigint,
    add column second_factor_grace bigint not null default 0;

alter table member
    -- When the rule has to be applied to the member: at the end of the grace, or at once after a change. Null while there is
    -- nothing to do.
    add column second_factor_due bigint,
    -- Since when the member is locked out; null for members that are not.
    add column locked_out_at bigint;
create index member_second_factor_due on member (second_factor_due) where second_factor_due is not null;
create index member_locked_out on member (workspace, user_id) where locked_out_at is not null;
