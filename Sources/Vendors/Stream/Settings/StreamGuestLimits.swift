/// The limits for guests, which anyone can create without a login.
struct StreamGuestLimits: Hashable, Sendable {
  /// Guests that one address may create in a minute, at least 1; as many may be created at once.
  var perAddressPerMinute = 60
  /// The same for each loopback address, from which load tests come.
  var perLoopbackPerMinute = 6000
  /// How long a guest without a connection is stored. Later everything about the guest is removed; the token stays
  /// valid, and restores the guest with the same name.
  var rest = Duration.seconds(3600)
}

/// Counts of requests to create a guest.
struct StreamGuestFigures: Hashable, Sendable {
  /// The requests that were told to try again later.
  var refused: UInt64
  var forgotten: UInt64
}
