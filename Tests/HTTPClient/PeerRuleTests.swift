import HTTP
import Testing

@Suite("The rule for addresses of strangers")
struct PeerRuleTests {
    @Test(
        "An address inside of an operator's network, or with another one inside, is not public",
        arguments: [
            "0.0.0.0", "0.1.2.3", "10.0.0.1", "10.255.255.255", "100.64.0.1", "100.127.255.255", "127.0.0.1",
            "127.255.255.254", "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.1", "192.0.2.1",
            "192.88.99.1", "192.168.0.1", "198.18.0.1", "198.19.255.255", "198.51.100.1", "203.0.113.1", "224.0.0.1",
            "239.255.255.255", "240.0.0.1", "255.255.255.255", "::", "::1", "::ffff:127.0.0.1", "::ffff:8.8.8.8",
            "::7f00:1", "64:ff9b::7f00:1", "64:ff9b:1::1", "100::1", "fc00::1", "fd12:3456::1", "fe80::1", "fec0::1",
            "ff02::1", "2001::1", "2001:0:4136:e378::1", "2001:db8::1", "2002:7f00:1::1", "3fff::1",
        ])
    func inside(text: String) throws {
        let address = try #require(IPAddress(text))
        #expect(!PeerRule.isPublic(address))
        #expect(!PeerRule(ports: [80, 443]).allows(address, port: 443))
        let exception = try #require(IPNetwork(text))
        #expect(PeerRule(ports: [443], exceptions: [exception]).allows(address, port: 8900))
    }

    @Test(
        "An address of the internet is public, at the allowed ports",
        arguments: [
            "1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.1", "100.63.255.255", "100.128.0.1", "172.15.255.255",
            "172.32.0.1", "192.167.255.255", "198.17.255.255", "198.20.0.1", "223.255.255.255", "2606:4700::1111",
            "2a00:1450:4001::200e", "2001:4860:4860::8888",
        ])
    func outside(text: String) throws {
        let address = try #require(IPAddress(text))
        let rule = PeerRule(ports: [443])
        #expect(PeerRule.isPublic(address) && rule.allows(address, port: 443))
        for port in [22, 80, 6379] as [UInt16] { #expect(!rule.allows(address, port: port)) }
    }

    @Test("A network contains the addresses with its prefix, and no other family")
    func networks() throws {
        let network = try #require(IPNetwork("10.128.0.0/9"))
        for (text, isInside) in [
            ("10.128.0.0", true), ("10.255.255.255", true), ("10.127.255.255", false), ("11.128.0.0", false),
            ("::ffff:10.128.0.1", false),
        ] {
            #expect(network.contains(try #require(IPAddress(text))) == isInside, "\(text)")
        }
        #expect(IPNetwork("0.0.0.0/0")?.contains(try #require(IPAddress("1.2.3.4"))) == true)
        for text in ["", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/-1", "10.0.0.0/8/8", "a/8", "::/129", "10.0.0/8", "/8"] {
            #expect(IPNetwork(text) == nil, "\(text)")
        }
    }

    @Test("A client connects to no forbidden address, by number or by name, and sends nothing")
    func connecting() async throws {
        let server = try await NginxServer()
        let rule = try #require(IPNetwork("127.0.0.1"))
        let forbidden = ClientFixture { $0.peers = PeerRule(ports: [80, 443]) }
        let allowed = ClientFixture { $0.peers = PeerRule(ports: [], exceptions: [rule]) }
        let url = server.plain("/connections")
        let byName = url.replacing("127.0.0.1", with: "localhost")
        for url in [url, byName] {
            let failure = await forbidden.failure(of: url)
            #expect(failure?.kind == .forbidden && failure?.mayHaveBeenProcessed == false)
        }
        #expect(try await allowed.get(url).status == .ok)
        // A connection that is kept was asked for.
        #expect(try await allowed.get(url).status == .ok)
    }
}
