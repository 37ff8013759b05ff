import GatewayControl
import GatewayCore
import GatewayRuntime
import GatewaySimulator

/// A journal of lines that a test invents, each a number of milliseconds after the one before.
struct Story {
  private let world = SimulatedWorld(keepsTrace: false)
  private let journal: Journal

  init(records: Int = 1_024) {
    journal = Journal(on: world.loop.eventLoop, bytes: records * 64)
  }

  static let ann = UserID("ann")

  /// An event with its user and connection; by default ann's connection 1.
  struct Line {
    var event: JournalEvent
    var after: Int
    var connection: UInt64?
    var user: UserID?
  }

  /// Creates a story of these lines.
  init(_ lines: [Line], records: Int = 1_024, renewal: RefreshHabit.How? = nil) {
    self.init(records: records)
    journal.wires = [JournalWire("any", renewal: renewal) { _, _ in nil }]
    for line in lines { write(line) }
  }

  func write(_ line: Line) {
    pass(line.after)
    let loop = world.loop.eventLoop
    loop.asCurrent {
      guard let connection = line.connection else {
        if let user = line.user { journal.write(line.event, of: user) } else { journal.write(line.event) }
        return
      }
      let user = line.user.map { journal.hold($0) } ?? 0
      journal.write(line.event, by: ConnectionID(loop: 0, serial: connection), user: user, dialect: 0)
      journal.release(user)
    }
  }

  /// Writes that a fault affected ann.
  func write(fault word: String) {
    world.loop.eventLoop.asCurrent { journal.write(fault: word, number: 1, by: nil, of: Self.ann) }
  }

  /// Writes that a signal about ann came.
  func write(signal: String, failure: String? = nil, isPlayed: Bool) {
    world.loop.eventLoop.asCurrent {
      journal.write(signal: signal, failure: failure, of: Self.ann, isPlayed: isPlayed)
    }
  }

  func pass(_ milliseconds: Int) { world.advance(by: .milliseconds(milliseconds)) }

  /// Returns the verdict on ann's client from the whole story, the one from its pieces, and whether the host's time
  /// passed meanwhile.
  func verdicts(_ expectation: GatewayControl.Expectation) -> (
    whole: JournalVerdict, pieces: JournalVerdict, pauses: Bool
  )? {
    let loop = world.loop.eventLoop
    let whole = verdict(expectation)
    let (journal, before) = (journal, world.now)
    let pieces = world.ask {
      await expectation.verdict(on: ClientStory(journal, of: Self.ann), pausingOn: loop)
    }
    return pieces.map { (whole, $0, world.now > before) }
  }

  /// Returns the verdict on ann's client, or on the client in the lines, a minute later.
  func verdict(
    _ expectation: GatewayControl.Expectation, of user: UserID? = ann, after: UInt64 = 0, later: Int = 60_000,
    late: LateTimes = LateTimes()
  ) -> JournalVerdict {
    pass(later)
    return world.loop.eventLoop.asCurrent {
      expectation.verdict(on: ClientStory(journal, after: after, of: user, late: late))
    }
  }
}

extension Story.Line {
  private static func own(_ event: JournalEvent, _ after: Int, on connection: UInt64 = 1) -> Story.Line {
    Story.Line(event: event, after: after, connection: connection, user: Story.ann)
  }

  /// Returns a grant that differs from others by its letter.
  private static func grant(_ token: Character) -> JournalGrant {
    JournalGrant(TokenFingerprint(high: UInt64(token.asciiValue ?? 0), low: 1), expiresAt: .distantFuture)
  }

  static func opened(_ after: Int = 10, on connection: UInt64 = 1) -> Story.Line {
    Story.Line(event: .connectionOpened(), after: after, connection: connection, user: nil)
  }
  static func turnedAway(_ error: GatewayError, _ after: Int = 10) -> Story.Line {
    Story.Line(
      event: .upgradeRefused(JournalError(error), status: UInt16(error.httpStatus), isBlind: false), after: after,
      connection: nil,
      user: nil)
  }
  static func loggedIn(_ token: Character = "a", _ after: Int = 10, on connection: UInt64 = 1) -> Story.Line {
    own(.loggedIn(grant(token), .regular), after, on: connection)
  }
  static func requested(_ after: Int = 1_000, on connection: UInt64 = 1) -> Story.Line {
    own(.refreshRequested(.expiry), after, on: connection)
  }
  static func presented(_ after: Int = 10, on connection: UInt64 = 1) -> Story.Line {
    own(.messageIn(.credentials, nil, bytes: 200), after, on: connection)
  }
  static func refreshed(_ token: Character = "b", _ after: Int = 10, on connection: UInt64 = 1) -> Story.Line {
    own(.refreshed(grant(token), after: JournalDelay(.milliseconds(after))), after, on: connection)
  }
  static func refused(_ error: GatewayError, _ after: Int = 10) -> Story.Line {
    own(.refreshRefused(JournalError(error)), after)
  }
  static func cutOff(_ reason: CloseReason, _ after: Int = 10, on connection: UInt64 = 1) -> Story.Line {
    own(.cutOff(JournalClose(reason, code: reason.code)), after, on: connection)
  }
  static func closed(
    _ reason: CloseReason, _ after: Int = 10, on connection: UInt64 = 1, by end: JournalEvent.End = .gateway
  ) -> Story.Line {
    own(.closed(JournalClose(reason, code: reason.code), by: end), after, on: connection)
  }

  /// Returns the line of a gateway's close behind a proxy, which means this to a client.
  static func ended(_ then: ReturnVerdict, _ after: Int = 10, on connection: UInt64 = 1) -> Story.Line {
    own(.closed(JournalClose(.withoutCode, code: 3005, then: then), by: .gateway), after, on: connection)
  }
  /// Returns the line of a token that ends in an hour.
  static func ending(_ token: Character, isRefresh: Bool, on connection: UInt64 = 1) -> Story.Line {
    let grant = JournalGrant(
      TokenFingerprint(high: UInt64(token.asciiValue ?? 0), low: 1), expiresAt: .zero + .seconds(3600))
    return own(
      isRefresh ? .refreshed(grant, after: JournalDelay(nil)) : .loggedIn(grant, .regular), 1_000, on: connection)
  }

  static func said() -> Story.Line { own(.messageOut(.refreshed, nil, bytes: 40), 0) }
  /// Returns the line of a close whose code a fault has changed.
  static func closedOtherwise(_ reason: CloseReason, _ code: UInt16) -> Story.Line {
    own(.closed(JournalClose(reason, code: code, isFaulted: true), by: .gateway), 10)
  }

  /// Returns the line of a provider's event for ann.
  static func asked(_ after: Int = 10) -> Story.Line { of(.providerAsked, after) }
  static func minted(_ after: Int = 10) -> Story.Line { of(.providerMinted, after) }
  static func failed(_ after: Int = 10) -> Story.Line { of(.providerFailed(JournalError(.providerFailure)), after) }

  private static func of(_ event: JournalEvent, _ after: Int) -> Story.Line {
    Story.Line(event: event, after: after, connection: nil, user: Story.ann)
  }

  /// Another user logs in.
  static let bobComes = Story.Line(
    event: .loggedIn(grant("z"), .regular), after: 1, connection: 99, user: UserID("bob"))
}

extension [Story.Line] {
  /// A token is requested and issued.
  static let call: [Story.Line] = [.asked(), .minted()]
  /// A login with token a.
  static let login: [Story.Line] = call + [.opened(), .loggedIn()]
  /// Returns the lines of a regular refresh.
  static func refresh(_ token: Character = "b") -> [Story.Line] {
    [.requested()] + call + [.presented(), .refreshed(token)]
  }
  /// Returns the lines of an expired token after which the client requests a token this many times, and reconnects with
  /// it.
  static func renewal(_ token: Character, calls: Int, as connection: UInt64) -> [Story.Line] {
    [.cutOff(.refreshTimeout, 1_000, on: connection - 1), .closed(.refreshTimeout, on: connection - 1)]
      + (0..<calls).flatMap { _ in [Story.Line].call } + [.opened(on: connection), .loggedIn(token, on: connection)]
  }
  /// Returns the lines of a close and a reconnect after that many milliseconds, including the time of the close.
  static func returning(after milliseconds: Int, as connection: UInt64, with token: Character = "b") -> [Story.Line] {
    [
      .cutOff(.serviceRestart, on: connection - 1), .closed(.serviceRestart, on: connection - 1),
      .opened(milliseconds, on: connection), .loggedIn(token, 1, on: connection),
    ]
  }
}
