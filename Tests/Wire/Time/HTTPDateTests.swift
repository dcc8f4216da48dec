import Testing
import Wire

@Suite struct HTTPDateTests {
    @Test(
        "A moment is written as an HTTP date and read back to the second",
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
        "Text that is not an HTTP date is nil",
        arguments: [
            "", "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 31 Feb 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:49:37 GMT",
            "Xyz, 06 Nov 1994 08:49:37 GMT", "Sun, 06 nov 1994 08:49:37 GMT", "Sun, +6 Nov 1994 08:49:37 GMT",
            "Sunday, 06-Nov-94 08:49:37 UTC", "Sun, 06-Nov-94 08:49:37 GMT", "Sunday, 06-Nov-1994 08:49:37 GMT",
            "Sun Nov 06 08:49:37 94", "Sun Nov  6 08:49:37 1994 ", "Xyz Nov  6 08:49:37 1994",
        ])
    func refused(text: String) { #expect(Timestamp(httpDate: text.utf8) == nil) }

    @Test(
        "The obsolete forms are read as well",
        arguments: [
            ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777), ("Sun Nov  6 08:49:37 1994", 784_111_777),
            ("Tuesday, 29-Feb-00 00:00:00 GMT", 951_782_400), ("Tue Feb 29 00:00:00 2000", 951_782_400),
            ("Thursday, 31-Dec-69 00:00:00 GMT", 3155673600), ("Tuesday, 31-Dec-74 00:00:00 GMT", 157680000),
        ])
    func obsolete(text: String, seconds: Int64) {
        // The base is 2020-01-01: the year 69 is less than fifty years ahead of it, the year 74 is more.
        let now = Timestamp(seconds: 1_577_836_800)
        #expect(Timestamp(httpDate: text.utf8, now: now) == Timestamp(seconds: seconds))
    }
}
