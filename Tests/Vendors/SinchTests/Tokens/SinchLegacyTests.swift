import GatewayCore
import GatewayTokens
import Testing

@testable import GatewaySinch

struct SinchLegacyTests {
  private let key = SinchTokenSketch.key
  private let secret = SinchTokenSketch.secret
  private let alice = UserID("alice")
  private let created = WallTime(seconds: 1_743_501_600)

  @Test(arguments: [(UInt64(1), "b+GI8y4HyMPdksOMuk0tOpM3RRs="), (2, "dHsX+zIqNm4BYZz4+oC6kjgRg7A=")])
  func `a mobile signature equals the published one`(sequence: UInt64, expected: String) {
    let made = SinchMobileSignature.sign(user: alice, application: key, sequence: sequence, secret: secret)
    #expect(made == expected)
  }

  @Test
  func `a ticket equals the published one, byte for byte`() throws {
    let ticket = SinchUserTicket.mint(
      user: alice, application: key, secret: secret, createdAt: created, life: .seconds(3600))
    let parts = ticket.split(separator: ":")
    #expect(parts[1] == "hamqPJonGcx9hSq8fG6DelPRdU8o1tIIzl8UsIu6KE0=")
    let read = try SinchUserTicket.verify(
      ticket, applications: SinchTokenSketch.applications, user: alice, application: key, skew: .zero, at: created)
    #expect(read.user == alice && read.expiresAt == created + .seconds(3600))
  }

  private func ticket(_ json: String, _ secret: SinchSecret? = nil) -> String {
    let bytes = Array(json.utf8)
    return Base64.encode(bytes) + ":" + Base64.encode(HMACSHA256.code(key: (secret ?? self.secret).bytes, bytes))
  }

  private func verify(_ ticket: String, at now: WallTime? = nil) throws(SinchRefusal) -> SinchUserTicket {
    try SinchUserTicket.verify(
      ticket, applications: SinchTokenSketch.applications, user: alice, application: key, skew: .seconds(60),
      at: now ?? created)
  }

  private func json(
    created: String = "2025-04-01T10:00:00.000Z", user: String = "alice", life: String = "3600", key: Name? = nil
  ) -> String {
    #"{"created": "\#(created)", "applicationKey": "\#(key ?? self.key)", "expiresIn": \#(life), "#
      + #""identity": {"endpoint": "\#(user)", "type": "username"}}"#
  }

  @Test(arguments: [
    "2025-04-01T10:00:00Z", "2025-04-01T10:00:00.0000000Z", "2025-04-01T12:00:00+02:00", "2025-04-01T10:00:00",
    "2025-04-01T05:30:00.5-0430",
  ])
  func `a ticket's date is taken with Z, with an offset and with neither`(text: String) throws {
    let read = try verify(ticket(json(created: text)))
    #expect(abs((read.createdAt - created).inSeconds) <= 0.5)
  }

  @Test
  func `a ticket is refused by the check that fails`() {
    let good = ticket(json())
    let cases: [(String, SinchRefusal)] = [
      ("", .malformed), ("abc", .malformed), (good + ":x", .malformed), ("!!:!!", .malformed),
      (ticket("[]"), .malformed), (ticket("{}"), .claimMissing), (ticket(json(key: "other")), .unknownApplication),
      (ticket(json(), SinchSecret(bytes: [1])), .badSignature),
      (ticket(#"{"applicationKey":"\#(key)"}"#), .claimMissing), (ticket(json(created: "today")), .claimInvalid),
      (ticket(json(life: "0")), .claimInvalid), (ticket(json(life: "\"3600\"")), .claimInvalid),
      (ticket(json(user: "")), .userIDInvalid), (ticket(json(user: String(repeating: "a", count: 41))), .userIDInvalid),
      (ticket(json(user: "zoë")), .userIDInvalid), (ticket(json(user: "bob")), .userMismatch),
      (ticket(json(created: "2025-04-01T10:01:01Z")), .notYetValid),
      (ticket(json(created: "2025-04-01T08:59:00Z")), .expired),
    ]
    for (ticket, reason) in cases { #expect(throws: reason) { try verify(ticket) } }
  }

  @Test
  func `the signed text of a request has five lines, with an empty one for an empty body`() {
    let empty = SinchRequestSignature(method: "GET", timestamp: "t", path: "/x?y=1")
    #expect(empty.text == "GET\n\n\nx-timestamp:t\n/x?y=1")
    let full = SinchRequestSignature(
      method: "POST", body: Array("{}".utf8), contentType: "application/json", timestamp: "t", path: "/x")
    #expect(full.text == "POST\nmZFLkyvTelC5g8XnyQrpOw==\napplication/json\nx-timestamp:t\n/x")
    #expect(full.sign([0]) == Base64.encode(HMACSHA256.code(key: [0], full.text.utf8)))
  }

  /// The example of the vendor's page about callbacks.
  @Test
  func `the signature of a callback is the one that the vendor has published`() throws {
    let body =
      #"{"event":"ace","callid":"822aa4b7-05b4-4d83-87c7-1f835ee0b6f6_257","timestamp":"2014-09-24T10:59:41Z","version":1}"#
    let request = SinchRequestSignature(
      method: "POST", body: Array(body.utf8), contentType: "application/json", timestamp: "2014-09-24T10:59:41Z",
      path: "/sinch/callback/ace")
    let secret = try #require(SinchSecret("BeIukql3pTKJ8RGL5zo0DA=="))
    #expect(request.sign(secret.bytes) == "Tg6fMyo8mj9pYfWQ9ssbx3Tc1BNC87IEygAfLbJqZb4=")
  }

  @Test(arguments: [
    "", "2025", "2025-04-31T00:00:00Z", "2025-02-29T00:00:00Z", "2025-04-01 10:00:00Z", "2025-04-01T24:00:00Z",
    "2025-04-01T10:00:00.Z", "2025-04-01T10:00:00Zx", "2025-04-01T10:00:00+2", "٢٠٢٥-04-01T10:00:00Z",
  ])
  func `invalid dates are distinguished`(text: String) {
    #expect(SinchCalendar.read(text) == nil)
  }

  @Test
  func `days and dates as text agree over eight hundred years`() {
    for day in stride(from: -100_000, through: 100_000, by: 97) {
      let time = WallTime(nanoseconds: Int64(day * 86_400 + 86_399) * 1_000_000_000)
      #expect(SinchCalendar.day(of: time) == Int64(day))
      #expect(SinchCalendar.day(digits: Array(SinchCalendar.digits(of: time).utf8)) == Int64(day))
      #expect(SinchCalendar.read(SinchCalendar.text(time)) == time)
    }
  }
}
