internal import GatewayCore
internal import GatewayRuntime

extension Expectation {
  /// The expectation that no logout and no security event which a fault has copied or forged ends a session of the client or
  /// asks it for another token.
  package static let outlivesBadSignals = Expectation("outlives_bad_signals") { _ in BadSignals() }

  /// The signals of faults, and what happened to the client until each was answered.
  private struct BadSignals: ExpectationJudge {
    private static let words = [
      "logout_replayed", "logout_forged", "event_replayed", "event_forged",
    ].map { Name($0) }

    private var sent: [UInt64] = []
    /// What a signal may have caused. The line of an accepted signal comes after its effects.
    private var effects: [UInt64] = []

    mutating func hear(_ line: JournalLine) -> JournalVerdict? {
      switch line.event {
      case .faulted:
        guard let word = line.fault, Self.words.contains(Name(word)) else { break }
        sent.append(line.number)
        effects = []
      case .cutOff(let close) where close.reason == CloseReason.tokenRevoked.name: effects.append(line.number)
      case .revoked: effects.append(line.number)
      case .signalTaken(_, let isPlayed):
        defer { effects = [] }
        guard isPlayed, let cause = sent.last, !effects.isEmpty else { break }
        return .failed(
          "a \(line.signal ?? "signal") that a fault sent reached a session", [cause] + effects + [line.number])
      default: break
      }
      return nil
    }

    func verdict(at end: ClientStory.End) -> JournalVerdict {
      guard !sent.isEmpty else {
        return .undecided("no fault sent a signal about the client; order logout_replayed or logout_forged")
      }
      return .passed("\(sent.count) bad signals reached no session", sent)
    }
  }
}
