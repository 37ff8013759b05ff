internal import GatewayCore
internal import GatewayTokens

/// A token that gives access to a call's details, e.g. as part of a page's URL. The call stores only its hash.
struct StreemShareToken: Hashable, Sendable {
  let text: String

  init(_ text: String) {
    self.text = text
  }

  /// Returns a new unguessable token.
  static func draw(from secrets: Secrets) -> StreemShareToken {
    StreemShareToken(StreemID.make("shr", from: secrets))
  }

  var hash: [UInt8] { SHA256.digest("streem share \(text)".utf8) }

  /// Returns whether it is one of the call's tokens.
  func opens(_ room: StreemRoom) -> Bool {
    let hash = hash
    return room.shares?.contains { ConstantTime.areEqual($0, hash) } ?? false
  }
}
