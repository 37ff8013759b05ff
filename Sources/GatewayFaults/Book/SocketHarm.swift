internal import GatewayCore
internal import GatewayRuntime

/// The harm that faults have done to a socket. Most sockets have none.
final class SocketHarm {
  /// The failure of its login or its refresh; nil if neither fails.
  var failure: LoginFailure?
  /// Whether it is a refresh that fails, which is sent as an error.
  var failsRefresh = false
  var otherClose: OtherClose?
  var kept = KeptFrames()
  /// The fault of the beginning of a message, which applies to the rest too.
  var begun: (meaning: JournalMessage, fault: (any MessageFault)?)?
  /// The active faults of the socket, by their numbers.
  var ailments: [UInt32: any SocketFault] = [:]
}

/// The messages of a socket that a fault keeps back, in both directions.
struct KeptFrames {
  /// The messages that go on after the next one.
  var heldOut: [Frame] = []
  var heldIn: [Frame] = []
  /// The messages whose delay has passed and that wait for a slow reader.
  var lateOut: [Frame] = []
  var lateIn: [Frame] = []

  var isEmpty: Bool { heldOut.isEmpty && heldIn.isEmpty && lateOut.isEmpty && lateIn.isEmpty }
}
