import GatewayCore
import GatewayKit
import TestSupport
import TestTraits
import Testing

@testable import GatewayPlain

struct PlainDecodeTests {
  private func decode(_ text: String, _ kind: Frame.Kind = .text) throws(GatewayError) -> InboundMessage {
    let message = try Array(text.utf8).span.bytes.withUnsafeBytes { (bytes) throws(GatewayError) in
      try PlainDialect().decode(bytes, kind)
    }
    guard let message else { preconditionFailure("the plain dialect passes over nothing") }
    return message
  }

  static let standup = CallID(cid: "default:standup")!
  static let longestID = String(repeating: "é", count: 32)

  @Test(
    arguments: [
      (#"{"type":"connect","id":"1","token":"t"}"#, .credentials(Credentials(token: "t"), request: RequestID("1"))),
      (#"{"token":"t","type":"refresh"}"#, .credentials(Credentials(token: "t"), request: nil)),
      (#"{"type":"join","cid":"default:standup"}"#, .command(Command(CallCommand.join(standup)), request: nil)),
      (
        #"{"type":"leave","id":"x","cid":"default:standup"}"#,
        .command(Command(CallCommand.leave(standup)), request: RequestID("x"))
      ),
      (#"{"type":"ping"}"#, .ping(request: nil)),
      ("\n\t{ \"type\" : \"ping\" , \"id\":\"\(longestID)\" }\r\n", .ping(request: RequestID(longestID))),
      (#"{"type":"p\u0069ng","unknown":[1,{}]}"#, .ping(request: nil)),
      (
        #"{"type":"publish","cid":"default:standup","content": {"n":1.0, "s":"é"} }"#,
        .command(Command(CallCommand.publish(standup, content: #"{"n":1.0, "s":"é"}"#)), request: nil)
      ),
      (
        #"{"content":null,"type":"publish","cid":"default:standup"}"#,
        .command(Command(CallCommand.publish(standup, content: "null")), request: nil)
      ),
    ] as [(String, InboundMessage)])
  func `every documented message is decoded`(text: String, expected: InboundMessage) throws {
    #expect(try decode(text) == expected)
  }

  @Test(
    arguments: [
      ("", .malformedMessage, "not JSON"),
      ("s3cret", .malformedMessage, "not JSON"),
      (#""s3cret""#, .malformedMessage, "not JSON"),
      ("[]", .malformedMessage, "not JSON"),
      ("{}", .malformedMessage, "a string member type"),
      (#"{"type":7,"x":"s3cret"}"#, .malformedMessage, "a string member type"),
      (#"{"type":null}"#, .malformedMessage, "a string member type"),
      (#"{"type":"ping","type":"ping"}"#, .malformedMessage, "named twice"),
      (#"{"type":"ping"}{"type":"ping"}"#, .malformedMessage, "not JSON"),
      (#"{"type":"connect","token":"s3cret""#, .malformedMessage, "not JSON"),
      (#"{"type":"connect","token":"s3cret","token":"s3cret"}"#, .malformedMessage, "named twice"),
      (#"{"type":"s3cret"}"#, .unknownType, "connect, refresh, join, leave, publish or ping"),
      (#"{"type":""}"#, .unknownType, "connect, refresh, join"),
      (#"{"type":"PING"}"#, .unknownType, "connect, refresh, join"),
      (#"{"type":"connect"}"#, .invalidParameter, "token is missing"),
      (#"{"type":"connect","token":""}"#, .invalidParameter, "token must be a string"),
      (#"{"type":"refresh","token":{"s3cret":1}}"#, .invalidParameter, "token must be a string"),
      (#"{"type":"refresh","token":null}"#, .invalidParameter, "token must be a string"),
      (#"{"type":"ping","id":7}"#, .invalidParameter, "id must be a string of 1 to 64 bytes"),
      (#"{"type":"ping","id":""}"#, .invalidParameter, "id must be a string of 1 to 64 bytes"),
      (#"{"type":"ping","id":"x\#(longestID)"}"#, .invalidParameter, "id must be a string of 1 to 64 bytes"),
      (#"{"type":"join"}"#, .invalidParameter, "cid must be type:id"),
      (#"{"type":"join","cid":"standup"}"#, .invalidParameter, "cid must be type:id"),
      (#"{"type":"join","cid":"a:b:c"}"#, .invalidParameter, "cid must be type:id"),
      (#"{"type":"leave","cid":"a:é"}"#, .invalidParameter, "cid must be type:id"),
      (#"{"type":"leave","cid":["a:b"]}"#, .invalidParameter, "cid must be a string"),
      (#"{"type":"join","cid":"a:\#(String(repeating: "b", count: 127))"}"#, .invalidParameter, "cid must be"),
      (#"{"type":"publish","content":1}"#, .invalidParameter, "cid must be type:id"),
      (#"{"type":"publish","cid":"a:b"}"#, .invalidParameter, "content is missing"),
      (
        #"{"type":"publish","cid":"a:b","content":\#(String(repeating: "[", count: 33) + String(repeating: "]", count: 33))}"#,
        .invalidParameter, "content must be nested at most 32 deep"
      ),
      (#"{"type":"publish","cid":"a:b","content":1e999}"#, .malformedMessage, "a number out of range"),
    ] as [(String, GatewayError, String)])
  func `an undocumented message is refused with its fault, and the error does not repeat it`(
    text: String, expected: GatewayError, detail: String
  ) {
    let error = #expect(throws: GatewayError.self) { try decode(text) }
    #expect(error?.isSame(as: expected) == true)
    #expect(error?.message.contains(detail) == true, "\(error?.message ?? "")")
    #expect(error?.message.contains("s3cret") == false)
  }

  @Test
  func `bytes that are not UTF-8 are refused`() {
    let bytes = Array(#"{"type":"ping","id":""#.utf8) + [0xC0, 0x80] + Array(#""}"#.utf8)
    let error = #expect(throws: GatewayError.self) {
      try bytes.withUnsafeBytes { try PlainDialect().decode($0, .text) }
    }
    #expect(error?.isSame(as: .malformedMessage) == true)
  }

  @Test
  func `binary frames are refused, whatever is in them`() {
    #expect(throws: GatewayError.unsupportedData) { try decode(#"{"type":"ping"}"#, .binary) }
  }

  @Test
  func `a message cut off anywhere is refused`() throws {
    let whole = #"{"type":"publish","id":"1","cid":"default:standup","content":{"a":[1,"\u00e9"]}}"#
    #expect(throws: Never.self) { try decode(whole) }
    for length in 0..<whole.utf8.count {
      #expect(throws: GatewayError.self) { try decode(String(whole.prefix(length))) }
    }
  }

  @Test(.long)
  func `garbage of any kind is refused without a trap`() {
    var generator = SeededGenerator(seed: 7)
    let alphabet = Array(#"{}[]":,\ntruefalse0.9e-"typeidpingcidjoin "#.utf8) + [0x00, 0x80, 0xFF]
    for _ in 0..<20_000 {
      let bytes = (0..<Int.random(in: 0..<60, using: &generator)).map { _ in alphabet.randomElement(using: &generator)!
      }
      _ = try? bytes.withUnsafeBytes { try PlainDialect().decode($0, .text) }
    }
  }
}

struct PlainUpgradeTests {
  private func upgrade(_ headers: [HTTPField] = [], query: [HTTPField] = [], path: String = "/v1/connect")
    -> HTTPRequest
  {
    HTTPRequest(method: "GET", path: path, query: query, headers: headers)
  }

  @Test
  func `credentials of an upgrade are read at the dialect's own path only`() {
    #expect(PlainDialect().accepts(upgrade()))
    #expect(
      ["/", "/v1", "/v1/connect/", "/v1/connect/x", "/V1/connect"].allSatisfy {
        !PlainDialect().accepts(upgrade(path: $0))
      })
  }

  @Test
  func `credentials of an upgrade are in the header, in the query, or absent`() throws {
    let dialect = PlainDialect()
    #expect(try dialect.credentials(in: upgrade()) == nil)
    for scheme in ["Bearer", "bearer", "BEARER"] {
      let request = upgrade([HTTPField("authorization", "\(scheme) abc")])
      #expect(try dialect.credentials(in: request) == Credentials(token: "abc"))
    }
    #expect(
      try dialect.credentials(in: upgrade(query: [HTTPField("a", "1"), HTTPField("access_token", "abc")]))
        == Credentials(token: "abc"))
  }

  @Test(
    arguments: [
      ([("authorization", "Basic s3cret")], [], .credentialsMissing),
      ([("authorization", "Bearer")], [], .credentialsMissing),
      ([("authorization", "Bearer ")], [], .credentialsMissing),
      ([("authorization", "")], [], .credentialsMissing),
      ([], [("access_token", "")], .credentialsMissing),
      ([("authorization", "Bearer s3cret")], [("access_token", "s3cret")], .malformedRequest),
      ([], [("access_token", "s3cret"), ("access_token", "s3cret")], .malformedRequest),
      ([("authorization", "Bearer s3cret"), ("authorization", "Bearer s3cret")], [], .malformedRequest),
    ] as [([(String, String)], [(String, String)], GatewayError)])
  func `ambiguous credentials and credentials of another kind are refused, and the error does not repeat them`(
    headers: [(String, String)], query: [(String, String)], expected: GatewayError
  ) {
    let request = upgrade(headers.map { HTTPField($0, $1) }, query: query.map { HTTPField($0, $1) })
    let error = #expect(throws: GatewayError.self) { try PlainDialect().credentials(in: request) }
    #expect(error?.isSame(as: expected) == true)
    #expect(error?.message.contains("s3cret") == false)
  }
}
