-- Closed rooms are erased beside everything else: of those that are not yet, something may be left.
alter table room add column is_erased boolean not null default false;
create index room_unerased on room (kind, id) where is_closed and not is_erased;
