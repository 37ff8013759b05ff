internal import GatewayCore
internal import GatewayRuntime

extension LateTimes {
  /// The divisor of a client's time: if it lost at least this part of it (a fifth), the end is not held against it.
  private static let shareMax = 5
  /// The time before an end in which a client or a gateway may have waited in silence, and the loss in it that is too
  /// much.
  private static let (patience, patienceLost) = (Duration.seconds(10), Duration.seconds(2))

  /// Returns an undecided verdict if a slow machine may have ended the connection: the client had too little time for
  /// its answer, or one side received too little from the other. Returns nil if the end counts.
  ///
  /// - Parameter request: The request for a token that the client has not answered.
  func excuse(for line: JournalLine, asked request: JournalLine?, _ told: [UInt64]) -> JournalVerdict? {
    let (from, least): (Duration, Duration)
    switch line.event {
    case .cutOff(let close) where close.reason == CloseReason.refreshTimeout.name,
      .closed(let close, by: .gateway) where close.reason == CloseReason.refreshTimeout.name:
      guard let request else { return nil }
      (from, least) = (request.real, (line.real - request.real) / Self.shareMax)
    case .cutOff(let close) where close.reason == CloseReason.livenessTimeout.name:
      (from, least) = (line.real - Self.patience, Self.patienceLost)
    case .closed(_, by: let end) where end != .gateway:
      (from, least) = (line.real - Self.patience, Self.patienceLost)
    default: return nil
    }
    let lost = lost(from: from, to: line.real)
    guard lost > .zero, lost >= least else { return nil }
    return .undecided(
      "the machine was slow: of the \(ClientStory.text(line.real - max(.zero, from))) before the connection ended it may have taken \(ClientStory.text(lost))",
      told)
  }
}
