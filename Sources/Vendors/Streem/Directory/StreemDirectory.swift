package import GatewayCore

/// What a Streem platform knows: companies, their API keys and users, invitations and reservations.
///
/// Obligations of every implementation: each operation is atomic; an answer reflects every operation whose answer its
/// caller had already seen; what has expired is as if it had never been; a full table throws
/// `GatewayError.tooMany` and loses nothing; of a key only the public half is ever kept, of an invitation's code only
/// the hash.
package protocol StreemDirectory: Sendable {
  // MARK: Companies and API keys

  /// Keeps a company, in place of the one that had its code.
  func putCompany(_ company: StreemCompany) async throws(GatewayError)

  /// The company of that code, nil if there is none.
  func company(_ code: Name) async -> StreemCompany?

  /// Keeps an API key. Throws `GatewayError.companyUnknown` if its company does not exist, and
  /// `GatewayError.invalidParameter` if there is a key of that id already, revoked or not.
  func addAPIKey(_ key: StreemAPIKey) async throws(GatewayError)

  /// The API key of that id, revoked or not; nil if there never was one.
  func apiKey(_ id: Name) async -> StreemAPIKey?

  /// Every API key, in the order of their ids.
  func apiKeys() async -> [StreemAPIKey]

  /// Ends an API key for ever; revoking twice is revoking once. Throws `GatewayError.notFound` if there is none.
  func revokeAPIKey(_ id: Name) async throws(GatewayError) -> StreemAPIKey

  // MARK: Users

  /// Makes the user on the first login, and overwrites what the login carries on every further one; what it does not
  /// carry stays. Throws `GatewayError.companyUnknown`.
  func identify(_ login: StreemLogin, at now: WallTime) async throws(GatewayError) -> StreemUser

  /// The user of that id in any company, nil if there is none.
  func user(_ id: Name) async -> StreemUser?

  /// The company's user whom its application knows by that name, nil if there is none.
  func user(company code: Name, externalID: Name) async -> StreemUser?

  /// Those of the company's users that identified last, the latest first, at most `limit`.
  func recentlyIdentified(company code: Name, onlyExperts: Bool, limit: Int) async -> [StreemUser]

  // MARK: Invitations

  /// Keeps an invitation under the hash of its code. False if that code is alive already: draw another. Throws
  /// `GatewayError.tooMany` if the table is full of living ones, or the inviter has as many as one may have.
  func addInvitation(
    _ invitation: StreemInvitation, codeHash: [UInt8], at now: WallTime
  ) async throws(GatewayError) -> Bool

  /// Takes an invitation that nobody has taken, for good: of many who try at once one has it. Wrong codes are counted
  /// against `address` (as ``AddressQuota`` tells addresses apart) and against everybody; who has used up their tries learns nothing more.
  func takeInvitation(
    codeHash: [UInt8], from address: String, limits: StreemTryLimits, at now: WallTime
  ) async -> StreemInvitationOutcome

  // MARK: Reservations

  /// Keeps a reservation under its id.
  func addReservation(_ reservation: StreemReservation, at now: WallTime) async throws(GatewayError)

  /// The reservation of that id, with the state it has at `now`; nil if there is none.
  func reservation(_ sid: Name, at now: WallTime) async -> StreemReservation?

  /// Cancels a reservation that has not ended, and returns it; one that has ended stays as it is. Throws
  /// `GatewayError.notFound` if there is none.
  func cancelReservation(_ sid: Name, at now: WallTime) async throws(GatewayError) -> StreemReservation
}
