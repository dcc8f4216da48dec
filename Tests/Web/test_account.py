"""A person's own account: profile, address, password, devices, blocks, coins and the end of it."""

import re

import pytest
from person import PASSWORD, counter
from playwright.sync_api import expect
from test_story import home

OTHER_PASSWORD = "Maru-Garten-2027!"


def alone(person):
    anna = person(name="Anna").join()
    anna.create_workspace(f"Own house {next(counter)}")
    anna.enter("일반")
    return anna


def open_account(someone, item):
    someone.menu("Account and security")
    someone.page.get_by_role("dialog").get_by_role("button", name=item).click()
    return someone.page.get_by_role("dialog")


def code(product, address):
    """The code of the newest mail to an address."""
    mails = [each for each in product.standins("GET", "/mail/sent").json() if address in str(each)]
    # A notice that something changed has no code.
    codes = [each for mail in mails for each in re.findall(r"\b\d{6}\b", mail["text"])]
    return codes[-1] if codes else None


def test_a_profile_is_changed_and_others_see_it(person):
    anna, ben = home(person)
    anna.say("Who am I?")
    anna.sent("Who am I?")
    anna.menu("Your profile")
    dialog = anna.page.get_by_role("dialog")
    dialog.locator("[name=nickname]").fill("Annabel")
    dialog.locator("button[type=submit]").click()
    expect(anna.message("Who am I?").locator(".author")).to_have_text("Annabel")
    ben.page.reload()
    expect(ben.message("Who am I?").locator(".author")).to_have_text("Annabel")


def test_a_field_that_breaks_a_rule_says_so_in_the_language_of_the_page(person):
    anna = person(name="Anna", locale="ko-KR")
    page = anna.page
    page.locator("button[type=submit]").click()
    expect(page.get_by_role("alert")).to_have_text("이 칸을 입력해 주세요.")
    page.locator("[name=email]").fill("anna")
    page.locator("button[type=submit]").click()
    expect(page.get_by_role("alert")).to_have_text("이메일 주소가 올바르지 않습니다.")
    # Screen readers read the rule with its field.
    expect(page.locator("[name=email]")).to_have_accessible_description("이메일 주소가 올바르지 않습니다.")
    expect(page.locator("[name=email]")).to_have_attribute("aria-invalid", "true")
    anna.join().create_workspace(f"Own house {next(counter)}")
    page.get_by_role("button", name="채널 만들기", exact=True).click()
    dialog = page.get_by_role("dialog")
    dialog.locator("[name=name]").fill("a/b")
    dialog.locator("button[type=submit]").click()
    expect(dialog.get_by_role("alert")).to_have_text("채널 이름에는 빗금(/)을 쓸 수 없습니다.")
    dialog.locator("[name=name]").fill("   ")
    dialog.locator("button[type=submit]").click()
    expect(dialog.get_by_role("alert")).to_have_text("이 칸을 입력해 주세요.")
    dialog.locator("[name=name]").fill("ab")
    dialog.locator("button[type=submit]").click()
    expect(anna.title).to_contain_text("ab")


def test_an_address_is_changed_by_a_code_from_the_mail(person, product):
    anna = alone(person)
    address = f"new.{anna.email}"
    dialog = open_account(anna, "Change: Email")
    dialog.locator("[name=email]").fill(address)
    dialog.get_by_role("button", name="Next").click()
    expect(dialog.locator("[name=code]")).to_be_visible()
    anna.until(lambda: code(product, address))
    dialog.locator("[name=code]").fill(code(product, address))
    dialog.locator("[name=password]").fill(PASSWORD)
    dialog.get_by_role("button", name="Save").click()
    anna.told("Saved")
    anna.menu("Account and security")
    expect(anna.page.get_by_role("dialog")).to_contain_text(address)


def test_a_password_is_changed_and_a_forgotten_one_is_reset(person, product):
    anna = alone(person)
    anna.expected += [r"status of 40[01]"]
    dialog = open_account(anna, "Change: Password")
    dialog.locator("[name=password]").fill("Wrong-Haus-2026!")
    dialog.locator("[name=newPassword]").fill(OTHER_PASSWORD)
    dialog.get_by_role("button", name="Save").click()
    expect(dialog.get_by_role("alert")).not_to_be_empty()
    # A keyboard goes on from the button, which was disabled meanwhile.
    expect(dialog.get_by_role("button", name="Save")).to_be_focused()
    dialog.locator("[name=password]").fill(PASSWORD)
    dialog.get_by_role("button", name="Save").click()
    expect(dialog).to_have_count(0)

    anna.menu("Sign out")
    page = anna.page
    page.get_by_role("button", name="Forgot your password?").click()
    page.locator("[name=email]").fill(anna.email)
    page.locator("button[type=submit]").click()
    expect(page.locator("[name=code]")).to_be_focused()
    anna.until(lambda: code(product, anna.email))
    page.locator("[name=code]").fill(code(product, anna.email))
    page.locator("[name=password]").fill(PASSWORD)
    page.locator("button[type=submit]").click()
    expect(anna.title).to_contain_text("일반")


def test_another_device_is_signed_out_from_here(person):
    anna = alone(person)
    other = person(name="Anna")
    other.email = anna.email
    other.expected += [r"status of 401"]
    other.sign_in()
    dialog = open_account(anna, "Show: Devices and sessions")
    expect(dialog.locator("li")).to_have_count(2)
    dialog.get_by_role("button", name="Sign out", exact=True).click()
    expect(dialog.locator("li")).to_have_count(1)
    expect(other.page.locator("maru-gate")).to_be_visible()
    expect(other.page.get_by_role("alert")).to_contain_text("Your session ended")


def test_a_blocked_person_stands_in_a_list_until_unblocked(person):
    anna, ben = home(person)
    ben.say("Buy my things")
    anna.sees("Buy my things")
    anna.message("Buy my things").locator(".author").click()
    anna.page.get_by_role("menuitem", name="Block").click()
    anna.page.get_by_role("dialog").get_by_role("button", name="Block").click()
    anna.told("Ben is blocked.")
    expect(anna.page.locator("maru-room .message .text.gone")).to_have_count(1)
    dialog = open_account(anna, "Show: Blocked people")
    expect(dialog.locator("li")).to_contain_text("Ben")
    dialog.get_by_role("button", name="Unblock Ben").click()
    expect(dialog.locator("li")).to_have_count(0)


def test_the_menu_of_a_blocked_person_ends_the_block(person):
    anna, ben = home(person)
    ben.say("Buy my things")
    anna.sees("Buy my things")
    author = anna.page.locator("maru-room .message .author")
    author.click()
    anna.page.get_by_role("menuitem", name="Block", exact=True).click()
    anna.page.get_by_role("dialog").get_by_role("button", name="Block").click()
    anna.told("Ben is blocked.")
    expect(anna.page.locator("maru-room .message .text.gone")).to_have_count(1)
    author.click()
    anna.page.get_by_role("menuitem", name="Unblock").click()
    anna.sees("Buy my things")


def test_coins_are_bought_at_the_stand_in_of_the_provider(person):
    anna = alone(person)
    anna.page.get_by_role("button", name="Coins").click()
    dialog = anna.page.get_by_role("dialog")
    had = int(re.sub(r"\D", "", dialog.locator(".balance").inner_text()))
    dialog.get_by_role("button", name="Buy 50 Coin").click()
    expect(dialog.get_by_role("status")).to_contain_text("Bought: 50 Coin")
    expect(dialog.locator(".balance")).to_have_text(f"You have {had + 50:,} coins.")


@pytest.mark.parametrize("messages", ["keep", "delete"])
def test_an_account_is_deleted_once_its_workspaces_are_handed_over(person, messages):
    anna, ben = home(person)
    anna.expected += [r"status of 40[19]"]
    anna.say("Remember me")
    ben.sees("Remember me")
    dialog = open_account(anna, "Delete: Delete the account")
    if messages == "delete":
        dialog.get_by_role("checkbox").check()
    dialog.locator("[name=password]").fill(PASSWORD)
    dialog.get_by_role("button", name="Delete the account").click()
    expect(dialog.get_by_role("alert")).to_contain_text("Maru house")
    anna.page.keyboard.press("Escape")

    anna.page.locator(".side-title").click()
    anna.page.get_by_role("menuitem", name="Members").click()
    anna.page.get_by_role("button", name="More: Ben").click()
    anna.page.get_by_role("menuitem", name="Make owner").click()
    anna.page.get_by_role("dialog").last.locator("button[type=submit]").click()
    expect(anna.page.get_by_role("dialog").locator("li", has_text="Ben")).to_contain_text("Owner")
    anna.page.keyboard.press("Escape")
    dialog = open_account(anna, "Delete: Delete the account")
    if messages == "delete":
        dialog.get_by_role("checkbox").check()
    dialog.locator("[name=password]").fill(PASSWORD)
    dialog.get_by_role("button", name="Delete the account").click()
    expect(anna.page.locator("maru-gate")).to_be_visible()

    # A page that is loaded again and again renews its token more often than a person's.
    ben.expected += [r"status of 429"]

    def is_erased():
        ben.page.reload()
        expect(ben.title).to_contain_text("일반")
        expect(ben.page.locator("maru-room .message, maru-room .begin").first).to_be_visible()
        gone = ben.message("Remember me").count() == 0
        return gone if messages == "delete" else ben.page.locator(".author", has_text="Anna").count() == 0

    ben.until(is_erased)
    if messages == "keep":
        expect(ben.message("Remember me").locator(".author")).to_have_text("Deleted account")


def test_signing_out_everywhere_leaves_nothing_on_the_screen(person):
    anna = alone(person)
    anna.expected += [r"status of 40[0-4]"]
    open_account(anna, "Show: Devices and sessions").get_by_role("button", name="Sign out everywhere").click()
    anna.page.get_by_role("dialog").last.get_by_role("button", name="Sign out", exact=True).click()
    expect(anna.page.locator("maru-gate")).to_be_visible()
    expect(anna.page.locator("dialog")).to_have_count(0)
    expect(anna.page).to_have_title("Maru")
