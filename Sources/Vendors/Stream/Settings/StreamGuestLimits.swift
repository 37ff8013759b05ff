/// The number of Stream's guests there may be, 60 a minute from one address for instance: making one takes no login.
package struct StreamGuestLimits: Hashable, Sendable {
  /// Guests that one address may make in a minute, 1 or more; as many may come at once.
  package var perAddressPerMinute = 60
  /// The same for each address of this very machine, where load tests come from.
  package var perLoopbackPerMinute = 6000
  /// How long a guest is kept whom nobody is connected as; then everything said of the guest is forgotten. The token stays
  /// good, and brings the guest back under the same name.
  package var rest = Duration.seconds(3600)

  package init() {}
}

/// The figures of those who wanted to be guests: how many were refused, for instance.
package struct StreamGuestFigures: Hashable, Sendable {
  /// Those who were told to come back later.
  package var refused: UInt64
  package var forgotten: UInt64
}
