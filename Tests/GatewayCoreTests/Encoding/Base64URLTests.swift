import GatewayCore
import Testing

struct Base64URLTests {
  @Test
  func `base64url of every length and every byte decodes to itself`() {
    let bytes = (0..<256).map { UInt8($0) }
    for length in 0...256 {
      let part = Array(bytes.reversed().prefix(length))
      #expect(Base64URL.decode(Base64URL.encode(part)) == part)
    }
  }

  @Test(arguments: [("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"), ("foobar", "Zm9vYmFy")])
  func `base64url matches the vectors of RFC 4648 section 10, without padding`(text: String, encoded: String) {
    #expect(Base64URL.encode(Array(text.utf8)) == encoded)
    #expect(Base64URL.decode(encoded) == Array(text.utf8))
  }

  @Test
  func `base64url uses its own two characters and rejects base64's`() {
    #expect(Base64URL.encode([0xfb, 0xff]) == "-_8")
    #expect(Base64URL.decode("-_8") == [0xfb, 0xff])
    #expect(Base64URL.decode("+/8") == nil)
  }

  @Test(arguments: ["Zg==", "Zm8=", "Zm9v\n", " Zm9v", "Zm 9", "Z", "Zm9vZ", "Zh", "Zm9", "Zm9vY!==", "Zm9ö", "Zm9v\0"])
  func `base64url refuses padding, white space, impossible lengths, unused bits that are set and other characters`(
    text: String
  ) {
    #expect(Base64URL.decode(text) == nil)
  }

  @Test
  func `base64 in the standard alphabet is padded to whole groups`() {
    #expect(Base64.encode(Array("the sample nonce".utf8)) == "dGhlIHNhbXBsZSBub25jZQ==")
    #expect(Base64.encode([]) == "")
    #expect(Base64.encode([0]) == "AA==")
    #expect(Base64.encode([255, 255]) == "//8=")
  }
}
