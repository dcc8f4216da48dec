"""Rooms with a long past, which is written into the database."""

import re
import subprocess


def fill_room(product, someone, count):
    """Fills the room on someone's screen with messages of theirs until it has `count`. They reload the page to see them."""
    someone.say("The very first")
    someone.sent("The very first")
    room = int(re.search(r"channel-(\d+)", someone.page.url)[1])
    address = (product.data / "secrets/chat/database_url").read_text().strip()
    fill = f"""
        insert into message (kind, room, seq, author, session, content, files, created_at)
        select kind, room, seq + n, author, session, 'Line ' || n || ' of many', '{{}}', created_at + n * 2
        from message, generate_series(1, {count - 1}) n where kind = 1 and room = {room} and seq = 1;
        update room set last_seq = {count}, last_at = last_at + {2 * count} where kind = 1 and id = {room}"""
    subprocess.run(["psql", "--quiet", "--set=ON_ERROR_STOP=1", address, f"--command={fill}"], check=True)
