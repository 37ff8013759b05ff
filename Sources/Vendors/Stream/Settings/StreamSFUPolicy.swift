/// The settings of the gateway's own SFU, which has signalling only, neither media nor ICE.
struct StreamSFUPolicy: Hashable, Sendable {
  /// The gateway's address for clients, e.g. `https://calls.example`; nil for the address to which their join was sent.
  var address: String?
  /// Whether the gateway's port uses TLS.
  var isSecure = false
  /// The validity of a join's `credentials.token`. Above zero.
  var tokenLife: Duration = .seconds(3600)
  /// How long a participant whose socket was lost or replaced stays in the call, so that the client can return.
  var returnWindow: Duration = .seconds(5)
  /// How long a client may keep its socket after it was told that its call has ended.
  var farewell: Duration = .seconds(2)
  /// How long a client may be silent: the SDKs send a health check every 4 to 10 s.
  var silenceMax: Duration = .seconds(30)
  /// Whether anonymous viewers, who join with a call token, may use this socket, as at Stream. The coordinator's socket
  /// always rejects them.
  var admitsAnonymous = true
}
