internal import GatewayCore

/// A line about one client's exchange with a token endpoint, without tokens and secrets.
package enum TokenSight: Hashable, Sendable {
  /// A request: method and path.
  case asked(String)
  case answered(status: Int, String)
  case unanswered(String)

  /// Returns the result of an answer, for people.
  static func words(of answer: TokenAnswer, at now: WallTime) -> String {
    switch answer.outcome {
    case .token:
      let same = answer.isSameToken ? "the token of before" : "a token"
      guard let end = answer.end else { return "\(same); nobody says when it ends" }
      let seconds = ((end - now).nanoseconds + 500_000_000) / 1_000_000_000
      return "\(same), which ends in \(seconds) s (\(answer.endSource.rawValue))"
    case .busy(_, let wait):
      let seconds = wait.map { ", for \($0.nanoseconds / 1_000_000_000) s" } ?? ""
      return "busy\(seconds): \(answer.label)"
    case .refused: return "refused: \(full(answer))"
    case .failed: return full(answer)
    }
  }

  /// Returns the endpoint's error, if there is one, with advice.
  private static func full(_ answer: TokenAnswer) -> String {
    guard let sentence = answer.sentence else { return answer.label }
    return answer.label.contains(" ") ? "\(answer.label): \(sentence)" : sentence
  }
}
