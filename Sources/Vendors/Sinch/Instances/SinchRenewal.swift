internal import GatewayCore

/// The rule for extending a limited registration, which is checked only when a client starts.
enum SinchRenewal {
  private static let day = Duration.seconds(86_400)

  /// Returns whether it is due: 7 days before the end if the registration lasts 8 days or more, else 24 hours before
  /// it.
  static func isDue(_ instance: SinchInstance, at now: WallTime) -> Bool {
    guard let end = instance.endsAt else { return false }
    let lead = end - instance.registeredAt >= day * 8 ? day * 7 : day
    return now >= end - lead
  }
}
