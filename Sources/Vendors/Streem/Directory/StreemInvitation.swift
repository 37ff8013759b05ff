internal import GatewayCore

/// An expert's invitation of one customer, with a limited life. Its code is stored separately, as a hash.
struct StreemInvitation: Hashable, Codable, Sendable {
  /// `inv_` and 22 letters and digits.
  var sid: String
  /// The company's code.
  var company: Name
  /// The inviting expert's `streemUserId`.
  var inviter: Name
  /// The name of the invited person.
  var toName: String
  /// The phone number of the invited person in E.164 form.
  var toPhone: String?
  var referenceID: String?
  var integrationID: String?
  var createdAt: WallTime
  var expiresAt: WallTime
}

/// The outcome of taking an invitation.
enum StreemInvitationOutcome: Hashable, Sendable {
  case taken(StreemInvitation)
  /// It was taken before.
  case consumed
  /// There is no such code, or it has expired.
  case invalid
  /// Too many wrong codes; `retryAfter` is the time until the next try.
  case limited(retryAfter: Duration)
}

/// The maximum numbers of wrong codes in one time window.
struct StreemTryLimits: Hashable, Sendable {
  /// From one address.
  var perAddress: Int = 10
  /// From all addresses together.
  var overall: Int = 1_000
  var window: Duration = .seconds(60)
}
