-- Whether a network asked for the code that the owner of the address had signed in from before. Strangers use up neither the
-- mails nor all the tries of such codes. Null, as in the codes of the version before, means no.
alter table mail_code add column is_known boolean;
