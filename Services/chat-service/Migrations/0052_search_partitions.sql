-- The partitions of the search index that were made. Each has an entry of workspace 0 at its beginning. If that entry is gone, so
-- are the others, and the index is made anew.
create table search_partition (
    -- 30 days, counted from 1970.
    period bigint primary key
);
