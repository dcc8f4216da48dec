import Testing
import Wire

@Suite struct HTTPDateTests {
    @Test(
        "A moment is written as HTTP writes dates and read back to the second",
        arguments: [
            (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"), (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
            (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"), (-86_400, "Wed, 31 Dec 1969 00:00:00 GMT"),
            (4_102_444_799, "Thu, 31 Dec 2099 23:59:59 GMT"),
        ])
    func roundTrip(seconds: Int64, text: String) {
        var writer = ByteWriter()
        writer.append(httpDate: Timestamp(milliseconds: seconds * 1000 + 999))
        #expect(String(decoding: writer.bytes, as: UTF8.self) == text)
        #expect(Timestamp(httpDate: text.utf8) == Timestamp(seconds: seconds))
    }

    @Test(
        "What is no HTTP date is none",
        arguments: [
            "", "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 31 Feb 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:49:37 GMT",
            "Xyz, 06 Nov 1994 08:49:37 GMT", "Sun, 06 nov 1994 08:49:37 GMT", "Sun, +6 Nov 1994 08:49:37 GMT",
            "Sunday, 06-Nov-94 08:49:37 GMT",
        ])
    func refused(text: String) { #expect(Timestamp(httpDate: text.utf8) == nil) }
}
