internal import GatewayRuntime

extension Expectation {
  /// Refreshes happen on the very same connection: none is closed, and no other is opened.
  package static let keepsConnection = Expectation("keeps_connection") { story in
    var begin: JournalLine?
    var refreshed: [UInt64] = []
    for line in story.lines {
      switch line.event.kind {
      case .closed, .cutOff:
        return .failed("the connection ended", (begin.map { [$0.number] } ?? []) + [line.number])
      case .connectionOpened, .upgradeRefused:
        guard let begin else { break }
        return .failed("the client connected again, though its connection stood", [begin.number, line.number])
      case .loggedIn, .refreshed:
        begin = begin ?? line
        if line.event.kind == .refreshed { refreshed.append(line.number) }
      default: break
      }
    }
    guard !refreshed.isEmpty else { return .undecided("there was no refresh") }
    return .passed(
      "\(ClientStory.Attempt.refresh.text(refreshed.count)) on the same connection", refreshed)
  }
}
