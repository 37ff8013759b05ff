/// What is done about a nonce that was spent.
package enum SinchNonceReplay: String, Hashable, Sendable, CaseIterable {
  case reject
  /// The same user may present it again from the same device.
  case sameDevice = "same-device"
  case allow
}
