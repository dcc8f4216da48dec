import Testing

@testable import auth_service

@Suite("Common passwords")
struct CommonPasswordsTests {
    @Test(
        "A well-known word is common in every decoration",
        arguments: [
            "Password1!", "P@ssw0rd", "!!Passw0rd2024", "qWeRtY123$", "Welcome_1", "Aaaaaaa1!", "Abcabc123!",
            "Tkfkdgo1!",
            "Iloveyou<3", "12345678Aa!", "비밀번호1!", "L3tm3in!!",
        ])
    func common(password: String) { #expect(CommonPasswords.contains(password)) }

    @Test(
        "Other passwords are not common",
        arguments: ["Saessak-2024!", "Haetnim-77!", "correct Horse 7 battery", "gP4!xk29Lm", "오늘은 Rain 3!"])
    func uncommon(password: String) { #expect(!CommonPasswords.contains(password)) }
}
