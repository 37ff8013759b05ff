internal import GatewayCore
internal import GatewayKit
internal import GatewayTokens

extension StreemDirectory {
  private static let invitations = StoreTable<StreemInvitationRow>("streem.invitation")

  /// Stores an invitation under the hash of its code. Returns false if that code is in use; the caller then draws
  /// another. Throws `GatewayError.tooMany` if the table is full of valid ones, or the inviter has the maximum.
  func addInvitation(
    _ invitation: StreemInvitation, codeHash: [UInt8], at now: WallTime
  ) async throws(GatewayError) -> Bool {
    let counts = counts(of: invitation)
    return try await store.transact(at: now) {
      (transaction: inout Transaction) async throws(GatewayError) -> Bool in
      let key = Self.key(codeHash)
      guard try await transaction.get(key, as: StreemInvitationRow.self) == nil else { return false }
      let row = StreemInvitationRow(invitation: invitation)
      transaction.put(key, row, expires: invitation.expiresAt, in: counts)
      return true
    }
  }

  /// Takes an invitation that was not taken yet: of concurrent attempts exactly one succeeds. Wrong codes are counted
  /// for `address` (as in `AddressQuota`) and in total; above a limit the answer reveals nothing. The counts are kept in
  /// memory.
  func takeInvitation(
    codeHash: [UInt8], from address: String, limits: StreemTryLimits, at now: WallTime
  ) async throws(GatewayError) -> StreemInvitationOutcome {
    let address = AddressQuota.key(of: address)
    // Counted before the look-up, so that concurrent attempts count like sequential ones.
    if let wait = tries.take(address, limits, at: now) { return .limited(retryAfter: wait) }
    let outcome: StreemInvitationOutcome
    do throws(GatewayError) {
      outcome = try await store.transact(at: now) {
        (transaction: inout Transaction) async throws(GatewayError) -> StreemInvitationOutcome in
        let key = Self.key(codeHash)
        guard var row = try await transaction.get(key, as: StreemInvitationRow.self) else { return .invalid }
        guard !row.isTaken else { return .consumed }
        row.isTaken = true
        transaction.put(key, row, expires: row.invitation.expiresAt, in: counts(of: row.invitation))
        return .taken(row.invitation)
      }
    } catch {
      tries.giveBack(address)
      throw error
    }
    if outcome != .invalid { tries.giveBack(address) }
    return outcome
  }

  private func counts(of invitation: StreemInvitation) -> [StoreCount] {
    [
      StoreCount("streem.invitations", atMost: limits.invitations, of: "invitations"),
      StoreCount(
        "streem.inviter", invitation.inviter.text, atMost: limits.invitationsPerInviter,
        of: "invitations of one expert"),
    ]
  }

  private static func key(_ codeHash: [UInt8]) -> StoreKey {
    invitations.key(Base64URL.encode(codeHash))
  }
}
