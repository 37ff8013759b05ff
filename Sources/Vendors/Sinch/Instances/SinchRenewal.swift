internal import GatewayCore

/// The rule for when a limited registration is to be extended, considered when a client starts, and at no other time:
/// one of 30 days, for instance, from 7 days before its end.
enum SinchRenewal {
  private static let day = Duration.seconds(86_400)

  /// Whether it is due: 7 days before the end where the registration lasts 8 days or more, else 24 hours before it.
  static func isDue(_ instance: SinchInstance, at now: WallTime) -> Bool {
    guard let end = instance.endsAt else { return false }
    let lead = end - instance.registeredAt >= day * 8 ? day * 7 : day
    return now >= end - lead
  }
}
