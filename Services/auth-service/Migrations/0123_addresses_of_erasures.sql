-- The addresses of a deleted account, by which workspace-service finds the invitations to it. Null once everything is erased.
alter table erasure add column addresses text[];
