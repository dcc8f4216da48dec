import Testing
import Wire

@Suite("Numbers and strings of JSON")
struct JSONScalarTests {
    @Test(
        "Integers are exact over the whole range of 64 bits",
        arguments: [
            ("0", 0), ("-0", 0), ("7", 7), ("9007199254740993", 9_007_199_254_740_993), ("9223372036854775807", .max),
            ("-9223372036854775808", .min), ("10.0", 10), ("1e3", 1000), ("-2.5e1", -25), ("0.0", 0), ("-0.0", 0),
        ] as [(String, Int)])
    func integers(text: String, value: Int) throws {
        #expect(try JSONValue(parsing: text).int == value)
    }

    @Test(
        "A value that is not a 64-bit integer is nil",
        arguments: [
            "9223372036854775808", "-9223372036854775809", "1e19", "1e400", "0.5", "1e-1", "null", "true", "\"1\"",
            "[1]", "{}",
            "99999999999999999999999999", "9007199254740993.0",
        ])
    func noIntegers(text: String) throws {
        #expect(try JSONValue(parsing: text).int == nil)
    }

    @Test(
        "Doubles are the nearest ones",
        arguments: [
            ("0.1", 0.1), ("-1.5e-7", -1.5e-7), ("1e22", 1e22), ("4.9e-324", .leastNonzeroMagnitude), ("1e-400", 0),
            ("3", 3),
            ("1.7976931348623157e308", .greatestFiniteMagnitude), ("0.1000000000000000055511151231257827", 0.1),
            ("9223372036854775808", 9_223_372_036_854_775_808),
        ] as [(String, Double)])
    func doubles(text: String, value: Double) throws {
        #expect(try JSONValue(parsing: text).double == value)
    }

    @Test("A number too large for a double is nil")
    func beyond() throws {
        #expect(try JSONValue(parsing: "1e309").double == nil)
        #expect(try JSONValue(parsing: "-1e309").double == nil)
        #expect(try JSONValue(parsing: "\"1\"").double == nil)
    }

    @Test(
        "Escapes are decoded to their characters",
        arguments: [
            (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"), (#""\u0041\u00E9\uac00""#, "Aé가"),
            (#""\ud83c\udfe0""#, "🏠"), (#""a\uDBFF\uDFFFb""#, "a\u{10FFFF}b"), (#""\u0000""#, "\u{0}"),
            (#""é\n가""#, "é\n가"),
            ("\"plain\"", "plain"), ("\"\"", ""),
        ])
    func escapes(text: String, value: String) throws {
        #expect(try JSONValue(parsing: text).string == value)
        #expect(try JSONValue(parsing: "{\(text):1}")[named: value]?.int == 1)
        #expect(try JSONValue(parsing: "{\(text):1}").members?.first { _ in true }?.name == value)
    }

    @Test("Booleans and null are not confused with other values")
    func literals() throws {
        let json = try JSONValue(parsing: "[true,false,null,0,\"true\"]")
        #expect(json.array { Optional($0.bool) } == [true, false, nil, nil, nil])
        #expect(json.array { Optional($0.isNull) } == [false, false, true, false, false])
        #expect(json.array(\.bool) == nil)
    }

    @Test("A value is written again exactly as it was")
    func text() throws {
        let json = try JSONValue(parsing: #"{"a": [1.50, "\u0041"], "b":null}"#)
        let written = JSONWriter.bytes { writer in
            writer.object { writer in
                writer.field("copy", json["a"])
                writer.field("string", json["a"]?[1])
                writer.field("absent", json["absent"])
            }
        }
        #expect(
            String(decoding: written, as: UTF8.self) == #"{"copy":[1.50, "\u0041"],"string":"\u0041","absent":null}"#)
    }
}
