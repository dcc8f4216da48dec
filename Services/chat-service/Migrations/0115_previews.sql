-- The size of a picture as it is shown, and its BlurHash. All are null for other files, and for pictures without previews.
alter table file
    add column width integer,
    add column height integer,
    add column is_animated boolean not null default false,
    add column blur text;
