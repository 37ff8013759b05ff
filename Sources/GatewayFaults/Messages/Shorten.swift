package import GatewayCore
internal import GatewayJSON
internal import GatewayRuntime

/// A shorter life of the token than the gateway's own, told to the client. A client with a timer then renews in
/// seconds, and the gateway is unchanged.
package struct Shorten: LifeFault {
  package static let word = "shorten"
  package static let summary =
    "in a proxy: tells clients a shorter life of their tokens, in replies to logins and refreshes, and at a token endpoint"
  package static let members = ["life_s"] + FaultyMessage.members
  package static let example = #"{"fault": "shorten", "life_s": 3}"#

  package let message: FaultyMessage
  package let life: Duration
  /// Whether the answers of a token endpoint are affected too.
  package let isOfTokens: Bool

  private static let lives = 0.001...2_592_000.0

  package init(_ fields: FaultFields) throws(GatewayError) {
    guard let life = try fields.number("life_s", in: Self.lives) else { throw fields.missing("life_s") }
    self.life = .saturating(seconds: life)
    isOfTokens = fields.value("what") == nil
    message = isOfTokens ? .toldLives : try FaultyMessage(fields)
    guard [.replyLogin, .replyRefresh].contains(message.meaning) else {
      throw .invalidParameter.detailed("what must be reply:login or reply:refresh; both without it")
    }
  }

  package func fate(of frame: Frame) -> MessageFate { .shortened(life) }
}
