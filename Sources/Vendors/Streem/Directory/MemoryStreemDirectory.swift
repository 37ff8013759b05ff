package import GatewayCore

/// A Streem platform's directory in the memory of one process: gone when it ends.
///
/// Runs on the executor it is given, so that in a simulated world its answers come in the same order every time.
package actor MemoryStreemDirectory: StreemDirectory {
  package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  private let executor: any SerialExecutor
  private let limits: MemoryStreemLimits
  private var companies: [Name: StreemCompany] = [:]
  private var keys: [Name: StreemAPIKey] = [:]
  private var users: [Name: StreemUser] = [:]
  /// The ids of users by company and external id.
  private var userIDs: [Name: [Name: Name]] = [:]
  private var invitations: MemoryStreemInvitations
  private var reservations: [Name: StreemReservation] = [:]

  package init(on executor: any SerialExecutor, limits: MemoryStreemLimits = MemoryStreemLimits()) {
    self.executor = executor
    self.limits = limits
    invitations = MemoryStreemInvitations(max: limits.invitations, perInviterMax: limits.invitationsPerInviter)
  }

  // MARK: Companies and API keys

  package func putCompany(_ company: StreemCompany) throws(GatewayError) {
    guard companies[company.code] != nil || companies.count < limits.companies else {
      throw .tooMany.detailed("\(limits.companies) companies")
    }
    companies[company.code] = company
  }

  package func company(_ code: Name) -> StreemCompany? {
    companies[code]
  }

  package func addAPIKey(_ key: StreemAPIKey) throws(GatewayError) {
    guard companies[key.company] != nil else { throw .companyUnknown }
    guard keys[key.id] == nil else { throw .invalidParameter.detailed("there is an API key of that id already") }
    guard keys.count < limits.keys else { throw .tooMany.detailed("\(limits.keys) API keys") }
    keys[key.id] = key
  }

  package func apiKey(_ id: Name) -> StreemAPIKey? {
    keys[id]
  }

  package func apiKeys() -> [StreemAPIKey] {
    keys.values.sorted { $0.id < $1.id }
  }

  package func revokeAPIKey(_ id: Name) throws(GatewayError) -> StreemAPIKey {
    guard var key = keys[id] else { throw .notFound.detailed("there is no such API key") }
    key.isRevoked = true
    keys[id] = key
    return key
  }

  // MARK: Users

  package func identify(_ login: StreemLogin, at now: WallTime) throws(GatewayError) -> StreemUser {
    guard companies[login.company] != nil else { throw .companyUnknown }
    let known = userIDs[login.company]?[login.externalID].flatMap { users[$0] }
    guard known != nil || users.count < limits.users else { throw .tooMany.detailed("\(limits.users) users") }
    var user =
      known
      ?? StreemUser(id: login.newID, externalID: login.externalID, company: login.company, identifiedAt: now)
    user.name = login.name ?? user.name
    user.email = login.email ?? user.email
    user.avatarURL = login.avatarURL ?? user.avatarURL
    user.isExpert = login.isExpert ?? user.isExpert
    user.invitedBy = user.invitedBy ?? login.invitedBy
    user.identifiedAt = now
    users[user.id] = user
    if known == nil { userIDs[user.company, default: [:]][user.externalID] = user.id }
    return user
  }

  package func user(_ id: Name) -> StreemUser? {
    users[id]
  }

  package func user(company code: Name, externalID: Name) -> StreemUser? {
    userIDs[code]?[externalID].flatMap { users[$0] }
  }

  package func recentlyIdentified(company code: Name, onlyExperts: Bool, limit: Int) -> [StreemUser] {
    let wanted = (userIDs[code] ?? [:]).values.lazy.compactMap { self.users[$0] }.filter { $0.isExpert || !onlyExperts }
    let sorted = wanted.sorted { ($1.identifiedAt, $0.id) < ($0.identifiedAt, $1.id) }
    return Array(sorted.prefix(limit))
  }

  // MARK: Invitations

  package func addInvitation(
    _ invitation: StreemInvitation, codeHash: [UInt8], at now: WallTime
  ) throws(GatewayError) -> Bool {
    try invitations.add(invitation, codeHash: codeHash, at: now)
  }

  package func takeInvitation(
    codeHash: [UInt8], from address: String, limits: StreemTryLimits, at now: WallTime
  ) -> StreemInvitationOutcome {
    invitations.take(codeHash: codeHash, from: address, limits: limits, at: now)
  }

  // MARK: Reservations

  package func addReservation(_ reservation: StreemReservation, at now: WallTime) throws(GatewayError) {
    if reservations.count >= limits.reservations {
      reservations = reservations.filter { $0.value.current(at: now).status == .reserved }
    }
    guard reservations.count < limits.reservations else {
      throw .tooMany.detailed("\(limits.reservations) reservations")
    }
    reservations[reservation.sid] = reservation
  }

  package func reservation(_ sid: Name, at now: WallTime) -> StreemReservation? {
    reservations[sid]?.current(at: now)
  }

  package func cancelReservation(_ sid: Name, at now: WallTime) throws(GatewayError) -> StreemReservation {
    guard var reservation = reservations[sid]?.current(at: now) else {
      throw .notFound.detailed("there is no such reservation")
    }
    if reservation.status == .reserved { reservation.status = .canceled }
    reservations[sid] = reservation
    return reservation
  }
}

extension StreemReservation {
  /// The reservation as it is at `now`.
  fileprivate func current(at now: WallTime) -> StreemReservation {
    guard status == .reserved, endsAt <= now else { return self }
    var expired = self
    expired.status = .expired
    return expired
  }
}
