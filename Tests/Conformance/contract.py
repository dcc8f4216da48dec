"""The client contract as data: every route of both generations with its reply and errors, and every entity."""

import json
import re
from dataclasses import dataclass

KEYS = ["sooda", "collatalk", "collabee", "gathering", "gen-2024-01", "gen-2024-07", "native"]
FIRST = ("sooda", "gen-2024-01")


def generation(key):
    return "2024-01" if key in FIRST else "2024-07"


# METHOD path  reply  [open: needs no token] [new: creates something]  [errors beside those of every route]
ROUTES_OF_BOTH = """
    POST /users/validation/email - open E11 E12
    POST /users/join User open new E11 E12
    POST /users/login/kakao User open E03 E11 E12
    POST /users/login/apple User open E03 E11 E12
    GET /users/logout -
    POST /users/deviceToken - E11
    GET /auth/refresh Access open E06
    POST /workspaces Workspace new E11 E12 E21
    GET /workspaces [Workspace]
    GET /workspaces/{workspace} WorkspaceDetail E13
    PUT /workspaces/{workspace} Workspace E11 E12 E13 E14
    DELETE /workspaces/{workspace} - E13 E14
    POST /workspaces/{workspace}/members Member new E03 E11 E12 E13 E14
    GET /workspaces/{workspace}/members [Member] E13
    POST /workspaces/{workspace}/channels Channel new E11 E12 E13
    GET /workspaces/{workspace}/channels [Channel] E13
    GET /workspaces/{workspace}/channels/{channel} ChannelDetail E13
    PUT /workspaces/{workspace}/channels/{channel} Channel E11 E12 E13 E14
    DELETE /workspaces/{workspace}/channels/{channel} - E11 E13 E14
    POST /workspaces/{workspace}/channels/{channel}/chats Chat new E11 E13
    GET /workspaces/{workspace}/channels/{channel}/chats [Chat] E13
    GET /workspaces/{workspace}/channels/{channel}/unreads ChannelUnreads E13
    GET /workspaces/{workspace}/channels/{channel}/members [Member] E13
    GET /workspaces/{workspace}/dms [Room] E13
    POST /workspaces/{workspace}/dms/{room}/chats Dm new E11 E13
    GET /workspaces/{workspace}/dms/{room}/unreads RoomUnreads E13
    GET /store/item/list [Item]
    POST /store/pay/validation Bill E11 E81 E82
    GET /static/profiles/{file} bytes E13
    GET /static/workspaces/{file} bytes E13
    GET /static/channels/{file} bytes E13
    GET /static/channelChats/{file} bytes E13
    GET /static/dmChats/{file} bytes E13
"""
ROUTES = {
    "2024-01": """
        POST /users/login Login open E03 E11
        GET /users/my Profile
        GET /workspaces/{workspace}/leave [Workspace] E13 E15
        PUT /workspaces/{workspace}/change/admin/{user} Workspace E11 E13 E14
        GET /workspaces/{workspace}/channels/my [Channel] E13
        GET /workspaces/{workspace}/channels/{channel}/leave [Channel] E11 E13 E15
        PUT /workspaces/{workspace}/channels/{channel}/change/admin/{user} Channel E11 E13 E14
        GET /workspaces/{workspace}/dms/{opponent}/chats DmHistory E13
    """,
    "2024-07": """
        POST /users/login User open E03 E11
        GET /users/me Profile
        PUT /users/me ProfileWithoutCoins E11
        PUT /users/me/image ProfileWithoutCoins E11
        GET /users/{user} Member E13
        GET /workspaces/{workspace}/members/{user} Member E13
        GET /workspaces/{workspace}/search WorkspaceDetail E13
        PUT /workspaces/{workspace}/transfer/ownership Workspace E11 E13 E14
        GET /workspaces/{workspace}/exit [Workspace] E13 E15
        DELETE /workspaces/{workspace}/exit [Workspace] E13 E15
        GET /workspaces/{workspace}/my-channels [Channel] E13
        PUT /workspaces/{workspace}/channels/{channel}/transfer/ownership Channel E11 E13 E14
        GET /workspaces/{workspace}/channels/{channel}/exit [Channel] E11 E13 E15
        DELETE /workspaces/{workspace}/channels/{channel}/exit [Channel] E11 E13 E15
        POST /workspaces/{workspace}/dms Room E11 E13
        GET /workspaces/{workspace}/dms/{room}/chats [Dm] E13
    """,
}

# Routes that the product adds to the contract in both generations: see test_additions.py.
ADDITIONS = {
    "GET /users/me/sessions",
    "DELETE /users/me/sessions",
    "DELETE /users/me/sessions/{}",
    "GET /workspaces/{}/rooms",
    "PUT /workspaces/{}/channels/{}/read",
    "PUT /workspaces/{}/dms/{}/read",
    "DELETE /workspaces/{}/members/{}",
    "DELETE /workspaces/{}/channels/{}/members/{}",
    "POST /static/profiles/links",
    "POST /static/workspaces/links",
    "POST /static/channels/links",
    "POST /static/channelChats/links",
    "POST /static/dmChats/links",
    "POST /store/orders",
}

# Routes that only clients of the native API have. `{room}` is a channel or a DM.
NATIVE = {
    "POST /users/email/verification",
    "PUT /users/email/verification",
    "POST /users/password/reset",
    "PUT /users/password/reset",
    "PUT /users/me/password",
    "PUT /users/me/email",
    "DELETE /users/me",
    "POST /users/me/export",
    "GET /users/me/export",
    "GET /static/exports/{}",
    "GET /users/me/second-factor",
    "POST /users/me/second-factor",
    "PUT /users/me/second-factor",
    "DELETE /users/me/second-factor",
    "POST /users/me/second-factor/recovery-codes",
    "POST /users/login/second-factor",
    "GET /auth/oidc",
    "POST /auth/oidc/{}",
    "POST /users/login/oidc",
    "PUT /users/{}/block",
    "DELETE /users/{}/block",
    "GET /users/me/blocks",
    "GET /workspaces/{}/role",
    "GET /workspaces/{}/roles",
    "PUT /workspaces/{}/members/{}/role",
    "PUT /workspaces/{}/channels/{}/members/{}",
    "GET /workspaces/{}/bans",
    "PUT /workspaces/{}/bans/{}",
    "DELETE /workspaces/{}/bans/{}",
    "GET /workspaces/{}/second-factor",
    "GET /workspaces/{}/audit",
    "POST /workspaces/{}/invitations",
    "GET /workspaces/{}/invitations",
    "DELETE /workspaces/{}/invitations/{}",
    "POST /workspaces/invitations/preview",
    "POST /workspaces/invitations/accept",
    "POST /workspaces/{}/join-requests",
    "DELETE /workspaces/{}/join-requests",
    "GET /workspaces/{}/join-requests",
    "PUT /workspaces/{}/join-requests/{}",
    "GET /workspaces/{}/settings",
    "PUT /workspaces/{}/settings",
    "POST /reports",
    "GET /workspaces/{}/reports",
    "PUT /workspaces/{}/reports/{}",
    "GET /workspaces/{}/standing",
    "GET /workspaces/{}/standings",
    "PUT /workspaces/{}/standings/{}",
    "GET /workspaces/{}/filters",
    "PUT /workspaces/{}/filters",
    "POST /workspaces/{}/bots",
    "GET /workspaces/{}/bots",
    "DELETE /workspaces/{}/bots/{}",
    "POST /workspaces/{}/bots/{}/tokens",
    "GET /workspaces/{}/bots/{}/tokens",
    "POST /workspaces/{}/bots/{}/tokens/{}/secret",
    "DELETE /workspaces/{}/bots/{}/tokens/{}",
    "POST /workspaces/{}/channels/{}/webhooks",
    "GET /workspaces/{}/channels/{}/webhooks",
    "PUT /workspaces/{}/channels/{}/webhooks/{}",
    "POST /workspaces/{}/channels/{}/webhooks/{}/secret",
    "DELETE /workspaces/{}/channels/{}/webhooks/{}",
    "POST /workspaces/{}/webhooks",
    "GET /workspaces/{}/webhooks",
    "PUT /workspaces/{}/webhooks/{}",
    "POST /workspaces/{}/webhooks/{}/secret",
    "DELETE /workspaces/{}/webhooks/{}",
    "GET /workspaces/{}/webhooks/{}/deliveries",
    "POST /workspaces/{}/webhooks/{}/deliveries/{}/replay",
    "POST /workspaces/{}/commands",
    "GET /workspaces/{}/commands",
    "DELETE /workspaces/{}/commands/{}",
    "POST /{room}/commands",
    "GET /{room}/chats/{}",
    "PUT /{room}/chats/{}",
    "DELETE /{room}/chats/{}",
    "GET /{room}/chats/{}/versions",
    "PUT /{room}/chats/{}/reactions/{}",
    "DELETE /{room}/chats/{}/reactions/{}",
    "PUT /{room}/chats/{}/pin",
    "DELETE /{room}/chats/{}/pin",
    "GET /{room}/pins",
    "PUT /{room}/chats/{}/saved",
    "DELETE /{room}/chats/{}/saved",
    "GET /{room}/changes",
    "GET /{room}/chats/{}/thread",
    "PUT /{room}/chats/{}/thread/follow",
    "DELETE /{room}/chats/{}/thread/follow",
    "PUT /{room}/chats/{}/thread/read",
    "GET /workspaces/{}/threads",
    "GET /workspaces/{}/mentions",
    "GET /users/me/saved",
    "GET /workspaces/{}/search",
    "GET /workspaces/{}/find",
    "GET /users/me/settings",
    "GET /users/me/limits",
    "PUT /users/me/settings",
    "PUT /{room}/notify",
    "PUT /{room}/draft",
    "GET /{room}/readers",
    "POST /{room}/scheduled",
    "GET /users/me/scheduled",
    "PUT /users/me/scheduled/{}",
    "DELETE /users/me/scheduled/{}",
}


def native_routes():
    """The routes of the native API with both kinds of rooms."""
    return {
        route.replace("{room}", f"workspaces/{{}}/{kind}/{{}}") for route in NATIVE for kind in ("channels", "dms")
    }


# Members and their kinds. `?` may be null or missing. `!` must be missing, such as members of the other generation.
SHAPES = {
    "2024-01": {
        "User": "Account token:Tokens",
        "Login": "user_id:id nickname:name accessToken:name refreshToken:name",
        "Profile": "Account sesacCoin:int",
        "Account": "user_id:id email:name nickname:name createdAt:date profileImage?:path phone?:text "
        "vendor?:provider provider!",
        "Access": "accessToken:name",
        "Workspace": "workspace_id:id name:name description:text thumbnail:path owner_id:id createdAt:date coverImage!",
        "Channel": "workspace_id:id channel_id:id name:name owner_id:id private:flag createdAt:date "
        "description?:text coverImage!",
        "Room": "workspace_id:id room_id:id createdAt:date user:Member",
        "DmHistory": "workspace_id:id room_id:id chats:[Dm]",
        "Bill": "billing_id:int merchant_uid:name amount:int sesacCoin:int success:bool createdAt:date",
    },
    "2024-07": {
        "User": "Account token:Tokens",
        "Profile": "Account sesacCoin:int",
        "ProfileWithoutCoins": "Account sesacCoin!",
        "Account": "user_id:id email:name nickname:name createdAt:date profileImage?:path phone?:text "
        "provider?:provider vendor!",
        "Access": "accessToken:name refreshToken?:name",
        "Workspace": "workspace_id:id name:name description:text coverImage:path owner_id:id createdAt:date thumbnail!",
        "Channel": "channel_id:id name:name owner_id:id createdAt:date description?:text coverImage?:path "
        "workspace_id! private!",
        "Room": "room_id:id createdAt:date user:Member workspace_id!",
        "Bill": "billing_id:name merchant_uid:name buyer_id:name productName:name price:int sesacCoin:int paidAt:date",
    },
}
COMMON = {
    "Tokens": "accessToken:name refreshToken:name",
    "WorkspaceDetail": "Workspace channels:[Channel] workspaceMembers:[Member]",
    "ChannelDetail": "Channel channelMembers:[Member]",
    "Member": "user_id:id email:name nickname:name profileImage?:path",
    "Chat": "channel_id:id channelName:name chat_id:id content:text createdAt:date files:[path] user:Member",
    "Dm": "dm_id:id room_id:id content:text createdAt:date files:[path] user:Member",
    "ChannelUnreads": "channel_id:id name:name count:int",
    "RoomUnreads": "room_id:id count:int",
    "Item": "item:name amount:digits",
}

DATE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")

# The statuses of each code for clients with true statuses. All other clients see 400, and 500 for E99.
STATUSES = {
    "E01": {401},
    "E02": {401},
    "E03": {401, 404},
    "E05": {401},
    "E06": {401},
    "E07": {401},
    "E08": {403},
    "E11": {400, 409, 413, 414, 416, 422},
    "E12": {409},
    "E13": {404},
    "E14": {403},
    "E15": {409},
    "E16": {424},
    "E21": {402},
    "E81": {404},
    "E82": {409},
    "E97": {404, 405},
    "E98": {429, 503},
    "E99": {500, 502, 503, 504},
}


@dataclass(frozen=True)
class Route:
    method: str
    path: str
    reply: str
    flags: frozenset
    errors: frozenset

    @property
    def name(self):
        return f"{self.method} {self.path}"

    @property
    def is_open(self):
        return "open" in self.flags

    @property
    def makes(self):
        return "new" in self.flags

    @property
    def parameters(self):
        return re.findall(r"{(\w+)}", self.path)

    @property
    def anonymous(self):
        """The name with `{}` for every parameter."""
        return re.sub(r"{\w+}", "{}", self.name)


def routes(of):
    found = []
    for line in (ROUTES_OF_BOTH + ROUTES[of]).split("\n"):
        if line.strip():
            method, path, reply, *rest = line.split()
            errors = frozenset(word for word in rest if re.fullmatch(r"E\d\d", word))
            found.append(Route(method, path, reply, frozenset(rest) - errors, errors))
    return found


def shape(name, of):
    """Returns the members of an entity and their kinds, including those of the entities that it extends."""
    members = {}
    for word in (SHAPES[of].get(name) or COMMON[name]).split():
        if word[0].isupper():
            members.update(shape(word, of))
        else:
            member, _, kind = word.partition(":")
            members[member.rstrip("?!")] = kind if member[-1] not in "?!" else member[-1] + kind
    return members


def hold(value, kind, of, where=""):
    """Fails unless `value` is of the contract's `kind` in this generation."""
    if kind.startswith("["):
        assert isinstance(value, list), f"{where} is not an array: {value!r}"
        for index, each in enumerate(value):
            hold(each, kind[1:-1], of, f"{where}[{index}]")
    elif kind[0].isupper():
        assert isinstance(value, dict), f"{where} is not an object ({kind}): {value!r}"
        for member, each in shape(kind, of).items():
            path = f"{where}.{member}"
            if each[0] == "!":
                assert member not in value, f"{path} must be missing"
            elif each[0] != "?":
                assert value.get(member) is not None, f"{path} is missing or null in {json.dumps(value)}"
                hold(value[member], each, of, path)
            elif value.get(member) is not None:
                hold(value[member], each[1:], of, path)
    else:
        assert is_of(value, kind, of), f"{where} is not of kind {kind}: {value!r}"


def is_of(value, kind, of):
    whole = isinstance(value, int) and not isinstance(value, bool)
    match kind:
        case "id" if of == "2024-01":
            return whole
        case "id" | "digits":
            return isinstance(value, str) and value.isdecimal() and value.isascii()
        case "int":
            return whole
        case "flag":
            return whole and value in (0, 1)
        case "bool":
            return isinstance(value, bool)
        case "text":
            return isinstance(value, str)
        case "name":
            return isinstance(value, str) and value != ""
        case "date":
            return isinstance(value, str) and DATE.fullmatch(value) is not None
        case "path":
            return isinstance(value, str) and re.fullmatch(r"/static/\w+/[A-Za-z0-9._%~-]+", value) is not None
        case "provider":
            return value in ("apple", "kakao")
    raise AssertionError(f"unknown kind {kind}")


def dates(value, name=""):
    """Yields every member with a name that ends in `At`."""
    if isinstance(value, dict):
        for key, each in value.items():
            yield from dates(each, key)
    elif isinstance(value, list):
        for each in value:
            yield from dates(each, name)
    elif name.endswith("At") and value is not None:
        yield value
