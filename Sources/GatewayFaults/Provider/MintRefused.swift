internal import GatewayCore
internal import GatewayKit

/// A token provider that refuses with an HTTP status. `Retry-After` is sent only if the order names it.
struct MintRefused: ProviderRefusal {
  static let word = "mint_refused"
  static let summary = "makes the token provider answer with an HTTP status instead of a token"
  static let members = FaultAnswer.members
  static let example = #"{"fault": "mint_refused", "status": 429, "retry_after_s": 5, "times": 2}"#

  private let answer: FaultAnswer

  init(_ fields: FaultFields) throws(GatewayError) {
    answer = try FaultAnswer(fields, unauthorized: .credentialsMissing)
  }

  func refuse(user: UserID?, address: Name?, at now: WallTime) throws(TokenRefusal) {
    throw TokenRefusal(
      answer.error, status: answer.status, retryAfter: answer.retryAfter.map { .after($0) } ?? RetryAdvice.none)
  }
}
