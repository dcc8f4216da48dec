import Foundation
import Testing
import Wire

@Suite("Timestamps")
struct TimestampTests {
    @Test(
        "A moment is written with three fraction digits in UTC, and is read back",
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (-1, "1969-12-31T23:59:59.999Z"),
            (951_782_400_007, "2000-02-29T00:00:00.007Z"), (1_722_940_000_120, "2024-08-06T10:26:40.120Z"),
            (4_107_542_400_000, "2100-03-01T00:00:00.000Z"), (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
            (-62_167_219_200_000, "0000-01-01T00:00:00.000Z"),
        ] as [(Int64, String)])
    func texts(milliseconds: Int64, text: String) {
        #expect(Timestamp(milliseconds: milliseconds).description == text)
        #expect(Timestamp(text)?.milliseconds == milliseconds)
        let json = JSONWriter.bytes { $0.value(Timestamp(milliseconds: milliseconds)) }
        #expect(String(decoding: json, as: UTF8.self) == "\"\(text)\"")
    }

    @Test("Every day from 1600 to 2370 is written as Foundation writes it, and is read back")
    func everyDay() throws {
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        for day in -135_140...146_097 {
            let moment = Timestamp(milliseconds: Int64(day) * 86_400_000 + Int64.random(in: 0..<86_400_000))
            let text = moment.description
            guard Timestamp(text) == moment else {
                Issue.record("\(text) does not read back")
                return
            }
            guard day % 40 == 0 else { continue }
            let date = Date(timeIntervalSince1970: Double(moment.milliseconds) / 1000 + 0.0001)
            #expect(text == date.formatted(style))
        }
    }

    @Test(
        "The forms that clients send are read",
        arguments: [
            "2024-07-01T12:34:56.789Z", "2024-07-01T12:34:56.789+0000", "2024-07-01T12:34:56.789+00:00",
            "2024-07-01T12:34:56.789-00:00", "2024-07-01T12:34:56.789+00", "2024-07-01t12:34:56.789z",
            "2024-07-01 12:34:56.789Z", "2024-07-01T12:34:56.7890001Z", "2024-07-01T12:34:56.789999999999Z",
            "2024-07-01T21:34:56.789+0900", "2024-07-01T21:34:56.789+09:00", "2024-07-01T21:34:56.789+09",
            "2024-07-01T03:04:56.789-0930", "2024-07-02T00:04:56.789+11:30", "2024-07-01T12:34:56.789 0000",
            "2024-07-01T21:34:56.789 09:00",
        ])
    func forms(text: String) {
        #expect(Timestamp(text)?.description == "2024-07-01T12:34:56.789Z")
    }

    @Test("A fraction may be missing or short")
    func fractions() {
        #expect(Timestamp("2024-07-01T12:34:56Z")?.description == "2024-07-01T12:34:56.000Z")
        #expect(Timestamp("2024-07-01T12:34:56.7Z")?.description == "2024-07-01T12:34:56.700Z")
        #expect(Timestamp("2024-07-01T12:34:56.07+09:00")?.description == "2024-07-01T03:34:56.070Z")
    }

    @Test("A text without a zone is read only if an offset is given")
    func withoutZone() {
        let text = "2024-07-01 12:34:56"
        #expect(Timestamp(text) == nil)
        #expect(Timestamp(text, withoutZoneAheadBy: .zero)?.description == "2024-07-01T12:34:56.000Z")
        #expect(Timestamp(text, withoutZoneAheadBy: .seconds(9 * 3600))?.description == "2024-07-01T03:34:56.000Z")
        #expect(Timestamp("2024-07-01T12:34:56.5", withoutZoneAheadBy: .zero)?.milliseconds == 1_719_837_296_500)
        let zoned = Timestamp("2024-07-01T12:34:56Z", withoutZoneAheadBy: .seconds(9 * 3600))
        #expect(zoned?.description == "2024-07-01T12:34:56.000Z")
    }

    @Test("A leap second is read as the second after it")
    func leapSecond() {
        #expect(Timestamp("2016-12-31T23:59:60Z")?.description == "2017-01-01T00:00:00.000Z")
    }

    @Test(
        "Any other text is refused",
        arguments: [
            "", "2024", "2024-07-01", "2024-07-01T", "2024-07-01T12:34Z", "2024-07-01T12:34:56",
            "2024-07-01T12:34:56.Z",
            "2024-07-01T12:34:56,789Z", "2024-7-1T12:34:56Z", "24-07-01T12:34:56Z", "+2024-07-01T12:34:56Z",
            "2024-13-01T00:00:00Z", "2024-00-01T00:00:00Z", "2024-02-30T00:00:00Z", "2023-02-29T00:00:00Z",
            "2100-02-29T00:00:00Z", "2024-04-31T00:00:00Z", "2024-07-00T00:00:00Z", "2024-07-01T24:00:00Z",
            "2024-07-01T12:60:00Z", "2024-07-01T12:00:61Z", "2024-07-01T12:34:56ZZ", "2024-07-01T12:34:56+",
            "2024-07-01T12:34:56+9", "2024-07-01T12:34:56+24:00", "2024-07-01T12:34:56+09:60",
            "2024-07-01T12:34:56+09:0",
            "2024-07-01T12:34:56+09:000", "2024-07-01T12:34:56 ", " 2024-07-01T12:34:56Z", "2024-07-01X12:34:56Z",
            "2024/07/01T12:34:56Z", "２024-07-01T12:34:56Z", "2024-07-01T12:34:56.789", "nil", "1719837296",
            "2024-07-01T12:34:56+09:", "2024-07-01T-1:34:56Z",
        ])
    func refused(text: String) {
        #expect(Timestamp(text) == nil)
    }

    @Test("Texts sort as their moments do")
    func order() {
        let moments = (0..<200).map { _ in Timestamp(milliseconds: .random(in: 0...4_000_000_000_000)) }
        #expect(moments.sorted().map(\.description) == moments.map(\.description).sorted())
    }

    @Test("Moments beyond the years 0 to 9999 are written as the nearest moment within them")
    func range() {
        #expect(Timestamp(milliseconds: .max).description == "9999-12-31T23:59:59.999Z")
        #expect(Timestamp(milliseconds: .min).description == "0000-01-01T00:00:00.000Z")
        #expect(Timestamp("0000-01-01T00:00:00+14:00") == .earliest)
        #expect(Timestamp("9999-12-31T23:59:59-14:00") == .latest)
    }

    @Test("Arithmetic is exact and saturates")
    func arithmetic() {
        let moment = Timestamp(milliseconds: 1000)
        #expect(moment + .milliseconds(5) == Timestamp(milliseconds: 1005))
        #expect(moment - .seconds(2) == Timestamp(milliseconds: -1000))
        #expect(Timestamp(milliseconds: 1005) - moment == .milliseconds(5))
        #expect(Timestamp(milliseconds: .max) + .seconds(1) == Timestamp(milliseconds: .max))
        #expect(Timestamp(milliseconds: .min) - .seconds(1) == Timestamp(milliseconds: .min))
        #expect(Timestamp(seconds: .max) == Timestamp(milliseconds: .max))
        #expect(Timestamp(seconds: .min) == Timestamp(milliseconds: .min))
        #expect(Timestamp(milliseconds: -1).seconds == -1)
        #expect(Timestamp(milliseconds: 1999).seconds == 1)
    }

    @Test("now is the present time")
    func now() {
        #expect(abs(Double(Timestamp.now.milliseconds) / 1000 - Date().timeIntervalSince1970) < 5)
    }
}
