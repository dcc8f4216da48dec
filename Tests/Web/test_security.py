"""The second factor, the copy of one's data, and signing in with an issuer of OpenID Connect, against the server."""

import base64
import hmac
import io
import re
import struct
import subprocess
import time
import urllib.parse
import zipfile

import pytest
from person import PASSWORD, counter
from playwright.sync_api import expect
from test_account import open_account
from test_views import audit


class Authenticator:
    """An authenticator app (RFC 6238). The server accepts each code once, and those of the next half minute too."""

    def __init__(self, address):
        self.address = urllib.parse.urlsplit(address)
        secret = urllib.parse.parse_qs(self.address.query)["secret"][0]
        self.secret = base64.b32decode(secret + "=" * (-len(secret) % 8))
        self.used = 0

    def code(self):
        """The next code; waits for the clock if it is too early for that."""
        step = max(self.used + 1, int(time.time()) // 30)
        while int(time.time()) // 30 < step - 1:
            time.sleep(0.2)
        self.used = step
        digest = hmac.digest(self.secret, struct.pack(">Q", step), "sha1")
        number = struct.unpack(">I", digest[(start := digest[-1] & 15) : start + 4])[0] & 0x7FFFFFFF
        return f"{number % 1_000_000:06}"


@pytest.fixture
def anna(person):
    anna = person(name="Anna").join()
    anna.create_workspace(f"Safe house {next(counter)}")
    anna.enter("일반")
    return anna


def scanned(dialog):
    """The text of the QR code on the screen, as a camera reads it."""
    picture = dialog.get_by_role("img", name="QR code").screenshot()
    read = subprocess.run(["zbarimg", "--quiet", "--raw", "-"], input=picture, capture_output=True, check=True)
    return read.stdout.decode().strip()


def turn_on(anna):
    """Turns the second factor on and returns the app and the recovery codes."""
    dialog = open_account(anna, "Show: Second factor")
    dialog.locator("[name=password]").fill(PASSWORD)
    dialog.get_by_role("button", name="Next").click()
    expect(dialog.get_by_role("img", name="QR code")).to_be_visible()
    app = Authenticator(scanned(dialog))
    dialog.locator("[name=code]").fill(app.code())
    dialog.get_by_role("button", name="Turn on").click()
    expect(dialog.locator(".codes li")).to_have_count(10)
    codes = dialog.locator(".codes li").all_inner_texts()
    dialog.get_by_role("button", name="I have saved them").click()
    expect(dialog).to_have_count(0)
    return app, codes


def first_step(someone, email=None):
    page = someone.page
    page.locator("[name=email]").fill(email or someone.email)
    page.locator("[name=password]").fill(PASSWORD)
    page.locator("button[type=submit]").click()
    return page


def second_step(someone, code, remember=False):
    page = first_step(someone)
    expect(page.get_by_role("heading", name="One more step")).to_be_visible()
    if remember:
        page.get_by_role("checkbox", name="Do not ask again on this device").check()
    page.locator("[name=code]").fill(code)
    page.locator("button[type=submit]").click()
    return page


def test_a_second_factor_is_set_up_by_a_scan_and_asked_for(anna, person):
    other = person(name="Anna")
    other.email = anna.email
    other.expected += [r"status of 401"]
    other.sign_in()

    dialog = open_account(anna, "Show: Second factor")
    dialog.locator("[name=password]").fill("Wrong-Haus-2026!")
    anna.expected += [r"status of (400|401|422)"]
    dialog.get_by_role("button", name="Next").click()
    expect(dialog.get_by_role("alert")).to_have_text("The password is wrong.")
    dialog.locator("[name=password]").fill(PASSWORD)
    dialog.get_by_role("button", name="Next").click()
    expect(dialog.get_by_role("img", name="QR code")).to_be_visible()
    assert audit(anna.page) == []
    address = scanned(dialog)
    assert address.startswith("otpauth://totp/") and urllib.parse.quote(anna.email, safe="") in address
    dialog.get_by_text("Cannot scan it?").click()
    key = re.sub(r"\s", "", dialog.locator(".secret").inner_text())
    assert f"secret={key}&" in address
    app = Authenticator(address)
    dialog.locator("[name=code]").fill("000000" if app.code() != "000000" else "000001")
    dialog.get_by_role("button", name="Turn on").click()
    expect(dialog.get_by_role("alert")).to_contain_text("This code is wrong")
    app.used = 0
    dialog.locator("[name=code]").fill(app.code())
    dialog.get_by_role("button", name="Turn on").click()
    expect(dialog.locator(".codes li")).to_have_count(10)
    assert audit(anna.page) == []
    with anna.page.expect_download() as download:
        dialog.get_by_role("link", name="Download").click()
    kept = download.value.path().read_text()
    codes = dialog.locator(".codes li").all_inner_texts()
    assert all(each in kept for each in codes)
    dialog.get_by_role("button", name="I have saved them").click()

    # Other devices end, and signing in there needs a code now.
    expect(other.page.locator("maru-gate")).to_be_visible()
    page = first_step(other)
    expect(page.get_by_role("heading", name="One more step")).to_be_visible()
    assert audit(page) == []
    other.expected += [r"status of (400|422)"]
    page.locator("[name=code]").fill("123")
    page.locator("button[type=submit]").click()
    expect(page.get_by_role("alert")).to_contain_text("This code is wrong")
    page.locator("[name=code]").fill(app.code())
    page.locator("button[type=submit]").click()
    expect(other.title).to_contain_text("일반")


def test_a_recovery_code_signs_in_once_and_new_ones_replace_the_old(anna):
    app, codes = turn_on(anna)
    anna.expected += [r"status of (400|401|422)"]
    anna.menu("Sign out")
    second_step(anna, codes[0])
    expect(anna.title).to_contain_text("일반")
    anna.menu("Sign out")
    page = second_step(anna, codes[0])
    expect(page.get_by_role("alert")).to_contain_text("This code is wrong")
    page.locator("[name=code]").fill(codes[1])
    page.locator("button[type=submit]").click()
    expect(anna.title).to_contain_text("일반")

    dialog = open_account(anna, "Show: Second factor")
    expect(dialog).to_contain_text("Recovery codes left: 8.")
    dialog.get_by_role("button", name="New recovery codes").click()
    dialog.locator("[name=code]").fill(app.code())
    dialog.get_by_role("button", name="New recovery codes").click()
    expect(dialog.locator(".codes li")).to_have_count(10)
    fresh = dialog.locator(".codes li").all_inner_texts()
    assert not set(fresh) & set(codes)
    dialog.get_by_role("button", name="I have saved them").click()
    anna.menu("Sign out")
    page = second_step(anna, codes[2])
    expect(page.get_by_role("alert")).to_contain_text("This code is wrong")


def test_a_remembered_device_needs_no_code_until_the_factor_is_removed(anna, person):
    app, codes = turn_on(anna)
    anna.expected += [r"status of 401"]
    anna.menu("Sign out")
    second_step(anna, codes[0], remember=True)
    expect(anna.title).to_contain_text("일반")
    # No script can read the mark of a remembered device.
    assert "maru_remember" not in anna.page.evaluate("document.cookie")
    assert [each["httpOnly"] for each in anna.context.cookies(anna.product.base + "/v1/users/login") if each["name"] == "maru_remember"] == [True]
    anna.menu("Sign out")
    first_step(anna)
    expect(anna.title).to_contain_text("일반")

    other = person(name="Anna")
    other.email = anna.email
    other.expected += [r"status of 401"]
    first_step(other)
    expect(other.page.get_by_role("heading", name="One more step")).to_be_visible()

    dialog = open_account(anna, "Show: Second factor")
    dialog.get_by_role("button", name="Turn off").click()
    dialog.locator("[name=code]").fill(codes[1])
    dialog.locator("[name=password]").fill(PASSWORD)
    dialog.get_by_role("button", name="Turn off").click()
    anna.told("The second factor is off.")
    other.page.get_by_role("button", name="Back to sign in").click()
    first_step(other)
    expect(other.title).to_contain_text("일반")


def test_a_copy_of_all_data_is_ordered_and_downloaded(anna):
    anna.say("Keep this sentence")
    anna.sent("Keep this sentence")
    dialog = open_account(anna, "Show: A copy of your data")
    expect(dialog.get_by_role("status")).to_have_text("There is no archive yet.")
    assert audit(anna.page) == []
    dialog.get_by_role("button", name="Prepare the archive").click()
    download = dialog.get_by_role("link", name="Download")
    expect(download).to_be_visible()
    expect(dialog.get_by_role("status")).to_contain_text("Ready until")
    assert audit(anna.page) == []
    with anna.page.expect_download() as begun:
        download.click()
    content = zipfile.ZipFile(io.BytesIO(begun.value.path().read_bytes()))
    assert "account/profile.json" in content.namelist()
    assert any(b"Keep this sentence" in content.read(each) for each in content.namelist())

    # One a day: the page says from when on there can be another one.
    anna.expected += [r"status of 429"]
    dialog.get_by_role("button", name="Prepare the archive").click()
    anna.told("You can have one archive a day.", bad=True)


def as_person(product, subject, email):
    """The stand-in of the issuer signs everybody in as the person that it was told."""
    product.standins("POST", "/oidc/person", json={"sub": subject, "email": email})


def test_a_person_signs_in_with_an_issuer(person, product):
    anna = person(name="Anna")
    as_person(product, f"subject-{anna.email}", anna.email)
    page = anna.page
    button = page.get_by_role("button", name="Continue with Company")
    expect(button).to_be_visible()
    assert audit(page) == []
    button.click()
    expect(page.get_by_role("heading", name="Make yourself at home")).to_be_visible()
    assert page.url.startswith(f"{product.base}/") and "code=" not in page.url and page.evaluate("sessionStorage.length") == 0
    anna.create_workspace(f"Company house {next(counter)}")

    # The same person comes back to the same account, and a reload does not repeat the reply.
    # The new room may still be loading, and its calls are refused once the session has ended.
    anna.expected += [r"status of (400|401)"]
    anna.menu("Sign out")
    page.get_by_role("button", name="Continue with Company").click()
    expect(page.locator(".side-title")).to_contain_text("Company house")
    page.reload()
    expect(page.locator(".side-title")).to_contain_text("Company house")


def opened_at_issuer(person, product):
    """A person with an account that the issuer has opened: it has no password."""
    anna = person(name="Anna")
    as_person(product, f"subject-{anna.email}", anna.email)
    anna.page.get_by_role("button", name="Continue with Company").click()
    anna.create_workspace(f"Company house {next(counter)}")
    anna.enter("일반")
    return anna


def refuse(route):
    """The person says no at the issuer."""
    asked = urllib.parse.parse_qs(urllib.parse.urlsplit(route.request.url).query)
    reply = urllib.parse.urlencode({"error": "access_denied", "state": asked["state"][0]})
    route.fulfill(status=302, headers={"Location": f"{asked['redirect_uri'][0]}?{reply}"})


def sign_in_again(anna, dialog, title):
    """Goes to the issuer for a proof, and returns the dialog that opens after the return."""
    with anna.page.expect_request(re.compile("/oidc/company/authorize")) as asked:
        dialog.get_by_role("button", name="Sign in again with Company").click()
    # The issuer has to ask for the person, also if it knows the last one.
    assert "&max_age=0" in asked.value.url
    dialog = anna.page.get_by_role("dialog", name=title)
    expect(dialog.get_by_role("status")).to_have_text("You have signed in again with Company. Please confirm below.")
    expect(dialog.locator("[name=password]")).to_have_count(0)
    assert "code=" not in anna.page.url and anna.page.evaluate("sessionStorage.length") == 0
    return dialog


def test_an_account_of_an_issuer_is_deleted_after_a_new_sign_in_there(person, product):
    anna = opened_at_issuer(person, product)
    page = anna.page
    # Calls of the room are refused once the session has ended.
    anna.expected += [r"status of 40[01]"]
    dialog = open_account(anna, "Delete: Delete the account")
    expect(dialog.get_by_role("button", name="Sign in again with Company")).to_be_visible()
    assert audit(page) == []
    dialog.get_by_role("checkbox").check()
    dialog = sign_in_again(anna, dialog, "Delete the account")
    expect(anna.title).to_contain_text("일반")
    expect(dialog.get_by_role("checkbox")).to_be_checked()
    assert audit(page) == []
    dialog.get_by_role("button", name="Delete the account").click()
    expect(page.locator("maru-gate")).to_be_visible()
    # The person begins anew: the account is gone with its workspace.
    page.get_by_role("button", name="Continue with Company").click()
    expect(page.get_by_role("heading", name="Make yourself at home")).to_be_visible()


def test_a_new_sign_in_turns_the_second_factor_on_and_off(person, product):
    anna = opened_at_issuer(person, product)
    anna.expected += [r"status of 401"]
    # Somebody else signs in at the issuer: that proves nothing here, and signs nobody in.
    as_person(product, f"other-{anna.email}", f"other.{anna.email}")
    dialog = sign_in_again(anna, open_account(anna, "Show: Second factor"), "Second factor")
    dialog.get_by_role("button", name="Next").click()
    expect(dialog.get_by_role("alert")).to_contain_text("Company did not confirm this account")
    expect(dialog).to_contain_text("A new sign-in counts once.")
    expect(anna.title).to_contain_text("일반")

    as_person(product, f"subject-{anna.email}", anna.email)
    dialog = sign_in_again(anna, dialog, "Second factor")
    dialog.get_by_role("button", name="Next").click()
    expect(dialog.get_by_role("img", name="QR code")).to_be_visible()
    dialog.locator("[name=code]").fill(Authenticator(scanned(dialog)).code())
    dialog.get_by_role("button", name="Turn on").click()
    dialog = anna.page.get_by_role("dialog", name="Recovery codes")
    expect(dialog.locator(".codes li")).to_have_count(10)
    codes = dialog.locator(".codes li").all_inner_texts()
    dialog.get_by_role("button", name="I have saved them").click()

    open_account(anna, "Show: Second factor").get_by_role("button", name="Turn off").click()
    dialog = sign_in_again(anna, anna.page.get_by_role("dialog", name="Turn off"), "Turn off")
    dialog.locator("[name=code]").fill(codes[0])
    dialog.get_by_role("button", name="Turn off").click()
    anna.told("The second factor is off.")


def test_a_new_sign_in_that_the_person_cancels_changes_nothing(anna):
    page = anna.page
    page.route(re.compile("/oidc/company/authorize"), refuse)
    open_account(anna, "Delete: Delete the account").get_by_role("button", name="Sign in again with Company").click()
    dialog = page.get_by_role("dialog", name="Delete the account")
    expect(dialog.get_by_role("alert")).to_have_text("The sign-in with Company did not work. Please try again.")
    expect(dialog.locator("[name=password]")).to_be_visible()
    assert audit(page) == []
    page.keyboard.press("Escape")
    expect(anna.title).to_contain_text("일반")


def test_a_link_that_looks_like_the_reply_to_a_new_sign_in_changes_nothing(anna, product):
    page = anna.page
    page.route(re.compile("/oidc/company/authorize"), lambda route: route.fulfill(
        status=302, headers={"Location": f"{product.base}/?code=caught&state=caught"}))
    open_account(anna, "Delete: Delete the account").get_by_role("button", name="Sign in again with Company").click()
    # The dialogs go with the page.
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page.locator('maru-shell[data-connection="live"]')).to_be_visible()
    assert "code=" not in page.url
    # The window still waits for the reply of the issuer.
    assert page.evaluate("sessionStorage.length") == 1
    expect(page.get_by_role("dialog")).to_have_count(0)


def test_a_new_sign_in_is_no_proof_for_another_user_of_the_browser(anna, product):
    def replace_user(route):
        # The cookie of the browser becomes that of somebody else, as when another tab signs in.
        ben = {"email": f"ben.{anna.email}", "password": PASSWORD, "nickname": "Ben"}
        reply = anna.context.request.post(f"{product.base}/v1/users/join?refresh=cookie", headers={"SesacKey": "native"}, data=ben)
        assert reply.ok
        route.continue_()

    page = anna.page
    # The page comes back to a room of the user before.
    anna.expected += [r"status of 40[134]"]
    page.route(re.compile("/oidc/company/authorize"), replace_user)
    open_account(anna, "Delete: Delete the account").get_by_role("button", name="Sign in again with Company").click()
    anna.told("You are signed in with another account now. Nothing has changed.", bad=True)
    expect(page.get_by_role("dialog")).to_have_count(0)


def test_an_invitation_lasts_through_the_way_to_an_issuer(anna, person, product):
    anna.context.grant_permissions(["clipboard-read", "clipboard-write"])
    anna.page.locator(".side-title").click()
    anna.page.get_by_role("menuitem", name="Invitation links").click()
    anna.page.get_by_role("dialog").get_by_role("button", name="Make a link").click()
    anna.page.get_by_role("dialog").get_by_role("button", name="Copy the link").click()
    anna.told("Copied")
    link = anna.page.evaluate("navigator.clipboard.readText()")
    ben = person(name="Ben")
    as_person(product, f"subject-{ben.email}", ben.email)
    ben.page.goto(f"{product.base}/#/join/{link.rsplit('/', 1)[1]}")
    expect(ben.page.get_by_role("heading", name="Welcome back")).to_be_visible()
    ben.page.reload()
    ben.page.get_by_role("button", name="Continue with Company").click()
    ben.page.get_by_role("dialog").get_by_role("button", name="Join").click()
    expect(ben.page.locator(".side-title")).to_contain_text("Safe house")


def test_a_reply_that_nobody_asked_for_or_that_refuses_signs_nobody_in(person, product):
    anna = person(name="Anna")
    page = anna.page
    page.goto(f"{product.base}/?code=caught&state=caught")
    expect(page.get_by_role("heading", name="Welcome back")).to_be_visible()
    assert "code=" not in page.url
    page.route(re.compile("/oidc/company/authorize"), refuse)
    page.get_by_role("button", name="Continue with Company").click()
    expect(page.get_by_role("alert")).to_have_text("The sign-in with Company did not work. Please try again.")
    assert audit(page) == []


def test_an_issuer_does_not_replace_the_second_factor(person, product):
    anna = person(name="Anna")
    as_person(product, f"subject-{anna.email}", anna.email)
    anna.join()
    anna.create_workspace(f"Both house {next(counter)}")
    anna.enter("일반")
    anna.expected += [r"status of (400|401|409)"]
    _, codes = turn_on(anna)
    anna.menu("Sign out")
    page = anna.page
    page.get_by_role("button", name="Continue with Company").click()
    # The address of the account was never proven, so the issuer's is not linked to it.
    expect(page.get_by_role("alert")).to_contain_text("An account with your email address at Company exists already.")
