import Testing
import Wire

@Suite("Time stamps")
struct TimestampTests {
    @Test(
        "A moment is written with three fraction digits in UTC, and reads back",
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (-1, "1969-12-31T23:59:59.999Z"),
            (951_782_400_007, "2000-02-29T00:00:00.007Z"), (1_722_940_000_120, "2024-08-06T10:26:40.120Z"),
            (253_402_300_799_999, "9999-12-31T23:59:59.999Z"), (-62_167_219_200_000, "0000-01-01T00:00:00.000Z"),
        ] as [(Int64, String)])
    func texts(milliseconds: Int64, text: String) {
        #expect(Timestamp(milliseconds: milliseconds).description == text)
        #expect(Timestamp(text)?.milliseconds == milliseconds)
    }
}
