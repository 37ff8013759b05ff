internal import GatewayRuntime

extension Expectation {
  /// The expectation that refreshes happen on the same connection: none is closed, and no other is opened.
  package static let keepsConnection = Expectation("keeps_connection") { OneConnection(late: $0) }

  /// The connection, and the refreshes on it.
  private struct OneConnection: ExpectationJudge {
    let late: LateTimes
    private var begin: UInt64?
    private var request: JournalLine?
    private var refreshed: [UInt64] = []

    init(late: LateTimes) { self.late = late }

    mutating func hear(_ line: JournalLine) -> JournalVerdict? {
      switch line.event.kind {
      case .closed, .cutOff:
        let told = (begin.map { [$0] } ?? []) + [line.number]
        return late.excuse(for: line, asked: request, told) ?? .failed("the connection ended", told)
      case .refreshRequested: request = request ?? line
      case .connectionOpened, .upgradeRefused:
        guard let begin else { break }
        return .failed("the client connected again, though its connection stood", [begin, line.number])
      case .loggedIn, .refreshed:
        (begin, request) = (begin ?? line.number, nil)
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
