import GatewayCore
import Testing

@Suite("Credentials and fingerprints")
struct CredentialsTests {
  @Test("credentials never print their token, however they are printed")
  func neverPrinted() {
    let credentials = Credentials(token: "very-secret")
    var dumped = ""
    dump(credentials, to: &dumped)
    let event = SessionEvent.received(.credentials(credentials, request: nil))
    let effect = SessionEffect.verify(attempt: 1, credentials)
    for text in [
      "\(credentials)", credentials.debugDescription, String(reflecting: credentials), dumped, "\([credentials])",
      "\(event)", "\(effect)", "\(["key": credentials])", "\(Optional(credentials) as Any)",
    ] {
      #expect(!text.contains("secret"))
    }
    #expect(credentials.token == "very-secret")
  }

  @Test("a fingerprint is 32 digits and reads back")
  func fingerprint() {
    let fingerprint = TokenFingerprint(high: 0xAB, low: .max)
    #expect(fingerprint.description == "00000000000000abffffffffffffffff")
    #expect(TokenFingerprint(fingerprint.description) == fingerprint)
    #expect(TokenFingerprint("00000000000000ABFFFFFFFFFFFFFFFF") == fingerprint)
  }

  @Test(
    "what is not 32 hexadecimal digits is no fingerprint",
    arguments: [
      "", "ab", String(repeating: "0", count: 31), String(repeating: "0", count: 33),
      "+" + String(repeating: "0", count: 31), String(repeating: "g", count: 32), String(repeating: "é", count: 16),
      String(repeating: "0", count: 16) + "+" + String(repeating: "0", count: 15),
    ])
  func noFingerprint(text: String) {
    #expect(TokenFingerprint(text) == nil)
  }
}
