import Foundation
import GatewayCore
import GatewayWires
import Testing

struct TokenDescriptionTests {
  /// The folder of the shipped descriptions.
  static let folder = WireDescriptionTests.folder.deletingLastPathComponent().appending(path: "tokens")

  static func read(_ text: String, secrets: [String: String] = [:]) throws -> TokenDescription {
    try TokenDescription(try DescriptionFile.parse(Array(text.utf8), file: "my.json"), secrets: secrets)
  }

  static func endpoint(_ text: String, secrets: [String: String] = [:]) throws -> DescribedTokenEndpoint {
    DescribedTokenEndpoint(try read(text, secrets: secrets))
  }

  @Test(arguments: ["simplejwt", "get-text", "oauth-client", "postern"])
  func `the token descriptions that come with postern are right`(name: String) throws {
    let path = Self.folder.appending(path: "\(name).json").path
    let file = try DescriptionFile.parse(Array(try Data(contentsOf: URL(filePath: path))), file: path)
    let tokens = try TokenDescription(file, secrets: ["api_key": "k"])
    #expect(tokens.takesEnds == ["get-text", "postern"].contains(name))
    #expect(!tokens.outline.isEmpty)
    #expect(tokens.namesUser)
  }

  /// Replacements in the valid request and answer, with the whole error.
  static let mistakes: [(String, String)] = [
    (#"{ "tokens": 2, "request": {"url": "/t"}, "answer": {"token": "/t"} }"#, "1:13 /tokens: expected 1"),
    (#"{ "tokens": 1, "answer": {"token": "/t"} }"#, #"1:1 lacks "request""#),
    (#"{ "tokens": 1, "request": {"url": "/t"} }"#, #"1:1 lacks "answer""#),
    (#"{ "tokens": 1, "requst": {} }"#, "/requst: no such key 'requst'; did you mean 'request'?"),
    (good(#""url": "t""#), "/request/url: 't' is no URL"),
    (good(#""url": "//t""#), "/request/url: '//t' is no URL"),
    (good(#""url": "/t x""#), "/request/url: a URL has no spaces"),
    (good(#""url": "https://{{user}}.example/""#), "whose host has no holes"),
    (good(#""url": "http://h:99999/""#), "/request/url: 'http://h:99999/' is no URL"),
    (good(#""url": []"#), "1 to 32 URLs"),
    (good(#""url": "/t", "method": "GTE""#), "/request/method: no such method 'GTE'; did you mean 'GET'?"),
    (good(#""url": "/t", "method": "GET", "json": {}"#), "/request/json: a GET carries no body"),
    (good(#""url": "/t", "json": {}, "form": {}"#), "\"json\" and \"form\" are given"),
    (good(#""url": "/t", "headers": {"Host": "x"}"#), "postern writes this field itself"),
    (good(#""url": "/t", "headers": {"User-Agent": "x"}"#), "postern writes this field itself"),
    (good(#""url": "/t", "headers": {"a b": "x"}"#), "is no name of a header field"),
    (good(#""url": "/{{usr}}""#), "no such hole 'usr'; did you mean"),
    (good(#""url": "/{{token}}""#), "no such hole 'token'"),
    (good(#""url": "/{{user.password}}""#), "there is no column 'password'"),
    (good(#""url": "/{{secret.key}}""#), "--template-secret key=FILE"),
    (good(#""url": "/{{taken.refresh}}""#), "there was no answer yet"),
    (
      good(#""url": "/t""#, answer: #""token": "access""#),
      #"/answer/token: 'access' is no JSON pointer; a pointer as "/access""#
    ),
    (good(#""url": "/t""#, answer: #""token": """#), "{\"text\": true}"),
    (good(#""url": "/t""#, answer: #""token": {"text": false}"#), "false says nothing"),
    (
      good(#""url": "/t""#, answer: #""token": "/t", "end": "jtw""#),
      "no such way to know the end 'jtw'; did you mean 'jwt'?"
    ),
    (good(#""url": "/t""#, answer: #""token": "/t", "end": {"fixed": "0s"}"#), "longer than 0 s"),
    (good(#""url": "/t""#, answer: #""token": "/t", "end": {"fixed": "5"}"#), "'5' is no duration"),
    (good(#""url": "/t""#, answer: #""token": "/t", "end": []"#), "an empty list knows no end"),
    (good(#""url": "/t""#, answer: #""token": "/t", "take": {"r": "/r"}"#), "'r' is taken and nothing uses it"),
    (good(#""url": "/t""#, more: #""statuses": {"busy": [401]}"#), #"401 stands under "busy" and "refused""#),
    (good(#""url": "/t""#, more: #""statuses": {"busy": 200}"#), "200 is no failure"),
    (good(#""url": "/t""#, more: #""users": {}"#), "names nobody"),
    (good(#""url": "/t""#, more: #""users": {"list": []}"#), "nobody is listed"),
    (good(#""url": "/t""#, more: #""users": {"list": [""]}"#), "a user's name has 1 to 255 bytes"),
    (good(#""url": "/t""#, more: #""users": {"csv": "/no/such.csv", "user": "x"}"#), "'/no/such.csv' does not exist"),
    (good(#""url": "/t""#, more: #""users": {"template": "{{user}}"}"#), "no such hole 'user'"),
    (good(#""url": "/t""#, more: #""tls": {"certificate": "c.pem"}"#), "needs its \"key\""),
    (good(#""url": "http://h/t""#, more: #""tls": {"ca": "c.pem"}"#), "no \"url\" begins with https://"),
    (good(#""url": "/t""#, more: #""renew": {"url": "/{{taken.x}}"}"#), "nothing takes 'x'"),
  ]

  private static func good(_ request: String, answer: String = #""token": "/t""#, more: String = "") -> String {
    #"{ "tokens": 1, "request": {\#(request)}, "answer": {\#(answer)}\#(more.isEmpty ? "" : ", \(more)") }"#
  }

  @Test(arguments: mistakes)
  func `a token description with a mistake is refused, and the error names its place and what would be right`(
    text: String, complaint: String
  )
    throws
  {
    let error = #expect(throws: DescriptionError.self) { try Self.read(text) }
    let said = "\(try #require(error))"
    #expect(said.hasPrefix("my.json:1:"), "\(said)")
    #expect(said.contains(complaint), "\(said)")
  }

  @Test
  func `a table of users is read with quotes, and its mistakes are named by their lines`() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "postern-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    func read(_ csv: String) throws -> DescribedTokenEndpoint {
      try Data(csv.utf8).write(to: folder.appending(path: "users.csv"))
      let text = """
        { "tokens": 1, "users": { "csv": "users.csv", "user": "email" },
          "request": { "url": "/t", "text": "{{user.password}}" }, "answer": { "token": "/t" } }
        """
      let path = folder.appending(path: "my.json").path
      return DescribedTokenEndpoint(try TokenDescription(try DescriptionFile.parse(Array(text.utf8), file: path)))
    }
    let endpoint = try read("\u{FEFF}email,password\r\nann,\"a,\"\"b\nc\"\r\n\r\nbob,x\n")
    #expect(endpoint.description.userCount == 2)
    #expect(endpoint.user(of: 0) == UserID("ann") && endpoint.user(of: 3) == UserID("bob"))
    let wish = TokenWish(user: UserID("ann"), number: 2, life: .lasting(.seconds(5)), now: WallTime(seconds: 0))
    let request = try endpoint.request(wish, endpoint.memory())
    #expect(String(decoding: request.http.body, as: UTF8.self) == "a,\"b\nc")
    for (csv, complaint) in [
      ("", "users.csv:1:1 the file is empty"), ("email,password\n", "no user"),
      ("email,email\nann,x\n", "a name twice"), ("email,password\nann\n", "users.csv:2:1 1 fields"),
      ("email,password\nann,\"x\n", "users.csv:2:1 a field begins with a quote that is not closed"),
      (
        "mail,password\nann,x\n",
        "no such column of \(folder.appending(path: "users.csv").path) 'email'; did you mean 'mail'?"
      ),
    ] {
      let error = #expect(throws: DescriptionError.self) { _ = try read(csv) }
      let said = "\(try #require(error))"
      #expect(said.contains(complaint), "\(said)")
    }
  }
}
