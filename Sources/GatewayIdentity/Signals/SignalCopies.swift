internal import GatewayCore
internal import GatewayRuntime

/// Copies of the latest signals that were carried out, and the signals that wait to be handed in, where faults are ordered.
struct SignalCopies {
  /// A signal that the gateway hands in by its own route.
  struct Sent {
    let sort: SignalSort
    let token: String
    let sender: SignalSender
  }

  private var kept: [(signal: KeptSignal, token: String)] = []
  private var lastNumber: UInt64 = 0
  private var waiting: [Sent] = []
  private var lateCount = 0
  private var isSending = false

  /// The most copies of a sort.
  static let keptMax = 16
  /// The most signals that wait.
  static let waitingMax = 1_000
  /// The most signals that are late at once; others are taken at once. Each has at most 64 KiB.
  static let lateMax = 256

  mutating func keep(_ token: String, _ sort: SignalSort, about user: UserID?) {
    kept.append((KeptSignal(sort, number: newNumber(), about: user), token))
    let own = kept.indices.filter { kept[$0].signal.sort == sort }
    if own.count > Self.keptMax { kept.remove(at: own[0]) }
  }

  mutating func newNumber() -> UInt64 {
    lastNumber += 1
    return lastNumber
  }

  /// The copies of a sort, oldest first.
  func all(_ sort: SignalSort) -> [KeptSignal] { kept.map(\.signal).filter { $0.sort == sort } }

  func token(of signal: KeptSignal) -> String? { kept.first { $0.signal.number == signal.number }?.token }

  /// Adds a signal to those that wait, if there is room. Returns whether sending is to begin.
  mutating func add(_ sent: Sent) -> Bool {
    guard waiting.count < Self.waitingMax else { return false }
    waiting.append(sent)
    guard !isSending else { return false }
    isSending = true
    return true
  }

  /// Returns the next signal to send; nil if none waits, and then sending has ended.
  mutating func next() -> Sent? {
    isSending = !waiting.isEmpty
    return isSending ? waiting.removeFirst() : nil
  }

  /// Counts a late signal. Returns false if there are too many.
  mutating func beginLate() -> Bool {
    guard lateCount < Self.lateMax else { return false }
    lateCount += 1
    return true
  }

  mutating func endLate() { lateCount -= 1 }
}

/// The sender of a signal.
enum SignalSender: Hashable {
  case outside
  /// A fault: the signal is a copy, or forged.
  case fault
  /// A fault that has kept the signal back.
  case late

  /// Their addresses, which no peer can have.
  private static let names: [SignalSender: String] = [.fault: "a fault", .late: "a fault, late"]

  init(of request: HTTPRequest) {
    self = Self.names.first { $0.value == request.peer }?.key ?? .outside
  }

  /// What stands in a request for the peer's address.
  var name: String { Self.names[self] ?? "" }
}
