internal import GatewayRuntime

extension Expectation {
  /// Refreshes happen on the very same connection: none is closed, and no other is opened.
  package static let keepsConnection = Expectation("keeps_connection") { OneConnection() }

  /// The connection, and what was refreshed on it.
  private struct OneConnection: ExpectationJudge {
    private var begin: UInt64?
    private var refreshed: [UInt64] = []

    init() {}

    mutating func hear(_ line: JournalLine) -> JournalVerdict? {
      switch line.event.kind {
      case .closed, .cutOff:
        return .failed("the connection ended", (begin.map { [$0] } ?? []) + [line.number])
      case .connectionOpened, .upgradeRefused:
        guard let begin else { break }
        return .failed("the client connected again, though its connection stood", [begin, line.number])
      case .loggedIn, .refreshed:
        begin = begin ?? line.number
        if line.event.kind == .refreshed { refreshed.append(line.number) }
      default: break
      }
      return nil
    }

    func verdict(at end: ClientStory.End) -> JournalVerdict {
      guard !refreshed.isEmpty else { return .undecided("there was no refresh") }
      return .passed("\(ClientStory.Attempt.refresh.text(refreshed.count)) on the same connection", refreshed)
    }
  }
}
