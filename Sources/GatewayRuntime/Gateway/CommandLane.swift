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

  func begin(mayOverlap: Bool) {
    underWay += 1
    if !mayOverlap { isBusy = true }
  }

  func end(mayOverlap: Bool) {
    underWay -= 1
    if !mayOverlap { isBusy = false }
  }
}
