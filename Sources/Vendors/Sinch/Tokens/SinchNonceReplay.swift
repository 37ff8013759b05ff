/// The rule for a nonce that was used before.
enum SinchNonceReplay: String, Hashable, Sendable, CaseIterable {
  case reject
  /// The same user may present it again from the same device.
  case sameDevice = "same-device"
  case allow
}
