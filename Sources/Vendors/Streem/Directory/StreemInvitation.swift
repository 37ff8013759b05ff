package import GatewayCore

/// An expert's invitation of one customer, good for a day for instance. Its code is kept apart, as a hash.
package struct StreemInvitation: Hashable, Codable, Sendable {
  /// `inv_` and 22 letters and digits.
  package var sid: String
  /// The code of the company.
  package var company: Name
  /// The `streemUserId` of who invites.
  package var inviter: Name
  /// What the invited person is called.
  package var toName: String
  /// The number it was made for, in the form of E.164.
  package var toPhone: String?
  package var referenceID: String?
  package var integrationID: String?
  package var createdAt: WallTime
  package var expiresAt: WallTime

  package init(
    sid: String, company: Name, inviter: Name, toName: String, toPhone: String? = nil, referenceID: String? = nil,
    integrationID: String? = nil, createdAt: WallTime, expiresAt: WallTime
  ) {
    self.sid = sid
    self.company = company
    self.inviter = inviter
    self.toName = toName
    self.toPhone = toPhone
    self.referenceID = referenceID
    self.integrationID = integrationID
    self.createdAt = createdAt
    self.expiresAt = expiresAt
  }
}

/// The outcome of taking an invitation: somebody has taken it before, for instance.
package enum StreemInvitationOutcome: Hashable, Sendable {
  case taken(StreemInvitation)
  /// Somebody has taken it before.
  case consumed
  /// There is no such code, or it has expired.
  case invalid
  /// Too many wrong codes; after that time there are tries again.
  case limited(retryAfter: Duration)
}

/// The limits to how many wrong codes may be tried in one window of time: ten by one address in a minute, for instance.
package struct StreemTryLimits: Hashable, Sendable {
  /// By one address.
  package var perAddress: Int
  /// By everybody together.
  package var overall: Int
  package var window: Duration

  package init(perAddress: Int = 10, overall: Int = 1_000, window: Duration = .seconds(60)) {
    self.perAddress = perAddress
    self.overall = overall
    self.window = window
  }
}
