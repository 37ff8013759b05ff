internal import GatewayCore
internal import GatewayTokens

/// A token that shares a call's details with whoever has it, `shr_…` in the address of a page for instance. The call keeps
/// its hash only.
struct StreemShareToken: Hashable, Sendable {
  let text: String

  init(_ text: String) {
    self.text = text
  }

  /// A new token, not to be guessed.
  static func draw(from secrets: Secrets) -> StreemShareToken {
    StreemShareToken(StreemID.make("shr", from: secrets))
  }

  var hash: [UInt8] { SHA256.digest("streem share \(text)".utf8) }

  /// Whether it is one of the call's.
  func opens(_ room: StreemRoom) -> Bool {
    let hash = hash
    return room.shares?.contains { ConstantTime.areEqual($0, hash) } ?? false
  }
}
