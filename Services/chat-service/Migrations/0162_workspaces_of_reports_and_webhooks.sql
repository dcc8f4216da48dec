-- The workspace of the rows of reports and of outgoing webhooks, as for messages.
create function workspace_of_report() returns trigger language plpgsql set search_path from current as $$
begin
    new.workspace := coalesce((select workspace from report where id = new.report), 0);
    return new;
end $$;
create function workspace_of_subscription() returns trigger language plpgsql set search_path from current as $$
begin
    new.workspace := coalesce((select workspace from webhook_subscription where id = new.subscription), 0);
    return new;
end $$;
create function workspace_of_channel() returns trigger language plpgsql set search_path from current as $$
begin
    new.workspace := coalesce((select workspace from room where kind = 1 and id = new.room), 0);
    return new;
end $$;

set local lock_timeout = '10s';
lock table report_copy, report_file, webhook_queue, webhook_delivery, webhook_reaction in share update exclusive mode;
set local lock_timeout = '200ms';
alter table report_copy add column workspace bigint not null default 0;
create trigger report_copy_workspace before insert or update on report_copy
    for each row when (new.workspace = 0) execute function workspace_of_report();
alter table report_file add column workspace bigint not null default 0;
create trigger report_file_workspace before insert or update on report_file
    for each row when (new.workspace = 0) execute function workspace_of_report();
alter table webhook_queue add column workspace bigint not null default 0;
create trigger webhook_queue_workspace before insert or update on webhook_queue
    for each row when (new.workspace = 0) execute function workspace_of_subscription();
alter table webhook_delivery add column workspace bigint not null default 0;
create trigger webhook_delivery_workspace before insert or update on webhook_delivery
    for each row when (new.workspace = 0) execute function workspace_of_subscription();
alter table webhook_reaction add column workspace bigint not null default 0;
create trigger webhook_reaction_workspace before insert or update on webhook_reaction
    for each row when (new.workspace = 0) execute function workspace_of_channel();

-- Fills the workspaces of older rows, in the order in which the rows are stored. New versions of rows have theirs. A later
-- release drops the table and the function.
create table workspace_filling (
    name text primary key,
    next_block bigint not null default 0,
    end_block bigint not null
);
insert into workspace_filling (name, end_block)
    select name, pg_relation_size(name::regclass) / current_setting('block_size')::bigint + 1
    from unnest(array[
        'message', 'read_position', 'removal', 'told_position', 'message_change', 'message_version', 'reaction', 'pin',
        'saved_message', 'room_notify', 'draft', 'reply', 'thread', 'thread_follower', 'mention', 'search_progress',
        'report_copy', 'report_file', 'webhook_queue', 'webhook_delivery', 'webhook_reaction', 'file'
    ]) as name;

-- Fills the next blocks of 8 KB, and returns whether nothing is left. The triggers find the workspaces.
create function fill_workspaces(blocks bigint) returns boolean language plpgsql set search_path from current as $$
declare
    step workspace_filling;
begin
    select * into step from workspace_filling where next_block < end_block order by name limit 1;
    if not found then
        return true;
    end if;
    execute format(
        'update %I set workspace = 0 where ctid >= %L::tid and ctid < %L::tid and coalesce(workspace, 0) = 0', step.name,
        format('(%s,0)', step.next_block), format('(%s,0)', step.next_block + blocks));
    update workspace_filling set next_block = step.next_block + blocks where name = step.name;
    return false;
end $$;
