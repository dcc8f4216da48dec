import Testing
import Wire

@testable import ServiceKit

@Suite("URLs of objects in S3")
struct S3BucketTests {
    private func bucket(
        _ endpoint: String = "https://s3.example:9000", name: String = "files", prefix: String = "maru/"
    ) throws -> S3Bucket {
        try S3Bucket(
            endpoint: endpoint, name: name, prefix: prefix, region: "us-east-1", accessKey: "AKIAIOSFODNN7EXAMPLE",
            secretKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY")
    }

    @Test("The bucket and the prefix are parts of the path, and the query is encoded for signatures")
    func urls() throws {
        let bucket = try bucket()
        #expect(bucket.url(of: "channelChats/a1.jpg") == "https://s3.example:9000/files/maru/channelChats/a1.jpg")
        #expect(
            bucket.url(of: "a+b", query: [("partNumber", "1"), ("uploadId", "x/y=")])
                == "https://s3.example:9000/files/maru/a%2Bb?partNumber=1&uploadId=x%2Fy%3D")
        #expect(bucket.host == "s3.example:9000")
    }

    @Test("A signed URL is that of Amazon's example")
    func signing() throws {
        // The example of Amazon's page "Authenticating requests: using query parameters", with the bucket as a host.
        let bucket = try bucket("https://examplebucket.s3.amazonaws.com", name: "", prefix: "")
        let moment = try #require(Timestamp("2013-05-24T00:00:00.000Z"))
        let url = bucket.signedURL(of: "test.txt", for: .seconds(86_400), at: moment)
        #expect(
            url == "https://examplebucket.s3.amazonaws.com/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256"
                + "&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request"
                + "&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host"
                + "&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404")
    }

    @Test(
        "An endpoint that is no URL of a server is refused",
        arguments: ["s3.example", "ftp://a", "https://a/b", "https://"])
    func endpoints(text: String) { #expect(throws: ConfigError.self) { try bucket(text) } }

    @Test("Texts of elements are read and written with entities")
    func xml() {
        let xml = Array("<?xml?><R><UploadId>a&amp;b&quot;</UploadId><Key>k</Key></R>".utf8)
        #expect(S3XML.text(of: "UploadId", in: xml) == "a&b\"")
        #expect(S3XML.text(of: "ETag", in: xml) == nil)
        #expect(S3XML.text(of: "Key", in: Array("<Key>never closed".utf8)) == nil)
        #expect(S3XML.escaped("\"<&>\"") == "\"&lt;&amp;&gt;\"")
    }
}
