-- The name that another service gives a mail, so that a repeated order adds no second one while the first waits.
alter table mail add column key text unique;
