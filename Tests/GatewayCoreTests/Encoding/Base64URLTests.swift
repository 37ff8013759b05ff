import GatewayCore
import Testing

@Suite("base64url, strictly")
struct Base64URLTests {
  @Test("every length and every byte comes back")
  func roundTrip() {
    let bytes = (0..<256).map { UInt8($0) }
    for length in 0...256 {
      let part = Array(bytes.reversed().prefix(length))
      #expect(Base64URL.decode(Base64URL.encode(part)) == part)
    }
  }

  @Test(
    "the vectors of RFC 4648 section 10, without padding",
    arguments: [("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"), ("foobar", "Zm9vYmFy")])
  func vectors(text: String, encoded: String) {
    #expect(Base64URL.encode(Array(text.utf8)) == encoded)
    #expect(Base64URL.decode(encoded) == Array(text.utf8))
  }

  @Test("the two characters of its own alphabet are used, those of base64 refused")
  func alphabet() {
    #expect(Base64URL.encode([0xfb, 0xff]) == "-_8")
    #expect(Base64URL.decode("-_8") == [0xfb, 0xff])
    #expect(Base64URL.decode("+/8") == nil)
  }

  @Test(
    "padding, white space, impossible lengths, unused bits that are set and other characters are refused",
    arguments: ["Zg==", "Zm8=", "Zm9v\n", " Zm9v", "Zm 9", "Z", "Zm9vZ", "Zh", "Zm9", "Zm9vY!==", "Zm9ö", "Zm9v\0"])
  func refusals(text: String) {
    #expect(Base64URL.decode(text) == nil)
  }

  @Test("the standard alphabet is padded to whole groups")
  func standard() {
    #expect(Base64.encode(Array("the sample nonce".utf8)) == "dGhlIHNhbXBsZSBub25jZQ==")
    #expect(Base64.encode([]) == "")
    #expect(Base64.encode([0]) == "AA==")
    #expect(Base64.encode([255, 255]) == "//8=")
  }
}
