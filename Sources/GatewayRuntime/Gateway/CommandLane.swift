internal import GatewayCore

/// The queue of a connection's messages that are not done yet, in the order of their arrival.
///
/// Touched only on the connection's loop. A connection has one from its first command that another actor performs; most
/// connections have none.
final class CommandLane {
  /// A waiting entry, e.g. a logout behind a message to a channel.
  enum Entry {
    /// A command of a login that may have ended by then. It arrived in time, so it runs.
    case command(QueuedCommand)
    /// A message that must not be judged before the commands ahead of it, e.g. a logout.
    case message(InboundMessage)
    /// The begin of a login, or how it ended, for an observer.
    case login(Caller, ConnectionEnding?)
  }

  /// A command and the login that gave it.
  struct QueuedCommand {
    let command: Command
    let caller: Caller
    let request: RequestID?
    /// The number of the login that gave it.
    let login: UInt32
  }

  private var waiting: [Entry] = []
  /// The number of waiting entries that are no commands.
  private var barriers = 0
  /// How many have begun and have no answer yet.
  private var underWay = 0
  /// Whether one of them must have its answer before the next begins.
  private(set) var isBusy = false
  /// The login whose command is awaited; nil if no command is awaited.
  private var answering: UInt32?
  /// The frames announced to the connection since its own command changed something. They follow the command's answer,
  /// as they do for others. Nil while nothing is held back.
  private var held: [Frame]?
  /// More is not held back: if a command takes so long in a crowd, its connection receives all frames at once.
  private static let heldMax = 1_000
  /// Whether a caller further up the stack is taking the waiting entries, one after the other.
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
    if case .command = entry {} else { barriers += 1 }
    waiting.append(entry)
  }

  /// Returns the next entry to perform; nil if none waits, or while the answer to one is outstanding.
  func next() -> Entry? {
    guard !isBusy, !waiting.isEmpty else { return nil }
    let entry = waiting.removeFirst()
    if case .command = entry {} else { barriers -= 1 }
    // The memory of a burst is freed.
    if waiting.isEmpty { waiting = [] }
    return entry
  }

  /// From now on, holds back announcements to that login until its awaited command is answered.
  func hold(for login: UInt32) {
    if answering == login, held == nil { held = [] }
  }

  /// Returns whether announcements to that login are held back.
  func isHolding(for login: UInt32) -> Bool { held != nil && answering == login }

  /// Holds the frame back; false if there are too many.
  func keep(_ frame: Frame) -> Bool {
    guard let count = held?.count, count < Self.heldMax else { return false }
    held?.append(frame)
    return true
  }

  /// Returns the frames that were held back, in order.
  func letGo() -> [Frame] {
    defer { held = nil }
    return held ?? []
  }

  /// - Parameter login: The login that gave the command; nil for an entry that is no command.
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
