import ServiceKit
import Testing

@Suite("Address groups")
struct AddressGroupTests {
    @Test("The group of an IPv4 address is itself, that of an IPv6 address its /64 network")
    func groups() {
        #expect(AddressGroup.of("192.0.2.1") == "192.0.2.1")
        #expect(AddressGroup.of("::ffff:192.0.2.1") == "192.0.2.1")
        #expect(AddressGroup.of("2001:db8::1") == AddressGroup.of("2001:0DB8:0:0:ffff:1:2:3"))
        #expect(AddressGroup.of("2001:db8::1") != AddressGroup.of("2001:db8:0:1::1"))
        #expect(AddressGroup.of("2001:db8::1") == "2001:db8:0:0::/64")
    }

    @Test("The group of a text that is not an address is itself")
    func nonsense() {
        for text in ["", ":", "unknown", "a:b", "1.2.3", "fe80::1%eth0"] { #expect(AddressGroup.of(text) == text) }
    }
}
