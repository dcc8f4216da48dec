import ServiceKit
import Testing

@Suite("Groups of addresses")
struct AddressGroupTests {
    @Test("An IPv4 address stands for itself, one of IPv6 for its network of 64 bits")
    func groups() {
        #expect(AddressGroup.of("192.0.2.1") == "192.0.2.1")
        #expect(AddressGroup.of("::ffff:192.0.2.1") == "192.0.2.1")
        #expect(AddressGroup.of("2001:db8::1") == AddressGroup.of("2001:0DB8:0:0:ffff:1:2:3"))
        #expect(AddressGroup.of("2001:db8::1") != AddressGroup.of("2001:db8:0:1::1"))
        #expect(AddressGroup.of("2001:db8::1") == "2001:db8:0:0::/64")
    }

    @Test("What is no address stands for itself")
    func nonsense() {
        for text in ["", ":", "unknown", "a:b", "1.2.3", "fe80::1%eth0"] { #expect(AddressGroup.of(text) == text) }
    }
}
