-- Runs until it returns true, each time in its own transaction.
select fill_workspaces(64)
