import GatewayCore

/// The connections of each session at the application's login. Empty, and without memory, unless tokens say their session.
struct LoginSessionIndex {
  private var serials: [LoginSession: SerialSet] = [:]
  private var sessions: [UInt64: LoginSession] = [:]

  /// Notes which session the connection is of, if the record says that it has another token.
  mutating func note(_ record: SessionRecord, of grant: Grant?, _ serial: UInt64) {
    switch record {
    case .loggedIn, .refreshed: set(grant?.session, serial)
    default: return
    }
  }

  /// Has the connection be of that session, or of none.
  mutating func set(_ session: LoginSession?, _ serial: UInt64) {
    if session == nil, sessions.isEmpty { return }
    let before = sessions[serial]
    guard before != session else { return }
    if let before {
      serials[before]?.remove(serial)
      if serials[before]?.isEmpty == true { serials[before] = nil }
    }
    sessions[serial] = session
    if let session { _ = serials[session, default: SerialSet()].insert(serial) }
  }

  /// Returns the serial numbers of the session's connections, in the order in which they came.
  func connections(of session: LoginSession) -> [UInt64] { serials[session]?.sorted ?? [] }
}
