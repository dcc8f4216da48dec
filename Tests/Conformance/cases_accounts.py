"""Requests of auth-service's routes."""

from app import IMAGE, PASSWORD, App, counter
from cases import Request, effect, good, texts, wrong


def application(world, **more):
    body = {"email": f"new.{next(counter)}@example.com", "password": PASSWORD, "nickname": "새싹", "phone": None}
    return Request(json=body | {"deviceToken": f"token-{next(counter)}"} | more)


@good("POST /users/validation/email")
def validate(world):
    return Request(json={"email": f"free.{next(counter)}@example.com"})


@wrong("POST /users/validation/email")
def wrong_validations(world):
    request = validate(world)
    yield from texts(request, "email", longest=254)
    for email in ("nobody", "a@b", "@b.kr", "a@", "a@@b.kr", "a b@c.kr", "a@b..kr"):
        yield "E11", email, Request(json={"email": email})
    yield "E12", "taken", Request(json={"email": world.owner.email})
    yield "E12", "taken in capitals", Request(json={"email": world.owner.email.upper()})


@good("POST /users/join")
def join(world):
    return application(world, phone="010-1234-5678")


@effect("POST /users/join")
def joined(world, reply, body):
    assert body["phone"] == "010-1234-5678" and body["nickname"] == "새싹"
    assert reply.cookies["maru_socket"]


@wrong("POST /users/join")
def wrong_joins(world):
    request = application(world)
    for name, longest in (("email", 254), ("password", 1024), ("nickname", 30)):
        yield from texts(request, name, longest)
    for password in ("Sh0rt!!", "nocapital1!", "NOSMALL1!", "NoDigits!", "NoSymbol1"):
        yield "E11", password, request.with_field("password", password)
    for phone in ("call me", "+82 10", "---", 7, "1" * 31):
        yield "E11", f"phone {phone}", request.with_field("phone", phone)
    yield "E11", "device token too long", request.with_field("deviceToken", "x" * 3000)
    yield "E12", "email is taken", request.with_field("email", world.owner.email.upper())


@good("POST /users/login")
def log_in(world):
    return Request(json={"email": world.owner.email, "password": PASSWORD, "deviceToken": world.owner.device})


@wrong("POST /users/login")
def wrong_logins(world):
    request = log_in(world)
    for name in ("email", "password"):
        for wrong in texts(request, name):
            # An empty email or password counts as a failed attempt, and too many of them would throttle the address.
            if "is empty" not in wrong[1]:
                yield wrong
    # After a successful login the address has its own count for this account, so failures throttle no other account.
    world.owner.another_device()
    yield "E03", "wrong password", request.with_field("password", "Wr0ng!!!")
    yield "E03", "unknown email", request.with_field("email", f"nobody.{world.owner.email}")


@good("POST /users/login/kakao")
def kakao(world):
    return Request(json={"oauthToken": f"kakao-{1000 + next(counter)}", "deviceToken": "kakao-device"})


@wrong("POST /users/login/kakao")
def wrong_kakaos(world):
    for code, what, request in texts(kakao(world), "oauthToken"):
        yield "E03" if "is empty" in what else code, what, request
    yield "E03", "unknown token", Request(json={"oauthToken": "nobody's", "deviceToken": ""})
    taken = f"kakao-{1000 + next(counter)}-{world.owner.email}"
    yield "E12", "email has an account", Request(json={"oauthToken": taken, "deviceToken": ""})


@good("POST /users/login/apple")
def apple(world):
    return Request(json={"idToken": identity_token(world), "deviceToken": "apple-device"})


def identity_token(world, **claims):
    return world.product.standins("GET", "/apple/mint", params={"sub": f"apple-{next(counter)}"} | claims).text


@wrong("POST /users/login/apple")
def wrong_apples(world):
    for code, what, request in texts(apple(world), "idToken"):
        yield "E03" if "is empty" in what else code, what, request
    for what, claims in {
        "another key": {"key": "unpublished"},
        "another app": {"aud": "com.example.other"},
        "another issuer": {"iss": "https://example.com"},
        "long past": {"exp": "1700000000"},
    }.items():
        yield "E03", what, Request(json={"idToken": identity_token(world, **claims), "deviceToken": ""})
    taken = identity_token(world, email=world.owner.email)
    yield "E12", "email has an account", Request(json={"idToken": taken, "deviceToken": ""})


@good("GET /users/logout")
def log_out(world):
    return Request(by=world.owner.another_device())


@effect("GET /users/logout")
def logged_out(world, reply, body):
    # The socket cookie is cleared: empty and expired.
    assert "maru_socket=;" in reply.headers["Set-Cookie"] and "Max-Age=0" in reply.headers["Set-Cookie"]


@good("POST /users/deviceToken")
def device_token(world):
    return Request(json={"deviceToken": world.owner.device})


@wrong("POST /users/deviceToken")
def wrong_device_tokens(world):
    yield from texts(device_token(world), "deviceToken", longest=2048, may_be_empty=True)


@good("GET /users/my", "GET /users/me")
def mine(world):
    return Request()


@effect("GET /users/my", "GET /users/me")
def is_mine(world, reply, body):
    assert (body["user_id"], body["email"]) == (world.owner.id, world.owner.email)


@good("GET /auth/refresh")
def refresh(world):
    app = world.owner.another_device()
    return Request(by=app, headers={"RefreshToken": app.refresh})


@effect("GET /auth/refresh")
def refreshed(world, reply, body):
    assert reply.cookies["maru_socket"]


@wrong("GET /auth/refresh")
def wrong_refreshes(world):
    yield "E02", "no refresh token", Request(by=world.owner)
    yield "E02", "empty refresh token", Request(by=world.owner, headers={"RefreshToken": ""})
    yield "E02", "no refresh token at all", Request(by=world.owner, headers={"RefreshToken": "garbage"})
    app = world.owner.another_device()
    app.get("/users/logout")
    yield "E06", "revoked", Request(by=world.anybody, headers={"RefreshToken": app.refresh})
    yield "E06", "unknown", Request(by=world.anybody, headers={"RefreshToken": "A" * 43})


@good("PUT /users/me")
def edit(world):
    return Request(json={"nickname": "주인", "phone": "01012345678"})


@effect("PUT /users/me")
def edited(world, reply, body):
    assert body["phone"] == "01012345678"


@wrong("PUT /users/me")
def wrong_edits(world):
    yield from texts(edit(world), "nickname", longest=30, required=False)
    for phone in ("call me", 7, "1" * 31):
        yield "E11", f"phone {phone}", edit(world).with_field("phone", phone)


@good("PUT /users/me/image")
def change_image(world):
    return Request(form={}, files=[IMAGE])


@wrong("PUT /users/me/image")
def wrong_images(world):
    for what, data in {"text": b"no picture", "a program": b"MZ\x90\0\3"}.items():
        yield "E11", what, Request(files=[("image", ("image.png", data, "image/png"))])
    yield "E11", "no parts", Request(data=b"nothing", headers={"Content-Type": "multipart/form-data; boundary=x"})
    yield "E11", "two pictures", Request(files=[IMAGE, IMAGE])


@good("GET /users/{user}")
def another(world):
    world.workspace
    return Request()


@wrong("GET /users/{user}")
def wrong_others(world):
    # All users of one app are in one workspace, so the stranger comes from another app.
    yield "E13", "in no workspace of mine", Request(at={"user": App.joined(world.product, "collatalk").id})
