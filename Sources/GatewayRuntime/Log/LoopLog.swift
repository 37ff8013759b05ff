internal import GatewayCore

/// One loop's part of the log, with a limit on the lines of each kind in a second.
///
/// Lines beyond the limit are counted: ten thousand refused logins are twenty lines and a number.
///
/// `@unchecked Sendable`: touched only on its loop.
package final class LoopLog: WakeupTarget, @unchecked Sendable {
  /// The maximum number of lines of one kind in a second; of level debug there are as many as happen.
  package static let linesMax = 20
  private static let window = Duration.seconds(1)

  private let log: GatewayLog?
  private let loop: EventLoop
  private var wakeup: Wakeup!
  private var kinds: [String: Kind] = [:]
  private var windowEnd = Instant.zero

  private struct Kind {
    var level: LogLevel
    var said = 0
    var leftOut = 0
  }

  package init(_ log: GatewayLog?, on loop: EventLoop) {
    self.log = log
    self.loop = loop
    wakeup = Wakeup(target: self)
  }

  /// Says what happened, if the operator wants to read of it; `fields` are made only then.
  package func write(_ level: LogLevel, _ name: String, _ fields: @autoclosure () -> [LogEvent.Field]) {
    guard let log, level <= log.level else { return }
    guard level < .debug else { return log.write(LogEvent(level, name, fields())) }
    if loop.now >= windowEnd { turn() }
    var kind = kinds[name] ?? Kind(level: level)
    if kind.said < Self.linesMax {
      kind.said += 1
      log.write(LogEvent(level, name, fields()))
    } else {
      kind.leftOut += 1
      if !wakeup.isSet { loop.deadlines.set(wakeup, at: windowEnd) }
    }
    kinds[name] = kind
  }

  package func wakeUp() {
    turn()
  }

  /// Logs what has been left out so far. If nothing else is written, the log may be released afterwards.
  package func end() { turn() }

  /// Logs what has been left out, and starts the count again.
  private func turn() {
    for (name, kind) in kinds.sorted(by: { $0.key < $1.key }) where kind.leftOut > 0 {
      log?.write(LogEvent(kind.level, "left_out", [.init("of", name), .init("lines", String(kind.leftOut))]))
    }
    loop.deadlines.remove(wakeup)
    kinds = [:]
    windowEnd = loop.now + Self.window
  }
}
