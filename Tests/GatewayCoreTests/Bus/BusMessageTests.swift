import GatewayCore
import TestSupport
import Testing

struct BusMessageTests {
  private static let life = NodeBoot(node: 63, boot: 16_383)
  private static let call = CallID(cid: "default:standup")!
  private static let connection = ConnectionID(NodeBoot(node: 5, boot: 9), loop: 200, count: 1 << 35)
  private static let users = ["ann", "", "e\u{301}", "\u{E9}", "👩🏽‍🚀"].map { UserID($0) }

  private static let filter = SessionFilter(
    user: UserID("ann"), dialects: ["plain", "other"], connections: [connection], except: connection, issuer: "key",
    fingerprint: TokenFingerprint(high: .max, low: 1), form: .opaque,
    issuedBefore: WallTime(nanoseconds: -5), takesAnonymous: false)

  private static let horizon = {
    var reading = HorizonReading()
    (reading.seconds[0], reading.seconds[HorizonReading.secondsMax - 1]) = (1, .max)
    (reading.overdue, reading.later) = (5, 4_000_000_000)
    return reading
  }()

  static let messages: [BusMessage] = [
    .announcement(
      Announcement(
        to: .callAndUsers(call, Set(users)), except: connection,
        [
          DialectFrame("plain", Frame(text: "{}")),
          DialectFrame("other", Frame(.binary, [0, 255, 1]), endings: [UserID("ann"): [1], UserID("bob"): []]),
        ])),
    .announcement(Announcement(to: .call(call), [])),
    .announcement(Announcement(to: .users([]), [DialectFrame("", Frame(.binary, []), endings: [:])])),
    .announcement(Announcement(to: .connection(connection), [DialectFrame("plain", Frame(text: "é"))])),
    .note(VendorNote("tests.room", "url \0 é")),
    .question(.max, .connected(users)), .question(1, .sessionCount(dialect: "plain")),
    .question(2, .user(connection)), .question(19, .sessions), .question(3, .watch(call, connection)),
    .question(4, .unwatch(call, connection)),
    .question(5, .audience(call)), .question(6, .hearers(call)),
    .question(7, .control(SessionFilter(), .expire)), .question(8, .control(filter, .ask)),
    .question(9, .order(.everybody, .revoke)), .question(10, .order(.user(UserID("ann")), .disconnect(.disconnected))),
    .question(11, .order(.connection(connection), .expire)),
    .question(12, .revoke(.token(TokenFingerprint(high: 1, low: 2), expiresAt: nil), isEnding: false)),
    .question(13, .revoke(.token(TokenFingerprint(high: 1, low: 2), expiresAt: WallTime(seconds: 9)), isEnding: true)),
    .question(14, .revoke(.user(UserID("ann"), issuedBefore: WallTime(nanoseconds: .max)), isEnding: true)),
    .question(15, .revoke(.everybody(issuedBefore: WallTime(nanoseconds: .min)), isEnding: false)),
    .question(20, .revoke(.session(LoginSession(hash: .max), issuedBefore: WallTime(seconds: 9)), isEnding: true)),
    .question(21, .covered(.session(LoginSession(hash: 7), issuedBefore: WallTime(seconds: 9)), .ask)),
    .question(22, .say(.connection(connection), .frame(Frame(.binary, [0, 255])))),
    .question(23, .say(.user(UserID("ann")), .frame(Frame(text: "é")))),
    .question(24, .say(.everybody, .refreshRequest)),
    .question(25, .horizon),
    .question(
      26,
      .spread(
        SpreadOrder(filter, from: WallTime(seconds: 1), before: WallTime(nanoseconds: .max), over: .seconds(9)),
        number: .max)),
    .question(
      27, .spread(SpreadOrder(from: WallTime(nanoseconds: .min), before: WallTime(seconds: 0)), number: 0)),
    .question(28, .takeBackSpread(65)),
    .question(
      29,
      .request(
        NodeRequest(
          to: life, "POST", "/users/a%20b/say", query: [HTTPField("é", "\0")], contentType: "application/json",
          body: [0, 255], caller: [HTTPField("from", "::1")]))),
    .question(30, .request(NodeRequest("GET", "/sessions"))),
    .answer(life, 31, .said(told: 7, wordless: 4_000_000_000)), .answer(life, 32, .nothing),
    .answer(life, 33, .horizon(horizon, at: WallTime(seconds: 1_000))),
    .answer(life, 34, .spread(sessions: 3, over: .milliseconds(1))),
    .answer(
      life, 35,
      .response(NodeResponse(status: 404, headers: [HTTPField("content-type", "text/plain")], body: [1, 2]))),
    .answer(life, 16, .count(4_000_000_000)), .answer(life, 17, .users(users)), .answer(life, 18, .failed),
  ]

  @Test(arguments: messages)
  func `a message between nodes is read back as it was written`(message: BusMessage) throws {
    let bytes = message.encoded(from: Self.life, count: .max - 1)
    let read = try BusMessage.decoded(bytes[...])
    #expect(read.message == message && read.sender == Self.life && read.count == .max - 1)
    #expect(read.message.encoded(from: Self.life, count: 0).count == bytes.count)
  }

  @Test(arguments: messages)
  func `a message between nodes that is too short or too long is refused`(message: BusMessage) {
    let bytes = message.encoded(from: Self.life, count: 1)
    for length in bytes.indices {
      #expect(throws: BusGarbage.self) { try BusMessage.decoded(bytes[..<length]) }
    }
    #expect(throws: BusGarbage.self) { try BusMessage.decoded((bytes + [0])[...]) }
  }

  @Test
  func `any change of the bytes of a message between nodes is refused or is another message, and ends nothing`() {
    var generator = SeededGenerator(seed: 33)
    var refused = 0
    for round in 0..<20_000 {
      var bytes = Self.messages[round % Self.messages.count].encoded(from: Self.life, count: 1)
      for _ in 0...Int(generator.next() % 3) {
        bytes[Int(generator.next() % UInt64(bytes.count))] = [0, 1, 0x7F, 0x80, 0xFF][Int(generator.next() % 5)]
      }
      do throws(BusGarbage) {
        let read = try BusMessage.decoded(bytes[...])
        let again = try? BusMessage.decoded(read.message.encoded(from: read.sender, count: read.count)[...])
        #expect(again?.message == read.message)
      } catch {
        refused += 1
      }
    }
    #expect((1_000..<20_000).contains(refused))
  }

  @Test
  func `a length that promises more than there is takes no memory`() {
    // An announcement to four billion users.
    let head = BusMessage.announcement(Announcement(to: .users([]), [])).encoded(from: Self.life, count: 1)
    let bytes = head.dropLast(9) + [0xFF, 0xFF, 0xFF, 0xFF]
    #expect(throws: BusGarbage.self) { try BusMessage.decoded(Array(bytes)[...]) }
  }
}
