import Testing

@testable import ServiceKit

@Suite("The output of the program that makes previews")
struct MadePreviewsTests {
    @Test("The previews follow the line with their sizes")
    func reading() throws {
        let made = try #require(MadePreviews(Array("3024 4032 0 LEHV6nWB 3 5\nabcdefgh".utf8)))
        #expect(made.width == 3024 && made.height == 4032 && !made.isAnimated && made.blur == "LEHV6nWB")
        #expect(made.bytes(.small) == Array("abc".utf8))
        #expect(made.bytes(.medium) == Array("defgh".utf8))
        #expect(MadePreviews(Array("1 1 1 00OZZy 1 1\nab".utf8))?.isAnimated == true)
    }

    @Test(
        "An output that the program does not write is no preview",
        arguments: [
            "", "\n", "3 4 0 LEHV 3 5", "3 4 0 LEHV 3 5\nabcdefg", "3 4 0 LEHV 3 5\nabcdefghi", "3 4 0 LEHV 0 5\nabcde",
            "3 4 0 LEHV -1 9\nabcdefgh", "0 4 0 LEHV 3 5\nabcdefgh", "3 4 0  3 5\nabcdefgh", "3 4 LEHV 3 5\nabcdefgh",
            "3 4 0 LEHV 9223372036854775807 5\nabcdefgh", "x 4 0 LEHV 3 5\nabcdefgh",
        ])
    func refusing(_ output: String) {
        #expect(MadePreviews(Array(output.utf8)) == nil)
    }

    @Test("The program gets the sizes of the previews and its limits of processor time, time and memory")
    func arguments() {
        let limits = PreviewLimits(processes: 2, time: .milliseconds(2500), memory: 1000)
        #expect(limits.arguments == ["480", "1600", "2", "20", "1000"])
        #expect(PreviewLimits(processes: 1, time: .milliseconds(1), memory: 1).arguments[2] == "1")
    }
}
