/// What an identified client may ask for, by the names on the wire.
enum StreemOperation: String, CaseIterable {
  case startRemoteStream
  case joinRemoteStream
  case leaveRemoteStream
  case createInvitation
  case getRecentlyIdentifiedUsers
  /// The client has no new token.
  case tokenFailed

  /// The body of a ``tokenFailed`` of a session that has reached its end.
  static let expired = "expired"
}
