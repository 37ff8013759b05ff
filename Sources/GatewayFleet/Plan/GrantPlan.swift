/// How the clients of a storm share refresh tokens that each may be used once. A client is a tab; the tabs of a device
/// have one refresh token, as with one cookie, and each device of a user has logged in by itself.
package struct GrantPlan: Hashable, Sendable, Codable {
  /// The clients that wait for one request, and take its result.
  package enum SingleFlight: String, Hashable, Sendable, Codable, CaseIterable {
    /// No client waits for another request.
    case none
    /// A client waits for its own earlier request.
    case tab
    case device
    case user
  }

  /// The reaction of a client to a refused refresh token.
  package enum SignedOut: String, Hashable, Sendable, Codable, CaseIterable {
    /// It gets no further token: a person would have to type a password.
    case gone
    /// It logs in again.
    case login
  }

  /// The devices of a user, and the tabs of a device.
  package var devices = 1
  package var tabs = 1
  package var singleFlight = SingleFlight.tab
  package var signedOut = SignedOut.gone
  /// How long a refresh token may be unused, in seconds; nil if the clients do not know.
  package var idle: Double?

  package init() {}

  /// The bounds of both numbers.
  package static let sharers = 1...1_000

  /// The number of clients of one user.
  package var clientsPerUser: Int { devices * tabs }

  /// Returns the number of a client's device, and of its user.
  package func device(of index: Int) -> Int { index / tabs }
  package func user(of index: Int) -> Int { index / clientsPerUser }

  /// Returns the number of the flight that a client's requests join; nil if they join none.
  package func flight(of index: Int) -> Int? {
    switch singleFlight {
    case .none: nil
    case .tab: index
    case .device: device(of: index)
    case .user: user(of: index)
    }
  }

  /// Returns the number of devices of a fleet.
  package func devices(of clients: Int) -> Int { (clients + tabs - 1) / tabs }
}
