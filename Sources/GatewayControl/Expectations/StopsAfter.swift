internal import GatewayCore
internal import GatewayRuntime

extension Expectation {
  /// At most so many attempts, and then nothing more for `quiet`.
  package static func stopsAfter(
    _ most: Int, _ attempt: ClientStory.Attempt = .connection, quiet: Duration = .seconds(1)
  ) -> Expectation {
    Expectation("stops_after") { story in
      let attempts = story.attempts(attempt)
      guard attempts.count <= most else {
        return .failed(
          "\(attempt.text(attempts.count)), where \(most) may be", attempts.map(\.number))
      }
      guard let last = attempts.last else { return .undecided("there was no attempt") }
      if let doubt = story.doubt(quiet: quiet, since: last, attempt, of: story.unnamed) { return doubt }
      return .passed(
        "\(attempt.text(attempts.count)), and none in the \(ClientStory.text(story.age(of: last))) since",
        attempts.map(\.number))
    }
  }
}
