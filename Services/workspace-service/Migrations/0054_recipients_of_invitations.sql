-- The deletion of an account looks for the invitations to its address.
create index invitation_recipient on invitation (lower(recipient collate "C")) where recipient is not null;
