import GatewayCore
import Testing

struct CredentialsTests {
  @Test
  func `credentials never print their token, however they are printed`() {
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

  @Test
  func `a fingerprint is 32 digits and reads back`() {
    let fingerprint = TokenFingerprint(high: 0xAB, low: .max)
    #expect(fingerprint.description == "00000000000000abffffffffffffffff")
    #expect(TokenFingerprint(fingerprint.description) == fingerprint)
    #expect(TokenFingerprint("00000000000000ABFFFFFFFFFFFFFFFF") == fingerprint)
  }

  @Test(arguments: [
    "", "ab", String(repeating: "0", count: 31), String(repeating: "0", count: 33),
    "+" + String(repeating: "0", count: 31), String(repeating: "g", count: 32), String(repeating: "é", count: 16),
    String(repeating: "0", count: 16) + "+" + String(repeating: "0", count: 15),
  ])
  func `a text other than 32 hexadecimal digits is no fingerprint`(text: String) {
    #expect(TokenFingerprint(text) == nil)
  }
}
