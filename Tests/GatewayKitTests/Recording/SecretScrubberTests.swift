import GatewayCore
import GatewayKit
import TestSupport
import Testing

struct SecretScrubberTests {
  private static let secret = "mark-9f3Kq7Zt21vLx0Wb"

  private func scrubbed(_ texts: String...) -> [String] {
    var scrubber = SecretScrubber()
    return texts.map { scrubber.text(Array($0.utf8)) }
  }

  @Test
  func `equal secrets have equal names in JSON, in a query, after a scheme and in JSON inside a string`() {
    let secret = Self.secret
    #expect(
      scrubbed(
        #"{"type":"auth","token":"\#(secret)"}"#, "access_token=\(secret)&room=lobby", "Bearer \(secret)",
        #"{"data":"{\"auth\":\"\#(secret)\"}"}"#, #"40{"x":["\#(secret)"]}"#)
        == [
          #"{"type":"auth","token":"token-1"}"#, "access_token=token-1&room=lobby", "Bearer token-1",
          #"{"data":"{\"auth\":\"token-1\"}"}"#, #"40{"x":["token-1"]}"#,
        ])
  }

  @Test
  func `words, numbers and short names with a number stay as they are`() {
    let texts = [
      #"{"type":"phx_join","topic":"room:lobby","ref":"17","user":"user-17","life":3600,"ok":true,"none":null}"#,
      "42[\"chat message\",{\"id\":12}]", "PING\r\n", "-ERR 'Authorization Violation'\r\n", "{}\u{1e}",
    ]
    var scrubber = SecretScrubber()
    for text in texts { #expect(scrubber.text(Array(text.utf8)) == text) }
  }

  @Test
  func `a password that is a word is hidden by its name, and from then on everywhere`() {
    #expect(
      scrubbed(#"{"password":"sunshine"}"#, "it was sunshine", #"{"said":"sunshine"}"#)
        == [#"{"password":"key-1"}"#, "it was key-1", #"{"said":"key-1"}"#])
  }

  @Test
  func `a text that is written like a name of a secret gets another name`() {
    #expect(scrubbed(#"{"a":"token-1","b":"token-x"}"#) == [#"{"a":"id-1","b":"token-x"}"#])
  }

  @Test
  func `a number is a secret after pin or password, and the text is still JSON`() {
    #expect(
      scrubbed(#"{"pin":86420975,"n":12,"m":86420975,"snowflake":123456789012345678}"#)
        == [#"{"pin":"key-1","n":12,"m":"key-1","snowflake":"id-1"}"#])
  }

  @Test
  func `a JWT is named token and tells its times and its user once`() {
    let jwt = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhbm4iLCJpYXQiOjE5MDAwMDAwMDAsImV4cCI6MTkwMDAwMzYwMH0.c2lnbmF0dXJl"
    var scrubber = SecretScrubber()
    #expect(scrubber.text(Array("{\"value\":\"\(jwt)\"}".utf8)) == #"{"value":"token-1"}"#)
    let found = scrubber.takeTokens()
    #expect(found.map(\.name) == ["token-1"] && found.first?.user == "ann")
    #expect(found.first?.end?.seconds == 1_900_003_600 && found.first?.issued?.seconds == 1_900_000_000)
    #expect(scrubber.text(Array(jwt.utf8)) == "token-1" && scrubber.takeTokens().isEmpty)
  }

  @Test
  func `cookies are hidden one by one, attributes stay`() {
    var scrubber = SecretScrubber()
    let set = scrubber.value("sid=\(Self.secret); Path=/; HttpOnly", named: "set-cookie")
    #expect(set == "sid=cookie-1; Path=/; HttpOnly")
    #expect(scrubber.value("theme=dark; sid=\(Self.secret)", named: "cookie") == "theme=cookie-short; sid=cookie-1")
    #expect(scrubber.path("/a/\(Self.secret)/v1") == "/a/cookie-1/v1")
  }

  @Test
  func `a string without an end, and thousands of quotes, take linear time and hide the secret`() {
    let text = String(repeating: "\\\"", count: 30_000) + "\"" + Self.secret
    #expect(!scrubbed(text)[0].utf8.contains(Self.secret.utf8))
    #expect(!scrubbed(String(repeating: "[{\"a\":", count: 20_000) + Self.secret)[0].utf8.contains(Self.secret.utf8))
  }

  @Test
  func `a secret at any place of a hostile text is not in what is shown`() {
    let secret = Array(Self.secret.utf8)
    var source = HostileBytes(
      seed: 31,
      examples: [
        #"{"type":"auth","token":"abc123def","data":"{\"channel\":\"room\"}","n":[1,{"pin":1234567}]}"#,
        "grant_type=password&client_secret=abc%2Fdef==; Bearer eyJhbGciOiJIUzI1NiJ9.e30.c2ln \"broken",
      ], words: ["\"", "\\", "{", "}", ":", "token", "Bearer ", "/", "%", "="])
    for round in 0..<2_000 {
      let text = source.next()
      let place = round % (text.count + 1)
      var scrubber = SecretScrubber()
      let shown = scrubber.text(text[..<place] + [0x20] + secret + [0x20] + text[place...])
      #expect(!shown.utf8.contains(secret))
    }
  }
}
