internal import GatewayCore
internal import GatewayRuntime

extension Expectation {
  /// Expects that after an end from which no client may return, the client does not connect again. It is observed for
  /// `quiet`.
  package static func noAttemptAfterTerminal(quiet: Duration = .seconds(1)) -> Expectation {
    Expectation("no_attempt_after_terminal") { _ in AttemptsAfterTheEnd(quiet: quiet) }
  }

  /// The final end, and the attempts after it.
  private struct AttemptsAfterTheEnd: ExpectationJudge {
    let quiet: Duration
    private var ending: JournalLine?
    private var first: JournalLine?
    private var attempts: [UInt64] = []

    init(quiet: Duration) { self.quiet = quiet }

    mutating func hear(_ line: JournalLine) -> JournalVerdict? {
      if ending == nil {
        if isTerminal(line) { ending = line }
      } else if ClientStory.Attempt.connection.isMade(by: line) {
        first = first ?? line
        attempts.append(line.number)
      }
      return nil
    }

    func verdict(at end: ClientStory.End) -> JournalVerdict {
      guard let ending else { return .undecided("nothing has happened yet that a client may not come back from") }
      if let first {
        return .failed(
          "\(ClientStory.Attempt.connection.text(attempts.count)) after \(words(ending)), the first \(ClientStory.text(first.real - ending.real)) later",
          [ending.number] + attempts)
      }
      if let doubt = end.doubt(quiet: quiet, since: ending, .connection, unnamedAfter: ending.number) { return doubt }
      return .passed(
        "no attempt to connect in the \(ClientStory.text(end.age(of: ending))) since \(words(ending))",
        [ending.number])
    }
  }

  /// Returns whether the line records an end from which the client may not return.
  private static func isTerminal(_ line: JournalLine) -> Bool {
    switch line.event {
    case .cutOff(let close), .closed(let close, by: .gateway): !close.mayReconnect
    case .upgradeRefused(let error, let status, _): error?.isTerminal ?? (status == 403)
    case .loginRefused(let error): error.isTerminal
    default: false
    }
  }

  private static func words(_ line: JournalLine) -> String {
    switch line.event {
    case .cutOff(let close), .closed(let close, _): "close \(close.code)"
    case .upgradeRefused(nil, let status, _): "status \(status)"
    case .upgradeRefused(let error?, _, _), .loginRefused(let error): "error \(error.number)"
    default: "the end"
    }
  }
}

extension JournalClose {
  /// Whether the client may connect again. The wire's rule for the end decides. Without one the gateway's own reason does, if
  /// there is one, whatever the dialect's
  /// code is. If a fault has changed the end, the client knows only the code, and may return after an end without a
  /// close frame.
  var mayReconnect: Bool {
    if let then { return then != .giveUp }
    let name = reason
    let own = isFaulted ? nil : CloseReason.all.first { $0.name == name }
    return (own ?? CloseReason(code: code, name: name))?.mayReconnect ?? true
  }
}

extension JournalError {
  /// Whether another token of this client would be refused too. This holds for errors of permission (403), and for
  /// deactivated users and outdated clients.
  var isTerminal: Bool {
    (403_000..<404_000).contains(number)
      || [GatewayError.userDeactivated, .clientOutdated].contains { $0.number == Int(number) }
  }
}
