"""Commands in the composer: listed and run by `/`, with answers for one or for all, in both languages."""

import pytest
from app import App
from commander import Commander
from person import PASSWORD
from playwright.sync_api import expect
from test_story import home

WORDS = {
    "en-US": ("only you see this", "The bot will answer later.", "did not answer", "There is no command /nothing"),
    "ko-KR": ("나에게만 보입니다", "봇이 나중에 답변합니다.", "응답하지 않았습니다", "/nothing 명령이 없습니다"),
}


@pytest.mark.parametrize("locale", WORDS)
def test_a_command_is_listed_run_and_answered(person, product, locale):
    anna, ben = home(person, locale=locale)
    for each in (anna, ben):
        # A refused command is a failed call.
        each.expected += [r"status of 4(04|24)"]
    owner = App(product, "native")
    owner.enter(owner.post("/users/login", {"email": anna.email, "password": PASSWORD, "deviceToken": ""}))
    [workspace] = owner.get("/workspaces")
    mark, later, failed, unknown = WORDS[locale]
    answers = ben.page.locator("maru-room .private-answer")
    with Commander(product, owner, workspace["workspace_id"]) as bot:
        bot.register("배포", (200, {"text": "모두에게", "visible": "all"}), description="가지를 배포한다", hint="가지")
        bot.register("status", (200, {"text": "**정상**"}))
        bot.register("slow", (202, ""))
        bot.register("bad", (500, ""))
        ben.composer.press_sequentially("/ㅂ")
        option = ben.page.get_by_role("option")
        expect(option).to_have_count(1)
        expect(option).to_contain_text("/배포")
        expect(option).to_contain_text("가지를 배포한다")
        ben.composer.press("Enter")
        expect(ben.composer).to_have_value("/배포 ")
        ben.composer.press_sequentially("main")
        ben.composer.press("Enter")
        assert bot.called()["text"] == "main"
        for each in (anna, ben):
            each.sees("모두에게")
            expect(each.message("모두에게").locator(".bot")).to_have_text("bot" if locale == "en-US" else "봇")
        expect(answers).to_have_count(0)
        ben.say("/status")
        expect(answers.locator("strong")).to_have_text("정상")
        expect(answers).to_contain_text(mark)
        bot.called()
        ben.say("/slow")
        expect(answers.nth(1)).to_contain_text(later)
        bot.answer(bot.called(), "드디어")
        expect(answers.nth(1)).to_contain_text("드디어")
        expect(answers.nth(1)).to_contain_text(mark)
        ben.say("/bad")
        expect(answers.nth(2)).to_contain_text(failed)
        # A failed command comes back, to be tried again.
        expect(ben.composer).to_have_value("/bad")
        ben.say("/nothing")
        expect(answers.nth(3)).to_contain_text(unknown)
        ben.say(" /tmp")
        anna.sees("/tmp")
        expect(anna.page.locator(".private-answer")).to_have_count(0)
        answers.first.get_by_role("button").click()
        expect(answers).to_have_count(3)
