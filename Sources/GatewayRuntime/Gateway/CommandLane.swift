internal import GatewayCore

/// The queue of what one connection has said that is not done yet, in the order in which it came in: a message to a
/// channel behind the one before it, for instance. Only on the connection's loop.
///
/// A connection has one from the first command that somebody else does for it; most have none.
final class CommandLane {
  /// An entry that waits its turn: a logout behind a message to a channel, for instance.
  enum Entry {
    /// A command of a login that may be over by then: it was said in time, and is done.
    case errand(Errand)
    /// What must not be judged before that, such as a logout.
    case message(InboundMessage)
    /// That a login begins, or how it ended, for who wants to know.
    case login(Caller, ConnectionEnding?)
  }

  /// A command with its giver: ann's join of `default:standup`, from her first login on the connection, for instance.
  struct Errand {
    let command: Command
    let caller: Caller
    let request: RequestID?
    /// The number of the login that gave it.
    let login: UInt32
  }

  private var waiting: [Entry] = []
  /// How many of those that wait are no commands.
  private var barriers = 0
  /// How many have begun and have no answer yet.
  private var underWay = 0
  /// Whether one of them must have its answer before the next begins.
  private(set) var isBusy = false
  /// The login whose command that is; nil where it is no command that is waited for.
  private var answering: UInt32?
  /// What the connection was told since what its command changed was told to others: it comes behind the command's answer,
  /// as it does for them. Nil while nothing is held back.
  private var held: [Frame]?
  /// More is not held back: whose command takes so long, in a crowd, hears all of it at once.
  private static let heldMax = 1_000
  /// Whether those that wait are being taken, one after the other, by a caller further up the stack.
  var isMoving = false

  /// How many there are, under way and waiting.
  var count: Int { underWay + waiting.count }

  /// Whether `message` must not be judged yet. A sign of life never waits; credentials and commands do behind a logout,
  /// and a logout does behind a command.
  func holds(_ message: InboundMessage) -> Bool {
    switch message {
    case .ping: false
    case .logout: isBusy || barriers > 0
    case .credentials, .command: barriers > 0
    }
  }

  func add(_ entry: Entry) {
    if case .errand = entry {} else { barriers += 1 }
    waiting.append(entry)
  }

  /// The next whose turn it is; nil if none waits, or one is waited for.
  func next() -> Entry? {
    guard !isBusy, !waiting.isEmpty else { return nil }
    let entry = waiting.removeFirst()
    if case .errand = entry {} else { barriers -= 1 }
    // Nobody keeps what a burst has needed.
    if waiting.isEmpty { waiting = [] }
    return entry
  }

  /// Has what that login is told from now on come behind the answer of its command that is waited for.
  func hold(for login: UInt32) {
    if answering == login, held == nil { held = [] }
  }

  /// Whether what that login is told is held back.
  func isHolding(for login: UInt32) -> Bool { held != nil && answering == login }

  /// Holds the frame back; false if there are too many.
  func keep(_ frame: Frame) -> Bool {
    guard let count = held?.count, count < Self.heldMax else { return false }
    held?.append(frame)
    return true
  }

  /// What was held back, in order.
  func letGo() -> [Frame] {
    defer { held = nil }
    return held ?? []
  }

  /// - Parameter login: Whose command it is; nil where it is none.
  func begin(mayOverlap: Bool, of login: UInt32? = nil) {
    underWay += 1
    guard !mayOverlap else { return }
    isBusy = true
    answering = login
  }

  func end(mayOverlap: Bool) {
    underWay -= 1
    guard !mayOverlap else { return }
    isBusy = false
    answering = nil
  }
}
