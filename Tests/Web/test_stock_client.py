"""The `/me` socket, spoken to by the stock JavaScript client of Socket.IO in Chromium."""

import pathlib
import sys

import pytest
from app import App
from person import PATIENCE

CLIENT = pathlib.Path(sys.prefix) / "stock-client/nicegui/static/socket.io.min.js"
# A client as its users write it. It remembers its place in each room and names it whenever it connects.
CONNECT = """([token, transports]) => {
    window.events = [];
    window.cursors = {};
    window.socket = io('/me', {
        transports, auth: (give) => give({ token, cursors }), reconnectionDelay: 10, reconnectionDelayMax: 100,
    });
    socket.io.on('open', () => {
        const { engine } = socket.io;
        engine.on('upgradeError', () => (engine.isGivenUp = true));
    });
    socket.onAny((name, argument) => {
        events.push([name, argument]);
        for (const each of name === 'ready' ? argument.rooms : []) {
            cursors[each.room] ??= [each.lastSeq, each.rev];
        }
        if (name === 'message') {
            cursors[argument.room][0] = argument.message.seq;
        }
    });
    socket.on('connect_error', (error) => events.push(['refused', error.message]));
}"""
# Whether the client uses a transport. The gateway gives an upgrade up after ten seconds; only the next connection begins another one.
USES = """(name) => {
    const { engine } = socket.io;
    if (engine.isGivenUp) socket.disconnect().connect();
    return engine.transport.name === name;
}"""
TRANSPORTS = [["polling"], ["websocket"], ["polling", "websocket"]]


class StockClient:
    def __init__(self, page, token, transports):
        self.page = page
        page.add_script_tag(path=CLIENT)
        page.evaluate(CONNECT, [token, transports])

    def wait(self, condition):
        self.page.wait_for_function(condition)

    def first(self, name):
        self.page.wait_for_function("name => events.some((each) => each[0] === name)", arg=name)
        return self.page.evaluate("name => events.find((each) => each[0] === name)[1]", name)

    def contents(self):
        return self.page.evaluate(
            "() => events.filter(([name]) => name === 'message').map((each) => each[1].message.content)"
        )

    def hear(self, *contents):
        """Waits for as many messages and expects exactly these."""
        self.page.wait_for_function(
            "count => events.filter(([name]) => name === 'message').length >= count", arg=len(contents)
        )
        assert self.contents() == [*contents]

    def send(self, **message):
        return self.page.evaluate("message => socket.timeout(60000).emitWithAck('send', message)", message)


@pytest.fixture
def page(product, browser):
    """A page of the product's origin without the web client: the source of a module, as a browser shows it."""
    context = browser.new_context(bypass_csp=True)
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    page.goto(product.base + "/maru/engine.js")
    yield page
    context.close()


@pytest.mark.parametrize("transports", TRANSPORTS, ids="-".join)
def test_the_stock_client_hears_sends_and_resumes(product, page, transports):
    owner, friend = App.joined(product, "native", "주인"), App.joined(product, "native", "친구")
    channel = owner.make_channel(owner.make_workspace(friend), None, friend)
    room = f"channel-{channel.id}"

    client = StockClient(page, owner.token, transports)
    assert client.first("ready")["user"]["user_id"] == owner.id
    page.wait_for_function(USES, arg=transports[-1])
    friend.say(channel, "안녕하세요 👩‍👩‍👧‍👦")
    client.hear("안녕하세요 👩‍👩‍👧‍👦")

    # A repeated send is one message.
    sent = client.send(room=room, content="from a page", client_id="page-1")
    assert client.send(room=room, content="from a page", client_id="page-1") == sent
    assert sent["message"]["seq"] == 2
    assert client.send(room=room, content="", client_id="page-2")["errorCode"] == "E11"
    client.hear("안녕하세요 👩‍👩‍👧‍👦", "from a page")

    # It closes its socket, misses messages, and hears exactly those when it comes back.
    page.evaluate("() => { events.length = 0; socket.disconnect(); }")
    for number in range(3):
        friend.say(channel, f"missed {number}")
    page.evaluate("() => socket.connect()")
    client.hear("missed 0", "missed 1", "missed 2")

    # It loses its connection, and reconnects by itself.
    page.evaluate("() => { events.length = 0; socket.io.engine.close(); }")
    friend.say(channel, "meanwhile")
    client.hear("meanwhile")
    client.wait("() => socket.connected")

    owner.get("/users/logout")
    assert client.first("sessionEnded")["reason"]
    client.wait("() => socket.disconnected")


def test_the_stock_client_is_told_why_it_is_refused(page):
    assert StockClient(page, None, ["websocket"]).first("refused") == "Unauthorized"
