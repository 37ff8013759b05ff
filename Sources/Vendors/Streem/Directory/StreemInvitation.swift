package import GatewayCore

/// An expert's invitation of one customer, with a limited life. Its code is stored separately, as a hash.
package struct StreemInvitation: Hashable, Codable, Sendable {
  /// `inv_` and 22 letters and digits.
  package var sid: String
  /// The company's code.
  package var company: Name
  /// The inviting expert's `streemUserId`.
  package var inviter: Name
  /// The name of the invited person.
  package var toName: String
  /// The phone number of the invited person in E.164 form.
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

/// The outcome of taking an invitation.
package enum StreemInvitationOutcome: Hashable, Sendable {
  case taken(StreemInvitation)
  /// It was taken before.
  case consumed
  /// There is no such code, or it has expired.
  case invalid
  /// Too many wrong codes; `retryAfter` is the time until the next try.
  case limited(retryAfter: Duration)
}

/// The maximum numbers of wrong codes in one time window.
package struct StreemTryLimits: Hashable, Sendable {
  /// From one address.
  package var perAddress: Int
  /// From all addresses together.
  package var overall: Int
  package var window: Duration

  package init(perAddress: Int = 10, overall: Int = 1_000, window: Duration = .seconds(60)) {
    self.perAddress = perAddress
    self.overall = overall
    self.window = window
  }
}
